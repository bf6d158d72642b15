"""Who comes in, what they may send, and that nothing stays behind or gets across."""

from __future__ import annotations

import gc
import io
import json
import struct
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus

from kinesphere.formats.container import DOCUMENT
from kinesphere.studio.document.document import Document, Speaking
from kinesphere.studio.server import messages as m
from kinesphere.studio.server import upload_kinds, wire
from kinesphere.studio.server.access import HEADERS
from kinesphere.studio.server.start import StudioServer
from tests.studio.packet_reader import sound_packet
from tests.studio.pages import TEXT
from tests.studio.serving import (
    TOKEN,
    SocketPage,
    client,
    hub_of,
    opened,
    origin_of,
    own_mb,
    peak_mb,
    served,
    until,
    workers,
)

SPEAKING = Speaking(text=TEXT)
EVIL = "evil.example"


@pytest.fixture(scope="module")
def server() -> Iterator[StudioServer]:
    with served() as made:
        yield made


@pytest.fixture
def page(server: StudioServer) -> Iterator[SocketPage]:
    with SocketPage(server) as made:
        yield made


def alive(server: StudioServer) -> None:
    """The server still greets a page."""
    with SocketPage(server) as page:
        assert page.welcome["version"] == m.VERSION


# Who comes in.


@pytest.mark.parametrize("path", ["", "figure", "studio.js", "files/abc"])
@pytest.mark.parametrize(
    "token", ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "%00", "..", "é"]
)
def test_nothing_is_given_without_the_token(server: StudioServer, token: str, path: str) -> None:
    with httpx.Client() as http:
        answer = http.get(f"{origin_of(server)}/{token}/{path}")
    assert answer.status_code in (403, 404)
    assert len(answer.content) < 100
    assert TOKEN not in answer.text


def test_nothing_lies_outside_of_the_token(server: StudioServer) -> None:
    with httpx.Client() as http:
        for path in ("/", "/favicon.ico", "/studio.js", f"/{TOKEN}/../x", "//", f"/x/{TOKEN}/"):
            answer = http.get(f"{origin_of(server)}{path}")
            assert answer.status_code in (403, 404), path
            assert TOKEN not in answer.text


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True),
        ({"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, True),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, False),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}, False),
        ({"origin": f"http://{EVIL}"}, False),
        ({"origin": "null"}, False),
        ({"host": EVIL}, False),
        ({"host": f"{EVIL}:80"}, False),
        ({"host": "127.0.0.1:1"}, False),
        ({"host": "127.0.0.1"}, False),
        ({"host": ""}, False),
    ],
)
@pytest.mark.parametrize("path", ["", "figure", "studio.js"])
def test_only_our_own_page_and_a_person_may_ask(
    server: StudioServer, path: str, headers: dict[str, str], allowed: bool
) -> None:
    with client(server) as http:
        answer = http.get(path, headers=headers)
    assert answer.status_code == (200 if allowed else 403)


def test_a_name_that_points_here_is_refused_even_with_our_port(server: StudioServer) -> None:
    rebound = f"{EVIL}:{server.port}"
    with client(server) as http:
        assert http.get("", headers={"host": rebound}).status_code == 403
        both = {"host": rebound, "origin": f"http://{rebound}"}
        assert http.post("upload?name=a.wav", headers=both, content=b"x").status_code == 403
        named = {"host": f"localhost:{server.port}"}
        assert http.get("", headers=named).status_code == 200


def test_uploads_need_an_origin_and_a_session(server: StudioServer, page: SocketPage) -> None:
    storage = hub_of(server).sessions[page.session].storage
    where = {"session": page.session, "name": "a.wav"}
    with client(server) as http:
        assert http.post("upload", params=where, content=b"x").status_code == 403
        evil = {"origin": f"http://{EVIL}"}
        assert http.post("upload", params=where, content=b"x", headers=evil).status_code == 403
        assert http.get("upload", params=where).status_code == 404
    for session in ("", "x", page.session[:-1], page.session.swapcase(), storage.folder):
        assert page.upload(b"x", "a.wav", session).status_code == 409
    assert storage.materials == {}
    assert list(Path(storage.folder).iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"token": "wrong" * 5},
        {"origin": f"http://{EVIL}"},
        {"origin": None},
        {"origin": "null"},
        {"origin": "https://127.0.0.1"},
        {"origin": "http://127.0.0.1"},
    ],
)
def test_sockets_of_others_are_refused(server: StudioServer, options: dict[str, Any]) -> None:
    before = set(hub_of(server).sessions)
    with pytest.raises(InvalidStatus) as refused, opened(server, **options):
        pass
    assert refused.value.response.status_code == 403
    assert set(hub_of(server).sessions) == before


def test_a_socket_by_another_name_is_refused(server: StudioServer) -> None:
    import socket

    name = f"{EVIL}:{server.port}"
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(
            f"GET /{TOKEN}/ws HTTP/1.1\r\nHost: {name}\r\nOrigin: http://{name}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert b" 403 " in raw.recv(100)


def test_every_answer_says_what_may_not_be_done_with_it(
    server: StudioServer, page: SocketPage
) -> None:
    answers = [page.upload(b"x", "a.wav"), page.upload(b"", "a.wav"), page.upload(b"x", "a.exe")]
    answers.append(page.upload(b"x", "a.wav", "nobody"))
    with client(server) as http:
        for path in ("", "figure", "studio.js", "studio.css", "nothing", "files/nothing", "upload"):
            answers.append(http.get(path))
        answers.append(http.get("", headers={"host": EVIL}))
        answers.append(http.get(f"{origin_of(server)}/"))
        answers.append(http.get(f"{origin_of(server)}/{TOKEN}"))
        assert answers[-1].headers["location"] == f"/{TOKEN}/"
        answers.append(http.request("PUT", ""))
        answers.append(http.request("OPTIONS", "upload"))
        answers.append(http.head(""))
    assert {a.status_code for a in answers} >= {200, 403, 404, 409, 413}
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers.get(name) == value, (answer.request.url, answer.status_code)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-eval'" not in policy.replace("wasm-unsafe-eval'", "")
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_a_failure_of_ours_says_so_too_and_nothing_of_itself(
    server: StudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kinesphere.studio.server.app.default_shown_figure", lambda: 1 / 0)
    with client(server) as http:
        answer = http.get("figure")
    assert (answer.status_code, answer.text) == (500, "Internal Server Error")
    assert answer.headers["content-security-policy"] == "default-src 'none'"
    assert answer.headers.items() >= {k.lower(): v for k, v in HEADERS.items()}.items()
    monkeypatch.undo()
    alive(server)


# What is sent.


@pytest.mark.parametrize(
    "first", ["", "null", "{}", '{"type":"undo"}', '{"type":"hello"}', "\ud7ff" * 50, b"\x00" * 40]
)
def test_who_does_not_say_hello_is_sent_away(server: StudioServer, first: Any) -> None:
    before = len(hub_of(server).sessions)
    with opened(server) as socket:
        socket.send(first)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4400
    assert len(hub_of(server).sessions) == before


def test_a_message_that_is_too_large_ends_its_own_page_only(
    server: StudioServer, page: SocketPage
) -> None:
    with SocketPage(server) as other, pytest.raises(ConnectionClosed) as closed:
        other.socket.send("[" * (server.settings.largest_message + 1))
        while True:
            other.next(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
    page.say(m.Undo())
    page.say(m.Hello(m.VERSION))
    assert page.next()["type"] == "request-failed"


KEYS = sorted(wire.type_names(m.Request))
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["speaking", "directing", "id", "time_s", "document", "uploads", "job", "upload", "ending"]
)
MALFORMED = st.one_of(
    st.text(max_size=30),
    ANY.map(json.dumps),
    st.builds(
        lambda kind, rest: json.dumps({**rest, "type": kind}),
        st.sampled_from(KEYS),
        st.dictionaries(FIELDS, ANY, max_size=3),
    ),
    st.binary(max_size=60),
    st.binary(max_size=60).map(lambda b: struct.pack("<IIId", 3, 0, 0, 0.0) + b),
)


def test_malformed_messages_are_answered_and_the_page_stays(
    server: StudioServer, page: SocketPage
) -> None:
    @settings(max_examples=150)
    @given(MALFORMED)
    def check(message: str | bytes) -> None:
        page.socket.send(message)
        page.say(m.Hello(m.VERSION))
        while True:
            said = page.next(20)
            if said["type"] == "request-failed":
                assert "\n" not in said["text"], said
                assert len(said["text"]) < 2000
                if said["about"] == "hello":
                    return

    check()
    assert hub_of(server).sessions[page.session].left_s is None
    alive(server)


@pytest.mark.parametrize("half", ['"\\ud800"', '"a\\udfffb"'])
def test_half_a_character_does_not_end_the_page(page: SocketPage, half: str) -> None:
    page.socket.send(f'{{"type":"perform","speaking":{{"text":{half}}}}}')
    assert page.next()["type"] == "request-failed"
    page.socket.send(f'{{"type":"direct","directing":{{"parts":{{{half}:{{}}}}}}}}')
    assert page.next()["type"] == "request-failed"
    page.socket.send(f'{{"type":{half}}}')
    assert page.next()["type"] == "request-failed"


def test_sound_at_any_time_is_harmless(page: SocketPage) -> None:
    page.socket.send(sound_packet(np.zeros(100)))
    page.say(m.TalkStart(16_000.0, Speaking()))
    assert page.next()["type"] == "talking"
    page.socket.send(sound_packet(np.full(48_000, 1e30)))
    for wrong, problem in (
        (np.zeros(48_001), "a chunk of 48001 samples, allowed are 48000"),
        (np.full(10, np.nan), "an audio chunk has a value that is not finite"),
    ):
        page.socket.send(sound_packet(wrong))
        while (said := page.next())["type"] != "request-failed":
            assert said["type"] == "talking"
        assert said["text"] == problem


# Uploads and files.


def stored(server: StudioServer, page: SocketPage) -> list[Path]:
    return list(Path(hub_of(server).sessions[page.session].storage.folder).rglob("*"))


def test_an_upload_that_is_too_large_or_empty_leaves_nothing(
    server: StudioServer, page: SocketPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(upload_kinds.LARGEST, ".wav", 3 << 20)
    sent, before = [], own_mb()

    def endless() -> Iterator[bytes]:
        while len(sent) < 100:
            sent.append(1)
            yield bytes(1 << 20)

    try:
        answer = page.upload(endless(), "a.wav")
        assert answer.status_code == 413
        assert answer.json() == {"problem": "a.wav: is larger than 3 MB, the largest size allowed"}
    except httpx.WriteError:  # closed on us while we still send: also an answer
        pass
    assert own_mb() - before < 50.0
    answer = page.upload(b"", "b.wav")
    assert (answer.status_code, answer.json()) == (413, {"problem": "b.wav: is empty"})
    until(lambda: not stored(server, page))
    assert page.upload(bytes(3 << 20), "c.wav").status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "../../../../tmp/evil.wav",
        "/etc/evil.wav",
        "..\\..\\evil.wav",
        "\x00/../evil.wav",
        "a/../evil.wav",
        "%2e%2e%2fevil.wav",
        "evil.wav\n",
        "." * 290 + "/evil.wav",
    ],
)
def test_names_are_never_places(server: StudioServer, page: SocketPage, name: str) -> None:
    answer = page.upload(b"data", name)
    if answer.status_code == 200:
        (file,) = stored(server, page)
        assert file.name == f"{answer.json()['upload']}.wav"
        (material,) = hub_of(server).sessions[page.session].storage.materials.values()
        assert material.name.endswith("evil.wav")
        assert not set(material.name) & set("/\\\n\x00")
    else:
        assert answer.status_code == 413
        assert stored(server, page) == []


@pytest.mark.parametrize("name", ["", "wav", "a.exe", "a.py", ".wav", "a.html", "x" * 5000])
def test_other_kinds_of_files_are_not_taken(
    server: StudioServer, page: SocketPage, name: str
) -> None:
    answer = page.upload(b"data", name)
    assert answer.status_code == 413
    assert "\n" not in answer.json()["problem"]
    assert stored(server, page) == []


def test_files_are_given_by_their_own_ids_only(server: StudioServer, page: SocketPage) -> None:
    page.say(m.Export(".kinp"))
    url = page.until("exported")["url"]
    key = page.uploaded(b"secret", "a.wav")
    path = stored(server, page)[0]
    with client(server) as http:
        answer = http.get(url)
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
        tried = [
            key,
            f"{key}.wav",
            path.name,
            str(path),
            f"../{path.name}",
            "../../etc/passwd",
            "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
            "%2fetc%2fpasswd",
            url[6:-1],
            url[6:].swapcase(),
            "",
        ]
        for name in tried:
            answer = http.get(f"{server.address}files/{name}")
            assert answer.status_code in (403, 404), name
        assert len(url.removeprefix("files/")) >= 20
    page.close()
    with client(server) as http:
        until(lambda: hub_of(server).sessions[page.session].left_s is not None)
        assert http.get(url).status_code == 200
        hub_of(server)._drop(hub_of(server).sessions[page.session])
        assert http.get(url).status_code == 404


def exploding(parts: dict[str, int], document: dict[str, Any] | None = None) -> bytes:
    """An archive of npy arrays of zeros, each of so many float64 values, made in little memory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        if document is not None:
            archive.writestr(DOCUMENT, json.dumps(document))
        for name, count in parts.items():
            head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({count},), }}"
            head += " " * (-(11 + len(head)) % 64) + "\n"
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
                for at in range(0, 8 * count, 1 << 22):
                    member.write(bytes(min(1 << 22, 8 * count - at)))
    return out.getvalue()


BIG = 150 << 20  # values: 1.2 GB


@pytest.fixture(scope="module")
def bomb_member() -> bytes:
    """What the zip bombs below hold, deflated once."""
    return exploding({"x.npy": BIG})


def bomb(member: bytes, names: list[str], document: dict[str, Any] | None = None) -> bytes:
    """An archive whose parts all share the bytes of one, under other names."""
    with zipfile.ZipFile(io.BytesIO(member)) as archive:
        info = archive.infolist()[0]
        at = info.header_offset
        start = at + 30 + int.from_bytes(member[at + 26 : at + 28], "little")
        start += int.from_bytes(member[at + 28 : at + 30], "little")
        deflated = member[start : start + info.compress_size]
        sizes = struct.pack("<III", info.CRC, info.compress_size, info.file_size)
    out, rows = io.BytesIO(), b""
    bodies = [(name.encode(), deflated, sizes, 8) for name in names]
    if document is not None:
        import zlib

        text = json.dumps(document).encode()
        bodies.append(
            (
                DOCUMENT.encode(),
                text,
                struct.pack("<III", zlib.crc32(text), len(text), len(text)),
                0,
            )
        )
    for name, body, size, method in bodies:
        offset = out.tell()
        common = (
            struct.pack("<HHHHH", 20, 0, method, 0, 33) + size + struct.pack("<HH", len(name), 0)
        )
        out.write(b"PK\x03\x04" + common + name + body)
        rows += (
            b"PK\x01\x02"
            + struct.pack("<H", 20)
            + common
            + struct.pack("<HHHII", 0, 0, 0, 0, offset)
            + name
        )
    end = struct.pack("<HHHHIIH", 0, 0, len(bodies), len(bodies), len(rows), out.tell(), 0)
    return out.getvalue() + rows + b"PK\x05\x06" + end


PROJECT = {
    "kind": "studio-project",
    "version": 1,
    "document": wire.plain(Document()),
    "materials": [{"id": "0" * 24, "name": "a.wav"}],
}


BOMBS: dict[str, tuple[list[str], dict[str, Any] | None, Any]] = {
    ".kinp": (["arrays/material0.npy"], PROJECT, m.OpenProject),
    ".kin": (["arrays/rotations.npy"], {"kind": "take", "version": 1}, m.UseMotion),
    ".npz": (["poses.npy", "trans.npy"], None, m.UseMotion),
}


@pytest.mark.parametrize("kind", sorted(BOMBS))
def test_zip_bombs_are_refused_in_one_line_and_little_memory(
    server: StudioServer, page: SocketPage, kind: str, bomb_member: bytes
) -> None:
    names, document, request = BOMBS[kind]
    data = bomb(bomb_member, names, document)
    assert zipfile.is_zipfile(io.BytesIO(data))
    assert len(data) < 16 << 20
    key = page.uploaded(data, f"bomb{kind}")
    before = [peak_mb(w) for w in workers(server)]
    page.say(request(key))
    while (said := page.next()).get("state") != "failed":
        assert said["type"] in ("job-progress", "changed"), said
    assert said["text"].startswith(f"bomb{kind}: "), said
    assert "unpacks to" in said["text"]
    after = [peak_mb(w) for w in workers(server)]
    assert len(after) == len(before) == 2
    assert max(b - a for a, b in zip(before, after, strict=True)) < 300.0
    assert own_mb() < 2500.0
    alive(server)


# Sessions.


def test_a_page_that_comes_back_gets_everything_and_another_one_nothing(
    server: StudioServer,
) -> None:
    with SocketPage(server) as page:
        page.say(m.Perform(SPEAKING))
        ready = page.until("take-ready", whole=True)
        page.uploaded(b"x", "a.wav")
        # The same id from elsewhere, while this page is there: a session of its own.
        with SocketPage(server, page.session) as thief:
            assert thief.session != page.session
            assert not thief.welcome["known"]
            assert thief.said[-1]["document"] == wire.plain(Document())
            assert not thief.clips
    until(lambda: hub_of(server).sessions[page.session].left_s is not None)
    with SocketPage(server, page.session) as back:
        assert back.session == page.session
        assert back.welcome["known"]
        again = back.until("take-ready")
        assert (again["take"], again["rows"]) == (ready["take"], ready["rows"])
        assert back.clips[again["take"]].data == page.clips[ready["take"]].data
        assert len(hub_of(server).sessions[back.session].storage.materials) == 1
        back.say(m.Undo())
        assert back.until("changed")["document"] == wire.plain(Document())


def test_nothing_gets_from_one_session_into_another(server: StudioServer) -> None:
    with SocketPage(server) as one, SocketPage(server) as other:
        assert one.session != other.session
        key = one.uploaded(b"RIFF", "secret name.wav")
        one.say(m.Perform(replace(SPEAKING, text="A huge secret.")))
        one.until("take-ready")
        for request in (m.UseMotion(key), m.UseSound(key, Speaking()), m.Cancel(1), m.Undo()):
            other.say(request)
        other.say(m.Hello(m.VERSION))
        texts = []
        while not texts or texts[-1]["about"] != "hello":
            texts.append(other.next())
        assert [t["about"] for t in texts] == ["use-motion", "use-sound", "hello"]
        assert "secret" not in json.dumps(other.said)
        assert key not in json.dumps(other.said)
        assert other.upload(b"x", "b.wav").status_code == 200
        assert len(hub_of(server).sessions[one.session].storage.materials) == 1


def test_there_is_room_for_so_many_and_the_oldest_that_waits_gives_way() -> None:
    with served(most_sessions=2) as small, SocketPage(small) as one, SocketPage(small) as two:
        one.uploaded(b"x", "a.wav")
        with opened(small) as socket:
            socket.send(wire.text_of(m.Hello(m.VERSION)))
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4503
        one.close()
        until(lambda: hub_of(small).sessions[one.session].left_s is not None)
        with SocketPage(small):
            assert one.session not in hub_of(small).sessions
            assert two.session in hub_of(small).sessions


def test_fifty_sessions_come_and_go_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    gc.collect()
    threads_before = threading.active_count()
    with served(kept_s=0.2) as server:
        hub = hub_of(server)
        with SocketPage(server) as page:
            page.say(m.Perform(SPEAKING))
            page.until("take-ready")
        until(lambda: not hub.sessions)
        threads, memory = threading.active_count(), own_mb()
        ids = set()
        for k in range(50):
            page = SocketPage(server)
            ids.add(page.session)
            if k % 10 == 0:
                page.say(m.Perform(SPEAKING))
                page.until("take-ready")
            elif k % 10 == 5:
                page.say(m.Perform(replace(SPEAKING, seed=k)))
                page.until("job-progress", state="running")
            elif k % 10 == 7:
                page.uploaded(bytes(1 << 20), "a.wav")
                page.say(m.TalkStart(48_000.0, Speaking()))
                page.socket.send(sound_packet(np.zeros(4800)))
            page.close()
        assert len(ids) == 50
        until(lambda: not hub.sessions)
        until(lambda: not list(tmp_path.iterdir()))
        alive(server)
        with SocketPage(server) as page:
            page.say(m.Perform(SPEAKING))
            page.until("take-ready")
        until(lambda: not hub.sessions)
        until(lambda: threading.active_count() <= threads + 1)
        until(lambda: hub.quick.busy == hub.slow.busy == 0)
        gc.collect()
        assert own_mb() - memory < 60.0
        assert len(workers(server)) == 2
        children = workers(server)
    until(lambda: not any(c.is_running() for c in children))
    until(lambda: threading.active_count() <= threads_before)
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_takes_nothing_is_made_to_come_again() -> None:
    import asyncio
    from types import SimpleNamespace

    from starlette.websockets import WebSocketState

    from kinesphere.studio.server.app import MISSED, Connection
    from kinesphere.studio.server.settings import StudioSettings

    class Slow:
        client_state = WebSocketState.CONNECTED
        closed: int | None = None

        def __init__(self) -> None:
            self.sent: list[int] = []
            self.go = asyncio.Event()

        async def send_bytes(self, data: bytes) -> None:
            await self.go.wait()
            self.sent.append(len(data))

        async def send_text(self, text: str) -> None:
            await self.go.wait()
            self.sent.append(len(text))

        async def close(self, code: int) -> None:
            self.closed = code

    async def run() -> Slow:
        socket = Slow()
        made = Connection(socket, SimpleNamespace(), StudioSettings(waiting_bytes=100))
        sending = asyncio.ensure_future(made._send())
        for message in (b"x" * 90, b"x" * 90, b"x" * 90, "t" * 90, "t" * 90):
            made._put(message)
            await asyncio.sleep(0)
        socket.go.set()
        await asyncio.wait_for(sending, 5.0)
        return socket

    socket = asyncio.run(run())
    assert socket.sent == [90, 90, 90, 90], "the last message did not fit"
    assert socket.closed == MISSED
