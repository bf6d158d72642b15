"""All sessions of a server, and the worker processes that they share."""

from __future__ import annotations

import asyncio
import time

from kinesphere.studio.server.session import Session
from kinesphere.studio.server.settings import StudioSettings
from kinesphere.studio.work.pool import Lane


class Hub:
    """Sessions by id. A session whose page has disconnected is kept for a time, if there is room.

    Parameters
    ----------
    settings : see `StudioSettings`.
    """

    def __init__(self, settings: StudioSettings) -> None:
        self.settings = settings
        self.sessions: dict[str, Session] = {}
        loop = asyncio.get_running_loop()
        self.quick, self.slow = Lane("takes", loop), Lane("files", loop)

    def start(self) -> None:
        """Start the worker processes."""
        self.quick.start()
        self.slow.start()

    def join(self, wanted: str) -> tuple[Session, bool] | None:
        """Session of a page: its earlier one or a new one; None if the server is full."""
        self.sweep()
        found = self.sessions.get(wanted)
        if found is not None and found.left_s is not None:
            found.left_s = None
            return found, True
        while len(self.sessions) >= self.settings.most_sessions:
            waiting = [s for s in self.sessions.values() if s.left_s is not None]
            if not waiting:
                return None
            self._drop(min(waiting, key=lambda s: s.left_s or 0.0))
        made = Session(self.quick, self.slow)
        self.sessions[made.id] = made
        return made, False

    def leave(self, session: Session) -> None:
        """Record that a session's page has disconnected."""
        session.leave()
        if session.empty:
            self._drop(session)

    def sweep(self) -> None:
        """Drop sessions whose pages have been disconnected for too long."""
        now = time.monotonic()
        for session in list(self.sessions.values()):
            if session.left_s is not None and now - session.left_s > self.settings.kept_s:
                self._drop(session)

    def close(self) -> None:
        """End all sessions and workers."""
        for session in list(self.sessions.values()):
            self._drop(session)
        self.quick.close()
        self.slow.close()

    def _drop(self, session: Session) -> None:
        self.sessions.pop(session.id, None)
        session.close()
