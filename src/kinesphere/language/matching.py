"""Finds the phrases of semantic tags in a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from kinesphere.language.tags import SemanticTag, semantic_tags, wider_tags
from kinesphere.language.tokens import Analysis, Language, TokenPart
from kinesphere.language.word_lists import word_list

GAP = "..."
START = "^"
"""In a phrase, the start of a sentence: "^ exactly ." is an answer."""
_LONGEST_GAP = 4
_LEAST_SUFFIX, _LEAST_BEFORE = 4, 3
_NOUN_FROM_ADJECTIVE = "NNA"
_PLAIN_PARTICLES = word_list("plain_particles")
"""Particles that do not change a verb's meaning; "auf" does: "aufgeben" is not giving."""


@dataclass(frozen=True)
class Match:
    """A phrase of a tag on tokens first to last; `tag` is None for a phrase that excludes tags."""

    tag: str | None
    first: int
    last: int
    length: int
    priority: int
    needs_focus: bool
    bars: str = ""


_End = tuple[SemanticTag, str, bool]
"""A tag, its phrase that is complete here, and whether the phrase excludes the tag."""


@dataclass
class _Trie:
    """Trie of phrases by their words."""

    children: dict[str, _Trie] = field(default_factory=dict)
    ends: list[_End] = field(default_factory=list)


@cache
def _trie(language: Language) -> _Trie:
    root = _Trie({START: _Trie()})
    for tag in semantic_tags().values():
        for phrase in tag.words[language]:
            _insert(root, tag, phrase, False)
        for phrase in tag.barred:
            _insert(root, tag, phrase, True)
    return root


def _insert(root: _Trie, tag: SemanticTag, phrase: str, bars: bool) -> None:
    node = root
    for word in phrase.casefold().replace("\u2026", GAP).split():
        node = node.children.setdefault(word, _Trie())
    node.ends.append((tag, phrase.casefold(), bars))


def matches(analysis: Analysis, language: Language) -> list[Match]:
    """All phrases in a text, of all tags."""
    out: list[Match] = []
    firsts = {first for first, _ in analysis.sentences}
    root = _trie(language)
    for parts in _sentences(analysis):
        idle: set[tuple[int, str]] = set()
        if language == "de":
            parts, idle = _joined_verbs(parts, root)
        first = next((i for i, part in enumerate(parts) if part.pos != "punctuation"), -1)
        for i, part in enumerate(parts):
            starts = [root, root.children[START]] if i == first else [root]
            for (tag, phrase, bars), used in (
                found for node in starts for found in _walk(node, parts, i, [])
            ):
                its = [parts[k] for k in used]
                fits = (part.owner, phrase) not in idle and _fits(tag, phrase, its, firsts)
                if bars or fits:
                    out.append(_match(tag, phrase, bars, its))
            out += _by_last_part(part, language)
            out += _by_wider_table(part, language)
    return out


def _sentences(analysis: Analysis) -> Iterator[list[TokenPart]]:
    at, parts = 0, analysis.parts
    for _, last in analysis.sentences:
        start = at
        while at < len(parts) and parts[at].owner <= last:
            at += 1
        yield list(parts[start:at])


def _walk(
    node: _Trie, parts: Sequence[TokenPart], at: int, used: list[int]
) -> Iterator[tuple[_End, list[int]]]:
    """Phrases that continue at a part of a sentence, with the parts that they use."""
    for end in node.ends:
        yield end, used
    if at >= len(parts):
        return
    for name in parts[at].lemmas:
        child = node.children.get(name)
        if child is not None:
            yield from _walk(child, parts, at + 1, [*used, at])
    gap = node.children.get(GAP)
    if gap is not None and used:
        for skipped in range(_LONGEST_GAP + 1):
            yield from _walk(gap, parts, at + skipped, used)


def _fits(
    tag: SemanticTag, phrase: str, used: Sequence[TokenPart], sentence_starts: set[int]
) -> bool:
    """Whether part of speech and capitals match those that the tag requires."""
    wanted = tag.pos.get(phrase)
    if wanted is not None and used[0].pos not in wanted.split("|"):
        return False
    for written in tag.capitalised:
        if written.casefold() == phrase and not _has_capitals_of(written, used, sentence_starts):
            return False
    return True


def _has_capitals_of(written: str, used: Sequence[TokenPart], sentence_starts: set[int]) -> bool:
    """Whether words have the capitals of a phrase, apart from the start of a sentence."""
    words = [word for word in written.split() if word not in (GAP, START)]
    capitals = [p for word, p in zip(words, used, strict=True) if word[:1].isupper()]
    return all(p.text[:1].isupper() and p.owner not in sentence_starts for p in capitals)


def _match(tag: SemanticTag, phrase: str, bars: bool, used: Sequence[TokenPart]) -> Match:
    first, last = used[0].owner, used[-1].owner
    focus = tag.focus or phrase in tag.focus_words
    length = len(phrase.replace(GAP, "").replace(START, "").split())
    if bars:
        return Match(None, first, last, length, tag.priority, False, tag.name)
    return Match(tag.name, first, last, length, tag.priority, focus)


# ------------------------------------------------------------------- German verbs in two, compounds


def _joined_verbs(
    parts: Sequence[TokenPart], root: _Trie
) -> tuple[list[TokenPart], set[tuple[int, str]]]:
    """German separable verbs, whose particle is at the end of their clause.

    Returns the parts of a sentence, where such a verb also has the infinitive with the particle,
    and the words of tokens without a meaning of their own: "geben" in "gibt ... auf".
    """
    out = list(parts)
    idle: set[tuple[int, str]] = set()
    for i, part in enumerate(parts):
        at = _verb_of_particle(out, i) if part.tag == "PTKVZ" else None
        if at is None:
            continue
        verb, particle = out[at], part.text.casefold()
        joined = particle + parts[at].lemmas[-1]
        out[at] = replace(verb, lemmas=(*verb.lemmas, joined))
        if joined in root.children:
            idle.add((part.owner, particle))
        if joined in root.children or particle not in _PLAIN_PARTICLES:
            idle.update((verb.owner, name) for name in verb.lemmas)
    return out, idle


def _verb_of_particle(parts: Sequence[TokenPart], i: int) -> int | None:
    """The finite verb before a particle, across embedded clauses.

    A verb right before a comma ends a clause of its own ("nahm das Geld, das er fand, zurück"),
    unless there is no other ("fängt, weil es regnet, nicht an"); and right after a comma the
    particle belongs to the clause before the last comma but one.
    """
    at = i - 1
    if at >= 0 and parts[at].text == ",":
        at -= 1
        while at >= 0 and parts[at].text != ",":
            at -= 1
    verbs = [k for k in range(at + 1) if parts[k].pos == "verb" and parts[k].finite]
    inside = [k for k in verbs if k + 1 == i or parts[k + 1].text != ","]
    return inside[-1] if inside else next(iter(verbs), None)


@cache
def _nouns() -> dict[str, SemanticTag]:
    """German nouns of the tags, by which compounds are recognised."""
    out: dict[str, SemanticTag] = {}
    for tag in semantic_tags().values():
        for phrase in tag.words["de"]:
            if " " not in phrase and phrase[:1].isupper() and len(phrase) >= _LEAST_SUFFIX:
                out.setdefault(phrase.casefold(), tag)
    return out


def _by_last_part(part: TokenPart, language: Language) -> list[Match]:
    """Match a German compound by its last part, unless it ends in an excluded word.

    A nominalised participle is not a compound: "Reisende" is unrelated to "Ende".
    """
    if language != "de" or part.pos != "noun" or part.tag == _NOUN_FROM_ADJECTIVE:
        return []
    lemma = part.lemmas[-1]
    nouns = _nouns()
    if lemma in nouns:
        return []
    for cut in range(_LEAST_BEFORE, len(lemma) - _LEAST_SUFFIX + 1):
        tag = nouns.get(lemma[cut:])
        barred = tag is not None and any(lemma.endswith(b.casefold()) for b in tag.barred)
        if tag is not None and not barred:
            return [Match(tag.name, part.owner, part.owner, 0, tag.priority, tag.focus)]
    return []


def _by_wider_table(part: TokenPart, language: Language) -> list[Match]:
    """Match a word that is in no list by the wider table; any listed phrase is preferred."""
    name = wider_tags(language).get((part.lemmas[-1], part.pos))
    if name is None:
        return []
    tag = semantic_tags()[name]
    return [Match(name, part.owner, part.owner, 0, tag.priority, tag.focus)]


def choose_matches(found: Sequence[Match], focused: set[int], fixed: set[int]) -> list[Match]:
    """Matches to keep: the longer before the shorter, one tag per word, none on `fixed` tokens.

    A phrase that excludes a tag removes that tag, and no other, from the words inside it; a phrase
    of the tag that extends beyond it stays ("right now" before a comma, where "now" is excluded).
    """
    barred: dict[tuple[str | None, int], int] = {}
    for match in found:
        if match.tag is None:
            for i in range(match.first, match.last + 1):
                barred[match.bars, i] = max(match.last, barred.get((match.bars, i), -1))
    taken = set(fixed)
    out: list[Match] = []
    real = [m for m in found if m.tag is not None]
    for match in sorted(real, key=lambda m: (-m.length, m.priority, m.first)):
        inside = range(match.first, match.last + 1)
        if taken.intersection(inside) or barred.get((match.tag, match.first), -1) >= match.last:
            continue
        if match.needs_focus and not focused.intersection(inside):
            continue
        taken.update(inside)
        out.append(match)
    return sorted(out, key=lambda m: m.first)
