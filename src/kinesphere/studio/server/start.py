"""Serve the studio on a socket until asked to stop."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kinesphere.errors import InvalidValueError
from kinesphere.studio.server.access import Door
from kinesphere.studio.server.app import StudioApp, _client_file
from kinesphere.studio.server.settings import StudioSettings


class StudioServer:
    """A studio server that listens at the URL `address`.

    Parameters
    ----------
    settings : see `StudioSettings`.

    Raises
    ------
    InvalidValueError
        If the server cannot listen there.
    UnwritableError
        If the page has not been built.
    """

    def __init__(self, settings: StudioSettings) -> None:
        import uvicorn

        _client_file("studio.js")
        self.settings = settings
        self._socket = _listening(settings.host, settings.port)
        self.port = int(self._socket.getsockname()[1])
        host = settings.host
        self.studio = StudioApp(settings, Door(settings.token, host, self.port))
        self.address = f"http://{_display_host(host)}:{self.port}/{settings.token}/"
        config = uvicorn.Config(
            self.studio.app,
            ws="wsproto",
            http="h11",
            log_level="error",
            access_log=False,
            ws_max_size=settings.largest_message,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=2,
            lifespan="on",
        )
        self._server = uvicorn.Server(config)

    def run(self, started: Callable[[], None] | None = None) -> None:
        """Serve until `stop`, or Ctrl-C."""
        if started is not None:
            started()
        with contextlib.suppress(KeyboardInterrupt):  # the normal way to end
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Stop the server from another thread."""
        self._server.should_exit = True


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or error
        raise InvalidValueError(f"cannot listen on {host}, port {port}: {reason}") from None
    return made


def _display_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def open_browser(address: str) -> Any:
    """Open the page in the user's browser."""
    import webbrowser

    return webbrowser.open(address)


def open_studio(
    host: str = "127.0.0.1", port: int = 0, *, token: str | None = None, browser: bool = True
) -> None:
    """Run the studio until it is interrupted (Ctrl-C), and open its page.

    Parameters
    ----------
    host, port : where it listens; port 0 for any free one.
    token : secret of the page's address; a random one by default.
    browser : open the page in the user's browser; else only print its address.
    """
    settings = StudioSettings(host, port)
    server = StudioServer(settings if token is None else replace(settings, token=token))

    def announce() -> None:
        print(f"studio: {server.address}")  # noqa: T201
        if browser:
            open_browser(server.address)

    server.run(announce)
