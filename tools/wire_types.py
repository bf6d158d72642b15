"""TypeScript types of everything that Python sends to a page or reads from one.

``python -m tools.wire_types`` writes them from the dataclasses; a test fails where a file is out of
date.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kinesphere.export.pages.take_page import PageData
from kinesphere.realtime.sinks.page import LiveData
from kinesphere.realtime.sinks.page_frames import KINDS
from kinesphere.studio.server import messages, packets
from kinesphere.studio.server.wire import type_name

ROOT = Path(__file__).resolve().parents[1] / "web" / "src"
_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean"}
_NOTE = "// Written by `python -m tools.wire_types`; change the dataclasses."
_FIELD_TEXT = re.compile(r"^(\w+)(?:, \w+)* : (.+(?:\n +.+)*)$", re.MULTILINE)


@dataclass(frozen=True)
class WireFile:
    """One file of types.

    Parameters
    ----------
    path : below ``web/src``.
    kinds : dataclasses that are sent as they are.
    unions : name of a union to the messages in it; each has a ``type``.
    optional : messages that a page sends: fields with a default may be left out.
    constants : by name.
    """

    path: str
    kinds: tuple[type[Any], ...] = ()
    unions: Mapping[str, Any] = field(default_factory=dict)
    optional: tuple[type[Any], ...] = ()
    constants: Mapping[str, int | tuple[str, ...]] = field(default_factory=dict)


FILES = (
    WireFile("page-data.ts", kinds=(PageData,)),
    WireFile("live-data.ts", kinds=(LiveData,), constants={"KINDS": KINDS}),
    WireFile(
        "studio/messages.ts",
        kinds=(messages.Uploaded, messages.UploadRefused),
        unions={"Request": messages.Request, "Reply": messages.Reply},
        optional=get_args(messages.Request),
        constants={
            "VERSION": messages.VERSION,
            **{name: value for name, value in vars(packets.Kind).items() if name.isupper()},
        },
    ),
)


def typescript(file: WireFile) -> str:
    """Text of a file."""
    tagged = {kind for union in file.unions.values() for kind in get_args(union)}
    blocks = [_NOTE]
    if file.constants:
        blocks.append("\n".join(_constant(*row) for row in file.constants.items()))
    for kind in _closure((*file.kinds, *_messages(file))):
        blocks.append(_interface(kind, tagged=kind in tagged, optional=kind in file.optional))
    for name, union in file.unions.items():
        options = "\n".join(f"  | {kind.__name__}" for kind in get_args(union))
        blocks.append(f"export type {name} =\n{options};")
    return "\n\n".join(blocks) + "\n"


def _messages(file: WireFile) -> Iterator[type[Any]]:
    for union in file.unions.values():
        yield from get_args(union)


def _constant(name: str, value: int | tuple[str, ...]) -> str:
    text = json.dumps(value)
    return f"export const {name} = {text}{' as const' if isinstance(value, tuple) else ''};"


def _closure(kinds: tuple[type[Any], ...]) -> list[type[Any]]:
    """Dataclasses and those of their fields, each once and after those it needs."""
    seen: dict[type[Any], None] = {}

    def visit(kind: type[Any]) -> None:
        if kind in seen:
            return
        for hint in get_type_hints(kind).values():
            for inner in _dataclasses(hint):
                visit(inner)
        seen[kind] = None

    for kind in kinds:
        visit(kind)
    return list(seen)


def _dataclasses(hint: Any) -> list[type[Any]]:
    if is_dataclass(hint):
        return [hint]  # type: ignore[list-item]
    return [kind for part in get_args(hint) for kind in _dataclasses(part)]


def _interface(kind: type[Any], *, tagged: bool, optional: bool) -> str:
    hints, summary = get_type_hints(kind), inspect.getdoc(kind) or ""
    texts = {
        name: " ".join(text.replace("``", "`").split())
        for name, text in _FIELD_TEXT.findall(summary)
    }
    rows = [f'  readonly type: "{type_name(kind)}";'] if tagged else []
    for f in fields(kind):
        if f.name in texts:
            rows.append(f"  /** {_sentence(texts[f.name])} */")
        given = f.default is not MISSING or f.default_factory is not MISSING
        mark = "?" if optional and given else ""
        rows.append(f"  readonly {f.name}{mark}: {_type(hints[f.name])};")
    first = summary.partition("\n")[0]
    return "\n".join([f"/** {first} */", f"export interface {kind.__name__} {{", *rows, "}"])


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _type(hint: Any) -> str:
    origin, inner = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return str(hint.__name__)  # type: ignore[union-attr]
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin in (Union, types.UnionType):
        return " | ".join("null" if k is type(None) else _type(k) for k in inner)
    if origin is tuple:
        if inner[-1] is Ellipsis:
            item = _type(inner[0])
            return f"readonly {f'({item})' if item.startswith('readonly') else item}[]"
        return f"readonly [{', '.join(map(_type, inner))}]"
    if origin is dict:
        return f"Readonly<Record<string, {_type(inner[1])}>>"
    return _SIMPLE[hint]


def main() -> None:
    """Write every file."""
    for file in FILES:
        (ROOT / file.path).write_text(typescript(file), encoding="utf-8")
        sys.stdout.write(f"web/src/{file.path} written\n")


if __name__ == "__main__":
    main()
