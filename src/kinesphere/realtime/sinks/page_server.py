"""A small server of the standard library for one page and its stream of frames.

Both are under a secret token: a request with a host name that is not this machine's, or from a page
of another site, is rejected. Every viewer has a thread and a short queue of frames; a slow reader
skips frames, and none blocks the sender.
"""

from __future__ import annotations

import contextlib
import hmac
import socket
import socketserver
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any

from kinesphere.errors import InvalidValueError
from kinesphere.realtime.sinks.own_address import is_own
from kinesphere.realtime.sinks.page_frames import ALIVE, END, message

_WAITING_FRAMES = 128  # of one viewer: two seconds at 60 fps, at most half a megabyte
_SEND_BUFFER = 1 << 16  # small, so that a stalled viewer does not get old frames
_ALIVE_S = 1.0
_PATIENCE_S = 10.0  # timeout of a connection that sends or reads nothing
_LAST_WORD_S = 0.5
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_STRANGER = "Requests from other web pages are not allowed."


class Viewer:
    """Queue of one viewer: the newest note and the newest frames, never more.

    Parameters
    ----------
    hello : message sent before all others.
    """

    def __init__(self, hello: bytes) -> None:
        self._hello = hello
        self._note = b""
        self._frames: deque[bytes] = deque(maxlen=_WAITING_FRAMES)
        self._ended = False
        self._ready = threading.Condition()

    def offer(self, frames: Sequence[bytes] = (), note: bytes = b"", *, end: bool = False) -> None:
        """Queue messages; the oldest frames and note are dropped for new ones."""
        with self._ready:
            self._frames.extend(frames)
            self._note = note or self._note
            self._ended = self._ended or end
            self._ready.notify()

    def take(self) -> tuple[bytes, bool]:
        """Return all queued messages, or a keep-alive after a while; and whether it was the end."""
        with self._ready:
            self._ready.wait_for(self._something, _ALIVE_S)
            data = self._hello + self._note + b"".join(self._frames)
            self._hello = self._note = b""
            self._frames.clear()
            if self._ended:
                return data + message(END), True
            return data or message(ALIVE), False

    def _something(self) -> bool:
        return bool(self._hello or self._note or self._frames or self._ended)


class PageServer(ThreadingHTTPServer):
    """Serves a page and a stream until closed, in its own threads.

    Parameters
    ----------
    host, port : to listen on; port 0 is any free one.
    token : first part of every path.
    page : HTML.
    join, leave : return a viewer for a new connection (None: too many), and release it.
    """

    daemon_threads = True
    request_queue_size = 16

    def __init__(
        self,
        host: str,
        port: int,
        token: str,
        page: bytes,
        join: Callable[[], Viewer | None],
        leave: Callable[[Viewer], None],
    ) -> None:
        self.token, self.page, self.join, self.leave = token, page, join, leave
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._open: dict[threading.Thread, socket.socket] = {}
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidValueError(f"cannot listen on {host}, port {port}: {reason}") from None
        self.host, self.port = str(self.server_address[0]), int(self.server_address[1])
        self._names = {"localhost", host.lower(), self.host}
        self._listener = threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        self._listener.start()

    def server_bind(self) -> None:
        """Bind without a lookup of the host's full name, which may take seconds."""
        socketserver.TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a request in a registered thread, so that it can be stopped."""
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        self._open[thread] = request
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a request, and unregister the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.pop(threading.current_thread(), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore viewers that disconnect during a response."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop every thread and connection, with a short time to finish responses."""
        self.shutdown()
        self._listener.join()
        self.server_close()
        threads, deadline = dict(self._open), monotonic() + _LAST_WORD_S
        for thread in threads:
            thread.join(max(deadline - monotonic(), 0.0))
        for thread, connection in threads.items():
            with contextlib.suppress(OSError):  # it may be closed already
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()

    def is_own(self, authority: str) -> bool:
        """Whether a Host header names this machine."""
        return is_own(authority, self.host, self.port, self._names)


class _Handler(BaseHTTPRequestHandler):
    """Handles one request: the page or the stream."""

    server: PageServer
    timeout = _PATIENCE_S
    disable_nagle_algorithm = True
    server_version = "Kinesphere"
    sys_version = ""

    def do_GET(self) -> None:
        """Respond to GET; the base class looks for a method of this name."""
        token, _, rest = self.path.partition("?")[0].removeprefix("/").partition("/")
        refusal = self._refusal()
        if refusal:
            self._answer(403, refusal)
        elif not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._answer(
                403, "The URL has no valid token: it is incomplete, or from an earlier run."
            )
        elif rest == "":
            self._answer(200, self.server.page, "text/html")
        elif rest == "frames":
            self._stream()
        else:
            self._answer(404, "Not found.")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal belongs to the command."""

    def _refusal(self) -> str | None:
        """Why a request is rejected, None if it is allowed: only direct visits and our page are."""
        asked = self.headers
        host = asked.get("Host", "")
        if not self.server.is_own(host):
            return "This server has another host name."
        if asked.get("Origin", f"http://{host}") != f"http://{host}":
            return _STRANGER
        # Browsers send the purpose of a request, even where they omit its origin.
        by_script = asked.get("Sec-Fetch-Mode", "navigate") != "navigate"
        if by_script and asked.get("Sec-Fetch-Site") != "same-origin":
            return _STRANGER
        return None

    def _answer(self, status: int, content: str | bytes, kind: str = "text/plain") -> None:
        data = content.encode() if isinstance(content, str) else content
        self._head(status, f"{kind}; charset=utf-8", len(data))
        self.wfile.write(data)

    def _head(self, status: int, kind: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self) -> None:
        viewer = self.server.join()
        if viewer is None:
            self._answer(503, "There are too many viewers.")
            return
        # The viewer may disconnect, or read nothing for too long.
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            self._head(200, "application/octet-stream")
            ended = False
            while not ended:
                data, ended = viewer.take()
                self.connection.sendall(data)
        self.server.leave(viewer)
