"""A BVH that is altered comes back in its own units, axes, names, hierarchy and channel order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.formats.bvh.bvh_document import BvhDocument, read_document, write_document
from kinesphere.formats.bvh.bvh_reading import take_of
from kinesphere.formats.bvh.bvh_writing import document_of
from kinesphere.formats.bvh.layout import BvhOrigin
from kinesphere.maths.arrays import Floats
from tests.expression.test_recorded import sample_clip

LAYOUTS = {
    "cmu-like": (0.0254 / 0.45, "y", ("Zrotation", "Yrotation", "Xrotation")),
    "z-up": (0.01, "z", ("Yrotation", "Xrotation", "Zrotation")),
    "inches": (0.0254, "y", ("Xrotation", "Yrotation", "Zrotation")),
    "metres, z-up": (1.0, "z", ("Zrotation", "Xrotation", "Yrotation")),
}
ARMS = ("Shoulder", "UpperArm", "LowerArm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little")
COMMANDS = {
    "express": ["express"],
    "express strongly": ["express", "--effort", "weight=0.5,time=0.5", "--part", "arms"],
    "tense": ["tense", "--error", "0.1mm", "--zeta", "1"],
    "simulate": ["simulate", "--tension", "tense"],
}


def written(path: Path, layout: str) -> BvhDocument:
    """A file with the motion of `sample_clip` in one of the layouts."""
    metres, up, order = LAYOUTS[layout]
    clip = take_of(document_of(ks.Take(sample_clip()[0]))).clip  # joints in a file's order
    plain = document_of(ks.Take(clip), unit=str(metres))
    nodes = tuple(
        replace(n, channels=(*(c for c in n.channels if c.endswith("position")), *order))
        if n.name is not None
        else n
        for n in plain.nodes
    )
    empty = BvhDocument(nodes, plain.frame_time_s, plain.values[:0])
    document = document_of(ks.Take(clip, origin=BvhOrigin(empty, metres, up)))
    write_document(document, path)
    return document


def world(document: BvhDocument) -> dict[str, Floats]:
    """Places of all joints in the file's own units and axes, by the definition of the format."""
    turns: dict[int, Floats] = {}
    places: dict[int, Floats] = {}
    column = 0
    for i, node in enumerate(document.nodes):
        count = len(document.values)
        turn, place = np.tile(np.eye(3), (count, 1, 1)), np.tile(node.offset, (count, 1))
        for channel in node.channels:
            values = document.values[:, column]
            column += 1
            axis = "XYZ".index(channel[0])
            if channel.endswith("position"):
                place[:, axis] = values
                continue
            a, b = (axis + 1) % 3, (axis + 2) % 3
            step = np.tile(np.eye(3), (count, 1, 1))
            c, s = np.cos(np.radians(values)), np.sin(np.radians(values))
            step[:, a, a], step[:, b, b], step[:, b, a], step[:, a, b] = c, c, s, -s
            turn = turn @ step
        if node.parent >= 0:
            above = turns[node.parent]
            place = places[node.parent] + np.einsum("fij,fj->fi", above, place)
            turn = above @ turn
        turns[i], places[i] = turn, place
    return {n.name: places[i] for i, n in enumerate(document.nodes) if n.name is not None}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_altered_comes_back_in_its_own_layout(
    command: str, layout: str, tmp_path: Path
) -> None:
    source, out = tmp_path / "source.bvh", tmp_path / "out.bvh"
    before = written(source, layout)
    name, *options = COMMANDS[command]
    assert status([name, str(source), "-o", str(out), *options]) == 0
    after = read_document(out)
    assert after.nodes == before.nodes
    assert after.frame_time_s == pytest.approx(before.frame_time_s)
    metres = LAYOUTS[layout][0]
    old, new = world(before), world(after)
    away = {joint: metres * np.linalg.norm(new[joint] - old[joint], axis=1).max() for joint in old}
    limits = {
        "express": (1e-5, 1e-5),
        "express strongly": (1e-5, 0.5),
        "tense": (1e-5, 0.005),
        "simulate": (0.03, 0.12),
    }
    for joint, distance in away.items():
        assert distance < limits[command][any(part in joint for part in ARMS)], joint
    if command == "tense":  # what does not change keeps its very numbers
        same = (after.values == before.values).all(axis=0)
        assert same.mean() > 0.85


def test_a_character_of_a_bvh_keeps_its_layout(tmp_path: Path) -> None:
    character, motion, out = (tmp_path / n for n in ("character.bvh", "motion.kin", "out.bvh"))
    layout = written(character, "z-up")
    ks.save(ks.Take(sample_clip()[0]), motion)
    assert status(["retarget", str(motion), "--character", str(character), "-o", str(out)]) == 0
    after = read_document(out)
    assert after.nodes == layout.nodes
    wanted = ks.retarget(ks.load(motion), character).clip
    new = world(after)
    for joint, name in enumerate(wanted.skeleton.names):
        x, y, z = (100.0 * wanted.world_positions[:, joint]).T
        assert np.abs(new[name] - np.stack([x, -z, y], axis=1)).max() < 1e-4, name


def test_curves_do_not_jump(data: Path, tmp_path: Path) -> None:
    """Of equal angles those are written that are nearest to the frame before."""
    source, out = data / "cmu" / "28_03.bvh", tmp_path / "out.bvh"
    assert status(["tense", str(source), "-o", str(out), "--tension", "loose"]) == 0
    before, after = read_document(source), read_document(out)
    assert after.nodes == before.nodes
    changed = np.any(after.values != before.values[1:], axis=0)
    assert np.abs(np.diff(after.values[:, changed], axis=0)).max() < 90.0
    assert np.abs(np.diff(before.values[1:, changed], axis=0)).max() > 300.0


def test_a_joint_with_too_few_channels_gets_more(tmp_path: Path) -> None:
    """Two axes in the file cannot hold what tension does to a shoulder; nothing is lost."""
    source, out = tmp_path / "source.bvh", tmp_path / "out.bvh"
    document = written(source, "cmu-like")
    short = next(i for i, n in enumerate(document.nodes) if n.name == "rightUpperArm")
    nodes = list(document.nodes)
    nodes[short] = replace(nodes[short], channels=("Zrotation", "Yrotation"))
    third = sum(len(n.channels) for n in document.nodes[:short]) + 2
    values = np.delete(document.values, third, axis=1)
    write_document(BvhDocument(tuple(nodes), document.frame_time_s, values), source)
    assert status(["tense", str(source), "-o", str(out), "--tension", "loose"]) == 0
    after = read_document(out)
    assert after.nodes[short].channels == ("Zrotation", "Yrotation", "Xrotation")
    others = [n for i, n in enumerate(after.nodes) if i != short]
    assert others == [n for i, n in enumerate(nodes) if i != short]
    wanted = ks.tense(ks.load(source), "loose").clip
    assert np.abs(ks.load(out).clip.world_positions - wanted.world_positions).max() < 1e-6
