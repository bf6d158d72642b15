"""The pages' side of everything on the wire is the one that Python writes."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Literal, get_args

import pytest
from tools.wire_types import FILES, ROOT, WireFile, typescript

from kinesphere.studio.server import messages
from kinesphere.studio.server.wire import type_name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_the_file_is_what_would_be_written(file: WireFile) -> None:
    text = (ROOT / file.path).read_text(encoding="utf-8")
    assert text == typescript(file), "run python -m tools.wire_types"


def test_every_message_and_field_is_there() -> None:
    text = "".join(map(typescript, FILES))
    for kind in (*get_args(messages.Request), *get_args(messages.Reply)):
        assert f'readonly type: "{type_name(kind)}";' in text
        body = text.split(f"export interface {kind.__name__} {{")[1].split("\n}")[0]
        for f in fields(kind):
            assert f"readonly {f.name}" in body, (kind, f.name)


def test_a_type_has_one_file() -> None:
    names = re.findall(r"export (?:interface|type) (\w+)", "".join(map(typescript, FILES)))
    assert sorted(names) == sorted(set(names))


@dataclass(frozen=True)
class Inner:
    """What is inside.

    Parameters
    ----------
    pairs : time and value; None
        is a gap.
    """

    pairs: tuple[tuple[float, float | None], ...]


@dataclass(frozen=True)
class Outer:
    """What is outside."""

    inner: tuple[Inner, ...]
    names: dict[str, tuple[str, ...]]
    side: Literal["left", "right"] = "left"
    count: int | None = None


def test_types_are_those_of_the_json() -> None:
    constants = {"KINDS": ("a", "b"), "N": 2}
    file = WireFile("x.ts", (Outer,), optional=(Outer,), constants=constants)
    assert typescript(file).split("\n\n", 1)[1] == (
        'export const KINDS = ["a", "b"] as const;\nexport const N = 2;\n\n'
        "/** What is inside. */\nexport interface Inner {\n"
        "  /** Time and value; None is a gap. */\n"
        "  readonly pairs: readonly (readonly [number, number | null])[];\n}\n\n"
        "/** What is outside. */\nexport interface Outer {\n"
        "  readonly inner: readonly Inner[];\n"
        "  readonly names: Readonly<Record<string, readonly string[]>>;\n"
        '  readonly side?: "left" | "right";\n  readonly count?: number | null;\n}\n'
    )
