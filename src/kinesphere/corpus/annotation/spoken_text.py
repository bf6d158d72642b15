"""Timed words as a tagged text, and the words that belong to a gesture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kinesphere.corpus.annotation.annotation import AnnotatedSpan, AnnotatedWord, Annotation
from kinesphere.corpus.profiles.profile_estimator import CONTINUED, WordTag, word_tags
from kinesphere.errors import InvalidValueError
from kinesphere.language.tagging import TaggedText, tag_text
from kinesphere.language.tags import semantic_tags
from kinesphere.language.tokens import CONTENT, LANGUAGES
from kinesphere.timeline import Interval

# A longer pause ends a clause.
_PAUSE_S = 0.6
# Largest time between the end of a stroke and that of its word.
_NEAR_S = 1.5


@dataclass(frozen=True)
class SpokenText:
    """Words with their times and tags; all may be empty."""

    words: tuple[AnnotatedWord, ...] = ()
    tags: tuple[WordTag, ...] = ()
    clauses: tuple[AnnotatedSpan, ...] = ()
    information: tuple[AnnotatedSpan, ...] = ()

    def affiliate(
        self, lexeme: str, end_s: float, before_s: float, after_s: float, offset_s: float
    ) -> tuple[int, int] | None:
        """First and last index of the words of a gesture's lexical affiliate.

        Of the words that end near the stroke's end those whose tag triggers the lexeme, or else the
        content word that ends nearest to the typical time.
        """
        aim = end_s + offset_s

        def late(tag: WordTag) -> float:
            return abs(self.words[tag.last].end_s - aim)

        asking = [
            (-semantic_tags()[tag.tag].lexemes.get(lexeme, 0.0), late(tag), tag)
            for tag in self.tags
            if tag.tag in semantic_tags()
            and end_s - before_s <= self.words[tag.last].end_s <= end_s + after_s
        ]
        best = min(asking, key=lambda each: each[:2], default=None)
        if lexeme and best is not None and best[0] < 0.0:
            return best[2].first, best[2].last
        near = [
            (abs(word.end_s - aim), i)
            for i, word in enumerate(self.words)
            if word.pos in CONTENT and abs(word.end_s - aim) <= _NEAR_S
        ]
        if not near:
            return None
        i = min(near)[1]
        return i, i

    def during(self, start_s: float, end_s: float) -> tuple[int, int] | None:
        """First and last index of the words spoken in a time interval."""
        inside = [i for i, w in enumerate(self.words) if w.start_s < end_s and w.end_s > start_s]
        return (inside[0], inside[-1]) if inside else None


def spoken_text(words: Iterable[AnnotatedWord | Interval], language: str) -> SpokenText:
    """Tag spoken words, in order; words that are tagged already keep their tags.

    Raises
    ------
    InvalidValueError
        If the language is not known, or a word starts before the one before it.
    """
    if language not in LANGUAGES:
        raise InvalidValueError(f"language {language!r}, allowed are {', '.join(LANGUAGES)}")
    row = tuple(
        AnnotatedWord(w.start_s, w.end_s, w.label) if isinstance(w, Interval) else w for w in words
    )
    for before, after in pairwise(row):
        if after.start_s < before.start_s:
            raise InvalidValueError(
                f"word {after.text!r} starts at {after.start_s:g} s, before {before.text!r} at "
                f"{before.start_s:g} s; words must be in order"
            )
    if not row:
        return SpokenText()
    text, owner = _join_words(row)
    found = tag_text(text, "de" if language == "de" else "en")
    owners = [owner[token.start] for token in found.tokens]
    row = _add_lemmas(row, found, owners)
    if any(word.tag for word in row):
        tags = word_tags(Annotation("", language, row[-1].end_s, row))
    else:
        tags = tuple(WordTag(t.tag, owners[t.first], owners[t.last]) for t in found.tags)
        row = _tag(row, tags)
    information = _spans(row, [(s.first, s.last, s.kind) for s in found.information], owners)
    return SpokenText(
        row,
        tags,
        _spans(row, [(first, last, "") for first, last in found.clauses], owners),
        tuple(sorted(information, key=lambda s: (s.start_s, -s.end_s, s.label))),
    )


def _join_words(words: Sequence[AnnotatedWord]) -> tuple[str, list[int]]:
    """Words as text, and the index of the word of each character; long pauses end sentences."""
    text, owner = "", []
    for i, word in enumerate(words):
        pause = i + 1 < len(words) and words[i + 1].start_s - word.end_s >= _PAUSE_S
        closing = ". " if pause and word.text[-1:] not in ".,;:!?" else " "
        piece = (word.text.strip() or "-") + closing
        text += piece
        owner += [i] * len(piece)
    return text, owner


def _add_lemmas(
    words: tuple[AnnotatedWord, ...], found: TaggedText, owners: Sequence[int]
) -> tuple[AnnotatedWord, ...]:
    """Add lemmas and parts of speech where they are missing."""
    out = list(words)
    seen: set[int] = set()
    for token, i in zip(found.tokens, owners, strict=True):
        if token.is_word and i not in seen:
            seen.add(i)
            lemma, pos = out[i].lemma or token.lemma, out[i].pos or token.pos
            out[i] = replace(out[i], lemma=lemma, pos=pos)
    return tuple(out)


def _tag(words: Sequence[AnnotatedWord], tags: Iterable[WordTag]) -> tuple[AnnotatedWord, ...]:
    out = list(words)
    for tag in tags:
        for i in range(tag.first, tag.last + 1):
            out[i] = replace(out[i], tag=tag.tag + (CONTINUED if i > tag.first else ""))
    return tuple(out)


def _spans(
    words: Sequence[AnnotatedWord], spans: Iterable[tuple[int, int, str]], owners: Sequence[int]
) -> tuple[AnnotatedSpan, ...]:
    out = []
    for first, last, label in spans:
        a, b = owners[first], owners[last]
        name = label or " ".join(word.text for word in words[a : b + 1])
        out.append(AnnotatedSpan(words[a].start_s, words[b].end_s, name))
    return tuple(out)
