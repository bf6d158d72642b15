"""Clauses, themes, rhemes and foci, on sentences annotated by hand."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.language.tagging import TaggedText, tag_text
from kinesphere.language.tokens import Language

# ------------------------------------------------------------------------- what always holds

WORDS = st.sampled_from(
    [
        "the",
        "a",
        "man",
        "Anna",
        "you",
        "I",
        "she's",
        "sees",
        "gave",
        "is",
        "not",
        "but",
        "only",
        "when",
        "who",
        "war",
        "tired",
        ",",
        ";",
        ".",
        "?",
        "!",
        '"',
        "\u2014",
        "and",
        "because",
        "der",
        "Mann",
        "ich",
        "du",
        "nicht",
        "sondern",
        "nur",
        "kam",
        "gibt",
        "auf",
        "weil",
        "dass",
        "und",
        "NEVER",
        "5",
        "\U0001f600",
        "said",
        "it",
        "statt",
        "auch",
    ]
)
SAID = st.lists(WORDS, max_size=40).map(" ".join)
LANGUAGES = st.sampled_from(["en", "de"])


def check(found: TaggedText) -> None:
    covered = [i for first, last in found.clauses for i in range(first, last + 1)]
    assert covered == list(range(len(found.tokens)))
    for first, last in found.clauses:
        words = [i for i in range(first, last + 1) if found.tokens[i].is_word]
        inside = [s for s in found.information if first <= s.first <= last]
        assert all(s.last <= last for s in inside)
        kinds = {
            kind: [s for s in inside if s.kind == kind] for kind in ("theme", "rheme", "focus")
        }
        assert len(kinds["theme"]) <= 1
        assert len(kinds["rheme"]) == bool(words)
        assert bool(kinds["focus"]) == bool(words)
        for theme in kinds["theme"]:
            assert theme.last < kinds["rheme"][0].first
        for focus in kinds["focus"]:
            assert kinds["rheme"][0].first <= focus.first <= focus.last <= kinds["rheme"][0].last
        assert all(found.tokens[s.first].is_word and found.tokens[s.last].is_word for s in inside)
    places = [(s.first, s.last, s.kind) for s in found.information]
    assert places == sorted(set(places))


@settings(max_examples=300, deadline=None)
@given(SAID, LANGUAGES, st.data())
def test_every_clause_has_a_rheme_with_its_focus(
    text: str, language: Language, data: st.DataObject
) -> None:
    found = tag_text(text, language)
    check(found)
    size = len(found.words)
    loud = data.draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    check(tag_text(text, language, prominence=loud))


# ------------------------------------------------------------------------- clauses


def clauses(text: str, language: Language) -> list[str]:
    found = tag_text(text, language)
    return [text[found.tokens[a].start : found.tokens[b].end] for a, b in found.clauses]


@pytest.mark.parametrize(
    "text",
    [
        "They went home || because it was late.",
        "She smiled at me || and closed the door.",
        "The man and the woman went home.",
        "It has stood for two hundred and ten years || and it is tired.",
        "If you leave now || you will miss the train.",
        "If you leave now, || you will miss the train.",
        "The man, who was old, left the house.",
        "He came in, || and the dog began to bark.",
        "It is simple: || nobody wants to pay.",
        "They waited for hours \u2014 || the train never came.",
        "It was by the window || when we bought the flat.",
        "She bought apples, pears, and a loaf of bread.",
        "You lead, || I follow.",
        '"The bridge is old and tired," || said the engineer from Leeds.',
        "We stood around it || as if it might speak.",
        "Yes, we can.",
        "The baker reported || that his flour had arrived.",
    ],
)
def test_english_clauses(text: str) -> None:
    assert clauses(text.replace("|| ", ""), "en") == text.split(" || ")


@pytest.mark.parametrize(
    "text",
    [
        "Sie gingen nach Hause, || weil es spät war.",
        "Er klopfte an die Tür || und bat um ein Bett.",
        "Der Mann und die Frau gingen nach Hause.",
        "Wenn du jetzt gehst, || verpasst du den Zug.",
        "Als ich nach Hause kam, || war niemand da.",
        "Er glaubt mir nicht, || dass sie gekommen ist.",
        "Es ist ganz einfach: || niemand will bezahlen.",
        "Sie kaufte Äpfel, Birnen und ein Brot.",
        "Du gehst, || ich bleibe.",
        "Sie warteten lange auf ihn; || der Zug kam nicht.",
        "Ich habe den Brief gelesen, || aber ich verstehe ihn nicht.",
        "Nicht der König, sondern die Königin starb.",
        "Das ist die Uhr, || die rückwärts geht.",
        "Ja, das stimmt.",
        "Es hat zweihundert Jahre gestanden || und ist jetzt müde.",
    ],
)
def test_german_clauses(text: str) -> None:
    assert clauses(text.replace("|| ", ""), "de") == text.split(" || ")


def test_a_very_long_list_is_cut_at_a_comma() -> None:
    text = "He saw " + ", ".join(f"the number {n}" for n in range(20)) + "."
    found = tag_text(text, "en")
    sizes = [sum(found.tokens[i].is_word for i in range(a, b + 1)) for a, b in found.clauses]
    assert len(sizes) > 2
    assert max(sizes) <= 22


# ------------------------------------------------------------------------- theme and focus


def marked(annotated: str, language: Language) -> tuple[str, str]:
    """What is found, in the notation of the examples: [theme], *focus*."""
    plain = re.sub(r"[\[\]*]", "", annotated)
    found = tag_text(plain, language)
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    for span in found.information:
        if span.kind == "rheme":
            continue
        open_, close = ("[", "]") if span.kind == "theme" else ("*", "*")
        start, end = found.tokens[span.first].start, found.tokens[span.last].end
        before[start] = before.get(start, "") + open_
        after[end] = close + after.get(end, "")
    out = "".join(after.get(i, "") + before.get(i, "") + c for i, c in enumerate(plain))
    return plain, out + after.get(len(plain), "")


@pytest.mark.parametrize(
    "annotated",
    [
        # what is taken up, and what is new
        "[She] painted the *red house*.",
        "[She] never *came*.",
        "[The village] *slept*.",
        "[My grandmother] kept a suitcase under the *bed*.",
        "A stranger came to the *village*.",
        "Cars and bicycles may still *cross*.",
        "[We've] found a *boat*.",
        "[There] is a *problem*.",
        "[The old man who lives next door] bought a *horse*.",
        "[Anna] loves *Peter*.",
        "[Every spring she] aired the *dresses*.",
        "Nobody *knows*.",
        "[I] only want to *read*.",
        "[Ben] had a *dog*. A horse had *bitten* the dog.",
        # without a verb, questions, commands
        "War in the *North*",
        "What do you *want*?",
        "Stop the *car*.",
        "*Never*!",
        # contrast
        "[We] need *bread*, not cake.",
        "[It] was not the king but the *queen* who died.",
        "[He] is not tired but *angry*.",
        "Not me but *you*.",
        "[It's] *you* who did it.",
        "Only the *children* came.",
        "Even *Anna* laughed.",
        "[I] want *tea* rather than coffee.",
        "*You* *lead*, *I* *follow*.",
        "*Me* too.",
        "[You] must *NEVER* go there.",
        "[He] gave the book to *Anna*, not to Ben.",
        # calls and reports
        "Come *here*, Ben.",
        "Vera, Konrad, *good evening*.",
        "My friends, [this] is the *end*.",
        '"*Away*," she said.',
    ],
)
def test_english_themes_and_foci(annotated: str) -> None:
    _, found = marked(annotated, "en")
    assert found == annotated


@pytest.mark.parametrize(
    "annotated",
    [
        "[Sie] strich das *rote Haus*.",
        "[Das Dorf] *schlief*.",
        "Ein Fremder kam ins *Dorf*.",
        "[Im Haus meiner Tante] gab es eine *Uhr*.",
        "[Am Morgen] war er *fort*.",
        "Niemand fand das *merkwürdig*.",
        "[Sie] gingen *früh*, [weil das Kind] einen *Arzt* brauchte.",
        "[Er] kaufte die *Uhr*, [die] *rückwärts* ging.",
        "[Peter] liebt *Anna*.",
        "[Er] hat den *Brief* gestern geschrieben.",
        "Krieg im *Norden*",
        "Gib mir das *Buch*.",
        "Was *willst* du?",
        "Nicht der König, sondern die *Königin* starb.",
        "[Er] ist nicht müde, sondern *wütend*.",
        "[Wir] brauchen *Brot*, nicht Kuchen.",
        "Nur die *Kinder* kamen.",
        "Sogar *Anna* lachte.",
        "*Du* *gehst*, *ich* *bleibe*.",
        "*Ich* auch.",
        "*Sie selbst* hat es gesagt.",
        "[Er] kaufte *Tee* statt Kaffee.",
        "[Das] ist *NICHT* wahr.",
        "*Komm* her, Anna!",
    ],
)
def test_german_themes_and_foci(annotated: str) -> None:
    _, found = marked(annotated, "de")
    assert found == annotated


def test_what_was_mentioned_is_not_the_focus_again() -> None:
    _, found = marked("They bought a horse. They *loved* the horse.", "en")
    assert found.endswith("[They] *loved* the horse.")


# ------------------------------------------------------------------------- prominence


def foci(text: str, loud: str, language: Language = "en") -> list[str]:
    plain = tag_text(text, language)
    values = [0.9 if t.text == loud else 0.1 for t in plain.words]
    found = tag_text(text, language, prominence=values)
    return [found.tokens[s.first].text for s in found.spans("focus")]


@pytest.mark.parametrize("loud", ["painted", "the", "red", "house"])
def test_the_focus_moves_to_what_is_said_loudest(loud: str) -> None:
    assert foci("She painted the red house.", loud) == [loud]


def test_a_loud_subject_is_no_theme() -> None:
    text = "She painted the red house."
    values = [0.9, 0.1, 0.1, 0.1, 0.1]
    found = tag_text(text, "en", prominence=values)
    assert [(s.kind, s.first, s.last) for s in found.information] == [
        ("focus", 0, 0),
        ("rheme", 0, 4),
    ]
    quieter = tag_text(text, "en", prominence=[0.3, 0.1, 0.1, 0.1, 0.2])
    assert quieter.spans("theme")
    assert quieter.spans("focus")[0].first == 4


def test_silence_decides_nothing() -> None:
    text = "She painted the red house."
    assert tag_text(text, "en", prominence=[0.0] * 5) == tag_text(text, "en")


def test_a_contrast_in_words_is_stronger_than_the_voice() -> None:
    assert foci("Only the children came.", "came") == ["children"]
