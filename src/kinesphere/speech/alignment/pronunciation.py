"""Pronunciation of English words: ARPAbet phones for the aligner, IPA for `Speech`.

A word is looked up in the recogniser's dictionary; numbers, signs and abbreviations are first
spelt out; words still unknown are pronounced by espeak-ng, whose IPA is converted to ARPAbet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import product

from kinesphere.errors import InvalidValueError
from kinesphere.speech.phones import ARPABET
from kinesphere.speech.voices.espeak import phonemes

Lookup = Callable[[str], str | None]
"""Phones of a dictionary's word, or None; ``word(2)`` asks for its second pronunciation."""

_MOST_VARIANTS = 8


def _table(text: str) -> dict[str, str]:
    """Pairs such as ``a=b``, where ``+`` stands for a space."""
    pairs = (pair.rsplit("=", 1) for pair in text.split())
    return {key: value.replace("+", " ") for key, value in pairs}


_ONES, _TENS = (
    tuple(_table(text))
    for text in (
        """zero= one= two= three= four= five= six= seven= eight= nine= ten= eleven= twelve=
        thirteen= fourteen= fifteen= sixteen= seventeen= eighteen= nineteen=""",
        "twenty= thirty= forty= fifty= sixty= seventy= eighty= ninety=",
    )
)
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"))
_ORDINALS = _table(
    "one=first two=second three=third five=fifth eight=eighth nine=ninth twelve=twelfth"
)
_SIGNS = {"+": "plus", "=": "equals"} | _table(
    """&=and %=percent @=at #=number $=dollars €=euros £=pounds °=degrees §=section
    ‰=per+mille *=star /=slash \\=backslash"""
)
_ABBREVIATIONS = {
    key: tuple(value.split("|"))
    for key, value in _table(
        """dr=doctor|drive mr=mister mrs=missus ms=miz|miss st=saint|street prof=professor
        vs=versus etc=etcetera e.g=for+example|e+g i.e=that+is|i+e jr=junior sr=senior
        no=no|number approx=approximately km=kilometers kg=kilograms cm=centimeters
        mm=millimeters ft=feet a.m=a+m p.m=p+m u.s=u+s u.k=u+k ok=okay"""
    ).items()
}
_IPA_OF = ARPABET | {"ER": "ɚ"}
_ARPABET_OF = {ipa: phone for phone, ipa in _IPA_OF.items()} | _table(
    """ɾ=T ʔ=T r=R g=G x=K ɬ=L ç=HH ʍ=W ɲ=N+Y i=IY ᵻ=IH ɑ=AA ɒ=AA ɔ=AO u=UW ə=AH ɐ=AH ɜː=ER ɝ=ER
    ɜ=ER e=EY a=AA aː=AA o=OW oː=AO əʊ=OW ɪə=IH+R eə=EH+R ʊə=UH+R n̩=AH+N l̩=AH+L m̩=AH+M"""  # noqa: RUF001
)
_PIECE = re.compile(
    r"\d(?:[\d.,:]*\d)?(?:(?:st|nd|rd|th|s)\b)?"  # a number, perhaps with a suffix
    r"|'?[^\W\d_]+(?:'[^\W\d_]+)*"  # letters, with apostrophes
    r"|[^\w\s]"
)
_VOWELS = frozenset(_table("AA= AE= AH= AO= AW= AY= EH= ER= EY= IH= IY= OW= OY= UH= UW="))
_LONGEST_IPA = max(map(len, _ARPABET_OF))


def number_words(number: int) -> str:
    """Cardinal of a whole number from 0 to a quadrillion.

    >>> number_words(1234)
    'one thousand two hundred thirty four'
    """
    if number < 20:
        return _ONES[number]
    if number < 100:
        one = f" {_ONES[number % 10]}" if number % 10 else ""
        return _TENS[number // 10 - 2] + one
    for size, name in (*_SCALES, (100, "hundred")):
        if number >= size:
            rest = f" {number_words(number % size)}" if number % size else ""
            return f"{number_words(number // size)} {name}{rest}"
    raise AssertionError(number)


def spell_out(word: str) -> tuple[str, ...]:
    """Ways to say a written word, each as words with spaces between; itself if it is letters.

    >>> spell_out("1984")[:2]
    ('nineteen eighty four', 'one thousand nine hundred eighty four')
    >>> spell_out("$5"), spell_out("20%"), spell_out("3rd")
    (('five dollars',), ('twenty percent',), ('third',))
    """
    low = word.lower().replace("’", "'").replace("‘", "'")  # noqa: RUF001
    bare = low.strip(".")
    if bare in _ABBREVIATIONS:
        return _ABBREVIATIONS[bare]
    money = re.fullmatch(r"([$€£])([\d.,]*\d)(.*)", low)
    if money:
        low = f"{money[2]}{money[3]}{money[1]}"
    pieces = _PIECE.findall(low)
    ways = [_piece_variants(piece) for piece in pieces]
    said = (" ".join(filter(None, way)) for way in product(*ways))
    return tuple(dict.fromkeys(way for way in said if way))[:_MOST_VARIANTS]


def _piece_variants(piece: str) -> tuple[str, ...]:
    if piece[0].isdigit() and piece.isascii():
        return _number_variants(piece)
    return (_SIGNS.get(piece, ""),) if not piece[0].isalpha() and piece[0] != "'" else (piece,)


def _number_variants(piece: str) -> tuple[str, ...]:
    digits, ending = re.fullmatch(r"([\d.,:]+)(\D*)", piece).groups()  # type: ignore[union-attr]
    if ":" in digits:
        parts = [number_words(int(part)) for part in re.split(r"\D+", digits) if part]
        return (" ".join(part for part in parts if part != "zero") or "zero",)
    if re.fullmatch(r"\d{1,3}(,\d{3})+", digits):
        digits = digits.replace(",", "")
    if not digits.isdigit():
        whole, *rest = re.split(r"[.,]", digits)
        spelt = " point ".join(" ".join(_ONES[int(d)] for d in part) for part in rest)
        return (f"{number_words(int(whole[:15] or 0))} point {spelt}",)
    one_by_one = " ".join(_ONES[int(d)] for d in digits)
    if len(digits) > 15 or (digits[0] == "0" and len(digits) > 1):
        return (one_by_one, one_by_one.replace("zero", "oh"))
    number = int(digits)
    ways = [number_words(number)]
    if len(digits) == 4 and number % 1000 >= 100:
        ways.insert(0, _pairs(number))
    elif len(digits) == 4 and 0 < number % 1000 < 100:
        ways.append(_pairs(number))
    if number >= 100 and number % 100:
        whole = number_words(number)
        ways.append(re.sub(r"(hundred|thousand) (?=\S+( \S+)?$)", r"\1 and ", whole))
    if ending in ("st", "nd", "rd", "th"):
        ways = [_ordinal(way) for way in ways]
    elif ending == "s":
        ways = [way[:-1] + "ies" if way.endswith("y") else way + "s" for way in ways]
    return tuple(ways)


def _pairs(number: int) -> str:
    """Said as a year: 1905 is nineteen oh five, 1900 nineteen hundred."""
    high, low = divmod(number, 100)
    rest = "hundred" if low == 0 else number_words(low) if low > 9 else f"oh {_ONES[low]}"
    return f"{number_words(high)} {rest}"


def _ordinal(cardinal: str) -> str:
    before, _, last = cardinal.rpartition(" ")
    default = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{before} {_ORDINALS.get(last, default)}".strip()


def pronunciations(words: Sequence[str], lookup: Lookup) -> list[tuple[str, ...]]:
    """ARPAbet pronunciations of each word, best first; none for words not spoken (``😀``).

    Raises
    ------
    InvalidValueError
        If words are not in the dictionary and espeak-ng is not installed.
    """
    ways = [spell_out(word) for word in words]
    unknown = {
        part for said in ways for way in said for part in way.split() if not _look_up(part, lookup)
    }
    guessed = _guess(sorted(unknown))
    found = []
    for said in ways:
        every: dict[str, None] = {}
        for way in said:
            parts = [_look_up(part, lookup) or (guessed[part],) for part in way.split()]
            short = [variants[: 4 if len(parts) == 1 else 1] for variants in parts]
            every.update(dict.fromkeys(" ".join(filter(None, mix)) for mix in product(*short)))
        found.append(tuple(phones for phones in every if phones)[:_MOST_VARIANTS])
    return found


def _look_up(word: str, lookup: Lookup) -> tuple[str, ...]:
    first = lookup(word)
    if not first:
        stem = lookup(word[:-2]) if word.endswith("'s") else None
        return (f"{stem} {_genitive(stem)}",) if stem else ()
    others = (lookup(f"{word}({i})") for i in range(2, 5))
    return (first, *filter(None, others))


def _genitive(stem: str) -> str:
    last = stem.split()[-1]
    if last in ("S", "Z", "SH", "ZH", "CH", "JH"):
        return "IH Z"
    return "S" if last in ("P", "T", "K", "F", "TH") else "Z"


def _guess(words: Sequence[str]) -> dict[str, str]:
    if not words:
        return {}
    if find_spec("espeakng_loader") is None:
        raise InvalidValueError(
            f"no pronunciation is known for {', '.join(words[:5])}; install espeak-ng: "
            "pip install 'kinesphere[voice]'"
        )
    return dict(zip(words, map(arpabet, phonemes(words)), strict=True))


def arpabet(ipa: str) -> str:
    """ARPAbet of IPA as espeak writes it; phones without a counterpart are dropped.

    >>> arpabet("n_ˈɪ_ɡ_ɚ_d_ɪ_ŋ")
    'N IH G ER D IH NG'
    """
    text = re.sub(r"[_\sˈˌ]", "", ipa)  # noqa: RUF001
    found, at = [], 0
    while at < len(text):
        for size in range(_LONGEST_IPA, 0, -1):
            if text[at : at + size] in _ARPABET_OF:
                found.append(_ARPABET_OF[text[at : at + size]])
                break
        at += size
    return " ".join(found)


def stressed_ipa(phones: Sequence[str], pattern: str) -> list[str]:
    """IPA of a word's ARPAbet phones, stress marked as in espeak's `pattern` of the same word.

    A pattern with another number of vowels, or none, marks nothing but a word's only vowel.
    """
    vowels = [i for i, phone in enumerate(phones) if phone in _VOWELS]
    marks = [
        next((mark for mark in "ˈˌ" if mark in sound), "")
        for sound in re.split(r"[_\s]+", pattern)
        if set(arpabet(sound).split()) & _VOWELS
    ]
    if len(marks) != len(vowels):
        marks = ["ˈ"] if len(vowels) == 1 and "ˈ" in pattern else [""] * len(vowels)  # noqa: RUF001
    ipa = [_IPA_OF.get(phone, phone.lower()) for phone in phones]
    for i, mark in zip(vowels, marks, strict=True):
        ipa[i] = mark + ("ə" if phones[i] == "AH" and not mark and len(vowels) > 1 else ipa[i])
    return ipa
