"""The live character on a browser page, for any number of viewers.

The page contains its script, built from ``web/`` into ``export/viewer/``, and the default figure;
frames are streamed from the same address. The page's types are generated from `LiveData` by
``python -m tools.wire_types``.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import threading
import webbrowser
from dataclasses import dataclass, replace
from html import escape
from types import TracebackType

from kinesphere.character.default import default_skeleton
from kinesphere.errors import InvalidValueError
from kinesphere.export.pages.take_page import attachment, client_file, inside, page_json
from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes
from kinesphere.realtime.sinks.page_frames import (
    HELLO,
    NOTE,
    encode,
    home_bytes,
    message,
    shape_names,
)
from kinesphere.realtime.sinks.page_server import PageServer, Viewer
from kinesphere.realtime.sinks.sinks import PoseFrames

MOST_SHOWN = 8
MOST_VIEWERS = 32
_LONGEST_NOTE = 300
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (listened on only on request)


@dataclass(frozen=True)
class LiveData:
    """All that is written into a live page, besides the figure.

    Parameters
    ----------
    characters : how many there are; `shown` of them are shown.
    joints : names in the order of a frame; the first is the root, which also has a position.
    shapes : shapes of the face in the order of a frame.
    home : base64 of a character at rest, as a frame has it.
    glb : id of the attachment with the figure.
    name : changes with anything in the page; the stream says to which one it belongs.
    """

    title: str
    characters: int
    shown: int
    joints: tuple[str, ...]
    shapes: tuple[str, ...]
    home: str
    glb: str
    name: str


class PageSink:
    """Sends frames to a page that anyone with its URL can open at any time.

    Parameters
    ----------
    characters : of the frames to come; the page shows up to 8 of them, side by side.
    host, port : to listen on; port 0 is any free one. By default only this machine can connect.
    open_browser : open the page at once.
    title : of the page.
    token : secret part of the URL, None for a new one. Open pages reconnect to a sink that was
        started again with the same token on the same port.
    """

    def __init__(
        self,
        *,
        characters: int = 1,
        host: str = "127.0.0.1",
        port: int = 0,
        open_browser: bool = False,
        title: str = "Live",
        token: str | None = None,
    ) -> None:
        if characters < 1:
            raise InvalidValueError(f"{characters} characters, allowed is 1 or more")
        self._shown = min(characters, MOST_SHOWN)
        self._lock = threading.Lock()
        self._viewers: set[Viewer] = set()
        self._number = 0
        self._last: tuple[bytes, ...] = ()
        self._note = b""
        self._closed = False
        page, name = _page(self._shown, characters, title)
        self._hello = message(HELLO, name.encode())
        secret = token or secrets.token_urlsafe(16)
        self._server = PageServer(host, port, secret, page, self._join, self._leave)
        if open_browser:
            webbrowser.open(self.address)

    @property
    def address(self) -> str:
        """URL of the page, with the token."""
        host = _EVERYWHERE.get(self._server.host, self._server.host)
        name = f"[{host}]" if ":" in host else host
        return f"http://{name}:{self._server.port}/{self._server.token}/"

    @property
    def viewers(self) -> int:
        """Current number of viewers."""
        return len(self._viewers)

    def send(self, frames: PoseFrames) -> None:
        """Send frames; never blocks, whatever the viewers do. Ignored once closed."""
        count = len(frames.times_s)
        with self._lock:
            if self._closed or not count:
                return
            encoded = encode(frames, self._shown, self._number, only_last=not self._viewers)
            self._number += count
            self._last = encoded[-1:]
            for viewer in self._viewers:
                viewer.offer(encoded)

    def note(self, text: str) -> None:
        """Show a line of text below the figure, replacing the previous one."""
        with self._lock:
            self._note = message(NOTE, text[:_LONGEST_NOTE].encode())
            for viewer in self._viewers:
                viewer.offer(note=self._note)

    def close(self) -> None:
        """Tell the viewers that the session ended, and stop every thread and connection."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for viewer in self._viewers:
                viewer.offer(end=True)
        self._server.close()

    def __enter__(self) -> PageSink:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _join(self) -> Viewer | None:
        """A viewer with the current state sent to it; None if there are too many."""
        with self._lock:
            if self._closed or len(self._viewers) >= MOST_VIEWERS:
                return None
            viewer = Viewer(self._hello)
            viewer.offer(self._last, self._note)
            self._viewers.add(viewer)
            return viewer

    def _leave(self, viewer: Viewer) -> None:
        with self._lock:
            self._viewers.discard(viewer)


def _page(shown: int, characters: int, title: str) -> tuple[bytes, str]:
    """The page, and a name that changes with its content."""
    script, style = client_file("live.js"), client_file("live.css")
    figure = figure_bytes(default_figure())
    data = LiveData(
        title=title,
        characters=characters,
        shown=shown,
        joints=tuple(default_skeleton().names),
        shapes=shape_names(),
        home=base64.b64encode(home_bytes()).decode("ascii"),
        glb="figure",
        name="",
    )
    name = hashlib.sha256(f"{page_json(data)}{script}{style}".encode() + figure).hexdigest()[:16]
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        '<link rel="icon" href="data:,">\n',
        f"<title>{escape(title)}</title>\n<style>{inside(style, 'style')}</style>\n</head>\n",
        '<body>\n<div id="kinesphere"><noscript>This page needs JavaScript.</noscript></div>\n',
        '<script type="application/json" id="kinesphere-live">',
        f"{page_json(replace(data, name=name))}</script>\n{attachment(figure, data.glb)}",
        f"<script>{inside(script, 'script')}</script>\n</body>\n</html>\n",
    ]
    return "".join(parts).encode(), name
