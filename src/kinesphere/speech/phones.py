"""Phones in IPA and ARPAbet."""

# ruff: noqa: RUF001 - the letters of IPA are meant
from __future__ import annotations

VOWELS = frozenset("aeiouyæøœɐɑɒɔəɘɚɛɜɝɞɤɨɪɯɵʉʊʌʏᵻɶɩ\u0329")
"""Letters of IPA that can carry a syllable; the last marks a syllabic consonant."""


def _table(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


ARPABET = _table(
    """AA=ɑː AE=æ AH=ʌ AO=ɔː AW=aʊ AY=aɪ B=b CH=tʃ D=d DH=ð EH=ɛ ER=ɜː EY=eɪ F=f G=ɡ HH=h IH=ɪ
    IY=iː JH=dʒ K=k L=l M=m N=n NG=ŋ OW=oʊ OY=ɔɪ P=p R=ɹ S=s SH=ʃ T=t TH=θ UH=ʊ UW=uː V=v W=w
    Y=j Z=z ZH=ʒ"""
)
"""IPA of the 39 phones of CMU's dictionary."""

_TIMIT = _table("AX=ə AXR=ɚ DX=ɾ IX=ɪ UX=uː")  # further phones of ARPAbet
_SILENCES = frozenset(("", "sil", "sp", "spn", "pau", "_", "<sil>", "#", "h#", "noise", "brth"))


def ipa(label: str) -> str:
    """Return a phone in IPA without stress, from IPA or ARPAbet; empty for a silence.

    >>> ipa("ˈɔː"), ipa("AE1"), ipa("sp")
    ('ɔː', 'æ', '')
    """
    bare = label.strip()
    if bare.lower() in _SILENCES:
        return ""
    if bare == "AH0":
        return "ə"
    if bare.isascii() and bare.upper() == bare:
        phone = bare.rstrip("0123")
        known = ARPABET.get(phone) or _TIMIT.get(phone)
        if known:
            return known
    return bare.lstrip("ˈˌ'`").replace("ˈ", "").replace("ˌ", "")


def is_vowel(label: str) -> bool:
    """Whether a phone, IPA or ARPAbet, can carry a syllable."""
    return bool(VOWELS & set(ipa(label)))
