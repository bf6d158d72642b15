"""Who may come in: only under the secret address, only by this machine's name, only our own page.

Everything that is answered says that nothing of it may be loaded from or shown anywhere else.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection

from starlette.datastructures import Headers

from kinesphere.pipeline.own_address import is_own

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
    """Decides about requests.

    Parameters
    ----------
    token : first part of every path.
    host, port : that are listened on.
    names : by which this machine may be called, besides addresses.
    """

    def __init__(self, token: str, host: str, port: int, names: Collection[str] = ()) -> None:
        self.token, self.host, self.port = token, host, port
        self._names = {"localhost", host.lower(), *names}

    def refusal(self, token: str, headers: Headers, *, from_page: bool) -> str | None:
        """Why a request is refused, or None; `from_page` for those that only our page makes."""
        host = headers.get("host", "")
        if not is_own(host, self.host, self.port, self._names):
            return "This server has another name."
        origin = headers.get("origin")
        if (from_page and origin is None) or origin not in (None, f"http://{host}"):
            return "Pages of others may not come in."
        by_script = headers.get("sec-fetch-mode", "navigate") not in ("navigate", "websocket")
        if by_script and headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "Pages of others may not come in."
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return "The address is not complete, or from an earlier time."
        return None
