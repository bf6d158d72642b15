"""A voice that returns a recording of the user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kinesphere.errors import InvalidValueError
from kinesphere.speech.audio import read_audio
from kinesphere.speech.value import Speech


@dataclass(frozen=True)
class RecordedVoice:
    """A recording of speech; words have no times until they are aligned.

    Parameters
    ----------
    path : a recording in any format that `read_audio` reads.
    transcript : of the recording, if known.
    """

    path: str | Path
    transcript: str = ""

    def languages(self) -> tuple[str, ...]:
        """Empty: the recording has the language that the caller states."""
        return ()

    def speak(
        self, text: str = "", language: str = "", *, rate: float = 1.0, pitch: float = 1.0
    ) -> Speech:
        """Return the recording with its transcript, or with `text` where it has none.

        Raises
        ------
        UnreadableError
            If the file cannot be read.
        InvalidValueError
            If another tempo or pitch is requested, or another text than the transcript.
        """
        if (rate, pitch) != (1.0, 1.0):
            raise InvalidValueError("a recording keeps its rate and pitch, allowed is 1")
        said = self.transcript.strip()
        if said and text.strip() and text.split() != said.split():
            raise InvalidValueError(
                f"{self.path} contains {said[:30]!r}, it cannot speak {text.strip()[:30]!r}"
            )
        recording = read_audio(self.path)
        about = {"voice": f"recording {Path(self.path).name}", "notes": list(recording.notes)}
        return Speech(
            recording.samples,
            recording.rate_hz,
            said or text.strip(),
            language=language,
            provenance=about,
        )
