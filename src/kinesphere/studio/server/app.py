"""The web application: the page, its socket, uploads and files, all under one secret URL."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, MutableMapping
from html import escape
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.studio.server import messages, wire
from kinesphere.studio.server.access import HEADERS, POLICY, REPORT_POLICY, Door
from kinesphere.studio.server.hub import Hub
from kinesphere.studio.server.session import Session
from kinesphere.studio.server.settings import StudioSettings
from kinesphere.studio.work.figures import default_shown_figure

_BUILT = {
    "studio.js": "text/javascript; charset=utf-8",
    "studio.css": "text/css; charset=utf-8",
    "worklet.js": "text/javascript; charset=utf-8",
}
# Codes with which a socket is closed; the page interprets them.
REFUSED, NO_ROOM, UNFIT, MISSED = 4403, 4503, 4400, 4408
_HELLO_S = 10.0
_SWEEP_S = 30.0


class StudioApp:
    """The application of one server.

    Parameters
    ----------
    settings : see `StudioSettings`.
    door : access control; its port is known once the server listens.
    """

    def __init__(self, settings: StudioSettings, door: Door) -> None:
        self.settings, self.door = settings, door
        self.hub: Hub | None = None
        routes = [
            Route("/{token}", self._redirect),
            Route("/{token}/", self._page),
            Route("/{token}/figure", self._figure),
            Route("/{token}/upload", self._upload, methods=["POST"]),
            Route("/{token}/files/{key}", self._file),
            Route("/{token}/{name}", self._script),
            WebSocketRoute("/{token}/ws", self._socket),
        ]
        inner = Starlette(
            routes=routes, lifespan=self._life, exception_handlers={404: _nothing, 405: _nothing}
        )
        inner.router.redirect_slashes = False
        self.app = add_headers(inner)

    @contextlib.asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self.hub = Hub(self.settings)
        self.hub.start()
        warming = asyncio.ensure_future(asyncio.to_thread(_warm))
        sweeping = asyncio.ensure_future(self._sweep())
        try:
            yield
        finally:
            warming.cancel()
            sweeping.cancel()
            self.hub.close()

    async def _sweep(self) -> None:
        """Drop expired sessions, even if no page connects any more."""
        while self.hub is not None:
            await asyncio.sleep(min(self.settings.kept_s, _SWEEP_S))
            self.hub.sweep()

    async def _redirect(self, request: Request) -> Response:
        """The URL without its trailing slash."""
        refused = self._refusal(request)
        return refused or RedirectResponse(f"/{self.settings.token}/", 307, headers=_headers())

    async def _page(self, request: Request) -> Response:
        refused = self._refusal(request)
        return refused or Response(_PAGE, media_type="text/html", headers=_headers(POLICY))

    async def _figure(self, request: Request) -> Response:
        refused = self._refusal(request)
        data = default_shown_figure().glb
        return refused or Response(data, media_type="model/gltf-binary", headers=_headers())

    async def _script(self, request: Request) -> Response:
        name = request.path_params["name"]
        refused = self._refusal(request)
        if refused is not None:
            return refused
        if name not in _BUILT:
            return _nothing(request)
        return Response(_client_file(name), media_type=_BUILT[name], headers=_headers())

    async def _upload(self, request: Request) -> Response:
        refused = self._refusal(request, from_page=True)
        if refused is not None:
            return refused
        session = self._session(request.query_params.get("session", ""))
        if session is None:
            return _refuse_upload("the session has ended; reload the page", 409)
        name = request.query_params.get("name", "")[:300]
        try:
            upload = await session.storage.receive(name, request.stream())
        except InvalidValueError as error:
            return _refuse_upload(str(error), 413)
        except (ClientDisconnect, OSError):
            return _refuse_upload("the upload is incomplete", 400)
        return JSONResponse(wire.plain(messages.Uploaded(upload)), headers=_headers())

    async def _file(self, request: Request) -> Response:
        refused = self._refusal(request)
        if refused is not None:
            return refused
        assert self.hub is not None
        for session in self.hub.sessions.values():
            found = session.storage.served_file(request.path_params["key"])
            if found is not None:
                shown = found.media_type.startswith("text/html") and not found.save_as
                headers = _headers(REPORT_POLICY if shown else None)
                return FileResponse(
                    found.path,
                    media_type=found.media_type,
                    headers=headers,
                    filename=found.save_as or None,
                )
        return _nothing(request)

    def _session(self, key: str) -> Session | None:
        return None if self.hub is None else self.hub.sessions.get(key)

    def _refusal(self, request: Request, *, from_page: bool = False) -> Response | None:
        token = request.path_params["token"]
        reason = self.door.refusal(token, request.headers, from_page=from_page)
        return None if reason is None else PlainTextResponse(reason, 403, headers=_headers())

    async def _socket(self, socket: WebSocket) -> None:
        token = socket.path_params["token"]
        if self.door.refusal(token, socket.headers, from_page=True) is not None:
            await socket.close(REFUSED)
            return
        await socket.accept()
        assert self.hub is not None
        with contextlib.suppress(WebSocketDisconnect):
            joined = await self._greet(socket)
            if joined is None:
                return
            try:
                await Connection(socket, joined, self.settings).run()
            finally:
                self.hub.leave(joined)

    async def _greet(self, socket: WebSocket) -> Session | None:
        """Wait for the first message, and return the page's session."""
        assert self.hub is not None
        try:
            text = await asyncio.wait_for(_text(socket), _HELLO_S)
            hello = wire.request(text)
            if not isinstance(hello, messages.Hello):
                raise InvalidValueError("the first message must be hello")
        except (InvalidValueError, TimeoutError) as error:
            await socket.close(UNFIT, str(error)[:100])
            return None
        joined = self.hub.join(hello.session)
        if joined is None:
            await socket.close(NO_ROOM, "the server has no free session; close another page")
            return None
        session, known = joined
        session.greeting = (hello.version, known)
        return session


class Connection:
    """A socket while it is attached to its session."""

    def __init__(self, socket: WebSocket, session: Session, settings: StudioSettings) -> None:
        self.socket, self.session, self.settings = socket, session, settings
        self._waiting: asyncio.Queue[str | bytes] = asyncio.Queue()
        self._size = 0
        self._sounds: list[bytes] = []
        self._lost = False

    async def run(self) -> None:
        """Pass messages in both directions until the page disconnects."""
        self.session.send = self._put
        self.session.welcome(*self.session.greeting)
        sending = asyncio.ensure_future(self._send())
        try:
            while True:
                said = await self.socket.receive()
                if said["type"] == "websocket.disconnect":
                    return
                self._hear(said)
                if sending.done():
                    return
        finally:
            sending.cancel()

    def _hear(self, said: Any) -> None:
        text, data = said.get("text"), said.get("bytes")
        if data is not None:
            if not self._sounds:
                asyncio.get_running_loop().call_soon(self._hear_sounds)
            self._sounds.append(data)
            return
        self._hear_sounds()
        try:
            request = wire.request(text or "")
        except InvalidValueError as error:
            self._put(wire.text_of(messages.RequestFailed(str(error), "message")))
            return
        self.session.hear(request)

    def _hear_sounds(self) -> None:
        """Pass all audio received meanwhile on at once, so that a slow machine catches up."""
        sounds, self._sounds = self._sounds, []
        if sounds:
            self.session.hear_sound(*sounds)

    def _put(self, message: str | bytes) -> None:
        """Queue a message; a page that no longer reads gets no more.

        Frames are dropped first. If other messages had to be dropped too, the page is made to
        reconnect, and then gets the complete state again.
        """
        most = self.settings.waiting_bytes
        if self._size > (most if isinstance(message, bytes) else 2 * most):
            self._lost = self._lost or isinstance(message, str)
            return
        self._size += len(message)
        self._waiting.put_nowait(message)

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while self.socket.client_state == WebSocketState.CONNECTED:
                message = await self._waiting.get()
                self._size -= len(message)
                if isinstance(message, bytes):
                    await self.socket.send_bytes(message)
                else:
                    await self.socket.send_text(message)
                if self._lost and self._waiting.empty():
                    await self.socket.close(MISSED)
                    return


async def _text(socket: WebSocket) -> str:
    said = await socket.receive()
    if said["type"] == "websocket.disconnect":
        raise WebSocketDisconnect
    return said.get("text") or ""


def _headers(policy: str | None = None) -> dict[str, str]:
    return {**HEADERS, "Content-Security-Policy": policy or "default-src 'none'"}


def add_headers(app: ASGIApp) -> ASGIApp:
    """The application with our headers on every response, also redirections and errors."""
    ours = [(k.lower().encode(), v.encode()) for k, v in _headers().items()]

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                there = list(message.get("headers", []))
                names = {name for name, _ in there}
                message["headers"] = there + [row for row in ours if row[0] not in names]
            await send(message)

        await app(scope, receive, with_headers if scope["type"] == "http" else send)

    return answer


def _refuse_upload(text: str, status: int) -> Response:
    return JSONResponse(wire.plain(messages.UploadRefused(text)), status, headers=_headers())


def _nothing(request: Any, error: Exception | None = None) -> Response:
    return PlainTextResponse("Not found.", 404, headers=_headers())


def _client_file(name: str) -> bytes:
    try:
        return resources.files("kinesphere.export").joinpath("viewer", name).read_bytes()
    except FileNotFoundError:
        raise UnwritableError("the studio's page is not built; run 'make viewer'") from None


def _warm() -> None:
    """Load what live animation needs before a user talks."""
    import numpy as np

    from kinesphere.bodylanguage.play import engine
    from kinesphere.pipeline.models import model
    from kinesphere.speech.resampling import SPEECH_RATE_HZ

    state = engine.start(model("house"), float(SPEECH_RATE_HZ))
    engine.step(state, np.zeros(1600))


_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{escape("Kinesphere studio")}</title>
<link rel="stylesheet" href="studio.css">
</head>
<body>
<div id="kinesphere"><noscript>This page needs JavaScript.</noscript></div>
<script src="studio.js" defer></script>
</body>
</html>
""".encode()
