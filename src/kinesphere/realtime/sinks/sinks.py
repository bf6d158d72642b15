"""Outputs of live frames: the protocol that every sink follows, and VMC over the network."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.sinks.vmc import DEFAULT_PORT, VmcEncoder


class PoseFrames(Protocol):
    """Frames of one or more characters, as output by the live engine.

    Shapes have a leading ``characters`` axis only if the engine was started with a number of
    characters. Rotations are local ones of the default rig.
    """

    @property
    def times_s(self) -> Floats:
        """``[frames]`` times on the audio clock."""

    @property
    def root_positions(self) -> Floats:
        """``[(characters,) frames, 3]`` world position of the hips in metres."""

    @property
    def rotations(self) -> Floats:
        """``[(characters,) frames, 55, 4]`` local rotations."""

    @property
    def channels(self) -> Mapping[str, Floats]:
        """Face shapes by name, ``[(characters,) frames]`` each."""

    def __len__(self) -> int:
        """Number of frames."""


@dataclass(frozen=True, eq=False)
class PoseSlice:
    """Some of the frames, or one of the characters, of `PoseFrames`; the arrays are views."""

    times_s: Floats
    root_positions: Floats
    rotations: Floats
    channels: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.times_s)


def frame_slice(frames: PoseFrames, which: slice) -> PoseSlice:
    """Return some of the frames, of all characters."""
    return PoseSlice(
        frames.times_s[which],
        frames.root_positions[..., which, :],
        frames.rotations[..., which, :, :],
        {name: values[..., which] for name, values in frames.channels.items()},
    )


def character_slice(frames: PoseFrames, character: int) -> PoseSlice:
    """Return the frames of one character, without the axis; a single one is character 0."""
    if frames.rotations.ndim == 3:
        channels = dict(frames.channels)
        return PoseSlice(frames.times_s, frames.root_positions, frames.rotations, channels)
    return PoseSlice(
        frames.times_s,
        frames.root_positions[character],
        frames.rotations[character],
        {name: values[character] for name, values in frames.channels.items()},
    )


class Sink(Protocol):
    """An output: accepts frames in order of time; `close` is called once, at the end."""

    def send(self, frames: PoseFrames) -> None:
        """Accept new frames; a display may use the last alone."""

    def close(self) -> None:
        """Finish: write what was kept, release sockets and files."""


VMC = "vmc://"


def vmc_address(text: str) -> tuple[str, int]:
    """Host and port of ``vmc://host:port``; by default those of this machine and the protocol.

    >>> vmc_address("vmc://"), vmc_address("vmc://studio:39540")
    (('127.0.0.1', 39539), ('studio', 39540))
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "127.0.0.1", parts.port
        extra = parts.path.strip("/") or parts.query or parts.username
    except ValueError:
        extra = text
    if not text.startswith(VMC) or extra:
        raise InvalidValueError(f"{text}: allowed is vmc://HOST:PORT, port 1 to 65535")
    return host, DEFAULT_PORT if port is None else port


class VmcSink:
    """Frames as VMC messages over UDP; character k goes to the k-th port from `port` on.

    Parameters
    ----------
    host, port : of the receiver.
    characters : of the frames to come.
    vrm : version of VRM whose names face shapes get.

    Raises
    ------
    InvalidValueError
        If the host is unknown or a port is outside 1 to 65535.
    KinesphereError
        If python-osc is not installed.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int = DEFAULT_PORT, characters: int = 1, vrm: int = 0
    ) -> None:
        last = port + characters - 1
        if not 1 <= port <= last <= 65535:
            raise InvalidValueError(f"ports {port} to {last}, allowed is 1 to 65535")
        self._encoder = VmcEncoder(vrm=vrm)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidValueError(f"{VMC}{host}: no such host ({reason})") from None
        family, kind, protocol, _, address = found[0]
        self._socket = socket.socket(family, kind, protocol)
        self._socket.setblocking(False)
        rest: tuple[Any, ...] = address[2:]
        self._addresses = [(address[0], port + k, *rest) for k in range(characters)]
        self.sent = self.failed = 0

    def send(self, frames: PoseFrames) -> None:
        """Send every frame; what the network does not accept is lost, and counted."""
        for k, address in enumerate(self._addresses):
            one = character_slice(frames, k)
            for i, time_s in enumerate(one.times_s):
                channels = {name: float(values[i]) for name, values in one.channels.items()}
                pose = one.root_positions[i], one.rotations[i]
                for datagram in self._encoder.datagrams(float(time_s), *pose, channels):
                    self._put(datagram, address)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _put(self, datagram: bytes, address: tuple[Any, ...]) -> None:
        try:
            self._socket.sendto(datagram, address)
            self.sent += 1
        except OSError:  # no receiver, or a full buffer: the next frame is newer
            self.failed += 1
