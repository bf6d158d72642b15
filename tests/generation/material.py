"""Texts to generate for: the passages beside this file, and a hundred made of their pieces."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

from kinesphere.generation.graph import Graph, graph_of
from kinesphere.generation.timing import estimated_times
from kinesphere.language.tagging import tag_text

TEXTS = Path(__file__).parent / "texts"


@cache
def passages(language: str) -> dict[str, str]:
    """Passages of a language by name."""
    files = sorted(TEXTS.glob(f"{language}_*.txt"))
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in files}


def graph_for(text: str, language: str) -> Graph:
    """Graph of a text at an even pace."""
    found = tag_text(text, "de" if language == "de" else "en")
    return graph_of(found, estimated_times(found))


@cache
def hundred() -> tuple[Graph, ...]:
    """A hundred texts of about a minute: three pieces each of different English passages."""
    split = [
        re.split(r"(?<=[.!?])\s+(?=[A-Z\"])", text.replace("\n\n", " "))
        for text in passages("en").values()
    ]
    rng = random.Random(1)
    out = []
    while len(out) < 100:
        pieces = []
        for k in rng.sample(range(len(split)), 3):
            start = rng.randrange(max(1, len(split[k]) - 3))
            pieces.append(" ".join(split[k][start : start + 4]))
        out.append(graph_for("\n\n".join(pieces), "en"))
    return tuple(out)
