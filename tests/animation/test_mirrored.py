"""A whole performed take and its mirror image: feet, trunk, hands, head, eyes and face."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.animation.performance import Performed, perform_script
from kinesphere.animation.performer import Performer
from kinesphere.animation.reflection import mirror_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.gesture.lexicon import hand_lexemes, lexicon
from kinesphere.gesture.script import GestureScript
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.clip import Clip
from kinesphere.motion.mirroring import mirror
from tests.animation.test_performance import RIG, any_cues, any_script

LIVELY = Performer(stance=0.8, collar_gain=1.2)
SETTINGS = (ActingSettings(), ActingSettings(paper=True))
RESTS = ("at-side", "clasped", "folded", "behind-back")


def written(seed: int) -> GestureScript:
    """Any fourteen gestures of either hand, of both and of the head, with turns."""
    rng = np.random.default_rng(seed)
    handless = [name for name, entry in lexicon().items() if entry.without_hands]
    names = [*rng.choice(hand_lexemes(), 12, replace=False), *rng.choice(handless, 2)]
    return any_script(rng, names, RESTS)


def performed(
    script: GestureScript, seed: int, settings: ActingSettings, mirrored: bool
) -> Performed:
    cues = any_cues(np.random.default_rng(seed), script)
    own = replace(settings, mirrored=mirrored)
    return perform_script(script, cues, LIVELY, fps=30.0, seed=seed, settings=own)


def apart(a: Clip, b: Clip) -> Floats:
    """Largest angle between each joint's rotations in two clips ``[joints]``, radians."""
    return np.asarray(quaternion.angle_between(a.rotations, b.rotations).max(axis=0))


@pytest.mark.parametrize("settings", SETTINGS, ids=["people", "paper"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_mirrored_script_gives_the_mirrored_take(seed: int, settings: ActingSettings) -> None:
    script = written(seed)
    one = performed(script, seed, settings, mirrored=False)
    two = performed(mirror_script(script), seed, settings, mirrored=True)
    image = mirror(one.clip, RIG.mirror_permutation(), RIG.canonical_pose[0])
    assert len(image) == len(two.clip)
    assert apart(image, two.clip).max() < 1e-9
    assert np.abs(image.root_positions - two.clip.root_positions).max() < 1e-9
    assert set(image.channels) == set(two.clip.channels)
    for name, values in image.channels.items():
        assert np.abs(values - two.clip.channels[name]).max() < 1e-9, name
    assert one.hurried_s == two.hurried_s
    assert [(p.kind, p.start_s) for p in one.phases["left"].phases] == [
        (p.kind, p.start_s) for p in two.phases["right"].phases
    ]


def test_without_the_mirrored_chance_it_does_not() -> None:
    """Feet, hands and head all have sides of their own, or the test above would be idle."""
    script = written(1)
    one = performed(script, 1, SETTINGS[0], mirrored=False)
    two = performed(mirror_script(script), 1, SETTINGS[0], mirrored=False)
    most = min(len(one.clip), len(two.clip))
    image = mirror(one.clip, RIG.mirror_permutation(), RIG.canonical_pose[0])
    off = np.degrees(apart(image.frames(0, most), two.clip.frames(0, most)))
    for bone in ("hips", "spine", "head", "leftEye", "rightUpperArm", "leftFoot"):
        assert off[RIG.joint(bone)] > 0.5, bone


def test_the_tracks_of_a_mirrored_take_are_its_own() -> None:
    """Its keys, acts and tiers are those of the mirrored script."""
    script = written(4)
    other = mirror_script(script)
    one = performed(script, 4, SETTINGS[0], mirrored=False)
    two = performed(other, 4, SETTINGS[0], mirrored=True)
    times = np.linspace(0.0, one.clip.duration_s, 200)
    for a, b in (SIDES, SIDES[::-1]):
        wrists = [take.keyed.tracks[f"{s}Wrist"](times) for take, s in ((one, a), (two, b))]
        assert np.allclose(wrists[0] * [-1.0, 1.0, 1.0], wrists[1])
    for name in ("pelvisYaw", "spineYaw"):
        assert np.allclose(-one.keyed.tracks[name](times), two.keyed.tracks[name](times))
    assert [act.gesture for act in two.acts] == [
        g for g in other.gestures if not lexicon()[g.lexeme].without_hands
    ]
    assert mirror_script(other) == script
