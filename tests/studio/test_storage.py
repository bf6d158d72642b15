"""Files of a session: whole or not at all, under our names, bounded, and gone at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.studio.server import storage as storages
from kinesphere.studio.server.storage import Storage
from kinesphere.studio.server.upload_kinds import LARGEST
from kinesphere.studio.work.tasks import Material


@pytest.fixture
def storage() -> Iterator[Storage]:
    made = Storage()
    yield made
    made.close()


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for piece in data:
        yield piece


def received(storage: Storage, name: str, *data: bytes) -> str:
    return asyncio.run(storage.receive(name, pieces(*data)))


def files(storage: Storage) -> list[Path]:
    return sorted(Path(storage.folder).iterdir())


def test_what_is_sent_is_kept_under_a_name_of_ours(storage: Storage) -> None:
    key = received(storage, "../../my take.BVH", b"ab", b"", b"cd")
    material = storage.materials[key]
    assert files(storage) == [Path(material.path)]
    assert Path(material.path).read_bytes() == b"abcd"
    assert (Path(material.path).name, material.name) == (f"{key}.bvh", "my take.BVH")
    assert len(key) == 24
    assert received(storage, "x.bvh", b"abcd") != key
    assert Path(storage.folder).stat().st_mode & 0o077 == 0


def test_too_large_empty_or_broken_leaves_nothing(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LARGEST, ".wav", 5)
    received(storage, "a.wav", b"12345")
    before = files(storage)

    async def broken() -> AsyncIterator[bytes]:
        yield b"12"
        raise OSError("gone")

    for bad in (pieces(b"123", b"456"), pieces(), pieces(b""), broken()):
        with pytest.raises((InvalidValueError, OSError)):
            asyncio.run(storage.receive("b.wav", bad))
        assert files(storage) == before
        assert len(storage.materials) == 1
        assert storage._size == 5
    with pytest.raises(InvalidValueError, match=r"b\.exe: files of this type"):
        received(storage, "b.exe", b"1")


def test_a_session_has_a_bound_also_for_uploads_at_the_same_time(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storages, "LARGEST_SESSION", 10)

    async def both() -> str:
        began, go_on = asyncio.Event(), asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            yield b"123456"
            began.set()
            await go_on.wait()
            yield b"7"

        first = asyncio.ensure_future(storage.receive("a.wav", slow()))
        await began.wait()
        with pytest.raises(InvalidValueError, match="storage is full"):
            await storage.receive("b.wav", pieces(b"123456"))
        go_on.set()
        return await first

    asyncio.run(both())
    assert len(files(storage)) == 1
    received(storage, "c.wav", b"123")
    with pytest.raises(InvalidValueError, match="storage is full"):
        received(storage, "d.wav", b"1")


def test_there_can_be_so_many_files(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storages, "MOST_FILES", 2)
    received(storage, "a.wav", b"1")
    storage.put(b"2", "b.wav")
    with pytest.raises(InvalidValueError, match="2 files"):
        received(storage, "c.wav", b"3")


def test_room_counts_what_workers_have_written(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storages, "LARGEST_SESSION", 10)
    inner = Path(storage.folder) / "learned"
    inner.mkdir()
    (inner / "x.kin").write_bytes(bytes(10))
    storage.check_room()
    (inner / "y.kin").write_bytes(b"1")
    with pytest.raises(InvalidValueError):
        storage.check_room()


def test_files_are_served_under_ids_of_their_own(storage: Storage) -> None:
    a, b = (str(Path(storage.folder) / name) for name in ("a", "b"))
    url = storage.serve(a, "audio/wav")
    assert storage.serve(a, "audio/wav") == url
    assert storage.serve(b, "audio/wav", "b.wav") != url
    found = storage.served_file(url.removeprefix("files/"))
    assert found is not None
    assert (found.path, found.save_as) == (a, "")
    for wrong in ("", "a", a, url, "../a"):
        assert storage.served_file(wrong) is None


def test_messages_say_our_names_to_nobody(storage: Storage) -> None:
    key = received(storage, "mine.wav", b"x")
    text = f"{storage.materials[key].path}: is bad; {storage.folder}/export-1.glb too"
    assert storage.plain(text) == "mine.wav: is bad; export-1.glb too"


def test_all_is_gone_at_the_end() -> None:
    made = Storage()
    received(made, "a.wav", b"x")
    path = made.put(b"x", "b.wav")
    url = made.serve(made.materials[path].path, "audio/wav")
    assert made.add(Material(made.materials[path].path, "c.kin")) in made.materials
    made.close()
    assert not Path(made.folder).exists()
    assert made.served_file(url.removeprefix("files/")) is None
    assert made.materials == {}
    made.close()
