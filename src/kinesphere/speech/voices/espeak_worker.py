"""Program of the child process for speech synthesis, the only one that loads espeak-ng.

espeak-ng is GPL and stays out of the process that uses Kinesphere. Run as a file or with ``-m``; it
imports nothing of Kinesphere. It answers requests on stdin until that is closed. A
message is the lengths of its two parts (two little-endian 32-bit numbers), a JSON object, and raw
samples (16 bits, little-endian; empty in requests).

espeak keeps state in static variables, which would make a sentence depend on those before it. So
the library is reloaded for each, which takes 3 ms with a voice, mostly after the answer is sent.
The same request gives the same samples.
"""

from __future__ import annotations

import _ctypes
import ctypes
import json
import os
import signal
import struct
import sys
from importlib import import_module
from typing import Any, BinaryIO

_SYNCHRONOUS = 2  # samples are passed to the callback while `espeak_Synth` runs
_PHONEME_EVENTS, _IPA, _DONT_EXIT = 1, 2, 1 << 15
_UTF8, _SSML, _END_PAUSE = 1, 0x10, 0x1000
_RATE, _VOLUME, _PITCH = 1, 2, 3
_WORD, _PHONEME = 1, 7
_LARGEST_REQUEST = 4 << 20
_REQUESTS = 5000  # then the process is replaced: espeak leaks 2 kB each time it is loaded


class _EventId(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    )


class _Voice(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_char_p),
        ("identifier", ctypes.c_char_p),
    )  # further fields are not read


_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


class _Engine:
    """espeak-ng, with the output of its callback."""

    def __init__(self) -> None:
        loader = import_module("espeakng_loader")
        self.path = os.path.abspath(loader.get_library_path())
        # espeak truncates long paths, so it gets a relative one.
        os.chdir(os.path.dirname(loader.get_data_path()))
        self.library: Any = None
        self.rate_hz = 0
        self.fresh = ""  # the current voice, if nothing was spoken since loading
        self.voice = ""
        self.samples = bytearray()
        self.events: list[list[Any]] = []
        self.most_bytes = 0
        self.callback = _CALLBACK(self._collect)
        self.reload()

    def reload(self) -> None:
        if self.library is not None:
            self.library.espeak_Terminate()
            close: Any = getattr(_ctypes, "dlclose" if os.name == "posix" else "FreeLibrary")
            close(self.library._handle)
        self.library = ctypes.CDLL(self.path)
        options = _PHONEME_EVENTS | _IPA | _DONT_EXIT
        self.rate_hz = self.library.espeak_Initialize(_SYNCHRONOUS, 0, b".", options)
        if self.rate_hz <= 0:
            raise RuntimeError("espeak-ng finds no data in its library's folder")
        self.library.espeak_SetSynthCallback(self.callback)
        self.voice = self.fresh = ""

    def _collect(self, samples: Any, count: int, events: Any) -> int:
        if count > 0:
            self.samples += ctypes.string_at(samples, 2 * count)
        index = 0
        while events[index].type:
            event = events[index]
            if event.type in (_WORD, _PHONEME):
                label = event.id.string if event.type == _PHONEME else b""
                text = label.decode("utf-8", "ignore")
                self.events.append([event.type, event.text_position - 1, event.sample, text])
            else:
                self.events.append([event.type, event.text_position - 1, event.sample, ""])
            index += 1
        return int(len(self.samples) > self.most_bytes)

    def choose(self, voice: str) -> None:
        if self.library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise RuntimeError(f"espeak-ng has no voice {voice!r}")
        self.voice = voice

    def prepare(self, voice: str) -> None:
        """Reload the library and set the voice."""
        self.reload()
        self.choose(voice)
        self.fresh = voice

    def speak(self, request: dict[str, Any]) -> dict[str, Any]:
        """Speak one text; `most_s` limits its duration."""
        if self.fresh != request["voice"]:
            self.prepare(request["voice"])
        self.fresh = ""
        for parameter, name in ((_RATE, "rate"), (_VOLUME, "volume"), (_PITCH, "pitch")):
            self.library.espeak_SetParameter(parameter, int(request[name]), 0)
        self.samples, self.events = bytearray(), []
        self.most_bytes = 2 * int(request["most_s"] * self.rate_hz)
        text = request["text"].encode()
        flags = _UTF8 | (_SSML if request["markup"] else 0)
        flags |= _END_PAUSE if request["pause"] else 0
        self.library.espeak_Synth(text, len(text) + 1, 0, 0, 0, flags, None, None)
        self.library.espeak_Synchronize()
        if len(self.samples) > self.most_bytes:
            raise RuntimeError(f"the text takes over {request['most_s']:g} s to speak")
        return {"rate_hz": self.rate_hz, "events": self.events}

    def phonemes(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return phonemes of words by themselves, with ``_`` between them."""
        self.fresh = ""
        if self.voice != request["voice"]:
            self.choose(request["voice"])
        translate = self.library.espeak_TextToPhonemes
        translate.restype = ctypes.c_char_p
        answer = []
        for word in request["words"]:
            text = ctypes.c_char_p(word.encode())
            found = translate(ctypes.pointer(text), _UTF8, _IPA | ord("_") << 8)
            answer.append((found or b"").decode("utf-8", "replace"))
        return {"phonemes": answer}

    def voices(self, _: dict[str, Any]) -> dict[str, Any]:
        """Return languages with their voices' files, variants and the version."""
        listing = self.library.espeak_ListVoices
        listing.restype = ctypes.POINTER(ctypes.POINTER(_Voice))
        languages: dict[str, str] = {}
        found, index = listing(None), 0
        while found[index]:
            voice = found[index].contents
            # A priority byte and a code ended by 0, repeated; the first is the voice's.
            code = ctypes.string_at(_address(voice) + 1).decode()
            file = voice.identifier.decode()
            if {code.split("-")[0], file.rpartition("/")[2]} & self._dictionaries():
                languages.setdefault(code, file)
            index += 1
        self.library.espeak_Info.restype = ctypes.c_char_p
        version = self.library.espeak_Info(None).decode().split()[0]
        variants = sorted(os.listdir(os.path.join("espeak-ng-data", "voices", "!v")))
        return {"languages": languages, "variants": variants, "version": version}

    @staticmethod
    def _dictionaries() -> set[str]:
        """Names of dictionaries; a few languages have none."""
        return {name.removesuffix("_dict") for name in os.listdir("espeak-ng-data")}


def _address(voice: Any) -> int:
    """Address of a voice's languages; reading the field as a string would stop at the priority."""
    place = ctypes.addressof(voice) + _Voice.languages.offset
    return int(ctypes.c_void_p.from_address(place).value or 0)


def _read(pipe: BinaryIO) -> dict[str, Any] | None:
    head = pipe.read(8)
    if len(head) < 8:
        return None
    size, rest = struct.unpack("<2I", head)
    if size > _LARGEST_REQUEST or rest:
        raise ValueError(f"a request of {size} and {rest} bytes")
    request: dict[str, Any] = json.loads(pipe.read(size))
    return request


def _write(pipe: BinaryIO, answer: dict[str, Any], samples: bytes = b"") -> None:
    text = json.dumps(answer).encode()
    pipe.write(struct.pack("<2I", len(text), len(samples)) + text)
    pipe.write(samples)
    pipe.flush()


def main(folder: str | None = None) -> None:
    """Answer requests until stdin ends; `folder` holds espeakng_loader."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # left to the parent, whose end closes stdin
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of the library must not mix with the answers
    if folder:
        sys.path.append(folder)
    engine = _Engine()
    actions = {"speak": engine.speak, "phonemes": engine.phonemes, "voices": engine.voices}
    for _ in range(_REQUESTS):
        request = _read(sys.stdin.buffer)
        if request is None:
            break
        try:
            answer = actions[request["action"]](request)
        except RuntimeError as error:
            _write(out, {"error": str(error)})
            continue
        _write(out, answer, bytes(engine.samples) if request["action"] == "speak" else b"")
        if engine.voice and not engine.fresh:
            engine.prepare(engine.voice)


if __name__ == "__main__":
    main(*sys.argv[1:2])
