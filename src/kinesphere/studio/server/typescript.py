"""The page's message types: ``python -m kinesphere.studio.server.typescript`` regenerates them.

A test compares the file with this module's output.
"""

from __future__ import annotations

import sys
import types
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kinesphere.studio.server import messages, packets
from kinesphere.studio.server.wire import type_name

FILE = Path(__file__).resolve().parents[4] / "web" / "src" / "studio" / "messages.ts"
_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean"}


def typescript() -> str:
    """Text of the file."""
    seen: dict[str, str] = {}
    unions = {"Request": messages.Request, "Reply": messages.Reply}
    for union in unions.values():
        for kind in get_args(union):
            _declare(kind, seen, tagged=True)
    lines = [
        "// Written by `python -m kinesphere.studio.server.typescript`; change the dataclasses.",
        "",
        f"export const VERSION = {messages.VERSION};",
    ]
    for name, value in vars(packets.Kind).items():
        if not name.startswith("_"):
            lines.append(f"export const {name} = {value};")
    lines += ["", "\n\n".join(seen.values()), ""]
    for name, union in unions.items():
        lines += [f"export type {name} =", *(f"  | {k.__name__}" for k in get_args(union))]
        lines[-1] += ";"
        lines.append("")
    return "\n".join(lines)


def _declare(kind: type[Any], seen: dict[str, str], *, tagged: bool = False) -> None:
    if kind.__name__ in seen:
        return
    hints = get_type_hints(kind)
    asked = kind in get_args(messages.Request)
    rows = [f'  readonly type: "{type_name(kind)}";'] if tagged else []
    for f in fields(kind):
        for inner in _inner(hints[f.name]):
            _declare(inner, seen)
        given = f.default is not MISSING or f.default_factory is not MISSING
        optional = "?" if asked and given else ""
        rows.append(f"  readonly {f.name}{optional}: {_type(hints[f.name])};")
    first = (kind.__doc__ or "").strip().split("\n")[0]
    body = "\n".join(rows)
    seen[kind.__name__] = f"/** {first} */\nexport interface {kind.__name__} {{\n{body}\n}}"


def _inner(hint: Any) -> list[type[Any]]:
    if is_dataclass(hint):
        return [hint]  # type: ignore[list-item]
    if get_origin(hint) is Literal:
        return []
    return [kind for part in get_args(hint) for kind in _inner(part)]


def _type(hint: Any) -> str:
    origin = get_origin(hint)
    if is_dataclass(hint):
        return str(hint.__name__)  # type: ignore[union-attr]
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in get_args(hint))
    if origin in (Union, types.UnionType):
        return " | ".join("null" if k is type(None) else _type(k) for k in get_args(hint))
    if origin is tuple:
        inner = get_args(hint)
        if inner[-1] is Ellipsis:
            return f"readonly {_type(inner[0])}[]"
        return f"readonly [{', '.join(map(_type, inner))}]"
    if origin is dict:
        return f"Readonly<Record<string, {_type(get_args(hint)[1])}>>"
    return _SIMPLE[hint]


if __name__ == "__main__":
    FILE.write_text(typescript(), encoding="utf-8")
    sys.stdout.write(f"{FILE.name} written\n")
