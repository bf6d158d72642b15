"""Tuning by overshoot: what is asked for is what a movement does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.gain_tuning import (
    Bench,
    Movement,
    Tuned,
    table_text,
    tune,
    tuned_joints,
    tuning_table,
)

import kinesphere as ks
from kinesphere.dynamics.body.body_model import body_of
from kinesphere.dynamics.body.gains import JOINTS, JointTuning
from kinesphere.errors import InvalidValueError


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(body_of(ks.default_rig()), Movement(stop_s=0.5))


def test_two_degrees_at_the_elbow(bench: Bench) -> None:
    """The paper's example, and seen again on the path itself."""
    found = tune(bench, "leftLowerArm.first", 2.0)
    assert found.overshoot_deg == pytest.approx(2.0, rel=0.2)
    asked, reached = bench.path(found.dof, found.omega_rad_s, found.zeta)
    half = len(asked) // 2
    out = np.degrees(reached[:half].max() - asked.max())
    back = np.degrees(asked.min() - reached[half:].min())
    assert 0.5 * (out + back) == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize(
    ("dof", "wanted"), [("rightUpperArm.first", 5.0), ("leftHand.first", 3.0), ("neck.twist", 1.0)]
)
def test_other_joints(bench: Bench, dof: str, wanted: float) -> None:
    found = tune(bench, dof, wanted)
    again = bench.overshoot_deg(dof, found.omega_rad_s, found.zeta)
    assert again == pytest.approx(wanted, rel=0.2)
    inertia = bench.inertia[bench.index(dof)]
    assert found.tension == pytest.approx(inertia * found.omega_rad_s**2)
    assert found.damping == pytest.approx(2.0 * found.zeta * inertia * found.omega_rad_s)


def test_more_damping_overshoots_less(bench: Bench) -> None:
    past = [bench.overshoot_deg("leftLowerArm.first", 20.0, z) for z in (0.05, 0.2, 0.5, 1.0, 2.0)]
    assert all(a > b or a == b == 0.0 for a, b in pairwise(past))
    assert past[0] > 10.0
    assert past[-1] == 0.0


def test_a_stiff_joint_that_cannot_overshoot_so_much_is_made_slacker(bench: Bench) -> None:
    stiff = 60.0
    assert bench.overshoot_deg("leftLowerArm.first", stiff, 0.02) < 8.0
    found = tune(bench, "leftLowerArm.first", 8.0, stiff)
    assert found.omega_rad_s < stiff
    assert found.overshoot_deg == pytest.approx(8.0, rel=0.2)


def test_repetitions_do_the_same_again(bench: Bench) -> None:
    many = Bench(bench.body, Movement(stop_s=0.5, repetitions=2))
    one, two = (b.overshoot_deg("leftLowerArm.first", 20.0, 0.5) for b in (bench, many))
    assert two == pytest.approx(one, rel=0.1)


def test_a_table_and_what_comes_of_it(bench: Bench) -> None:
    rows = tuning_table(bench, ["leftLowerArm.first"], [2.0, 5.0], 25.0)
    assert [row.wanted_deg for row in rows] == [2.0, 5.0]
    assert rows[1].zeta < rows[0].zeta
    text = table_text(rows)
    assert len(text.splitlines()) == 4
    assert "leftLowerArm.first" in text
    joints = tuned_joints(rows)
    assert joints["elbow"] == JointTuning(rows[1].joint.frequency, rows[1].zeta, 1.0)
    assert {name: joints[name] for name in JOINTS if name != "elbow"} == {
        name: tuning for name, tuning in JOINTS.items() if name != "elbow"
    }


def test_what_is_not_allowed(bench: Bench) -> None:
    with pytest.raises(InvalidValueError, match="no degree of freedom is called 'elbow'"):
        tune(bench, "elbow", 2.0)
    for wanted in (0.0, -1.0, 60.0, np.nan):
        with pytest.raises(InvalidValueError, match="allowed is above 0"):
            tune(bench, "leftLowerArm.first", wanted)
    with pytest.raises(InvalidValueError, match="rad/s"):
        tune(bench, "leftLowerArm.first", 2.0, 0.0)
    with pytest.raises(InvalidValueError, match="duration_s is 0"):
        Movement(duration_s=0.0)


def test_a_result_is_a_tuning() -> None:
    row = Tuned("leftHand.first", 2.0, 2.0, 33.0, 0.5, 1.0, 1.0)
    assert row.joint.zeta == 0.5
    assert row.joint.follows == JOINTS["wrist"].follows
