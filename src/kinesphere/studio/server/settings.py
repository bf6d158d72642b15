"""Settings of the server."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from kinesphere.errors import InvalidValueError

SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class StudioSettings:
    """How the studio is served.

    Parameters
    ----------
    host, port : on which to listen; port 0 is any free one.
    token : secret part of the URL; random by default.
    most_sessions : at a time, including those whose page has disconnected.
    kept_s : how long a session is kept after its page has disconnected.
    largest_message : from a page, in bytes.
    waiting_bytes : size of a page's send queue above which live frames are dropped.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    most_sessions: int = 64
    kept_s: float = 600.0
    largest_message: int = 1 << 20
    waiting_bytes: int = 64 << 20

    def __post_init__(self) -> None:
        fit = all(c.isascii() and (c.isalnum() or c in "-_") for c in self.token)
        if len(self.token) < SHORTEST_TOKEN or not fit:
            raise InvalidValueError(
                f"the token has {len(self.token)} characters; needed are {SHORTEST_TOKEN} or more "
                "letters, digits, - and _"
            )
        if not 0 <= self.port < 1 << 16:
            raise InvalidValueError(f"port {self.port}, allowed is 0 to 65535")
        if self.most_sessions < 1:
            raise InvalidValueError(f"{self.most_sessions} sessions, allowed is 1 or more")
