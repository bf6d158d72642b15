"""The page's side of the messages is the one that the Python side writes."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

from kinesphere.studio.server import messages
from kinesphere.studio.server.typescript import FILE, typescript
from kinesphere.studio.server.wire import type_name


def test_the_file_is_what_would_be_written() -> None:
    assert FILE.read_text(encoding="utf-8") == typescript(), (
        "run python -m kinesphere.studio.server.typescript"
    )


def test_every_message_and_field_is_there() -> None:
    text = typescript()
    for kind in (*get_args(messages.Request), *get_args(messages.Reply)):
        assert f'readonly type: "{type_name(kind)}";' in text
        body = text.split(f"export interface {kind.__name__} {{")[1].split("\n}")[0]
        for f in fields(kind):
            assert f"readonly {f.name}" in body, (kind, f.name)
