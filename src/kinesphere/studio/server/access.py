"""Access control: requests need the URL's token, this machine's host name and our own origin.

Every response has headers that forbid loading or embedding it anywhere else.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection

from starlette.datastructures import Headers

from kinesphere.realtime.sinks.own_address import is_own

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self' data: blob:; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "worker-src 'self' blob:; frame-src 'self'; font-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; frame-ancestors 'self'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Door:
    """Decides whether a request is allowed.

    Parameters
    ----------
    token : first part of every path.
    host, port : on which the server listens.
    names : host names allowed for this machine, besides IP addresses.
    """

    def __init__(self, token: str, host: str, port: int, names: Collection[str] = ()) -> None:
        self.token, self.host, self.port = token, host, port
        self._names = {"localhost", host.lower(), *names}

    def refusal(self, token: str, headers: Headers, *, from_page: bool) -> str | None:
        """Why a request is rejected, or None; `from_page` for requests that only our page makes."""
        host = headers.get("host", "")
        if not is_own(host, self.host, self.port, self._names):
            return "This server has another host name."
        origin = headers.get("origin")
        if (from_page and origin is None) or origin not in (None, f"http://{host}"):
            return "Requests from other web pages are not allowed."
        by_script = headers.get("sec-fetch-mode", "navigate") not in ("navigate", "websocket")
        if by_script and headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "Requests from other web pages are not allowed."
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return "The URL has no valid token: it is incomplete, or from an earlier run."
        return None
