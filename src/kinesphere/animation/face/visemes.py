"""Visemes: mouth targets of the sounds of speech."""

# ruff: noqa: RUF001 - the letters of IPA are intended
from __future__ import annotations

from typing import NamedTuple

from kinesphere.speech.phones import ipa


class Viseme(NamedTuple):
    """Mouth targets of a sound.

    Parameters
    ----------
    aa, ih, ou, ee, oh : targets in [0, 1], together at most 1.
    firm : strength of its dominance; 1 is a vowel's.
    lips : factor of it for rounding (ou and oh): a sound of the tongue leaves the lips free.
    before, after : how fast the dominance falls off, 1/s; lower values reach farther.
    closed : whether the lips have to meet.
    """

    aa: float = 0.0
    ih: float = 0.0
    ou: float = 0.0
    ee: float = 0.0
    oh: float = 0.0
    firm: float = 1.0
    lips: float = 1.0
    before: float = 26.0
    after: float = 26.0
    closed: bool = False


REST = Viseme(firm=1.0, before=30.0, after=30.0)
UNKNOWN = Viseme(ih=0.25, firm=0.4)
_LIPS = Viseme(firm=4.0, before=40.0, after=40.0, closed=True)
_BITE = Viseme(ih=0.1, firm=3.0, before=35.0, after=35.0)
_HUSH = Viseme(ou=0.4, ih=0.1, firm=1.6, before=20.0, after=26.0)
_TIP = Viseme(ih=0.22, ee=0.05, firm=0.7, lips=0.25, before=32.0, after=32.0)
_HISS = Viseme(ee=0.22, ih=0.06, firm=1.6, lips=0.2, before=32.0, after=32.0)
_BACK = Viseme(ih=0.16, aa=0.08, firm=0.4, lips=0.25, before=32.0, after=32.0)
_OPEN = Viseme(aa=0.9)
_OH = Viseme(oh=0.8, before=22.0)
_OU = Viseme(ou=0.85, before=20.0)
VISEMES: dict[str, Viseme] = {
    **dict.fromkeys("pbmɓ", _LIPS),
    **dict.fromkeys("fvɱʋ", _BITE),
    **dict.fromkeys("ɸβ", Viseme(ou=0.15, firm=3.0, before=35.0, after=35.0)),
    **dict.fromkeys("θð", Viseme(ih=0.22, aa=0.05, lips=0.3, before=32.0, after=32.0)),
    **dict.fromkeys("tdnlɫɾɬɖʈɳɲɭʎɗ", _TIP),
    **dict.fromkeys("szɕʑ", _HISS),
    **dict.fromkeys("ʃʒʂʐ", _HUSH),
    **dict.fromkeys("kgɡŋxɣqχʁʀɢcçɟ", _BACK),
    **dict.fromkeys("hɦʔħʕ", Viseme(ih=0.2, firm=0.08)),
    **dict.fromkeys("ɹrɻ", Viseme(ou=0.32, ih=0.08, firm=0.9, before=24.0)),
    **dict.fromkeys("wʍ", Viseme(ou=0.8, firm=2.2, before=20.0)),
    **dict.fromkeys("ɥ", Viseme(ou=0.7, ee=0.1, firm=1.6, before=20.0)),
    **dict.fromkeys("jʝ", Viseme(ee=0.55, ih=0.1)),
    **dict.fromkeys("aɑ", _OPEN),
    "ɒ": Viseme(aa=0.45, oh=0.45),
    "æ": Viseme(aa=0.65, ee=0.2),
    **dict.fromkeys("ʌɐ", Viseme(aa=0.5, ih=0.12)),
    **dict.fromkeys("əɘɞɨᵻ", Viseme(ih=0.3, aa=0.1, firm=0.6)),
    **dict.fromkeys("ɚɜɝ", Viseme(ou=0.3, ih=0.25)),
    "ɛ": Viseme(ih=0.35, aa=0.25, ee=0.1),
    "e": Viseme(ee=0.4, ih=0.3),
    "ɪ": Viseme(ih=0.6, ee=0.05),
    "i": Viseme(ee=0.8),
    "ɔ": _OH,
    "o": Viseme(oh=0.7, ou=0.15, before=22.0),
    "u": _OU,
    **dict.fromkeys("ʊɯɤʉɵ", Viseme(ou=0.55, ih=0.05, before=22.0)),
    **dict.fromkeys("yʏ", Viseme(ou=0.75, ee=0.1, before=20.0)),
    **dict.fromkeys("øœɶ", Viseme(oh=0.45, ou=0.3, before=22.0)),
}
"""IPA letter to viseme; several letters in a phone, as of a diphthong, follow one another."""


def visemes(label: str) -> list[Viseme]:
    """Visemes of a phone in IPA or ARPAbet, in order; none for a silence.

    >>> [v.ou > 0.3 for v in visemes("ˈoʊ")], len(visemes("AY1")), visemes("sil")
    ([False, True], 2, [])
    """
    sound = ipa(label)
    found = [VISEMES[letter] for letter in sound if letter in VISEMES]
    if not found and any(letter.isalpha() for letter in sound):
        return [UNKNOWN]
    # An affricate is treated as its release.
    return found[1:] if len(found) > 1 and found[1] in (_HUSH, _HISS) else found
