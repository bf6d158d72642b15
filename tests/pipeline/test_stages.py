"""The stages: each usable alone, each run once by a performance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.stage_trace import STAGES, trace

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.pipeline.stages.act import act
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import direct
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.dress import dress
from kinesphere.pipeline.stages.plan import plan, plan_annotation, plan_script
from kinesphere.pipeline.stages.utter import Utterance, utter
from kinesphere.speech.value import Speech

TEXT = "This is huge!"
HOST = Cast("host", voice="espeak", seed=1, fps=20.0)
PROUD = Direction(manner="proudly", tension="loose")


def test_a_performance_runs_each_stage_once() -> None:
    rows = trace(lambda: ks.perform(TEXT, direction=PROUD, cast=HOST))
    assert Counter(row.name for row in rows) == dict.fromkeys(STAGES, 1)
    order = [row.name for row in rows if row.is_stage]
    assert order == ["utter", "plan", "act", "direct", "dress"]


def test_listening_speaks_and_plans_nothing() -> None:
    sound = utter(TEXT, HOST).speech
    rows = trace(lambda: ks.listen(Speech(sound.samples, sound.rate_hz), cast=HOST))
    assert [row.name for row in rows if row.is_stage] == ["utter", "act", "direct", "dress"]
    counts = Counter(row.name for row in rows)
    assert max(counts.values()) == 1
    assert not {"speak", "generate", "perform_script", "tag"} & set(counts)


def test_the_stages_one_by_one_are_the_performance() -> None:
    said = utter(TEXT, HOST)
    planned = plan(said, HOST, PROUD)
    done = act(said, planned, HOST, PROUD)
    take = dress(direct(done.take, PROUD, HOST.profile), HOST)
    whole = ks.perform(TEXT, direction=PROUD, cast=HOST)
    assert take.clip == whole.clip
    assert take.tiers == whole.tiers
    assert ks.perform(said, direction=PROUD, cast=HOST, gestures=planned).clip == whole.clip


def test_a_plan_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    said = utter(TEXT, HOST)
    planned = plan(said, HOST)
    path = tmp_path / "kept.script"
    ks.write_script(planned.script, path)
    again = plan_script(path)
    assert again.script.gestures == planned.script.gestures
    done = act(said, again, HOST)
    assert done.strokes.keys() == act(said, planned, HOST).strokes.keys()


def test_triggers_name_the_words_of_each_gesture() -> None:
    made = plan(TEXT, HOST)
    assert [t.words for t in made.triggers] == ["huge"]
    assert made.triggers[0].tag
    assert made.anchors == ((made.triggers[0].start_s, made.triggers[0].end_s),)
    explained = ks.explain(made.reasons)
    assert "huge" in explained
    assert made.script.gestures[0].lexeme in explained


def test_a_pinned_gesture_keeps_its_time() -> None:
    said = utter("I don't know what to tell you. It is huge.", HOST)
    planned = plan(said, HOST)
    last = max(act(said, planned, HOST).strokes)
    later = planned.script.gestures[last].stroke_end_s
    assert later is not None
    pinned = act(said, replace(planned, pinned=frozenset({last})), HOST).strokes[last]
    assert pinned[1] == pytest.approx(later, abs=1e-6)
    assert pinned != act(said, planned, HOST).strokes[last]


def test_an_utterance_without_speech_is_acted_by_the_script_alone() -> None:
    silent = utter(TEXT, Cast(voice="none"))
    assert silent.heard is None
    assert silent.duration_s == 0.0
    done = act(silent, plan(silent, HOST), HOST)
    assert done.take.audio is None
    with pytest.raises(InvalidValueError, match="nobody speaks"):
        _ = silent.speech
    with pytest.raises(InvalidValueError, match="neither a plan nor a voice"):
        act(Utterance(), None, HOST)
    with pytest.raises(InvalidValueError, match="no words to plan"):
        plan(Utterance(), HOST)
    with pytest.raises(InvalidValueError, match="neither a text nor a recording"):
        utter(None, HOST)


def test_an_annotation_in_memory_is_recreated() -> None:
    annotation = ks.shipped_annotation("host")
    planned = plan_annotation(annotation, 40.0, 50.0)
    assert planned.script.gestures
    take = ks.recreate(annotation, 40.0, 50.0, style="host", fps=20.0)
    assert take.clip == ks.recreate(planned, style="host", fps=20.0).clip
    with pytest.raises(InvalidValueError, match="there is no gesture from"):
        plan_annotation(annotation, 1e5, 2e5)


def test_a_neutral_direction_leaves_a_take_alone() -> None:
    still = ks.idle(1.0)
    assert direct(still, Direction()) is still
    assert dress(still, Cast()) is still
    tense = direct(still, Direction(tension="tense"))
    assert np.isfinite(tense.clip.rotations).all()
    assert tense.provenance["tense"]["tension"] == "tense"
