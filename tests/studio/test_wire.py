"""Messages: every one reads back as itself, and nothing else gets through or breaks anything."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.studio.document.document import Document
from kinesphere.studio.server import messages, wire

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    bool: st.booleans(),
    int: st.integers(-(1 << 53), 1 << 53),
    float: st.floats(allow_nan=False, allow_infinity=False),
    type(None): st.none(),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """All values of a field's type."""
    inner = get_args(hint)
    if is_dataclass(hint):
        return st.builds(hint, **{n: values(h) for n, h in get_type_hints(hint).items()})
    if get_origin(hint) is Literal:
        return st.sampled_from(inner)
    if get_origin(hint) is tuple and inner[-1] is Ellipsis:
        return st.lists(values(inner[0]), max_size=3).map(tuple)
    if get_origin(hint) is tuple:
        return st.tuples(*map(values, inner))
    if get_origin(hint) is dict:
        return st.dictionaries(TEXTS, values(inner[1]), max_size=3)
    return st.one_of(*map(values, inner)) if inner else SIMPLE[hint]


REQUESTS = st.one_of([values(kind) for kind in get_args(messages.Request)])
REPLIES = st.one_of([values(kind) for kind in get_args(messages.Reply)])

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["text", 10**400, -(10**30), 1e308, "\n", "\ud800", "host", "off"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=10,
)


def outcome(text: str) -> messages.Request | None:
    """The message, or None if it was refused as it should be."""
    try:
        made = wire.request(text)
    except InvalidValueError as error:
        line = str(error)
        assert line
        assert line.isprintable(), line
        assert len(line) < 1000, line
        line.encode()
        return None
    wire.text_of(made).encode()
    assert wire.request(wire.text_of(made)) == made
    return made


@given(REQUESTS)
def test_every_request_reads_back_as_itself(message: messages.Request) -> None:
    text = wire.text_of(message)
    assert wire.request(text) == message
    assert json.loads(text)["type"] == wire.type_name(type(message))
    # As the page writes it: other spaces, escapes and order.
    turned = dict(reversed(list(json.loads(text).items())))
    assert wire.request(json.dumps(turned, indent=1)) == message


@given(REPLIES)
def test_every_reply_is_strict_json_that_reads_back(message: messages.Reply) -> None:
    value = json.loads(wire.text_of(message), parse_constant=pytest.fail)
    assert value.pop("type") == wire.type_name(type(message))
    assert wire.read(type(message), value) == message


def test_names_of_types_are_told_apart() -> None:
    requests, replies = (wire.type_names(u) for u in (messages.Request, messages.Reply))
    assert len(requests) == len(get_args(messages.Request))
    assert not set(requests) & set(replies)


@given(st.one_of(st.text(), JSON.map(json.dumps), JSON.map(lambda v: json.dumps({"type": v}))))
def test_any_text_is_refused_in_one_line(text: str) -> None:
    made = outcome(text)
    assert made is None or text.lstrip().startswith("{")


def paths(value: Any) -> list[tuple[Any, ...]]:
    """Ways to everything inside of a value."""
    out: list[tuple[Any, ...]] = [()]
    rows = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in rows:
        out += [(key, *rest) for rest in paths(inner)]
    return out


@given(REQUESTS, JSON, st.data())
def test_any_change_of_a_message_is_a_message_or_refused(
    message: messages.Request, other: Any, data: st.DataObject
) -> None:
    value = json.loads(wire.text_of(message))
    *way, last = data.draw(st.sampled_from([p for p in paths(value) if p]))
    inside = value
    for key in way:
        inside = inside[key]
    how = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "replace":
        inside[last] = other
    elif how == "remove":
        del inside[last]
    elif isinstance(inside, dict):
        inside[data.draw(st.text(max_size=5))] = other
    else:
        inside.insert(0, other)
    outcome(json.dumps(value))


@given(REQUESTS, st.integers(0, 10_000), st.text(max_size=3))
def test_damaged_texts_are_a_message_or_refused(
    message: messages.Request, at: int, other: str
) -> None:
    text = wire.text_of(message)
    at %= len(text)
    outcome(text[:at] + other + text[at + len(other) :])
    outcome(text[:at])


PLACES = (
    '{{"type":"perform","speaking":{}}}',
    '{{"type":"direct","directing":{{"parts":{}}}}}',
    '{{"type":"direct","directing":{{"parts":{{"torso":{}}}}}}}',
    '{{"type":"learn","uploads":{}}}',
    '{{"type":"restore","document":{{"gestures":{}}}}}',
    '{{"type":{}}}',
    "{}",
    '{{"type":"undo","more":{}}}',
    '{{"type":"direct","directing":{{"physics":{}}}}}',
    '{{"type":"edit-gesture","id":{}}}',
    '{{"type":"add-gesture","time_s":{},"lexeme":""}}',
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("depth", [5, 13, 100, 900, 950, 980, 990, 5_000, 200_000])
@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(place: str, depth: int, left: str, right: str) -> None:
    assert outcome(place.format(left * depth + "1" + right * depth)) is None


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "number",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        "9" * 400,
        "9" * 5000,
        "-" + "9" * 4299,
        "9007199254740993",
        "true",
        "null",
        '"1"',
        "[]",
        "{}",
        '"' + "x" * 300 + '"',
    ],
)
def test_numbers_that_are_none_are_refused(place: str, number: str) -> None:
    if (made := outcome(place.format(number))) is not None:
        assert number in ("[]", "{}", "true", "null") or "perform" not in place
        for f in fields(made):
            value = getattr(made, f.name)
            assert not isinstance(value, float) or math.isfinite(value)


def test_sizes_are_bounded() -> None:
    def refused(text: str) -> None:
        assert outcome(text) is None

    refused(" " * (wire.LARGEST_TEXT + 1))
    refused(json.dumps({"type": "use-motion", "upload": "x" * (wire.LONGEST_STRING + 1)}))
    refused(
        json.dumps(
            {"type": "learn", "uploads": [""] * (wire.MOST_ITEMS + 1), "what": "model", "name": ""}
        )
    )
    many = {str(k): {} for k in range(wire.MOST_ITEMS + 1)}
    refused(json.dumps({"type": "direct", "directing": {"parts": many}}))
    long = json.dumps({"type": "direct", "directing": {"parts": {"x" * 300_000: {}}}})
    refused(long)


@pytest.mark.parametrize("half", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_half_characters_are_refused_wherever_they_are(half: str) -> None:
    for value in (
        {"type": "use-motion", "upload": half},
        {"type": half},
        {"type": "undo", half: 1},
        {"type": "direct", "directing": {"parts": {half: {}}}},
        {"type": "direct", "directing": {"parts": {"torso": {half: 1.0}}}},
        {"type": "direct", "directing": {"parts": {half: 3}}},
        {"type": "direct", "directing": {"physics": half}},
    ):
        assert outcome(json.dumps(value)) is None


@given(st.text(min_size=1, max_size=50))
def test_names_in_problems_stay_on_their_line(name: str) -> None:
    outcome(json.dumps({"type": "direct", "directing": {"parts": {name: 3}}}))
    outcome(json.dumps({"type": "direct", "directing": {"parts": {"torso": {name: "x"}}}}))
    outcome(json.dumps({"type": "undo", name: 3}))


def test_what_is_left_out_is_as_usual_and_what_is_needed_is_asked_for() -> None:
    assert wire.request('{"type":"restore","document":{}}') == messages.Restore(Document())
    with pytest.raises(InvalidValueError, match=r"^perform lacks speaking$"):
        wire.request('{"type":"perform"}')
    with pytest.raises(
        InvalidValueError, match=r"^perform.speaking.rate is '1', expected a number"
    ):
        wire.request('{"type":"perform","speaking":{"rate":"1"}}')
    with pytest.raises(InvalidValueError, match=r"^undo has 'x', allowed are no fields$"):
        wire.request('{"type":"undo","x":1}')


def test_every_type_of_a_field_can_be_read() -> None:
    """No message has a field of a type that `read` does not know."""

    def check(kind: Any) -> None:
        for hint in get_type_hints(kind).values():
            for inner in (hint, *get_args(hint)):
                if is_dataclass(inner):
                    check(inner)
        for wrong in (None, 1, "x", [], {}, [[]], {"a": {}}, True, 1.5):
            for name in get_type_hints(kind):
                try:
                    wire.read(kind, {name: wrong})
                except InvalidValueError:
                    continue

    for kind in (*get_args(messages.Request), *get_args(messages.Reply)):
        check(kind)
