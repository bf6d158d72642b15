"""The built-in model on voices that it never heard, and a model of one real minute."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.listening import FIRST, LATER, Voice, recordings
from benchmarks.studies.voice_fit import Fit, Listened, fit, library_clips, phrases

import kinesphere as ks
from kinesphere.bodylanguage.choose.acting_times import AHEAD_S
from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
from kinesphere.bodylanguage.play.engine import Change
from kinesphere.bodylanguage.play.live_options import POLICIES, LiveOptions
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.evaluation.metric_registry import faults
from kinesphere.evaluation.side_by_side import side_by_side
from kinesphere.export.pages.model.model_facts import stream_facts
from kinesphere.export.pages.model.model_notes import notes_of, prosody_sentence
from kinesphere.export.pages.speaker.speaker_text import percent
from kinesphere.maths.arrays import Floats
from kinesphere.motion.resampling import resample
from kinesphere.pipeline.listen import listen
from kinesphere.pipeline.models import model
from kinesphere.pipeline.stages.voice_motion import move_by_voice
from kinesphere.pipeline.train import train

SEEDS, OTHER_SEEDS = range(8), range(4)
FPS = 60.0
HANDS = ("leftHand", "rightHand")


class Moved(NamedTuple):
    """What a voice led to."""

    clip: ks.Clip
    changes: tuple[Change, ...]
    voice: Voice


@pytest.fixture(scope="module")
def voices(data: Path) -> list[Voice]:
    """Ten that the model was not made from; figures of all were seen while settings were chosen."""
    return [*recordings(FIRST), *recordings(LATER)]


def takes_of(voices: list[Voice], policy: str, seeds: range) -> list[Moved]:
    options, out = LiveOptions(delay_s=AHEAD_S, policy=policy), []
    for voice in voices:
        for seed in seeds:
            done = move_by_voice(model("house"), voice[0], options, fps=FPS, seed=seed)
            clip, changes = done.clip, done.changes
            out.append(Moved(clip, changes, voice))
    return out


def fit_of(takes: list[Moved]) -> Fit:
    runs = [Listened(t.changes, t.voice[1], t.voice[0].duration_s, AHEAD_S, t.clip) for t in takes]
    return fit(model("house"), runs)


@pytest.fixture(scope="module")
def takes(voices: list[Voice]) -> list[Moved]:
    return takes_of(voices, "model", SEEDS)


@pytest.fixture(scope="module")
def fits(voices: list[Voice], takes: list[Moved]) -> dict[str, Fit]:
    others = {p: fit_of(takes_of(voices, p, OTHER_SEEDS)) for p in POLICIES if p != "model"}
    return {"model": fit_of(takes), **others}


@pytest.fixture(scope="module")
def rows(takes: list[Moved]) -> list[Mapping[str, float]]:
    """The faults of every take."""
    return [dict(faults(t.clip, ks.default_rig())) for t in takes]


@pytest.fixture(scope="module")
def found(rows: list[Mapping[str, float]]) -> dict[str, float]:
    """The worst of every fault."""
    return worst(rows)


@cache
def learned() -> tuple[ks.Clip, ...]:
    return tuple(library_clips(model("house")))


def worst(rows: list[Mapping[str, float]]) -> dict[str, float]:
    return {name: max(row[name] for row in rows) for name in rows[0]}


@cache
def usual() -> dict[str, float]:
    """The worst of every fault in what was learned."""
    return worst([dict(faults(clip, ks.default_rig())) for clip in learned()])


def hardest_pull(clip: ks.Clip, fps: float) -> float:
    """Largest acceleration of a wrist between three frames at a rate, m/s2: a pop is a large one."""
    hands = np.stack([clip.joint_positions(name) for name in HANDS], axis=1)
    every = round(clip.fps / fps)
    shifted = [hands[first::every] for first in range(every)]
    return max(
        float(np.linalg.norm(np.diff(row, n=2, axis=0), axis=-1).max()) * fps**2 for row in shifted
    )


def fastest_turns(clip: ks.Clip) -> Floats:
    """Highest angular speed of each joint against its parent, rad/s."""
    dots = np.abs(np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1))
    return np.asarray(2.0 * np.arccos(np.minimum(dots, 1.0)).max(axis=0) * clip.fps)


def test_segments_begin_at_the_peaks_of_syllables(fits: dict[str, Fit]) -> None:
    begins = fits["model"].begins
    assert begins.count > 200
    assert begins.p_near < 0.01
    assert begins.p < 0.01
    assert begins.near_share > begins.chance_share + 0.1
    assert begins.median_abs_s < 0.05 < begins.chance_abs_s


@pytest.mark.parametrize("policy", ["random", "unsynchronised"])
def test_it_is_nearer_to_syllables_than_what_does_not_listen(
    fits: dict[str, Fit], policy: str
) -> None:
    ours, other = fits["model"].begins, fits[policy].begins
    assert ours.near_share > other.near_share + 0.2
    assert ours.median_abs_s < other.median_abs_s - 0.03


def test_random_segments_that_begin_at_syllables_are_no_nearer(fits: dict[str, Fit]) -> None:
    """They are as near by the way they are made: three deviations of the difference are allowed."""
    ours, other = fits["model"].begins, fits["random-synchronised"].begins
    both = ((b.near_share * (1.0 - b.near_share) / b.count) for b in (ours, other))
    assert ours.near_share > other.near_share - 3.0 * np.sqrt(sum(both))
    assert ours.median_abs_s < other.median_abs_s + 0.01


@pytest.mark.parametrize("policy", [p for p in POLICIES if p != "model"])
def test_hands_are_faster_at_syllables_than_those_of_any_comparison(
    fits: dict[str, Fit], policy: str
) -> None:
    """What one sees of being in time: speed peaks near the loudest moments of syllables."""
    ours, other = fits["model"].strokes, fits[policy].strokes
    assert ours is not None
    assert other is not None
    assert ours.count > 500
    assert ours.p_near < 0.01
    assert ours.p < 0.01
    both = ((s.near_share * (1.0 - s.near_share) / s.count) for s in (ours, other))
    assert ours.near_share > other.near_share + 2.0 * np.sqrt(sum(both))
    assert ours.median_abs_s < other.median_abs_s


def test_hands_are_no_more_in_time_than_people_s(fits: dict[str, Fit]) -> None:
    """Speakers' lags are three quarters of chance in the median; far less is a metronome."""
    ours = fits["model"].strokes
    assert ours is not None
    assert 0.6 <= ours.median_abs_s / ours.chance_abs_s <= 0.85
    assert abs(ours.median_s) < 0.02


def test_heads_are_lowest_at_loud_syllables(fits: dict[str, Fit]) -> None:
    ours, other = fits["model"].nods, fits["random-synchronised"].nods
    assert ours is not None
    assert other is not None
    # The chest's own pitch, which is as large as a nod, takes part in how low a head is.
    assert ours.p_near < 0.05
    assert ours.near_share > max(ours.chance_share, other.near_share) + 0.015


def test_hands_follow_the_voice(fits: dict[str, Fit]) -> None:
    """Above chance; by this alone it cannot be told from random segments at syllables."""
    ours = fits["model"].follows
    assert ours is not None
    assert ours.p < 0.05
    assert ours.r > ours.high


def test_hands_set_out_with_the_voice(fits: dict[str, Fit]) -> None:
    """People's do so 0.1 s before it, and within 0.3 s of that."""
    assert -0.3 < fits["model"].first_s < 0.15


@pytest.mark.parametrize("policy", [p for p in POLICIES if p != "model"])
def test_what_is_shown_fits_what_is_heard_better_than_any_comparison(
    fits: dict[str, Fit], policy: str
) -> None:
    ours, theirs = fits["model"].bits, fits[policy].bits
    for stream in STREAMS:
        assert ours[stream] > max(0.0, theirs[stream]), stream
    assert sum(ours.values()) > sum(theirs.values()) + 0.1


def test_motions_are_interrupted_about_as_often_as_the_paper_s(fits: dict[str, Fit]) -> None:
    """77 percent of a motion is shown there."""
    for stream, share in fits["model"].shown.items():
        assert 0.6 <= share <= 0.95, stream
    assert fits["unsynchronised"].shown["arms"] > 0.97


def test_feet_do_not_slide(found: dict[str, float]) -> None:
    assert found["foot_slide_m_s"] <= 0.005
    assert found["foot_slide_farthest_m"] <= 0.005


def test_hands_are_no_deeper_in_the_body_than_in_what_was_learned(found: dict[str, float]) -> None:
    # Live hands are cleared frame by frame: the fastest are too deep for three frames at most.
    assert found["hand_in_body_m"] <= usual()["hand_in_body_m"] + 0.01
    assert found["hand_in_body_share"] <= usual()["hand_in_body_share"] + 0.001
    assert found["hands_overlap_m"] <= usual()["hands_overlap_m"] + 0.0145


def test_hands_are_no_longer_in_each_other_than_in_what_was_learned(
    takes: list[Moved], rows: list[Mapping[str, float]]
) -> None:
    """Seconds of all takes, for some last only a few, against the learned take with most."""
    shares = [row["hands_overlap_share"] for row in rows]
    seconds = [t.clip.duration_s for t in takes]
    assert np.average(shares, weights=seconds) <= usual()["hands_overlap_share"] + 0.001


def test_no_joint_turns_much_faster_than_in_what_was_learned(takes: list[Moved]) -> None:
    """Hands that flip over, fingers that snap through."""
    usual = np.max([fastest_turns(clip) for clip in learned()], axis=0).max()
    for take in takes:
        found = fastest_turns(take.clip)
        assert found.max() <= 1.2 * usual, ks.default_rig().skeleton.names[int(found.argmax())]


def test_nothing_pops(
    takes: list[Moved], rows: list[Mapping[str, float]], found: dict[str, float]
) -> None:
    usual = max(hardest_pull(clip, clip.fps) for clip in learned())
    pulls = [hardest_pull(t.clip, learned()[0].fps) for t in takes]
    assert max(pulls) <= 1.5 * usual, np.round(pulls)
    # An elbow that is 5 cm off the line of an arm that hangs almost straight may go round faster.
    assert sum(row["swivel_highest_deg_s"] > 300.0 for row in rows) <= 1
    assert found["swivel_highest_deg_s"] <= 380.0
    assert found["jolts_per_minute"] == 0.0


def test_wrists_move_as_in_what_was_learned(takes: list[Moved]) -> None:
    """Medians of the measures of movement within p5 to p95 of the training data, at its rate."""
    spoken = [phrases(t.voice[1]) for t in takes]
    rate = learned()[0].fps
    pairs = [(resample(t.clip, rate), spans) for t, spans in zip(takes, spoken, strict=True)]
    rows = [row for row in side_by_side(learned(), pairs) if row.training.count]
    assert len(rows) >= 15
    outside = [str(row) for row in rows if not row.holds]
    assert not outside, "\n".join(outside)


@pytest.fixture(scope="module")
def minute(data: Path) -> TrainedCorpus:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return train(data / "beat2", name="scott", licence="BEAT2, non-commercial", workers=1)


def test_a_real_minute_trains(minute: TrainedCorpus) -> None:
    assert set(minute.model.streams) == set(STREAMS)
    assert minute.model.provenance["seconds"]["scott"] == pytest.approx(63.5, abs=0.5)
    for stream in minute.model.streams.values():
        assert len(stream.segments) > 40


def test_a_model_of_a_minute_moves_to_another_voice(
    minute: TrainedCorpus, voices: list[Voice]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = listen(voices[0][0], minute.model, fps=30.0).clip
    hands: Floats = np.stack([clip.joint_positions(name) for name in HANDS], axis=1)
    assert np.isfinite(hands).all()
    assert np.linalg.norm(np.diff(hands, axis=0), axis=-1).mean() * 30.0 > 0.03
    bad = faults(clip, ks.default_rig())
    assert bad["foot_slide_m_s"] <= 0.005


def test_the_report_on_a_minute_is_honest(minute: TrainedCorpus) -> None:
    """It is little, and prosody tells next to nothing of the movements."""
    for stream, evidence in minute.evidence.items():
        assert evidence.state.share < 0.05, stream
        assert evidence.syllables.share < 0.05, stream
    facts = {name: stream_facts(minute, name) for name in minute.fits}
    notes = notes_of(minute, facts)
    assert any("1.1 minutes are little training data" in note for note in notes)
    for stream, evidence in minute.evidence.items():
        said = prosody_sentence(stream, evidence)
        assert said in notes
        sure = evidence.state.p < 0.05
        assert ("no better than chance level" in said) == (not sure)
        assert (f"explains {percent(evidence.state.share, 1)} of the entropy" in said) == sure
