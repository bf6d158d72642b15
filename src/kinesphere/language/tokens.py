"""Words of a text with their lemmas and parts of speech, for English and German.

HanTa (the Hanover Tagger) gives lemmas and parts of speech. Contractions are split first, so
that "don't" is a verb and a negation; in all later steps a written word is one token.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Literal, get_args

from kinesphere.errors import InvalidValueError
from kinesphere.language.word_lists import word_set

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LARGEST_TEXT = 16 << 20
CONTENT = frozenset(("noun", "name", "verb", "adjective", "adverb", "number", "interjection"))
NOUNS = frozenset(("noun", "name"))
CLOSING = frozenset("\"'\u2019\u201d\u201c\u00bb\u00ab\u203a\u2039)]")
"""Marks that may open or close a quotation or a bracket; the blanks around decide."""

_LONGEST_SENTENCE = 250
"""Most tokens of a sentence; the tagger's probabilities underflow in longer ones."""
_LONGEST_WORD = 40
"""Most letters of a word; the tagger's time for an unknown word grows with their cube."""

# A letter or digit with its combining accents and soft hyphens.
_CHARACTER = r"[^\W_][\u0300-\u036f\u00ad]*"
# What a possessive group begins with is looked for first: until Python 3.11.5, a repetition that
# fails half-way is not taken back.
_RUN = rf"(?>\d++(?:(?=[.,:]\d)[.,:]\d++)*+|{_CHARACTER})++"
_JOIN = r"['\u2019\u2010\u2011-]"
_TOKEN = re.compile(
    r"(?:https?://|www\.)\S*[^\W_]/?"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
    r"|(?:(?=[^\W\d_]\.)[^\W\d_]\.){2,}+"
    rf"|{_RUN}(?:(?={_JOIN}[^\W_]){_JOIN}{_RUN})*+(?:(?<=\d)%|(?<=s)['\u2019](?=\s+[^\W\d_]))?"
    r"|\.{2,}+|\u2026++|[!?]++|-{2,}+|\S"
)
_ENDS = frozenset(".!?\u2026")
_NEVER_LAST = word_set(
    """
    mr mrs ms dr st prof rev gen capt vs fig hr fr bzw ca vgl bspw ggf inkl evtl sog approx
    """
)
_SELDOM_LAST = frozenset(
    ("etc", "usw", "jr", "sr", "inc", "ltd", "co", "corp", "dept", "min", "max", "str", "tel")
)
_BEFORE_NUMBERS = frozenset(("no", "nr", "vol", "p", "pp"))
_ORDINAL_AFTER = word_set(
    """
    am im vom zum zur beim der die das den dem des seit bis ein eine einen sein ihr jeder jede
    jedes und mein
    """
)
_REPORTING = word_set(
    """
    said says asked asks cried replied shouted whispered answered sagte sagt fragte fragt rief
    antwortete meinte flüsterte schrie
    """
)
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
_WITH_ES_CAPITAL = word_set(
    """
    Gibt Geht Ist Hat Wie Was Wer Wo Wenn Er Ich Du Sie Mach Nimm Lass Hab Kann War Stimmt So
    Dass Ob Weil
    """
)
GERMAN_WORDS = word_set(
    """
    der die das und ist nicht ein eine einen ich sie er wir zu den mit von es auf dem sich für
    im hat du ihr mir dich wie aber auch noch nur schon wenn weil dass sind haben habe kein
    keine guten danke ja nein uns wo warum dann jetzt nun da als nach man
    """
)
ENGLISH_WORDS = word_set(
    """
    the and is not a i you he she we to of with it on that for are this they have has my your
    what but there from his her their were be by at as no yes do how all then when now if who
    """
)
"""Function words, for language detection; they have no capital inside a sentence."""


@dataclass(frozen=True)
class Token:
    """A written word or punctuation mark; `start` and `end` are positions in the plain text."""

    text: str
    lemma: str
    pos: str
    start: int
    end: int
    negated: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is spoken."""
        return self.pos != "punctuation"

    @property
    def is_content(self) -> bool:
        """Whether it is a content word."""
        return self.pos in CONTENT


@dataclass(frozen=True)
class Part:
    """A token, or a part of a contraction, with which phrases are compared.

    `tag` is the tagger's own, `owner` the token's index, `lemmas` all forms for lookup.
    """

    text: str
    lemmas: tuple[str, ...]
    tag: str
    pos: str
    owner: int
    finite: bool


@dataclass(frozen=True)
class Analysis:
    """Tokens, their parts, and the sentences as first and last token."""

    tokens: tuple[Token, ...]
    parts: tuple[Part, ...]
    sentences: tuple[tuple[int, int], ...]


_Found = tuple[str, int, int]
_Row = tuple[str, str, str]
"""Lemma, the tagger's tag, our class."""


def analysed(text: str, language: Language) -> Analysis:
    """Split a plain text into tokens with lemmas and parts of speech.

    Raises
    ------
    InvalidValueError
        If the text is larger than `LARGEST_TEXT` or the language is not known.
    """
    if language not in LANGUAGES:
        raise InvalidValueError(f"language {language!r}, allowed are {', '.join(LANGUAGES)}")
    if len(text) > LARGEST_TEXT:
        raise InvalidValueError(f"the text has {len(text)} characters, allowed are {LARGEST_TEXT}")
    found = [(text[start:end], start, end) for start, end in token_places(text)]
    sentences = _sentences(found, text, language)
    tokens: list[Token] = []
    parts: list[Part] = []
    for first, last in sentences:
        made = _sentence(found[first : last + 1], language, first)
        tokens += made[0]
        parts += made[1]
    return Analysis(tuple(tokens), tuple(parts), tuple(sentences))


def token_places(text: str) -> list[tuple[int, int]]:
    """Start and end of the tokens of a plain text, without analysis.

    >>> token_places("It's so.")
    [(0, 4), (5, 7), (7, 8)]
    """
    return [m.span() for m in _TOKEN.finditer(text)]


def closes(text: str, start: int, end: int) -> bool:
    """Whether the mark at a position closes a quotation or a bracket: no blank precedes it.

    >>> closes('"Go," she said.', 0, 1), closes('"Go," she said.', 4, 5)
    (False, True)
    """
    if text[start:end] not in CLOSING or start == 0 or text[start - 1].isspace():
        return False
    return end == len(text) or not text[end].isalnum()


# ------------------------------------------------------------------------------------ sentences


def _sentences(found: Sequence[_Found], text: str, language: Language) -> list[tuple[int, int]]:
    """First and last token of every sentence; a blank line always ends one."""
    cased = any(c.isupper() for c in text)
    out: list[tuple[int, int]] = []
    first, i = 0, 0
    while i < len(found):
        last = i
        ends = _ends(found, i, language)
        while ends and last + 1 < len(found) and _leans(found[last + 1], text):
            last += 1
        if last + 1 == len(found) or _blank_line(text[found[last][2] : found[last + 1][1]]):
            ends = True
        elif ends:
            ends = _goes_on_anew(found, i, last + 1, cased)
        if ends or last - first >= _LONGEST_SENTENCE:
            out.append((first, last))
            first = last + 1
        i = last + 1
    return out


def _blank_line(between: str) -> bool:
    return "\n\n" in between.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "")


def _leans(token: _Found, text: str) -> bool:
    """Whether a token belongs to the sentence before it: a closing mark, more end marks."""
    word, start, end = token
    if start == 0 or text[start - 1].isspace():
        return False
    return word[0] in _ENDS or closes(text, start, end)


def _ends(found: Sequence[_Found], i: int, language: Language) -> bool:
    """Whether a token may end a sentence: an end mark, not an abbreviation's full stop."""
    word, start, _ = found[i]
    following = found[i + 1][0] if i + 1 < len(found) else ""
    if word[0].isalpha() and word[-1] == ".":  # "U.S."
        return _small_word(following)
    if word[0] not in _ENDS:
        return False
    if word != "." or i == 0 or found[i - 1][2] != start:
        return True
    before = found[i - 1][0]
    low = before.casefold()
    if low in _NEVER_LAST:
        return False
    if low in _BEFORE_NUMBERS and following[:1].isdigit():
        return False
    if low in _SELDOM_LAST or (len(before) == 1 and before.isalpha() and before != "I"):
        return not following or _small_word(following)
    if language == "de" and before.isdigit() and len(before) <= 2 and i > 1:
        return found[i - 2][0].casefold() not in _ORDINAL_AFTER
    return True


def _small_word(word: str) -> bool:
    """Whether a capitalised word would be lower case inside a sentence."""
    return word[:1].isupper() and word.casefold() in (GERMAN_WORDS | ENGLISH_WORDS)


def _goes_on_anew(found: Sequence[_Found], mark: int, following: int, cased: bool) -> bool:
    """Whether an end mark is followed by another sentence: a capital or a digit."""
    ahead = [word for word, _, _ in found[following : following + 6]]
    reported = any(word.casefold() in _REPORTING for word in ahead[:2])
    if found[following - 1][0] in CLOSING and reported:
        return False
    start = next((word[0] for word in ahead if word[0].isalnum()), "")
    if not start.islower():
        return True
    return found[mark][0] == "." and not cased


# ------------------------------------------------------------------------------ words in context


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


def _sentence(
    found: Sequence[_Found], language: Language, offset: int
) -> tuple[list[Token], list[Part]]:
    split = [_pieces(word, language) for word, _, _ in found]
    flat = tuple(piece for pieces in split for piece in pieces)
    rows = _tagged(flat, language)
    tokens: list[Token] = []
    parts: list[Part] = []
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


def _part(piece: str, row: _Row, owner: int, language: Language) -> Part:
    lemma, tag, pos = row
    spoken = _CONTRACTED.get(piece, _CONTRACTED_BY_TAG.get((piece, tag), piece))
    names = tuple(dict.fromkeys((spoken.casefold(), lemma.casefold())))
    return Part(spoken, names, tag, pos, owner, _finite(tag, language))


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
def _tagged(pieces: tuple[str, ...], language: Language) -> tuple[_Row, ...]:
    """Lemma, the tagger's tag and our class of every piece of a sentence."""
    spoken = [i for i, piece in enumerate(pieces) if any(c.isalnum() for c in piece)]
    if not spoken:
        return tuple((piece, "PUN", "punctuation") for piece in pieces)
    # Without the marks before the first word, which would hide the start of the sentence.
    seen = [_seen(pieces, i, language) for i in range(spoken[0], len(pieces))]
    cased = any(c.islower() for piece in pieces for c in piece)
    tags = _tagger(language).tag_sent(seen, taglevel=0, casesensitive=cased)
    rows = [(piece, "PUN", "punctuation") for piece in pieces]
    for i in spoken:
        tag = str(tags[i - spoken[0]])
        rows[i] = _row(pieces[i], seen[i - spoken[0]], tag, language)
    mend = _mended_english if language == "en" else _mended_german
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


def _seen(pieces: Sequence[str], i: int, language: Language) -> str:
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


_OPENING = frozenset("\"'\u2018\u201c\u201e\u201a\u00bb\u00ab\u203a\u2039(:")


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

_BEFORE_COMMANDS = frozenset(
    ("please", "so", "then", "now", "and", "but", "just", "never", "always", "also", "bitte")
)
_AFTER_COMMANDS = frozenset(
    ("left", "right", "up", "down", "out", "off", "on", "back", "here", "there", "again")
)
_SUBJECTS = frozenset(("i", "he", "she", "we", "they"))
_BETWEEN = frozenset(("adverb", "particle"))
_IN_SUBJECTS = frozenset(("pronoun", "determiner", "adjective", "noun", "name", "number"))


def _mended_english(rows: list[_Row], pieces: Sequence[str], spoken: Sequence[int]) -> list[_Row]:
    out = list(rows)
    at = _command_place(out, pieces, spoken)
    if at is not None and _commands(out, pieces, at):
        out[at] = _row(pieces[at], pieces[at].lower(), "VVB", "en")
        if at + 1 < len(out) and pieces[at + 1] in ("left", "right"):
            out[at + 1] = (pieces[at + 1], "AV0", "adverb")
    if not any(row[1] in _FINITE_ENGLISH for row in out) and pieces[-1][0] in _ENDS:
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


def _mended_german(rows: list[_Row], pieces: Sequence[str], spoken: Sequence[int]) -> list[_Row]:
    """Correct the tag of a command's verb that looks like a noun: "Warte!"."""
    out = list(rows)
    if any(_finite(row[1], "de") for row in out) or pieces[-1][0] != "!":
        return out
    at = next((i for i in spoken if pieces[i].lower() not in _BEFORE_COMMANDS), None)
    if at is not None and out[at][2] in NOUNS:
        tag = next((t for t in _tags_of(pieces[at].lower(), "de") if _finite(t, "de")), None)
        if tag is not None and tag.startswith("VV"):
            out[at] = _row(pieces[at], pieces[at].lower(), tag, "de")
    return out
