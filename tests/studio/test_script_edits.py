"""Edits of gestures on a text that was really performed: whatever is done, it can be performed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kinesphere.animation.performance import check_script
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.positions import DIMENSIONS
from kinesphere.gesture.script import HANDS
from kinesphere.gesture.script_text import script_of_text
from kinesphere.pipeline.speakers import speaker
from kinesphere.studio.document.document import Document, DocumentGesture, Speaking
from kinesphere.studio.document.script_edits import (
    add_gesture,
    check_document,
    delete_gesture,
    edit_gesture,
)
from kinesphere.studio.server.messages import AddGesture, DeleteGesture, EditGesture
from kinesphere.studio.work.tasks import MakeTake
from kinesphere.studio.work.worker import make_take

TEXT = (
    "I know it looks huge. But honestly, there is nothing to be afraid of. "
    "We went over there, and you all saw it, and it was never, ever small."
)


def profile() -> Profile:
    return speaker("host")


@cache
def performed() -> Document:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        task = MakeTake(Document(source="text", speaking=Speaking(text=TEXT)), {}, folder)
        return make_take(task, lambda *_: None, lambda _: None).document


def performs(document: Document, folder: str) -> Document:
    task = MakeTake(document, {}, folder)
    return make_take(task, lambda *_: None, lambda _: None).document


def sound(document: Document) -> None:
    """Everything that holds for any document after any edit."""
    written = script_of_text(document.script)
    check_script(written)
    check_document(document)
    assert len(written.gestures) == len(document.gestures)
    ids = [g.id for g in document.gestures]
    assert len(set(ids)) == len(ids)
    for g, shown in zip(written.gestures, document.gestures, strict=True):
        assert (g.lexeme, g.hands) == (shown.lexeme, shown.hands)
        assert shown.start == ("" if g.start is None else str(g.start))
        assert shown.end == ("" if g.end is None else str(g.end))
        if shown.pinned:
            end = g.stroke_end_s if g.stroke_end_s is not None else g.meant_start_s
            assert shown.time_s == pytest.approx(end, abs=1e-3)
    ends = [g.last_stroke_end_s for g in written.gestures]
    assert ends == sorted(ends)
    for of_head in (False, True):
        track = [g for g in written.gestures if lexicon()[g.lexeme].without_hands == of_head]
        for one, two in pairwise(track):
            assert two.last_stroke_end_s > one.last_stroke_end_s
            if one.has_stroke and one.hold_s:
                assert one.end_s <= two.meant_start_s + 1e-6
    turns = script_of_text(performed().script)
    assert (written.body_turns, written.head_turns) == (turns.body_turns, turns.head_turns)


def by_id(document: Document, number: int) -> DocumentGesture:
    return next(g for g in document.gestures if g.id == number)


def test_the_text_is_worth_editing() -> None:
    assert len(performed().gestures) >= 3
    sound(performed())


def test_an_edit_that_changes_nothing_changes_nothing_that_is_seen() -> None:
    document = edit_gesture(performed(), EditGesture(2), profile())
    assert document.gestures == performed().gestures
    sound(document)


def test_moving_within_the_gap_moves_that_one_only() -> None:
    before = performed()
    g = before.gestures[1]
    document = edit_gesture(before, EditGesture(g.id, time_s=g.time_s + 0.1), profile())
    sound(document)
    moved = by_id(document, g.id)
    assert moved.time_s == pytest.approx(g.time_s + 0.1)
    assert moved.pinned
    assert [x.id for x in document.gestures] == [x.id for x in before.gestures]
    same = [x for x in document.gestures if x.id != g.id]
    assert [(x.time_s, x.lexeme) for x in same] == [
        (x.time_s, x.lexeme) for x in before.gestures if x.id != g.id
    ]


def test_moving_past_another_changes_the_order_and_keeps_the_ids() -> None:
    before = performed()
    first, last = before.gestures[0], before.gestures[-1]
    document = edit_gesture(before, EditGesture(first.id, time_s=last.time_s + 2.0), profile())
    sound(document)
    assert document.gestures[-1].id == first.id
    assert {g.id for g in document.gestures} == {g.id for g in before.gestures}
    back = edit_gesture(document, EditGesture(first.id, time_s=first.time_s), profile())
    sound(back)
    assert [g.id for g in back.gestures] == [g.id for g in before.gestures]


def test_moving_onto_another_leaves_both() -> None:
    before = performed()
    a, b = before.gestures[0], before.gestures[1]
    document = edit_gesture(before, EditGesture(a.id, time_s=b.time_s), profile())
    sound(document)
    assert len(document.gestures) == len(before.gestures)


@pytest.mark.parametrize("lexeme", sorted(lexicon()))
def test_any_lexeme_can_take_the_place_of_another(lexeme: str) -> None:
    before = performed().gestures[1]
    document = edit_gesture(performed(), EditGesture(before.id, lexeme=lexeme), profile())
    sound(document)
    after = by_id(document, before.id)
    assert after.lexeme == lexeme
    assert (after.words, after.anchor) == (before.words, before.anchor)
    entry = lexicon()[lexeme]
    shares = dict(zip(("RH", "LH", "2H"), entry.hands, strict=True))
    assert shares[after.hands] > 0.0 or entry.without_hands
    if shares[before.hands] > 0.0:
        assert after.hands == before.hands
    for hands in HANDS:
        if shares[hands] > 0.0:
            other = edit_gesture(document, EditGesture(before.id, hands=hands), profile())
            sound(other)
            assert by_id(other, before.id).hands == hands
            g = script_of_text(other.script).gestures
            (mine,) = [x for x, s in zip(g, other.gestures, strict=True) if s.id == before.id]
            assert (mine.start_distance is not None) == (hands == "2H" and lexeme == mine.lexeme)


def test_positions_hold_and_length() -> None:
    before = performed()
    place = "/".join(names[0] for names in DIMENSIONS.values())
    wanted = EditGesture(1, start=place, end=place, hold_s=0.2, stroke_s=0.5)
    document = edit_gesture(before, wanted, profile())
    sound(document)
    g = by_id(document, 1)
    assert (g.start, g.end, g.hold_s, g.stroke_s) == (place, place, 0.2, 0.5)
    assert g.time_s == by_id(before, 1).time_s
    document = edit_gesture(document, EditGesture(1, hold_s=0.0), profile())
    sound(document)
    assert by_id(document, 1).hold_s == 0.0
    document = edit_gesture(document, EditGesture(1, start="", end=""), profile())
    sound(document)
    assert (by_id(document, 1).start, by_id(document, 1).end) == ("", "")
    long = edit_gesture(before, EditGesture(1, hold_s=60.0), profile())
    sound(long)


def test_what_a_person_has_set_is_done_so(tmp_path: Path) -> None:
    first = by_id(performed(), 1)
    wanted = EditGesture(1, stroke_s=first.stroke_s + 0.25)
    longer = by_id(performs(edit_gesture(performed(), wanted, profile()), str(tmp_path)), 1)
    assert longer.stroke_s == pytest.approx(first.stroke_s + 0.25, abs=1e-3)
    wanted = EditGesture(1, time_s=first.time_s + 0.1)
    moved = by_id(performs(edit_gesture(performed(), wanted, profile()), str(tmp_path)), 1)
    assert moved.time_s == pytest.approx(first.time_s + 0.1, abs=1e-3)
    assert moved.stroke_s == pytest.approx(first.stroke_s, abs=1e-3)


@pytest.mark.parametrize(
    "change", [EditGesture(1, stroke_s=0.5), EditGesture(1, hold_s=0.5), EditGesture(1, start="")]
)
def test_a_gesture_of_a_voice_has_its_speakers_form(change: EditGesture) -> None:
    document = add_gesture(Document(source="voice", sound="x"), AddGesture(2.0, "Cup"), profile())
    with pytest.raises(InvalidValueError, match="own form"):
        edit_gesture(document, change, profile())


def test_deleting_all_and_adding_again() -> None:
    document = performed()
    for g in performed().gestures:
        document = delete_gesture(document, DeleteGesture(g.id))
        sound(document)
    assert document.gestures == ()
    document = add_gesture(document, AddGesture(1.0, "Cup", "2H"), profile())
    sound(document)
    (g,) = document.gestures
    assert (g.lexeme, g.hands, g.pinned, g.anchor) == ("Cup", "2H", True, None)
    with pytest.raises(InvalidValueError, match="no gesture 99"):
        delete_gesture(document, DeleteGesture(99))


def test_an_added_gesture_gets_a_number_that_nobody_has() -> None:
    document = add_gesture(performed(), AddGesture(2.0, "Cup"), profile())
    sound(document)
    new = {g.id for g in document.gestures} - {g.id for g in performed().gestures}
    assert new == {max(g.id for g in performed().gestures) + 1}


@pytest.mark.parametrize(
    "change",
    [
        EditGesture(99),
        EditGesture(1, lexeme="Nonsense"),
        EditGesture(1, lexeme=""),
        EditGesture(1, hands="3H"),
        EditGesture(1, start="a/b/c/d"),
        EditGesture(1, end="x"),
        EditGesture(1, time_s=-1.0),
        EditGesture(1, time_s=1e9),
        EditGesture(1, stroke_s=0.0),
        EditGesture(1, stroke_s=99.0),
        EditGesture(1, hold_s=-0.1),
        EditGesture(1, hold_s=1e9),
        EditGesture(1, lexeme="Cup", hands="LHH"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(change: EditGesture) -> None:
    with pytest.raises(InvalidValueError) as error:
        edit_gesture(performed(), change, profile())
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    "change",
    [
        AddGesture(1.0, "Nonsense"),
        AddGesture(1.0, ""),
        AddGesture(-1.0, "Cup"),
        AddGesture(1e9, "Cup"),
        AddGesture(1.0, "Cup", "x"),
    ],
)
def test_gestures_that_cannot_be_are_not_added(change: AddGesture) -> None:
    with pytest.raises(InvalidValueError):
        add_gesture(performed(), change, profile())


def test_motion_and_nothing_have_no_gestures() -> None:
    for source in ("motion", "nothing"):
        document = Document(source=source)
        with pytest.raises(InvalidValueError):
            add_gesture(document, AddGesture(1.0, "Cup"), profile())


LEXEMES = sorted(lexicon())
PLACES = st.tuples(*(st.sampled_from(list(n)) for n in DIMENSIONS.values())).map("/".join)
TIMES = st.floats(0.0, 12.0)


def maybe(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | st.none() | strategy


EDITS = st.lists(
    st.one_of(
        st.builds(
            EditGesture,
            st.integers(1, 8),
            lexeme=maybe(st.sampled_from(LEXEMES)),
            hands=maybe(st.sampled_from(HANDS)),
            time_s=maybe(TIMES),
            stroke_s=maybe(st.floats(0.05, 3.0)),
            hold_s=maybe(st.floats(0.0, 4.0)),
            start=maybe(PLACES),
            end=maybe(PLACES),
        ),
        st.builds(EditGesture, st.integers(1, 8), time_s=TIMES),
        st.builds(AddGesture, TIMES, st.sampled_from(LEXEMES), st.sampled_from(["", *HANDS])),
        st.builds(DeleteGesture, st.integers(1, 8)),
    ),
    min_size=1,
    max_size=8,
)


def changed(document: Document, change: object) -> Document:
    """The document after a change; as it was where that is refused."""
    try:
        if isinstance(change, EditGesture):
            return edit_gesture(document, change, profile())
        if isinstance(change, AddGesture):
            return add_gesture(document, change, profile())
        if isinstance(change, DeleteGesture):
            return delete_gesture(document, change)
    except InvalidValueError as error:
        assert str(error).isprintable()
    return document


def after(document: Document, changes: Sequence[object]) -> Document:
    for change in changes:
        document = changed(document, change)
        sound(document)
    return document


@settings(max_examples=200)
@example([AddGesture(0.0, "Away", ""), AddGesture(0.0, "Beat", "")])
@example([AddGesture(5.5, "Away", ""), AddGesture(5.5, "Away", ""), DeleteGesture(1)])
@example([AddGesture(0.0, "Away", ""), DeleteGesture(5)])
@given(EDITS)
def test_any_edits_leave_a_script_that_is_fine(changes: list[object]) -> None:
    after(performed(), changes)


def test_any_edits_leave_a_script_that_performs(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = str(tmp_path_factory.mktemp("edits"))

    @settings(max_examples=12)
    @given(EDITS, EDITS)
    def check(changes: list[object], more: list[object]) -> None:
        done = performs(after(performed(), changes), folder)
        sound(replace(done, gestures=tuple(replace(g, pinned=False) for g in done.gestures)))
        # And what was performed can be edited on.
        performs(after(done, more), folder)

    check()


@given(EDITS)
def test_edits_of_a_voice_keep_its_gestures_in_order(changes: list[object]) -> None:
    document = Document(source="voice", sound="x")
    for change in changes:
        document = changed(document, change)
        assert document.script == ""
        ids = [g.id for g in document.gestures]
        assert len(set(ids)) == len(ids)
        times = [g.time_s for g in document.gestures]
        assert times == sorted(times)
        check_document(document)


def test_a_gesture_added_at_the_start_keeps_its_time(tmp_path: Path) -> None:
    """A stroke cannot end at 0 s; what the page shows is still what the script says."""
    done = performs(after(performed(), [AddGesture(0.0, "Away", "")]), str(tmp_path))
    sound(done)
    performs(after(done, [DeleteGesture(5)]), str(tmp_path))


def test_the_head_shortens_no_hold_and_splits_no_unit() -> None:
    before = performed()
    (first, *_) = (g for g in before.gestures if not lexicon()[g.lexeme].without_hands)
    held = edit_gesture(before, EditGesture(first.id, hold_s=1.0), profile())
    hold_s = by_id(held, first.id).hold_s
    assert hold_s > 0.3
    kept = script_of_text(held.script).units
    nod = AddGesture(lexeme="HeadNod", hands="RH", time_s=first.time_s + 0.2)
    document = add_gesture(held, nod, profile())
    sound(document)
    assert by_id(document, first.id).hold_s == hold_s
    units = script_of_text(document.script).units
    assert [u.rest_pose for u in units] == [u.rest_pose for u in kept]
    assert sum(len(u.gestures) for u in units) == sum(len(u.gestures) for u in kept) + 1
