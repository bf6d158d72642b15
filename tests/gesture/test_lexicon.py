"""The lexicon's entries as data: what can be written can be read, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.gesture.form import form_of
from kinesphere.gesture.lexicon import (
    HAND_SHAPES,
    AfterStroke,
    BodyKey,
    Lexeme,
    LexemePosture,
    MicroKey,
    lexicon,
    read_lexemes,
    variant,
)
from kinesphere.gesture.positions import HandPosition

PLAIN = '[Mine]\nclass = "emblem"\nmeaning = "mine"\n'


def toml(value: object) -> str:
    """Write a value of a lexeme the way the file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, HandPosition)):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"[{', '.join(toml(v) for v in value)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{k} = {toml(v)}' for k, v in value.items())} }}"
    if is_dataclass(value):
        pairs = ((part.name, getattr(value, part.name)) for part in fields(value))
        return f"{{ {', '.join(f'{k} = {toml(v)}' for k, v in pairs)} }}"
    return repr(value)


def entry(lexeme: Lexeme, name: str) -> str:
    """Write a whole lexeme without its variants."""
    lines = [f"[{name}]"]
    for part in fields(lexeme):
        if part.name not in ("name", "variants"):
            key = "class" if part.name == "kind" else part.name
            lines.append(f"{key} = {toml(getattr(lexeme, part.name))}")
    return "\n".join(lines) + "\n"


def read(folder: Path, text: str) -> Mapping[str, Lexeme]:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return read_lexemes(path)


def refused(folder: Path, text: str) -> str:
    """Say why a file is refused, in one line that begins with its path."""
    with pytest.raises(UnreadableError) as caught:
        read(folder, text)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 1200
    assert message.startswith(str(folder / "mine.toml"))
    return message.removeprefix(f"{folder / 'mine.toml'}: ")


def alone(lexeme: Lexeme, name: str = "") -> Lexeme:
    return replace(lexeme, name=name or lexeme.name, variants={})


def test_every_lexeme_and_variant_written_out_reads_back(tmp_path: Path) -> None:
    made = {f"{name}X": lexeme for name, lexeme in lexicon().items()}
    for name, lexeme in lexicon().items():
        made |= {f"{name}-{other}": changed for other, changed in lexeme.variants.items()}
    found = read(tmp_path, "\n".join(entry(lexeme, name) for name, lexeme in made.items()))
    assert list(found) == list(made)
    for name, lexeme in made.items():
        assert found[name] == alone(lexeme, name)


def test_a_base_without_changes_is_that_lexeme(tmp_path: Path) -> None:
    text = "\n".join(f'[{name}]\nbase = "{name}"' for name in lexicon())
    assert dict(read(tmp_path, text)) == dict(lexicon())
    copied = "\n".join(f'[{name}2]\nbase = "{name}"' for name in lexicon())
    for name, lexeme in read(tmp_path, copied).items():
        assert alone(lexeme) == alone(lexicon()[name[:-1]], name)


def test_a_base_keeps_what_is_not_changed(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        '[Serve]\nbase = "Cup"\nmeaning = "serves"\nafter.prep.up_cm = 9\n'
        "[Serve.posture]\nlean = 8\n[Serve.variants.wide]\nstroke_s = 1.5\n",
    )["Serve"]
    cup = lexicon()["Cup"]
    after = replace(cup.after, prep=replace(cup.after.prep, up_cm=9.0))
    expected = replace(
        cup, name="Serve", meaning="serves", after=after, posture=replace(cup.posture, lean=8.0)
    )
    assert alone(found) == alone(expected)
    assert list(found.variants) == list(cup.variants)
    assert variant(found, "wide").stroke_s == 1.5
    assert variant(found, "wide").hand_distance == variant(cup, "wide").hand_distance
    assert variant(found, "flip").posture.lean == 8.0


def test_bases_may_stand_in_the_file_in_any_order_and_over_each_other(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        '[B]\nbase = "A"\nstrokes = 3\n[A]\nbase = "Cup"\nstroke_s = 1\n'
        '[Cup]\nbase = "Cup"\nmeaning = "mine now"\n',
    )
    assert found["B"].meaning == "mine now"
    assert (found["B"].stroke_s, found["B"].strokes) == (1.0, 3.0)
    assert found["A"].strokes == found["Cup"].strokes == lexicon()["Cup"].strokes


def test_own_lexemes_join_the_lexicon_and_leave_it_as_it_was(tmp_path: Path) -> None:
    before = lexicon()
    extra = read(tmp_path, PLAIN + '[Cup]\nbase = "Cup"\nstroke_s = 2\n')
    joined = lexicon(extra)
    assert list(joined) == [*before, "Mine"]
    assert joined["Cup"].stroke_s == 2.0
    assert joined["Wipe"] is before["Wipe"]
    assert lexicon() is before is lexicon({})
    assert "Mine" not in before
    assert before["Cup"].stroke_s == 0.35
    with pytest.raises(TypeError):
        joined["Cup"] = before["Cup"]  # type: ignore[index]


def test_own_lexemes_have_forms_of_what_they_say(tmp_path: Path) -> None:
    own = read(
        tmp_path,
        '[Cup]\nbase = "Cup"\narc_cm = [0, 7, 0]\nposture = { collar_up = 9, collar_back = -2 }\n'
        'antiphase = true\nafter = { kind = "wave", rate_hz = 4 }\nswing = { roll = 60 }\n',
    )["Cup"]
    old, new = (form_of(lexeme, "both") for lexeme in (lexicon()["Cup"], own))
    assert new["collar"].tolist() == [9.0, -2.0]
    assert old["sag"] < 0.0 < new["sag"]
    assert new["together"] == -old["together"] < 0.0
    assert new["rate"] == 2.0
    assert new["swing"][0] == 120.0
    same = ("end palm", "end wrist", "apart", "duration")
    assert all(np.array_equal(old[part], new[part]) for part in same)


def test_variants_are_called_as_their_lexeme_and_have_none_themselves() -> None:
    for name, lexeme in lexicon().items():
        for other in lexeme.variants:
            changed = variant(lexeme, other)
            assert (changed.name, changed.kind) == (name, lexeme.kind)
            assert not changed.variants
            assert changed != alone(lexeme)
    with pytest.raises(InvalidValueError, match="Cup has no variant 'flop', allowed are flip, w"):
        variant(lexicon()["Cup"], "flop")
    with pytest.raises(InvalidValueError, match="Wipe has no variant 'flip', allowed are none"):
        variant(lexicon()["Wipe"], "flip")
    with pytest.raises(TypeError):
        lexicon()["Cup"].variants["flop"] = lexicon()["Cup"]  # type: ignore[index]


def test_unknown_keys_are_named_at_every_level(tmp_path: Path) -> None:
    for within, kind in (
        ("after", AfterStroke),
        ("after.prep", MicroKey),
        ("after.stroke", MicroKey),
        ("posture", LexemePosture),
        ("swing", MicroKey),
    ):
        message = refused(tmp_path, PLAIN + f"{within}.lifting = 3\n")
        names = ", ".join(part.name for part in fields(kind))
        assert message == f"Mine: {within}.lifting is unknown, allowed are {names}"
    keys = ", ".join(part.name for part in fields(BodyKey))
    message = refused(tmp_path, PLAIN + "body_keys = [{ time_s = 0, up = 1 }]\n")
    assert message == f"Mine: body_keys[0].up is unknown, allowed are {keys}"
    message = refused(tmp_path, PLAIN + "lifting = 3\n")
    assert message.startswith("Mine: lifting is unknown, allowed are class, meaning, without_hands")
    assert message.endswith("body_keys, tags, base, variants")
    for key in ("lifting", "variants", "base", "name", "kind"):
        message = refused(tmp_path, PLAIN + f"[Mine.variants.other]\n{key} = 3\n")
        assert message.startswith(f"Mine other: {key} is unknown, allowed are class, ")


WRONG: dict[str, str] = {
    "stroke_s = 'fast'": "Mine: stroke_s is 'fast', allowed is a number",
    "stroke_s = true": "Mine: stroke_s is True, allowed is a number",
    "stroke_s = nan": "Mine: stroke_s is nan, allowed is a number",
    "stroke_s = 0": "Mine: stroke_s is 0, allowed are 0.01 to 10",
    "strokes = 0.5": "Mine: strokes is 0.5, allowed are 1 to 30",
    "travel_cm = [1, 2]": "Mine: travel_cm is [1, 2], allowed is a list of 3",
    "travel_cm = [1, 2, 'x']": "Mine: travel_cm[2] is 'x', allowed is a number",
    "travel_cm = 3": "Mine: travel_cm is 3, allowed is a list of 3",
    "shapes = 'cup'": "Mine: shapes is 'cup', allowed is a list",
    "shapes = ['paw']": f"Mine: shapes is 'paw', allowed are {', '.join(HAND_SHAPES)}",
    "start = 'abdomen'": "Mine: start: position 'abdomen' has 1 parts, allowed are height/",
    "end = 'hip/far/side/out'": "Mine: end: height is 'hip', allowed are above-head, head,",
    "end = 3": "Mine: end is 3, allowed is a text height/distance/radial/inclination",
    "palm = ['I', 'X']": "Mine: palm is 'X', allowed are one or two of U, D, I, O, F, B",
    "fingers = ['I', 'Ud']": "Mine: fingers is 'Ud', allowed are one or two of U, D, I, O, F, B",
    "warp = 'slow'": "Mine: warp is 'slow', allowed are ease, soft, accel, hit, whip, snap, even",
    "contact = 'knee'": "Mine: contact is 'knee', allowed are \"\", chest, temple, ear,",
    "orientation = 'sky'": "Mine: orientation is 'sky', allowed are local, chest, world",
    "hands = [1, 1, 1]": "Mine: hands sum to 3, allowed is 1",
    "hands = [2, -1, 0]": "Mine: hands is 2, allowed are 0 to 1",
    "amplitude = 2": "Mine: amplitude is 2, allowed are 0 to 1",
    "circle_sign = 2": "Mine: circle_sign is 2, allowed are 1, -1",
    "circle_sign = 1.0": "Mine: circle_sign is 1.0, allowed is a whole number",
    "antiphase = 1": "Mine: antiphase is 1, allowed is true or false",
    "after = 3": "Mine: after is 3, allowed is a table",
    "after.kind = 'often'": "Mine: after: kind is 'often', allowed are none, psh, wave, loop",
    "after.kind = 'wave'": "Mine: after: rate_hz is 0, allowed for 'wave' is more than that",
    "after.shares = [1, 1, 1]": "Mine: after: shares sum to 3, allowed is 1",
    "after.prep.curl = 7": "Mine: after.prep: curl is 7, allowed are -1 to 1",
    "posture.look = 'there'": "Mine: posture: look is 'there', allowed are \"\", hand, spot,",
    "posture.brow = 1.5": "Mine: posture: brow is 1.5, allowed are -1 to 1",
    "without_hands = true": "Mine: body_keys are 0, allowed are some for one without_hands",
    "body_keys = [{ time_s = 0 }]": "Mine: body_keys are 1, allowed are none but for one without",
    "body_keys = [{ brow = 1 }]": "Mine: body_keys[0].time_s is missing, allowed is a number",
    "body_keys = [3]": "Mine: body_keys[0] is 3, allowed is a table",
    "variants = 3": "Mine: variants is 3, allowed is a table",
    "variants.a = 3": "Mine: variants.a is 3, allowed is a table",
    "variants.a.warp = 'x'": "Mine a: warp is 'x', allowed are ease, soft",
    "variants.'a b' = {}": "Mine: variant 'a b': allowed are letters, digits, - and _",
    "base = 'Cupp'": "Mine: base is 'Cupp', allowed are Cup",
    "base = ['Cup']": "Mine: base is ['Cup'], allowed are ",
    "base = 'Mine'": "Mine: base is 'Mine', allowed is one that is not based on it itself",
    "stroke_s = 0x" + 5000 * "f": "Mine: stroke_s is inf, allowed is a number",
    "shapes = ['" + 5000 * "x" + "']": "Mine: shapes is 'xxx",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_values_say_what_was_found_and_what_is_allowed(line: str, tmp_path: Path) -> None:
    assert refused(tmp_path, PLAIN + line + "\n").startswith(WRONG[line])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[Mine\n", "is not TOML that can be read: "),
        ("[Mine]\nclass = 'emblem'\n", "Mine: meaning is missing, allowed is a text"),
        ("[Mine]\nmeaning = 'x'\n", "Mine: class is missing, allowed is a text"),
        ("[Mine]\nclass = 'x'\nmeaning = 'x'\n", "Mine: class is 'x', allowed are emblem, meta"),
        ("Mine = 3\n", "Mine: is 3, allowed is a table [Mine]"),
        ("['a\\nb']\n", "lexeme 'a\\\\nb': allowed are letters"),
        ('["a\\nb"]\n', "lexeme 'a\\nb': allowed are letters"),
        ("[Cup]\nstroke_s = 1\n", 'Cup: base is missing, allowed is base = "Cup" to change'),
        ("[A]\nbase = 'B'\n[B]\nbase = 'A'\n", "B: base is 'A', allowed is one that is not based"),
        ("[Cup]\nbase = 'Wipe'\n[Wipe]\nbase = 'Cup'\n", "Wipe: base is 'Cup', allowed is one"),
        ("[Mine]\nx = " + 5000 * "[", "is not TOML that can be read: "),
        ("[Mine]\nx = " + 5000 * "9", "is not TOML that can be read: "),
        ('[Mine]\nbase = "Cup"\n"a\\nb" = 3\n', "Mine: a\\nb is unknown, allowed are class"),
        (
            "".join(f"[A{i}]\nbase = 'A{i + 1}'\n" for i in range(3000)) + "[A3000]\nbase = 'Cup'",
            "A21: base is 'A22', allowed is one that is not based on it itself, at most 20 deep",
        ),
    ],
)
def test_wrong_files_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    assert refused(tmp_path, text).startswith(reason)


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(UnreadableError):
        read_lexemes(path)
    path.write_bytes(b"[Mine]\nmeaning = '\xff'\n")
    with pytest.raises(UnreadableError, match=r"is not UTF-8 text: byte 18 is 0xff"):
        read_lexemes(path)
    path.write_bytes(b"\xef\xbb\xbf" + PLAIN.encode())
    assert list(read_lexemes(path)) == ["Mine"]


def test_lexemes_made_in_python_are_checked_too() -> None:
    values: dict[str, Any] = {"name": "Mine", "kind": "emblem", "meaning": "mine"}
    for wrong in ({"warp": "slow"}, {"shapes": ("paw",)}, {"amplitude": np.nan}, {"kind": "x"}):
        with pytest.raises(InvalidValueError, match=r"^Mine: "):
            Lexeme(**{**values, **wrong})
    assert hash(Lexeme(**values)) == hash(Lexeme(**values, variants={"a": Lexeme(**values)}))


DOCUMENT = Path(__file__).parents[2] / "docs" / "lexicon.md"


def test_the_document_explains_every_field_and_variant() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    names = {
        part.name
        for kind in (AfterStroke, BodyKey, MicroKey, LexemePosture)
        for part in fields(kind)
    }
    names |= {part.name for part in fields(Lexeme)} - {"name", "kind"}
    names |= {other for lexeme in lexicon().values() for other in lexeme.variants}
    names -= {"two", "three", "four"}
    assert not [name for name in sorted(names) if f"`{name}`" not in text]


def test_the_documents_example_can_be_read(tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    found = read(tmp_path, example)
    assert list(found) == ["Serve", "Cup", "ChinUp"]
    assert found["Serve"].after.prep == MicroKey(up_cm=5.0, flexion=-8.0)
    assert variant(found["Serve"], "both").travel_cm == (12.0, 4.0, 14.0)
