"""Open Sound Control 1.0 read from its bytes: a receiver that shares no code with the sender."""

from __future__ import annotations

import struct
from typing import NamedTuple


class Message(NamedTuple):
    """An address and its arguments."""

    address: str
    arguments: tuple[str | int | float, ...]


def messages_in(datagram: bytes) -> list[Message]:
    """All messages of a packet: one message, or a bundle and those within."""
    assert len(datagram) % 4 == 0, "a packet is a multiple of 4 bytes"
    if datagram[:8] != b"#bundle\0":
        return [_message(datagram)]
    assert datagram[8:16] == bytes(7) + b"\1", "the time tag means at once"
    out, at = [], 16
    while at < len(datagram):
        (size,) = struct.unpack_from(">i", datagram, at)
        assert 0 < size <= len(datagram) - at - 4
        out += messages_in(datagram[at + 4 : at + 4 + size])
        at += 4 + size
    return out


def _message(data: bytes) -> Message:
    address, at = _text(data, 0)
    assert address.startswith("/")
    types, at = _text(data, at)
    assert types.startswith(",")
    arguments: list[str | int | float] = []
    for kind in types[1:]:
        if kind == "s":
            value, at = _text(data, at)
            arguments.append(value)
        else:
            arguments.append(struct.unpack_from({"i": ">i", "f": ">f"}[kind], data, at)[0])
            at += 4
    assert at == len(data), "nothing is left over"
    return Message(address, tuple(arguments))


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Text up to its zero byte, and where the next item begins: padded to 4 bytes."""
    end = data.index(0, at)
    after = (end + 4) // 4 * 4
    assert not any(data[end:after])
    return data[at:end].decode(), after
