"""The analysed speech that gestures, pages and evaluation work from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.speech.prosody.prominence import Prominence
from kinesphere.speech.prosody.prosody import Prosody
from kinesphere.speech.value import Speech


@dataclass(frozen=True)
class Heard:
    """A speech and its analysis.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> heard = ks.hear((np.zeros(16_000), 16_000))
    >>> heard.facts[0], heard.prominence.words
    (('length', '1.0 s'), ())
    """

    speech: Speech
    prosody: Prosody
    prominence: Prominence
    title: str = "speech"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Pairs of label and value for display."""
        hz = self.prosody.pitch_hz.values
        hz = hz[~np.isnan(hz)]
        syllables = self.prominence.syllables
        spoken_s = sum(p.duration_s for p in self.prominence.phrases)
        found = [("length", f"{self.speech.duration_s:.1f} s")]
        if self.prominence.words:
            found.append(("words", f"{len(self.prominence.words)}"))
        rate = f" ({len(syllables) / spoken_s:.1f} per second)" if spoken_s > 0.0 else ""
        found.append(("syllables", f"{len(syllables)}{rate}"))
        found.append(("phrases", f"{len(self.prominence.boundaries)}"))
        if len(hz):
            low, middle, high = np.quantile(hz, [0.1, 0.5, 0.9])
            found.append(("pitch", f"{middle:.0f} Hz ({low:.0f} to {high:.0f})"))
        return found
