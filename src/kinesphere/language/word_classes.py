"""Lemma and part of speech of every word of a sentence, by a tagger and rules for its mistakes.

HanTa (the Hanover Tagger) gives both. Contractions are split first, so that "don't" is a verb and a
negation; in all later steps a written word is one token.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from kinesphere.language.sentences import SENTENCE_ENDS, FoundToken
from kinesphere.language.tokens import NOUNS, Language, Token, TokenPart
from kinesphere.language.word_lists import keys_of_words, word_list

_LONGEST_WORD = 40
"""Most letters of a word; the tagger's time for an unknown word grows with their cube."""
_MODELS = {"en": "morphmodel_en.pgz", "de": "morphmodel_ger.pgz"}
_ENGLISH = (
    ("AJ", "adjective"),
    ("AT", "determiner"),
    ("AV", "adverb"),
    ("CJ", "conjunction"),
    ("CRD", "number"),
    ("ORD", "number"),
    ("DPS", "determiner"),
    ("DTQ", "pronoun"),
    ("DT", "determiner"),
    ("EX", "pronoun"),
    ("ITJ", "interjection"),
    ("NP", "name"),
    ("NN", "noun"),
    ("PN", "pronoun"),
    ("POS", "particle"),
    ("PR", "preposition"),
    ("PU", "punctuation"),
    ("TO", "particle"),
    ("VV", "verb"),
    ("VB", "auxiliary"),
    ("VD", "auxiliary"),
    ("VH", "auxiliary"),
    ("VM", "auxiliary"),
    ("XX", "particle"),
)
_GERMAN = (
    ("NN", "noun"),
    ("NE", "name"),
    ("VV", "verb"),
    ("VA", "auxiliary"),
    ("VM", "auxiliary"),
    ("ADJ", "adjective"),
    ("ADV", "adverb"),
    ("PAV", "adverb"),
    ("PROAV", "adverb"),
    ("ART", "determiner"),
    ("PPOSAT", "determiner"),
    ("PDAT", "determiner"),
    ("PIAT", "determiner"),
    ("PIDAT", "determiner"),
    ("PWAT", "determiner"),
    ("PWAV", "adverb"),
    ("PTKANT", "interjection"),
    ("PTKVZ", "particle"),
    ("PTK", "particle"),
    ("P", "pronoun"),
    ("AP", "preposition"),
    ("KO", "conjunction"),
    ("CARD", "number"),
    ("ITJ", "interjection"),
    ("$", "punctuation"),
    ("TRUNC", "noun"),
    ("FM", "noun"),
)
_FINITE_ENGLISH = frozenset(
    ("VVB", "VVD", "VVZ", "VBB", "VBD", "VBZ", "VDB", "VDD", "VDZ", "VHB", "VHD", "VHZ", "VM0")
)
_CONTRACTION = re.compile(r"(.+?)(n't|'(?:s|ll|re|ve|d|m))", re.IGNORECASE)
_CONTRACTED = {"'ll": "will", "'re": "are", "'ve": "have", "'m": "am"}
_CONTRACTED_BY_TAG = {
    ("'s", "VBZ"): "is",
    ("'s", "VHZ"): "has",
    ("'s", "VDZ"): "does",
    ("'s", "PNP"): "us",
    ("'d", "VM0"): "would",
    ("'d", "VHD"): "had",
    ("'d", "VDD"): "did",
}
_BASES = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_WITH_ES = re.compile(r"(.+)'(s|n|ne|nen)")
_WITH_ES_CAPITAL = word_list("with_es")
_OPENING = frozenset("\"'\u2018\u201c\u201e\u201a\u00bb\u00ab\u203a\u2039(:")

_Row = tuple[str, str, str]
"""Lemma, the tagger's tag, our class."""


@cache
def _tagger(language: Language) -> Any:
    from HanTa.HanoverTagger import HanoverTagger

    tagger = HanoverTagger(_MODELS[language])
    tagger.analyze_forward = lru_cache(maxsize=1 << 16)(tagger.analyze_forward)
    return tagger


@lru_cache(maxsize=1 << 17)
def _lemma(word: str, tag: str, language: Language) -> str:
    return str(_tagger(language).analyze(word, pos=tag, taglevel=1)[0])


@lru_cache(maxsize=1 << 16)
def _tags_of(word: str, language: Language) -> tuple[str, ...]:
    """Tags that a lower-case word can have, the likeliest first."""
    if len(word) > _LONGEST_WORD:
        return ()
    return tuple(str(tag) for tag, _ in _tagger(language).tag_word(word, casesensitive=False))


_LIKELY_TAGS = 4
"""Tags of a word alone that are worth considering."""


def lemma_classes(word: str, language: Language) -> tuple[str, ...]:
    """Parts of speech in which a word is its own lemma, the likeliest first."""
    likely = _tags_of(word, language)[:_LIKELY_TAGS]
    own = [tag for tag in likely if _lemma(word, tag, language).casefold() == word]
    return tuple(dict.fromkeys(_coarse(tag, language) for tag in own))


def analyse_sentence(
    found: Sequence[FoundToken], language: Language, offset: int
) -> tuple[list[Token], list[TokenPart]]:
    """Tokens of a sentence and their parts; `offset` is the index of its first token."""
    split = [_pieces(word, language) for word, _, _ in found]
    flat = tuple(piece for pieces in split for piece in pieces)
    rows = _tag(flat, language)
    tokens: list[Token] = []
    parts: list[TokenPart] = []
    at = 0
    for i, ((word, start, end), pieces) in enumerate(zip(found, split, strict=True)):
        mine = rows[at : at + len(pieces)]
        at += len(pieces)
        negated = len(pieces) > 1 and pieces[1] == "not"
        tokens.append(Token(word, mine[0][0], mine[0][2], start, end, negated))
        parts += [
            _part(piece, row, offset + i, language) for piece, row in zip(pieces, mine, strict=True)
        ]
    return tokens, parts


def _part(piece: str, row: _Row, owner: int, language: Language) -> TokenPart:
    lemma, tag, pos = row
    spoken = _CONTRACTED.get(piece, _CONTRACTED_BY_TAG.get((piece, tag), piece))
    names = tuple(dict.fromkeys((spoken.casefold(), lemma.casefold())))
    return TokenPart(spoken, names, tag, pos, owner, _finite(tag, language))


def _pieces(word: str, language: Language) -> list[str]:
    """A word prepared for the tagger: composed letters, contractions split."""
    plain = unicodedata.normalize("NFC", word.replace("\u00ad", "")) or word
    plain = re.sub("[\u2010\u2011]", "-", plain.replace("\u2019", "'"))
    if len(plain) > 1 and plain[-1] == "'":
        plain = plain[:-1]
    if language == "de":
        match = _WITH_ES.fullmatch(plain)
        # "Andrea's" is a genitive, "geht's" is not.
        if match is None or not (match[1][0].islower() or match[1] in _WITH_ES_CAPITAL):
            return [plain]
        return [match[1], "es" if match[2] == "s" else "ei" + match[2]]
    if plain.casefold() == "cannot":
        return [plain[:3], "not"]
    match = _CONTRACTION.fullmatch(plain)
    if match is None:
        return [plain]
    base, ending = match[1], match[2].lower()
    if ending == "n't":
        return [_BASES.get(base.lower(), base), "not"]
    return [base, ending]


@lru_cache(maxsize=1 << 12)
def _tag(pieces: tuple[str, ...], language: Language) -> tuple[_Row, ...]:
    """Lemma, the tagger's tag and our class of every piece of a sentence."""
    spoken = [i for i, piece in enumerate(pieces) if any(c.isalnum() for c in piece)]
    if not spoken:
        return tuple((piece, "PUN", "punctuation") for piece in pieces)
    # Without the marks before the first word, which would hide the start of the sentence.
    seen = [_tagger_spelling(pieces, i, language) for i in range(spoken[0], len(pieces))]
    cased = any(c.islower() for piece in pieces for c in piece)
    tags = _tagger(language).tag_sent(seen, taglevel=0, casesensitive=cased)
    rows = [(piece, "PUN", "punctuation") for piece in pieces]
    for i in spoken:
        tag = str(tags[i - spoken[0]])
        rows[i] = _row(pieces[i], seen[i - spoken[0]], tag, language)
    mend = _correct_english if language == "en" else _correct_german
    return tuple(mend(rows, pieces, spoken))


def _row(piece: str, seen: str, tag: str, language: Language) -> _Row:
    pos = _coarse(tag, language)
    if piece[0].isdigit():
        return piece, tag, "number"
    if any(c in "@:/" or c.isdigit() for c in piece):  # an address, "B2B"
        return piece, tag, "name"
    if pos == "punctuation" or len(piece) > _LONGEST_WORD:
        return piece, "NN1" if language == "en" else "NN", "noun"
    lemma = _lemma(seen, tag, language)
    return (lemma if language == "de" or pos == "name" else lemma.lower()), tag, pos


def _tagger_spelling(pieces: Sequence[str], i: int, language: Language) -> str:
    """A part in the spelling given to the tagger.

    A capital has no meaning at the start of a quotation or sentence; all capitals are emphasis.
    """
    piece = pieces[i]
    if len(piece) > _LONGEST_WORD:
        return "thing" if language == "en" else "Ding"
    starts = i > 0 and pieces[i - 1] in _OPENING
    shouts = piece.isupper() and (len(piece) > 2 or piece in ("NO", "MY", "WE", "SO"))
    if piece[0].isupper() and (shouts or (starts and piece[1:].islower())):
        low = piece.lower()
        tags = _tags_of(low, language) if low in _tagger(language).cache else ("NP0",)
        if tags and _coarse(tags[0], language) not in NOUNS:
            return low
    return piece


@cache
def _coarse(tag: str, language: Language) -> str:
    for start, name in _ENGLISH if language == "en" else _GERMAN:
        if tag.startswith(start):
            return name
    return "other"


def _finite(tag: str, language: Language) -> bool:
    if language == "en":
        return tag in _FINITE_ENGLISH
    return "FIN" in tag or "IMP" in tag


# ------------------------------------------------------------------- where the tagger is mistaken

_BEFORE_COMMANDS = word_list("before_commands")
_AFTER_COMMANDS = word_list("after_commands")
_SUBJECTS = word_list("nominative_pronouns")
_BETWEEN = frozenset(("adverb", "particle"))
_IN_SUBJECTS = frozenset(("pronoun", "determiner", "adjective", "noun", "name", "number"))


def _correct_english(rows: list[_Row], pieces: Sequence[str], spoken: Sequence[int]) -> list[_Row]:
    out = list(rows)
    at = _command_place(out, pieces, spoken)
    if at is not None and _commands(out, pieces, at):
        out[at] = _row(pieces[at], pieces[at].lower(), "VVB", "en")
        if at + 1 < len(out) and pieces[at + 1] in ("left", "right"):
            out[at + 1] = (pieces[at + 1], "AV0", "adverb")
    if not any(row[1] in _FINITE_ENGLISH for row in out) and pieces[-1][0] in SENTENCE_ENDS:
        for before, i in pairwise(spoken):
            if out[before][1] in ("NN1", "NP0") and _may_be(pieces[i], out[i][1], "NN2", "VVZ"):
                out[i] = _row(pieces[i], pieces[i].lower(), "VVZ", "en")
                break
    for i, (lemma, tag, pos) in enumerate(out):
        if pos == "auxiliary" and lemma in ("do", "have") and not _helps(out, pieces, i):
            out[i] = (lemma, tag, "verb")
    return out


def _may_be(piece: str, tag: str, found: str, other: str) -> bool:
    return tag == found and other in _tags_of(piece.lower(), "en")


def _command_place(
    rows: Sequence[_Row], pieces: Sequence[str], spoken: Sequence[int]
) -> int | None:
    """Position of the verb of a command: first, except for vocatives and connectives."""
    for i in spoken:
        called = rows[i][2] == "name" and i + 1 < len(rows) and pieces[i + 1] == ","
        skipped = rows[i][2] == "interjection" or pieces[i].lower() in _BEFORE_COMMANDS
        if not (called or skipped):
            return i
    return None


def _commands(rows: Sequence[_Row], pieces: Sequence[str], at: int) -> bool:
    """Whether the first word is an imperative that the tagger has tagged otherwise.

    "Turn left" and "Check the oil", but not "Hope is good".
    """
    tag, following = rows[at][1], at + 1
    if tag == "VVI":
        return True
    if tag != "NN1" or following >= len(rows) or "VVB" not in _tags_of(pieces[at].lower(), "en"):
        return False
    low = pieces[following].lower()
    takes = rows[following][1][:3] in ("AT0", "DPS", "DT0", "PNP") and low not in _SUBJECTS
    return takes or low in _AFTER_COMMANDS


def _helps(rows: Sequence[_Row], pieces: Sequence[str], at: int) -> bool:
    """Whether do or have is an auxiliary: a verb follows, or in questions a subject and a verb.

    "I have often seen", "have to go", "do the people know"; not "I have a dog that barks".
    """
    asks = at == 0 or rows[at - 1][2] not in ("pronoun", "noun", "name") or _asking(pieces[at - 1])
    for i in range(at + 1, len(rows)):
        pos = rows[i][2]
        if pos in ("verb", "auxiliary"):
            return True
        if pos not in _BETWEEN and not (asks and pos in _IN_SUBJECTS):
            return False
    return False


def _asking(word: str) -> bool:
    return word.lower() in ("what", "who", "whom", "which", "where", "when", "why", "how")


_COMMANDS = keys_of_words("commands")
_AFTER_GERMAN_COMMANDS = ("PPER", "PRF", "ART", "PPOSAT", "PDAT", "ADV", "APPR", "PTK", "PROAV")
_BEFORE_GERMAN_COMMANDS = frozenset((",", ":", "und", "dann", "jetzt", "nun", "also"))


def _correct_german(rows: list[_Row], pieces: Sequence[str], spoken: Sequence[int]) -> list[_Row]:
    """Correct the tag of a command's verb that looks like a noun: "Warte!", "Ruf mich an."."""
    out = list(rows)
    for i in spoken:
        verb = _COMMANDS.get(pieces[i].lower())
        if verb is not None and _may_command(out, pieces, i, i == spoken[0]):
            out[i] = (verb, "VV(IMP)", "verb")
    if any(_finite(row[1], "de") for row in out) or pieces[-1][0] != "!":
        return out
    at = next((i for i in spoken if pieces[i].lower() not in _BEFORE_COMMANDS), None)
    if at is not None and out[at][2] in NOUNS:
        tag = next((t for t in _tags_of(pieces[at].lower(), "de") if _finite(t, "de")), None)
        if tag is not None and tag.startswith("VV"):
            out[at] = _row(pieces[at], pieces[at].lower(), tag, "de")
    return out


def _may_command(rows: Sequence[_Row], pieces: Sequence[str], i: int, first: bool) -> bool:
    """Whether the stem of a German verb is a command: "Heb das auf", not "der Ruf der Eule"."""
    if rows[i][1].startswith("VV") or rows[i][2] not in NOUNS:
        return pieces[i].islower() or first
    if not first and pieces[i - 1].lower() not in _BEFORE_GERMAN_COMMANDS:
        return False
    follows = pieces[i + 1].lower() if i + 1 < len(rows) else ""
    genitive = follows in ("des", "der")
    return bool(follows) and not genitive and rows[i + 1][1].startswith(_AFTER_GERMAN_COMMANDS)
