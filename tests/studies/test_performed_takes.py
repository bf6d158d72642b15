"""Four performed minutes against what people were measured to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.studies.performed_takes import (
    Judgement,
    PerformedTake,
    hands_of,
    judge,
    performed_take,
)

import kinesphere as ks
from kinesphere.pipeline.speakers import speaker

TEXTS = Path(__file__).parents[1] / "generation" / "texts"
TAKES = (
    ("en_talk_2", "host"),
    ("en_story_4", "critic"),
    ("de_talk_3", "host"),
    ("de_news_1", "critic"),
)


@pytest.fixture(scope="module")
def takes() -> list[PerformedTake]:
    return [
        performed_take((TEXTS / f"{name}.txt").read_text(encoding="utf-8"), style, seed=n)
        for n, (name, style) in enumerate(TAKES)
    ]


@pytest.fixture(scope="module")
def found(takes: list[PerformedTake]) -> Judgement:
    return judge(takes, ks.default_rig())


def test_hands_move_as_people_s_do(found: Judgement) -> None:
    inside = {v.measure.label: v.inside for v in found.movement.verdicts.values()}
    assert found.movement.inside > 0.93
    assert min(inside.values()) > 0.6, inside


def test_speed_peaks_meet_syllables_with_human_looseness(found: Judgement) -> None:
    assert 0.04 <= found.peaks.median_abs_s <= 0.075
    assert found.peaks.median_abs_s < found.peaks.chance_abs_s
    assert found.peaks.near_share > found.peaks.chance_share + 0.03


def test_strokes_are_on_their_words(found: Judgement) -> None:
    assert found.strokes.share >= 0.9


def test_hands_are_home_soon_after_the_last_phrase(found: Judgement) -> None:
    # Two such phrases; after one a hand that is held high is home 0.6 s later.
    assert found.home >= 0.5


def test_bodies_stay_whole(found: Judgement) -> None:
    worst = found.worst
    assert worst["limit_worst_deg"] <= 1e-6
    assert worst["hand_in_body_share"] <= 0.001
    assert worst["hand_in_body_m"] <= 0.005
    assert worst["hands_overlap_share"] <= 0.03
    assert worst["foot_slide_m_s"] <= 0.005
    assert worst["swivel_highest_deg_s"] < 300.0
    assert max(worst["above_share"], worst["behind_share"], worst["straight_share"]) < 0.05


def test_hands_are_the_speakers(takes: list[PerformedTake]) -> None:
    for style in ("host", "critic"):
        mine = [take for take, (_, of) in zip(takes, TAKES, strict=True) if of == style]
        assert hands_of(mine, speaker(style)).p > 0.01
