"""Outputs: VMC as it arrives at a socket, files as they are read back, the terminal's picture."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import load
from kinesphere.realtime.session import begin, step
from kinesphere.realtime.sinks.file_sink import FileSink, number_paths
from kinesphere.realtime.sinks.sinks import PoseSlice, VmcSink, vmc_address
from kinesphere.realtime.sinks.terminal import COLUMNS, ROWS, Status, TerminalSink, drawing
from kinesphere.realtime.sinks.vmc import LARGEST_BUNDLE
from kinesphere.realtime.state import Chunk
from tests.export.osc_reader import Message, messages_in
from tests.pipeline.live_standin import JOINTS, StandInEngine

RNG = np.random.default_rng(5)


def frames(count: int, characters: int | None = None, first: int = 0) -> PoseSlice:
    rows = () if characters is None else (characters,)
    turns = RNG.normal(size=(*rows, count, JOINTS, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    root = RNG.uniform(-0.1, 0.1, (*rows, count, 3)) + [0.0, 0.965, 0.0]
    face = {name: RNG.uniform(0, 1, (*rows, count)) for name in ("aa", "blink", "browUp")}
    return PoseSlice((first + np.arange(count)) / 60.0, root, turns, face)


# -- VMC --


class Receiver:
    """A socket of this machine, and what arrives there."""

    def __init__(self, port: int = 0) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(5.0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.port: int = self.socket.getsockname()[1]

    def packets(self, count: int) -> list[bytes]:
        return [self.socket.recv(65536) for _ in range(count)]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.socket.close()


def sent_messages(receiver: Receiver, sink: VmcSink) -> list[Message]:
    packets = receiver.packets(sink.sent)
    assert all(len(packet) < LARGEST_BUNDLE for packet in packets)
    return [message for packet in packets for message in messages_in(packet)]


def test_a_live_second_arrives_as_so_many_frames_with_every_bone(receiver: Receiver) -> None:
    sink = VmcSink(port=receiver.port)
    session = begin(StandInEngine(), 0.0)
    messages = []
    for k in range(100):  # 10 ms each, on a simulated clock
        chunk = Chunk(np.full(160, 0.2), captured_s=0.01 * k)
        session, stepped = step(session, 0.01 * (k + 1) + 0.02, chunk)
        for shown in stepped.shown:
            before = sink.sent
            sink.send(shown)
            packets = receiver.packets(sink.sent - before)
            messages += [m for packet in packets for m in messages_in(packet)]
    sink.close()
    times = [float(m.arguments[0]) for m in messages if m.address == "/VMC/Ext/T"]
    assert times == pytest.approx(np.arange(61) / 60.0, abs=1e-6)  # 0 and 1 s included
    bones = [m.arguments for m in messages if m.address == "/VMC/Ext/Bone/Pos"]
    assert len(bones) == 55 * len(times)
    assert all(np.linalg.norm(np.array(b[4:], float)) == pytest.approx(1.0) for b in bones)
    applied = [m for m in messages if m.address == "/VMC/Ext/Blend/Apply"]
    assert len(applied) == len(times)


def test_each_character_has_a_port(receiver: Receiver) -> None:
    with_next = None
    for _ in range(20):
        try:
            with_next = Receiver(receiver.port + 1)
            break
        except (OSError, OverflowError):
            receiver.socket.close()
            receiver.__init__()  # type: ignore[misc]
    assert with_next is not None
    sink = VmcSink(port=receiver.port, characters=2, vrm=1)
    both = frames(1, 2)
    sink.send(both)
    for k, at in enumerate((receiver, with_next)):
        packets = at.packets(sink.sent // 2)
        messages = [m for packet in packets for m in messages_in(packet)]
        hips = next(m.arguments for m in messages if m.arguments[:1] == ("Hips",))
        expected = both.root_positions[k, 0] * [-1, 1, 1]
        assert np.array(hips[1:4], float) == pytest.approx(expected, abs=1e-6)
        face = [m.arguments for m in messages if m.arguments[:1] == ("aa",)]
        assert face[0][1] == pytest.approx(both.channels["aa"][k, 0], abs=1e-6)
    sink.close()
    with_next.socket.close()


def test_nobody_listening_is_no_error() -> None:
    free = Receiver()
    free.socket.close()
    sink = VmcSink(port=free.port)
    for _ in range(3):
        sink.send(frames(1))
    assert sink.sent + sink.failed >= 3 * 4
    sink.close()


def test_addresses_of_vmc() -> None:
    assert vmc_address("vmc://10.0.0.7") == ("10.0.0.7", 39539)
    assert vmc_address("vmc://[::1]:40000") == ("::1", 40000)
    for wrong in ("vmc://h:0x", "vmc://h:70000", "vmc://h/path", "osc://h", "vmc://a@h"):
        with pytest.raises(InvalidValueError, match="allowed is vmc://HOST:PORT"):
            vmc_address(wrong)
    with pytest.raises(InvalidValueError, match="no such host"):
        VmcSink("x" * 70)
    with pytest.raises(InvalidValueError, match="ports 65535 to 65536"):
        VmcSink(port=65535, characters=2)


# -- files --


def test_a_session_is_written_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "talk.kin"
    written: list[tuple[Take, Path]] = []
    sink = FileSink(
        [path, tmp_path / "talk.bvh"],
        60.0,
        16_000.0,
        provenance={"seed": 4},
        written=lambda take, at: written.append((take, at)),
    )
    parts = [frames(7), frames(1, first=7), frames(12, first=8)]
    sound = 0.5 * RNG.uniform(-1, 1, 5333)
    for k, part in enumerate(parts):
        sink.hear(sound[2000 * k : 2000 * (k + 1)])
        sink.send(part)
    assert not path.exists()
    sink.close()
    sink.close()
    take = load(path)
    turns = np.concatenate([part.rotations for part in parts])
    signs = np.sign(np.einsum("fjk,fjk->fj", take.clip.rotations, turns))
    assert np.allclose(take.clip.rotations * signs[..., None], turns, atol=1e-12)
    root = np.concatenate([part.root_positions for part in parts])
    assert np.array_equal(take.clip.root_positions, root)
    assert np.array_equal(
        take.clip.channels["browUp"], np.concatenate([p.channels["browUp"] for p in parts])
    )
    assert take.audio is not None
    assert take.audio.rate_hz == 16_000
    assert take.audio.samples == pytest.approx(sound, abs=1e-4)
    assert take.provenance["seed"] == 4
    assert [at.name for _, at in written] == ["talk.kin", "talk.bvh"]
    assert len(load(tmp_path / "talk.bvh").clip) == 20
    assert sorted(p.name for p in tmp_path.iterdir()) == ["talk.bvh", "talk.kin", "talk.wav"]


def test_each_character_has_a_file(tmp_path: Path) -> None:
    sink = FileSink([tmp_path / "two.kin"], 60.0, 16_000.0, characters=2)
    both = frames(5, 2)
    sink.send(both)
    sink.hear(np.stack([np.zeros(800), np.full(800, 0.5)]))
    sink.hear(np.full(800, 0.25))  # one voice for both
    sink.close()
    for k in range(2):
        take = load(tmp_path / f"two-{k + 1}.kin")
        assert np.array_equal(take.clip.root_positions, both.root_positions[k])
        assert take.audio is not None
        assert take.audio.samples[[0, 900]] == pytest.approx([0.5 * k, 0.25], abs=1e-4)
        assert take.provenance["character"] == k + 1
    assert number_paths("a.kin", 1) == [Path("a.kin")]
    assert number_paths("a.kin", 12)[0] == Path("a-01.kin")


def test_files_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match=r"cannot write .\.xyz"):
        FileSink([tmp_path / "a.xyz"], 60.0, 16_000.0)
    with pytest.raises(UnwritableError, match="its folder does not exist"):
        FileSink([tmp_path / "no" / "a.kin"], 60.0, 16_000.0)
    empty = FileSink([tmp_path / "a.kin"], 60.0, 16_000.0)
    with pytest.raises(InvalidValueError, match="no frame was made"):
        empty.close()
    # One that fails does not keep the others from being written.
    sink = FileSink([tmp_path / "b.kin", tmp_path / "c.kin"], 60.0, 16_000.0)
    sink.send(frames(3))
    sink.hear(np.zeros(800))
    (tmp_path / "b.kin").mkdir()
    with pytest.raises(UnwritableError, match="is a folder"):
        sink.close()
    assert len(load(tmp_path / "c.kin").clip) == 3


# -- the terminal --


def test_the_figure_is_drawn_with_its_bars() -> None:
    standing, _ = StandInEngine().step((0, 0), np.zeros(1))[::-1]
    lines = drawing(standing, Status(12.5, "running", 0.1, 0.0015), characters=3)
    assert len(lines) == ROWS
    assert all(len(line) < 80 for line in lines)
    assert "12.5 s   running" in lines[6]
    assert "1.5 ms" in lines[7]
    assert "1 of 3 characters" in lines[8]
    figure = np.array([[ord(c) - 0x2800 for c in line.ljust(COLUMNS)[:COLUMNS]] for line in lines])
    arms = np.count_nonzero(figure > 0, axis=1).argmax()
    assert 2 <= arms <= 4  # a T-pose is widest at its shoulders
    loud = drawing(standing, Status(level=1.0))[1].count("█")
    quiet = drawing(standing, Status(level=0.001))[1].count("█")
    assert loud == 20 > quiet == 0


def test_drawings_replace_each_other_and_messages_stay() -> None:
    out, now = io.StringIO(), [0.0]
    sink = TerminalSink(out, clock=lambda: now[0])
    sink.send(frames(1))
    assert "\x1b[13A" not in out.getvalue()
    sink.send(frames(1))  # too soon
    drawn = len(out.getvalue())
    now[0] += 0.1
    sink.send(frames(1))
    assert out.getvalue()[drawn:].startswith("\x1b[13A")
    sink.say("the sound is lost")
    assert out.getvalue().endswith("\x1b[13A\x1b[Jthe sound is lost\n")
    before = len(out.getvalue())
    sink.send(frames(1))
    assert "\x1b[13A" not in out.getvalue()[before:]
    sink.close()
