"""Undo and redo, against a plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kinesphere.studio.document.document import Document
from kinesphere.studio.document.history import LONGEST, History


def titled(title: str) -> Document:
    return Document(title=title)


STEPS = st.lists(
    st.one_of(
        st.just(("undo", "", "")),
        st.just(("redo", "", "")),
        st.tuples(st.just("settle"), st.text("abc", max_size=3), st.just("")),
        st.tuples(
            st.just("change"), st.text("abc", max_size=3), st.sampled_from(["", "", "g", "h"])
        ),
    ),
    max_size=60,
)


@given(STEPS)
def test_it_behaves_as_a_list_with_a_place_in_it(steps: list[tuple[str, str, str]]) -> None:
    history = History.of(titled("start"))
    rows, at = [("start", "", "")], 0
    for what, title, group in steps:
        if what == "undo":
            history, at = history.undone(), max(at - 1, 0)
        elif what == "redo":
            history, at = history.redone(), min(at + 1, len(rows) - 1)
        elif what == "settle":
            history = history.settle(titled(title))
            rows[at] = (title, *rows[at][1:])
        else:
            newest = at == len(rows) - 1
            del rows[at + 1 :]
            if group and newest and at and rows[-1][2] == group:
                rows.pop()
            rows.append((title, f"to {title}", group))
            at = len(rows) - 1
            history = history.append(titled(title), f"to {title}", group)
        assert [e.document.title for e in history.entries] == [r[0] for r in rows]
        assert history.at == at
        assert history.document.title == rows[at][0]
        assert history.undo_label == (rows[at][1] if at else "")
        assert history.redo_label == (rows[at + 1][1] if at + 1 < len(rows) else "")


@given(STEPS)
def test_undo_and_redo_are_inverse(steps: list[tuple[str, str, str]]) -> None:
    history = History.of(titled("start"))
    for what, title, group in steps:
        if what == "change":
            changed = history.append(titled(title), "x", group)
            assert changed.document == titled(title)
            assert changed.redone() == changed
            if not group:
                assert changed.undone().document == history.document
            history = changed
        elif what == "undo":
            history = history.undone()
        if history.at:
            assert history.undone().redone() == history
        if history.redo_label:
            assert history.redone().undone() == history
    assert history.undone().entries == history.entries


def test_a_group_is_undone_at_once_and_ends_with_an_undo() -> None:
    history = History.of(titled("a"))
    for k in range(5):
        history = history.append(titled(f"b{k}"), "drag", "g")
    assert history.document.title == "b4"
    assert history.undone().document.title == "a"
    again = history.undone().redone().append(titled("c"), "drag", "g")
    assert again.undone().document.title == "a"
    after = history.undone().append(titled("c"), "drag", "g")
    assert [e.document.title for e in after.entries] == ["a", "c"]
    other = history.append(titled("c"), "drag", "h")
    assert other.undone().document.title == "b4"


def test_the_oldest_is_forgotten() -> None:
    history = History.of(titled("start"))
    for k in range(LONGEST + 50):
        history = history.append(titled(str(k)), "x")
    assert len(history.entries) == LONGEST
    for _ in range(LONGEST + 50):
        history = history.undone()
    assert history.document.title == "50"
    assert history.undo_label == ""
