"""Manner words: the table, its reading, degrees, combination, and the signs that were measured."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Sequence
from dataclasses import astuple, fields
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression import manner as module
from kinesphere.expression.manner import (
    Manner,
    families,
    languages,
    manner,
    table_markdown,
    words_markdown,
)
from kinesphere.expression.manner_lexicon import Family, manner_lexicon
from kinesphere.expression.manner_tables import KINDS
from kinesphere.expression.qualities import Effort, Shape

FAMILIES = {family.name: family for family in families()}


def known_words(
    language: str | None = None, *, forms: bool = False, tables: Sequence[Path] = ()
) -> tuple[str, ...]:
    """Words of one language or of all, sorted; with `forms` also the adverbs made by rule."""
    lexicon = manner_lexicon(tables)
    found = (
        word for code in lexicon.languages_of(language) for word in lexicon.words[code].values()
    )
    return tuple(sorted({word.text for word in found if forms or word.listed}))


WORDS = {code: known_words(code) for code in languages()}
FORMS = {code: known_words(code, forms=True) for code in languages()}
EVERY_FORM = [(code, word) for code in FORMS for word in FORMS[code]]
DOC = Path(__file__).parents[2] / "docs" / "manner-words.md"

# Bandai styles, motion-facts section 10: multipliers of peak speed, range and duration; degrees of
# lean (forward) and head (down).
MEASURED = {
    "active": (2.36, 1.26, 0.82, -1, -8),
    "youthful": (1.51, 1.04, 0.99, 1, -18),
    "exhausted": (0.87, 1.10, 1.92, 5, 38),
    "elderly": (0.31, 0.72, 2.06, 22, 12),
    "angry": (2.1, 1.3, 0.5, 7, 1),
    "happy": (1.4, 1.3, 0.5, 1, 3),
    "proud": (0.9, 1.0, 1.1, -1, -5),
    "giant": (1.2, 1.5, 1.8, 1, -2),
    "sad": (0.42, 0.9, 4.4, 3, 23),
    "not-confident": (0.39, 0.37, 1.3, 16, 32),
    "old": (0.7, 0.9, 1.6, 23, 1),
    "tired": (1.1, 1.1, 1.2, 26, 17),
}


def numbers(found: Manner) -> np.ndarray:
    return np.array([*astuple(found.effort), *astuple(found.shape), *astuple(found.torso)])


# ------------------------------------------------------------------------------------ the table


def test_enough_words() -> None:
    assert len(WORDS["en"]) >= 130
    assert len(WORDS["de"]) >= 70
    assert set(WORDS["en"]) < set(FORMS["en"])
    assert known_words() == tuple(sorted({*WORDS["en"], *WORDS["de"]}))


@pytest.mark.parametrize("code", ["en", "de"])
def test_every_word_is_understood_alone(code: str) -> None:
    for word in FORMS[code]:
        found = manner(word, code)
        assert found.words == (word,)
        assert np.array_equal(numbers(found), numbers(manner(word)))
        assert np.all(np.abs(numbers(found)) <= 1.0)
        assert found.torso.reach == 0.0


def test_only_neutral_means_nothing() -> None:
    empty = [word for code, word in EVERY_FORM if not numbers(manner(word, code)).any()]
    assert {manner(word).words[0] for word in empty} == {
        "neutral",
        "neutrally",
        "normal",
        "normally",
        "ordinary",
        "ordinarily",
    }


def test_words_shared_by_languages_mean_the_same() -> None:
    for word in set(FORMS["en"]) & set(FORMS["de"]):
        assert np.array_equal(numbers(manner(word, "en")), numbers(manner(word, "de"))), word


def test_a_word_without_deviation_is_its_family() -> None:
    for name in ("careful", "angry", "slash", "open"):
        found, family = manner(name), FAMILIES[name]
        assert (found.effort, found.shape, found.torso) == (
            family.effort,
            family.shape,
            family.torso,
        )
    wary = manner("wary")
    assert wary.effort.time == -0.1
    assert wary.effort.weight == manner("careful").effort.weight
    assert manner("terrified").shape.reach == pytest.approx(1.5 * manner("scared").shape.reach)


@pytest.mark.parametrize(
    ("word", "signs"),
    [
        ("punch", (1, 1, 1)),
        ("press", (1, 1, -1)),
        ("slash", (-1, 1, 1)),
        ("wring", (-1, 1, -1)),
        ("dab", (1, -1, 1)),
        ("glide", (1, -1, -1)),
        ("flick", (-1, -1, 1)),
        ("float", (-1, -1, -1)),
    ],
)
def test_basic_actions_are_exact_and_paired(word: str, signs: tuple[int, ...]) -> None:
    found = manner(word)
    assert found.effort == Effort(*signs)
    assert found.shape == found.torso == Shape()
    assert FAMILIES[FAMILIES[word].opposite].effort == Effort(*(-sign for sign in signs))


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_families_have_reasons(family: Family) -> None:
    assert family.why.endswith(".")
    assert "\n" not in family.why
    assert family.source or family.name == "neutral"
    assert family.words["en"]
    assert family.words["de"]
    if family.kind != "action":  # "very" and "extremely" need room
        values = [*astuple(family.effort), *astuple(family.shape), *astuple(family.torso)]
        assert max(map(abs, values)) <= 0.8
    if family.kind in {"mood", "emotion"}:  # path curvature scarcely carries mood
        assert abs(family.effort.space) <= 0.2
    if family.kind == "personality":
        opposite = FAMILIES[family.opposite]
        assert opposite.opposite == family.name
        for part in fields(Effort):
            one, other = (getattr(each.effort, part.name) for each in (family, opposite))
            assert one * other <= 0.0 or {family.name, opposite.name} == {"neurotic", "stable"}


def test_emotions_and_traits_are_there() -> None:
    by_kind = {kind: {f.name for f in families() if f.kind == kind} for kind in KINDS}
    assert by_kind["emotion"] >= {
        "angry",
        "disgusted",
        "afraid",
        "happy",
        "joyful",
        "sad",
        "surprised",
        "proud",
        "ashamed",
        "bored",
        "relieved",
    }
    assert by_kind["personality"] == {
        "extraverted",
        "introverted",
        "agreeable",
        "disagreeable",
        "conscientious",
        "careless",
        "neurotic",
        "stable",
        "open",
        "closed",
    }
    assert len(by_kind["action"]) == 8
    for noun in (
        "anger",
        "disgust",
        "fear",
        "joy",
        "happiness",
        "sadness",
        "surprise",
        "pride",
        "shame",
        "boredom",
        "relief",
    ):
        assert numbers(manner(noun)).any()


# ----------------------------------------------------------------------------- what was measured


@pytest.mark.parametrize("word", MEASURED)
def test_moods_have_the_measured_signs(word: str) -> None:
    speed, span, duration, lean, head = MEASURED[word]
    found = manner(word)
    effort, torso = found.effort, found.torso
    if word == "tired":  # posture, not slowness
        assert abs(effort.time) <= 0.1
        assert effort.weight == 0.0
    else:
        if not 0.95 < duration < 1.05:
            assert np.sign(effort.time) == -np.sign(duration - 1.0)
        if speed > 1.15:
            assert max(effort.time, effort.weight) > 0.0
        if speed < 0.95:
            assert min(effort.time, effort.weight) < 0.0
    if not 0.75 < span < 1.25:
        assert np.sign(found.shape.reach) == np.sign(span - 1.0)
    if lean >= 3:
        assert torso.sagittal < 0.0
    else:
        assert abs(torso.sagittal) <= 0.1
    if abs(head) >= 5:
        assert np.sign(torso.vertical) == np.sign(head)
    else:
        assert abs(torso.vertical) <= 0.15


def test_moods_have_the_measured_sizes() -> None:
    speed, span, duration, lean, head = np.array(list(MEASURED.values())).T
    found = [manner(word) for word in MEASURED]

    def agreement(measured: np.ndarray, given: list[float]) -> float:
        return float(np.corrcoef(measured, given)[0, 1])

    assert agreement(head, [each.torso.vertical for each in found]) > 0.9
    assert agreement(lean, [-each.torso.sagittal for each in found]) > 0.9
    assert agreement(np.log(duration), [-each.effort.time for each in found]) > 0.85
    assert agreement(np.log(speed), [each.effort.time + each.effort.weight for each in found]) > 0.8
    assert agreement(np.log(span), [each.shape.reach for each in found]) > 0.8


def test_the_paper_s_own_examples() -> None:
    careful = manner("carefully")
    assert careful.effort.weight < careful.effort.time < 0.0 < careful.shape.sagittal
    assert manner("proudly").torso.vertical < 0.0


# --------------------------------------------------------------------------------------- degrees


@pytest.mark.parametrize(
    ("code", "little", "some", "much", "most"),
    [
        ("en", "slightly", "rather", "very", "extremely"),
        ("de", "ein wenig", "ziemlich", "sehr", "äußerst"),
    ],
)
def test_degrees_are_monotone(code: str, little: str, some: str, much: str, most: str) -> None:
    for word in WORDS[code]:
        plain = numbers(manner(word, code))
        grown = [numbers(manner(f"{d} {word}", code)) for d in (little, some)]
        grown += [plain] + [numbers(manner(f"{d} {word}", code)) for d in (much, most)]
        for less, more in pairwise(grown):
            assert np.all(np.sign(less) == np.sign(plain))
            assert np.all((np.abs(less) < np.abs(more)) | (plain == 0) | (np.abs(more) == 1.0)), (
                word
            )


def test_degree_numbers() -> None:
    plain = numbers(manner("careful"))
    for degree, factor in {
        "slightly": 0.4,
        "a little": 0.4,
        "a bit": 0.4,
        "somewhat": 0.4,
        "rather": 0.7,
        "quite": 0.7,
        "fairly": 0.7,
        "very": 1.4,
        "extremely": 1.8,
        "utterly": 1.8,
    }.items():
        assert numbers(manner(f"{degree} careful")) == pytest.approx(factor * plain)
    for degree, factor in {
        "ein wenig": 0.4,
        "etwas": 0.4,
        "leicht": 0.4,
        "ziemlich": 0.7,
        "sehr": 1.4,
        "besonders": 1.4,
        "äußerst": 1.8,
        "aeusserst": 1.8,
        "extrem": 1.8,
    }.items():
        assert numbers(manner(f"{degree} vorsichtig")) == pytest.approx(factor * plain)
    assert numbers(manner("very slightly careful")) == pytest.approx(0.56 * plain)
    assert np.array_equal(numbers(manner("very punching")), numbers(manner("punching")))


def test_a_degree_may_be_a_manner() -> None:
    assert manner("leicht").effort == manner("light").effort
    assert numbers(manner("leicht müde")) == pytest.approx(0.4 * numbers(manner("müde")))
    assert manner("etwas leicht").effort.weight == pytest.approx(
        0.4 * manner("leicht").effort.weight
    )


# ------------------------------------------------------------------------------------ combination


some_words = st.lists(st.sampled_from([word for _, word in EVERY_FORM]), min_size=1, max_size=4)
some_degree = st.sampled_from(["", "slightly ", "rather ", "very ", "extremely "])


@given(st.lists(st.tuples(some_degree, st.sampled_from(FORMS["en"])), min_size=1, max_size=4))
def test_order_does_not_matter_and_ranges_hold(items: list[tuple[str, str]]) -> None:
    texts = [degree + word for degree, word in items]
    first = numbers(manner(", ".join(texts)))
    assert np.all(np.abs(first) <= 1.0)
    for order in permutations(texts):
        assert np.array_equal(numbers(manner(" and ".join(order))), first)


@given(some_words)
def test_another_of_the_same_sign_never_weakens(words: list[str]) -> None:
    alone, all_values = numbers(manner(words[0])), [numbers(manner(word)) for word in words]
    together = numbers(manner("; ".join(words)))
    for factor in range(12):
        column = [values[factor] for values in all_values]
        if min(column) >= 0.0 or max(column) <= 0.0:
            assert abs(together[factor]) >= max(map(abs, column)) - 1e-9
            assert abs(together[factor]) <= min(1.0, sum(map(abs, column))) + 1e-9
    assert np.array_equal(numbers(manner(words[0])), alone)


def test_combination_in_numbers() -> None:
    angry, controlled = manner("extremely angry"), manner("controlled")
    both = manner("extremely angry but controlled")
    assert both.effort.flow == pytest.approx(0.36 + 0.5 - 0.36 * 0.5)
    assert both.effort.time == pytest.approx(angry.effort.time + controlled.effort.time)
    assert both.words == ("extremely angry", "controlled")


def test_opposites_cancel() -> None:
    for word in ("punch", "press", "slash", "wring"):
        assert manner(f"{word}, {FAMILIES[word].opposite}").effort.neutral
    assert manner("slow and quick").effort.neutral
    assert manner("quick, slow, quick, slow").effort.neutral


def test_separators() -> None:
    expected = numbers(manner("sad, tired"))
    for text in (
        "sad and tired",
        "tired but sad",
        "sad; tired",
        "Sad, but TIRED.",
        "sad & tired",
        "sad,tired",
        " sad ,, tired, ",
        "traurig und müde",
        "traurig, aber müde",
    ):
        assert np.array_equal(numbers(manner(text)), expected), text


# ------------------------------------------------------------------------------------- spellings


def test_adverbs_agree_with_adjectives() -> None:
    for adjective, adverb in {
        "careful": "carefully",
        "happy": "happily",
        "energetic": "energetically",
        "gentle": "gently",
        "shy": "shyly",
        "coy": "coyly",
        "content": "contentedly",
        "humble": "humbly",
        "absent-minded": "absent-mindedly",
        "tense": "tensely",
    }.items():
        assert np.array_equal(numbers(manner(adjective)), numbers(manner(adverb)))


@pytest.mark.parametrize(
    "text",
    [
        "oldly",
        "fastly",
        "friendlily",
        "happyly",
        "gentlely",
        "shily",
        "hardly",
        "carefulness",
        "vorsichtigly",
        "energeticly",
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    with pytest.raises(InvalidValueError):
        manner(text)


def test_umlauts_case_hyphens_and_unicode_forms() -> None:
    for word in WORDS["de"]:
        plain = word
        for umlaut, letters in {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}.items():
            plain = plain.replace(umlaut, letters)
        for spelt in (plain, word.upper(), unicodedata.normalize("NFD", word), word.title()):
            assert np.array_equal(numbers(manner(spelt, "de")), numbers(manner(word, "de")))
    assert manner("self assured").effort == manner("Self-Assured").effort
    assert manner("not confident").effort == manner("insecure").effort


def test_language_limits() -> None:
    assert manner("traurig", "de").effort == manner("sad", "en").effort
    for text, code in (("traurig", "en"), ("sad", "de"), ("sehr sad", "en")):
        with pytest.raises(InvalidValueError, match="is not a known manner word; near it: "):
            manner(text, code)
    with pytest.raises(InvalidValueError, match="no manners in language 'xx'; there are en, de"):
        manner("sad", "xx")


# ---------------------------------------------------------------------------------------- errors


@given(st.sampled_from([p for p in EVERY_FORM if len(p[1]) > 4]), st.data())
@settings(max_examples=150, deadline=None)
def test_a_slip_of_the_finger_is_named(pair: tuple[str, str], data: st.DataObject) -> None:
    code, word = pair
    place = data.draw(st.integers(0, len(word) - 2))
    if data.draw(st.booleans()):
        slip = word[:place] + word[place + 1 :]
    else:
        slip = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    try:
        manner(slip, code)
    except InvalidValueError as error:
        message = str(error)
        assert "\n" not in message
        if "negation" not in message:  # "not-confident" with its hyphen gone astray
            assert word in message.partition("near it: ")[2].split(", "), message


def test_edits_by_hand() -> None:
    for one, other, edits in (
        ("calm", "calm", 0),
        ("calm", "clam", 1),
        ("calm", "cal", 1),
        ("calm", "calmly", 2),
        ("calm", "balm", 1),
        ("sad", "happy", 4),
        ("", "sad", 3),
    ):
        assert module._edits(one, other) == module._edits(other, one) == edits


def test_messages() -> None:
    for text, message in {
        "carefuly": "'carefuly' is not a known manner word; near it: careful, carefully",
        "very carefuly, sad": "'carefuly' is not a known manner word; near it: careful, carefully",
        "": "no manner given; write one such as 'carefully' or 'very proud'",
        " , and": "no manner given; write one such as 'carefully' or 'very proud'",
        "very": "'very' is a degree without a manner: add a manner word",
        "slow careful": "'slow careful': put a comma between manners",
        "with pride": "'with pride' is not a known manner word; near it: pride",
        "open to exprience": "'open to exprience' is not a known manner word; near it: open to experience",
        "in a carefull way": "'in a carefull way' is not a known manner word; near it: careful, carefully",
        "not very happy": "'not very happy': negation is not supported; write the opposite instead, such as 'sad'",
        "sad, never calm": "'never calm': negation is not supported; write the opposite instead, such as 'nervous'",
        "gar nicht müde": "'gar nicht müde': negation is not supported; write the opposite instead, such as 'aktiv'",
        "not blorp": "'not blorp': negation is not supported; write the opposite instead",
        "not": "'not': negation is not supported; write the opposite instead",
    }.items():
        with pytest.raises(InvalidValueError) as caught:
            manner(text)
        assert str(caught.value) == message


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_a_manner_or_one_line(text: str) -> None:
    try:
        assert np.all(np.abs(numbers(manner(text))) <= 1.0)
    except InvalidValueError as error:
        assert len(str(error).splitlines()) == 1
        assert len(str(error)) < 400


def test_long_text_is_refused_quickly() -> None:
    with pytest.raises(InvalidValueError, match="allowed are 1000"):
        manner("x" * 1001)
    with pytest.raises(InvalidValueError, match="…"):
        manner("x" * 1000)


def test_manner_refuses_a_reaching_torso() -> None:
    assert Manner().effort.neutral
    with pytest.raises(InvalidValueError, match="reach of the torso"):
        Manner(torso=Shape(reach=0.5))


@pytest.mark.timing
def test_reading_twice_is_quick() -> None:
    manner("calm")
    start = time.perf_counter()
    for _ in range(100):
        manner("slightly hesitant, very tired")
    assert time.perf_counter() - start < 1.0


# ------------------------------------------------------------------------------ tables of a user


def written(folder: Path, text: str) -> list[Path]:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return [path]


def test_own_words(tmp_path: Path) -> None:
    tables = written(
        tmp_path,
        """
        [families.cowboy]
        why = "Thumbs in the belt."
        effort = { flow = -0.5 }
        torso = { vertical = -0.3 }
        opposite = "nervous"
        en = ["cowboyish", { word = "gunslinging", degree = 2, effort = { time = 0.9 } }]
        fr = ["façon cow-boy"]
        [families.proud]
        torso = { vertical = -0.9 }
        en = ["peacockish", "careful"]
        [degrees.fr]
        "très" = 1.4
        [joining]
        fr = ["et"]
        """,
    )
    assert manner("cowboyishly", tables=tables).effort == Effort(flow=-0.5)
    found = manner("gunslinging", tables=tables)
    assert (found.effort, found.torso) == (Effort(time=0.9, flow=-1.0), Shape(vertical=-0.6))
    assert manner("très façon cow-boy et sad", tables=tables).words == ("très façon cow-boy", "sad")
    assert manner("très façon cow-boy", "fr", tables=tables).effort.flow == pytest.approx(-0.7)
    for word in ("stolz", "peacockish", "carefully"):  # the family's values and words changed
        assert manner(word, tables=tables).torso.vertical == -0.9
    assert manner("stolz", tables=tables).effort == manner("stolz").effort
    assert languages(tables) == ("en", "de", "fr")
    own = {family.name: family for family in families(tables)}
    assert own["cowboy"].words == {"en": ("cowboyish", "gunslinging"), "fr": ("façon cow-boy",)}
    assert "careful" not in own["careful"].words["en"]
    assert "peacockish" in known_words("en", tables=tables)
    with pytest.raises(InvalidValueError):  # and without the table nothing has changed
        manner("peacockish")
    assert manner("proud").torso.vertical == FAMILIES["proud"].torso.vertical


def test_an_edited_table_counts_at_once(tmp_path: Path) -> None:
    for value in (0.25, 0.75):
        tables = written(tmp_path, f"[families.own]\neffort = {{ time = {value} }}\nen = ['zippy']")
        assert manner("zippily", tables=tables).effort.time == value


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("x = \ny = 1", "line 1", "is not TOML"),
        ('[families."a\\nb"]', "families", "'a\\nb' is not a name"),
        (f"families = {[1] * 999}", "families", "is [1, 1, 1"),
        ("families = 3", "families", "is 3, expected a table"),
        ("[family.a]", None, "'family' is unknown; allowed are families, degrees"),
        ("[families]\na = 1", "families.a", "is 1, expected a table"),
        (
            "[families.a]\neffort = { speed = 1 }",
            "families.a.effort",
            "'speed' is unknown; allowed are space, weight, time, flow",
        ),
        (
            "[families.a]\ntorso = { reach = 1 }",
            "families.a.torso",
            "'reach' is unknown; allowed are horizontal, vertical, sagittal",
        ),
        (
            "[families.a]\neffort = { time = 1.5 }",
            "families.a.effort.time",
            "is 1.5, allowed is -1 to 1",
        ),
        (
            "[families.a]\neffort = { time = nan }",
            "families.a.effort.time",
            "is nan, allowed is -1 to 1",
        ),
        ("[families.a]\neffort = { time = true }", "families.a.effort.time", "is True, allowed"),
        ("[families.a]\neffort = { time = 'x' }", "families.a.effort.time", "is 'x', allowed"),
        ("[families.a]\neffort = 1", "families.a.effort", "is 1, expected a table"),
        ("[families.a]\narms = {}", "families.a", "'arms' is unknown; allowed are kind, why"),
        ("[families.a]\nkind = 'x'", "families.a.kind", "'x' is unknown; allowed are manner"),
        ("[families.a]\nwhy = 1", "families.a.why", "is 1, expected text"),
        ("[families.carefull]\nen = ['x']", "families.carefull", "a new family needs effort"),
        ("[families.sad]\nopposite = 'x'", "families.sad.opposite", "'x' is not a family"),
        ("[families.sad]\nen = 'x'", "families.sad.en", "is 'x', expected a list"),
        (
            "[families.sad]\nen = [1]",
            "families.sad.en[0]",
            "is 1, expected a word or a table with one",
        ),
        ("[families.sad]\nen = ['']", "families.sad.en[0]", "'' is not a word"),
        ("[families.sad]\nen = ['a, b']", "families.sad.en[0]", "'a, b' is not a word"),
        ("[families.sad]\nen = [{ degree = 1 }]", "families.sad.en[0]", "has no word"),
        (
            "[families.sad]\nen = [{ word = 'x', degree = 3 }]",
            "families.sad.en[0].degree",
            "is 3, allowed is 0 to 2",
        ),
        ("[families.sad]\nen = ['x', 'X']", "families.sad.en", "'X' is listed twice, first in sad"),
        (
            "[families.sad]\nen = ['x']\n[families.happy]\nen = ['x']",
            "families.happy.en",
            "'x' is listed twice, first in sad",
        ),
        ("[degrees.en]\nmega = -1", "degrees.en.mega", "is -1, allowed is 0 to 2"),
        ("[degrees]\nmega = 1", "degrees", "'mega' is not a language such as en or de"),
        ("[joining]\nen = [1]", "joining.en[0]", "is 1, expected text"),
        ("[adverbs.de]\nx = 1", "adverbs", "'de' is unknown; allowed are en"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, place: str | None, reason: str) -> None:
    tables = written(tmp_path, text)
    with pytest.raises(UnreadableError) as caught:
        manner("sad", tables=tables)
    error = caught.value
    assert error.path == str(tables[0])
    assert error.reason.startswith(reason)
    assert (error.place or "").startswith(place or "")
    assert (error.place is None) == (place is None)
    assert "\n" not in str(error)
    assert len(error.reason) < 200


def test_bad_files(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes("# müde".encode("latin-1"))
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    for name, reason in {
        "none.toml": "no such file",
        "latin.toml": "is not UTF-8 text",
        "deep.toml": "is n",
    }.items():
        with pytest.raises(UnreadableError) as caught:
            manner("sad", tables=[tmp_path / name])
        assert caught.value.reason.startswith(reason)
        assert len(str(caught.value)) < 500
    with pytest.raises(InvalidValueError, match="expected a list of files"):
        manner("sad", tables="own.toml")


# ------------------------------------------------------------------------------------------ docs


def between(start: str) -> str:
    return (
        DOC.read_text(encoding="utf-8").split(f"<!-- {start} -->\n")[1].split("\n<!-- end -->")[0]
    )


def test_the_docs_table_is_the_data() -> None:
    assert between("families") == table_markdown()
    for code in ("en", "de"):
        assert between(f"words {code}") == words_markdown(code)


def test_every_source_is_named_in_the_docs() -> None:
    listed = DOC.read_text(encoding="utf-8").split("## Sources")[1]
    for family in families():
        for source in filter(None, family.source.split("; ")):
            key = source.partition(" (")[0]
            if not key.startswith(("affinity", "measured")):
                assert f"- {key}:" in listed, key
