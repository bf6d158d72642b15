"""The files that a user starts an annotation with are those of the tables, and complete."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from kinesphere.corpus.annotation import from_anvil as annotation_anvil
from kinesphere.corpus.annotation import from_elan as annotation_elan
from kinesphere.corpus.annotation.annotation import HANDEDNESS, MARK_KINDS, Annotation
from kinesphere.corpus.annotation.from_elan import WRITTEN_DETAILS, vocabularies
from kinesphere.corpus.annotation.reading import read_annotation
from kinesphere.corpus.annotation.tier_names import DETAILS, TIERS, VALUES
from kinesphere.formats.anvil import parse_specification
from kinesphere.formats.elan import parse_elan
from kinesphere.gesture.lexicon import HAND_SHAPES, lexicon
from kinesphere.gesture.positions import HandPosition

DATA = files("kinesphere.corpus") / "data"
AGAIN = "write it again: see 'Changing the scheme' in docs/annotation-scheme.md"


def test_the_stored_files_are_those_that_the_tables_give() -> None:
    assert (DATA / "template.etf").read_bytes() == annotation_elan.template(), AGAIN
    stored = (DATA / annotation_anvil.SPECIFICATION).read_bytes()
    assert stored == annotation_anvil.specification(), AGAIN


def test_the_template_has_every_tier_and_no_problem() -> None:
    document, problems = parse_elan(annotation_elan.template())
    assert problems == ()
    names = [name for tier in TIERS for name in (tier, *WRITTEN_DETAILS.get(tier, ()))]
    assert [tier.id for tier in document.tiers] == names
    constraints = document.constraints()
    for tier in document.tiers:
        hangs = any(tier.id in details for details in DETAILS.values())
        assert constraints[tier.kind] == ("Symbolic_Association" if hangs else "")
        assert bool(tier.parent) == hangs


def test_the_template_offers_the_vocabularies() -> None:
    document, _ = parse_elan(annotation_elan.template())
    sets = {
        entry.attributes["CV_ID"]: [e.children[0].text for e in entry.all("CV_ENTRY_ML")]
        for entry in document.after
        if entry.tag == "CONTROLLED_VOCABULARY"
    }
    used = {e.attributes.get("CONTROLLED_VOCABULARY_REF") for e in document.after} - {None}
    assert used == set(sets)
    assert sets["gestures"] == list(lexicon())
    assert sets["phases"] == list(MARK_KINDS)
    assert sets["handedness"] == list(HANDEDNESS)
    assert set(HAND_SHAPES) <= set(sets["hand-shape"])
    assert len(sets["position"]) == 560
    assert all(str(HandPosition.of_text(text)) == text for text in sets["position"])


def test_names_that_xml_counts_as_identifiers_are_unique() -> None:
    document, _ = parse_elan(annotation_elan.template())
    keys = ("CVE_ID", "LANG_ID", "STEREOTYPE")
    elements = [e for entry in document.after for e in (entry, *entry.children)]
    found = [e.attributes[key] for e in elements for key in keys if key in e.attributes]
    assert len(found) == len(set(found)) > 600


def test_the_specification_has_every_track_and_vocabulary() -> None:
    tracks = {track.name: track for track in parse_specification(annotation_anvil.specification())}
    assert list(tracks) == [annotation_anvil.track_name(tier) for tier in TIERS]
    gestures = tracks["gesture.gestures"]
    assert (gestures.kind, gestures.reference) == ("span", "gesture.phases")
    assert gestures.label == VALUES["gestures"][0] == "lexeme"
    values = {attribute.name: attribute.values for attribute in gestures.attributes}
    assert values["lexeme"] == tuple(lexicon())
    assert values["start-position"] == tuple(vocabularies()["position"])
    assert values["affiliate"] == ()


def test_a_new_file_from_the_template_is_read(tmp_path: Path) -> None:
    (tmp_path / "new.eaf").write_bytes(annotation_elan.template())
    assert read_annotation(tmp_path / "new.eaf") == (Annotation("", "", 0.0), ())
