"""Sources of the words of a live session: a file, a socket, standard input."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Iterable
from os import PathLike
from typing import Any, Protocol
from urllib.parse import urlsplit

from kinesphere.errors import InvalidValueError
from kinesphere.realtime.words import (
    AHEAD_S,
    LONGEST_LINE,
    NONE_MALFORMED,
    Malformed,
    SaidWord,
    parse_word,
    read_words,
)

UDP = "udp://"
_MOST_AT_ONCE = 256
"""Most datagrams, or lines, read between two steps."""
_MOST_QUEUED = 1024
_FILE_AHEAD_S = 2.0 * AHEAD_S


class WordSource(Protocol):
    """Words with their times."""

    @property
    def malformed(self) -> Malformed:
        """Lines that could not be parsed."""

    @property
    def known(self) -> tuple[SaidWord, ...]:
        """Words that are known before the session begins, in order of time."""

    def poll(self, now_s: float) -> list[SaidWord]:
        """Words that arrived since the last call, at an audio time; never blocks."""

    def close(self) -> None:
        """Release everything; may be called twice."""


class FileWords:
    """Words of a file, see `read_words`: passed on some time before they are needed."""

    malformed = NONE_MALFORMED

    def __init__(self, path: str | PathLike[str], characters: int = 1) -> None:
        self.known = read_words(path, characters)
        self._next = 0

    def poll(self, now_s: float) -> list[SaidWord]:
        """Words that are due soon."""
        first, until_s = self._next, now_s + _FILE_AHEAD_S
        while self._next < len(self.known) and self.known[self._next].word.start_s < until_s:
            self._next += 1
        return list(self.known[first : self._next])

    def close(self) -> None:
        """Nothing is open: do nothing."""


class _Lines:
    """Parses lines one by one, and counts invalid ones."""

    def __init__(self, characters: int) -> None:
        self.characters = characters
        self.malformed = NONE_MALFORMED
        self.count = 0

    def words(self, lines: Iterable[bytes], now_s: float) -> list[SaidWord]:
        """Words of lines; empty ones are skipped."""
        found = []
        for line in lines:
            self.count += 1
            if line.strip():
                try:
                    found.append(parse_word(line.strip(), self.characters, now_s))
                except InvalidValueError as error:
                    self.malformed = self.malformed.and_another(f"line {self.count} {error}")
        return found


class _Unforeseen:
    """Words that arrive while a session runs: none is known before."""

    known: tuple[SaidWord, ...] = ()


class UdpWords(_Unforeseen):
    """Datagrams of lines of JSON.

    Parameters
    ----------
    host, port : to listen on; 0 for any free port.
    characters : how many there are.

    Raises
    ------
    InvalidValueError
        If the address cannot be listened on.
    """

    def __init__(self, host: str, port: int, characters: int = 1) -> None:
        self._lines = _Lines(characters)
        try:
            row = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
            self._socket = socket.socket(row[0], socket.SOCK_DGRAM)
        except (OSError, UnicodeError) as error:
            raise InvalidValueError(f"{UDP}{host}:{port}: {error}") from None
        try:
            self._socket.bind(row[4])
        except OSError as error:
            self._socket.close()
            raise InvalidValueError(f"{UDP}{host}:{port}: {error}") from None
        self._socket.setblocking(False)
        self.port = int(self._socket.getsockname()[1])

    @property
    def malformed(self) -> Malformed:
        """Lines that could not be parsed."""
        return self._lines.malformed

    def poll(self, now_s: float) -> list[SaidWord]:
        """Words of the datagrams that arrived."""
        found: list[SaidWord] = []
        for _ in range(_MOST_AT_ONCE):
            try:
                data = self._socket.recv(LONGEST_LINE + 1)
            except OSError:  # nothing arrived, or the socket is closed
                break
            lines = [data] if len(data) > LONGEST_LINE else data.split(b"\n")
            found += self._lines.words(lines, now_s)
        return found

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


class PipeWords(_Unforeseen):
    """Lines of JSON from a stream of bytes, read by a thread; a sender that is too fast waits.

    Parameters
    ----------
    stream : of bytes, best without a buffer of its own.
    characters : how many there are.
    """

    def __init__(self, stream: Any, characters: int = 1) -> None:
        self._lines = _Lines(characters)
        self._stream = stream
        self._queue: queue.Queue[bytes] = queue.Queue(_MOST_QUEUED)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def malformed(self) -> Malformed:
        """Lines that could not be parsed."""
        return self._lines.malformed

    def poll(self, now_s: float) -> list[SaidWord]:
        """Words of the lines that arrived."""
        lines: list[bytes] = []
        while len(lines) < _MOST_AT_ONCE:
            try:
                lines.append(self._queue.get_nowait())
            except queue.Empty:
                break
        return self._lines.words(lines, now_s)

    def close(self) -> None:
        """Stop reading; a thread that waits for the sender ends with the program."""
        self._closed.set()

    # -- in the thread --

    def _run(self) -> None:
        read = getattr(self._stream, "read1", self._stream.read)
        rest = b""
        while not self._closed.is_set():
            try:
                more = read(LONGEST_LINE)
            except (OSError, ValueError):
                more = b""
            *lines, rest = (rest + more).split(b"\n")
            for line in (*lines, *(() if more else (rest,))):
                self._put(line)
            if not more:
                return
            rest = rest[: LONGEST_LINE + 1]  # enough to tell that it is too long

    def _put(self, line: bytes) -> None:
        while not self._closed.is_set():
            try:
                self._queue.put(line, timeout=0.1)
            except queue.Full:
                continue
            return


def udp_address(text: str) -> tuple[str, int]:
    """Host and port of ``udp://host:port``; the host is this machine by default.

    >>> udp_address("udp://:9000"), udp_address("udp://0.0.0.0:9000")
    (('127.0.0.1', 9000), ('0.0.0.0', 9000))
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "127.0.0.1", parts.port
        extra = parts.path.strip("/") or parts.query or parts.username
    except ValueError:
        host, port, extra = "", None, text
    if not text.startswith(UDP) or extra or not port:
        raise InvalidValueError(f"{text}: allowed is udp://HOST:PORT, port 1 to 65535")
    return host, port
