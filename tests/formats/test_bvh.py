"""BVH as it is met in the wild."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.bvh.bvh_document import (
    BvhDocument,
    document_bytes,
    parse_document,
    read_document,
    write_document,
)
from kinesphere.formats.bvh.bvh_reading import read_bvh, take_of
from kinesphere.formats.bvh.bvh_writing import document_of, write_bvh
from kinesphere.maths import quaternion as quat
from kinesphere.motion.kinematics import tip_positions
from kinesphere.pipeline.convert import Edits, edit
from tests.conftest import smooth_clip

SMALL = """HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT Arm
	{
		OFFSET 10 0 0
		CHANNELS 3 Xrotation Yrotation Zrotation
		End Site
		{
			OFFSET 5 0 0
		}
	}
}
MOTION
Frames: 2
Frame Time: 0.033333
1 2 3 10 20 30 40 50 60
1.5 2.5 -3 11 21 31 41 51 -61
"""


def edited(old: str, new: str) -> bytes:
    assert old in SMALL
    return SMALL.replace(old, new).encode()


def test_the_plain_case() -> None:
    document = parse_document(SMALL.encode())
    assert [n.name for n in document.nodes] == ["Hips", "Arm", None]
    assert document.nodes[1].offset == (10.0, 0.0, 0.0)
    assert document.values.tolist()[1] == [1.5, 2.5, -3, 11, 21, 31, 41, 51, -61]
    assert document.frame_time_s == 0.033333


@pytest.mark.parametrize(
    "data",
    [
        SMALL.replace("\n", "\r\n").encode(),
        SMALL.replace("\t", "  ").encode(),
        SMALL.replace(" ", "\t").replace("End\tSite", "End  Site").encode(),
        SMALL.replace("\n", "\n\n").encode(),
        SMALL.replace("\n", " \n").encode(),
        SMALL.replace("\n{", " {").encode(),
        SMALL.replace("\n\t\t{", "{").encode(),
        b"\xef\xbb\xbf" + SMALL.encode(),
        SMALL.rstrip().encode(),
        SMALL.replace("HIERARCHY", "Hierarchy")
        .replace("JOINT", "Joint")
        .replace("OFFSET", "Offset")
        .encode(),
        SMALL.replace("Frames:", "Frames :").replace("Frame Time:", "Frame Time:\t").encode(),
        SMALL.replace("1 2 3 10", "1.0e0 +2 3.00 1E+1").encode(),
        SMALL.replace("-61", "-61.").replace("1.5 2.5", "1.5  2.5").encode(),
        SMALL.replace("10 20 30 40 50 60", "10 20\n30 40 50 60")
        .replace("1 2 3 10 20", "1 2 3\n10 20")
        .encode(),
        SMALL.replace("Xposition", "XPOSITION").encode(),
    ],
    ids=lambda d: "",
)
def test_the_same_file_in_other_clothes(data: bytes) -> None:
    assert parse_document(data) == parse_document(SMALL.encode())


@pytest.mark.parametrize(
    "name",
    ["mixamorig:Hips", "Bip01 L Thigh", "a.b-c_d", "hips  two", "Hüfte", "1", "JOINT", "End"],
)
def test_names_of_all_kinds(name: str) -> None:
    document = parse_document(edited("JOINT Arm", f"JOINT {name}"))
    assert document.nodes[1].name == name
    assert parse_document(document_bytes(document)) == document


def test_names_that_occur_twice_stay_in_the_file_and_differ_in_the_clip() -> None:
    document = parse_document(edited("JOINT Arm", "JOINT Hips"))
    take = take_of(document)
    assert take.clip.skeleton.names == ("Hips", "Hips#2")
    assert any("two joints" in note for note in take.notes)
    assert document_of(take).nodes == document.nodes


def test_a_leaf_without_end_site_and_a_root_with_positions_only() -> None:
    text = SMALL.replace("\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 5 0 0\n\t\t}\n", "")
    text = text.replace(
        "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation",
        "3 Zposition Xposition Yposition",
    )
    text = text.replace("1 2 3 10 20 30", "1 2 3").replace("1.5 2.5 -3 11 21 31", "1.5 2.5 -3")
    document = parse_document(text.encode())
    clip = take_of(document, unit="m").clip
    assert clip.skeleton.tips == ()
    assert clip.root_positions[0].tolist() == [2.0, 3.0, 1.0]
    assert np.array_equal(clip.rotations[:, 0], quat.identity((2,)))
    assert document_of(take_of(document)) == document


def test_six_channels_replace_the_offset() -> None:
    text = SMALL.replace(
        "CHANNELS 3 Xrotation", "CHANNELS 6 Zposition Yposition Xposition Xrotation"
    )
    text = text.replace("30 40 50", "30 7 8 9 40 50").replace("31 41 51", "31 7 8 10 41 51")
    take = take_of(parse_document(text.encode()), unit="m")
    assert take.clip.translated_joints == (1,)
    assert take.clip.translations[:, 0].tolist() == [[9.0, 8.0, 7.0], [10.0, 8.0, 7.0]]
    assert document_of(take) == parse_document(text.encode())


@pytest.mark.parametrize(
    "channels", ["Xrotation", "Zrotation Xrotation", "Xrotation Yrotation Xrotation", ""]
)
def test_odd_rotation_channels_round_trip(channels: str) -> None:
    count = len(channels.split())
    text = SMALL.replace("3 Xrotation Yrotation Zrotation", f"{count} {channels}")
    text = text.replace(" 40 50 60", " 40 50 60"[: 3 * count]).replace(
        " 41 51 -61", " 41 51 -61"[: (0, 3, 6, 10)[count]]
    )
    document = parse_document(text.encode())
    assert document_of(take_of(document)) == document


def test_different_orders_in_one_file_mean_different_rotations() -> None:
    clip = take_of(parse_document(SMALL.encode())).clip
    from scipy.spatial.transform import Rotation

    for joint, order, angles in ((0, "ZYX", [10, 20, 30]), (1, "XYZ", [40, 50, 60])):
        expected = Rotation.from_euler(order, angles, degrees=True).as_quat()[[3, 0, 1, 2]]
        assert float(quat.angle_between(clip.rotations[0, joint], expected)) < 1e-7


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"hello", "line 1", "HIERARCHY"),
        (b"\xff\xfeH\0", "line 1", "UTF-16"),
        (SMALL[:40].encode(), "line", "expected"),
        (SMALL.split("MOTION")[0].encode(), "line", "ends before MOTION"),
        (edited("OFFSET 10 0 0", "OFFSET 10 x 0"), "line 8", "'x'"),
        (edited("OFFSET 10 0 0", "OFFSET 10 nan 0"), "line 8", "finite"),
        (edited("OFFSET 10 0 0\n", "\n"), "line", "no OFFSET"),
        (
            edited("Zrotation Yrotation Xrotation\n", "Zrotation Wrotation Xrotation\n"),
            "line 5",
            "Wrotation",
        ),
        (edited("CHANNELS 3", "CHANNELS 7"), "line 9", "0 to 6"),
        (
            edited("3 Xrotation Yrotation Zrotation", "3 Xposition Xposition Zrotation"),
            "line 9",
            "twice",
        ),
        (edited("}\nMOTION", "}\nROOT Two\n{\nOFFSET 0 0 0\n}\nMOTION"), "line 16", "second ROOT"),
        (edited("}\nMOTION", "}\n}\nMOTION"), "line 16", "MOTION"),
        (edited("Frames: 2", "Frames: two"), "line 17", "whole number"),
        (edited("Frames: 2", "Frames: -2"), "line 17", "whole number"),
        (edited("Frames: 2\n", ""), "line", "Frames"),
        (edited("Frame Time: 0.033333", "Frame Time: 0"), "line 18", "Frame Time"),
        (edited("Frame Time: 0.033333", "Frame Time: nan"), "line 18", "Frame Time"),
        (edited("Frames: 2", "Frames: 1000000000000"), "line", "its size allows"),
        (edited("Frames: 2", "Frames: 9999999999999999999999"), "line 17", "whole number"),
        (edited("41 51 -61", "41 51"), "line 20", "8 values, expected 9"),
        (edited("41 51 -61", "41 51 six"), "line 20", "'six'"),
        (edited("41 51 -61", "41 51 0x10"), "line 20", "'0x10'"),
        (edited("41 51 -61", "41 51 1_0"), "line 20", "'1_0'"),
    ],
)
def test_errors_name_the_line_and_what_was_found(data: bytes, place: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words) as caught:
        parse_document(data)
    assert (caught.value.place or "").startswith(place)


def rows(count: int) -> str:
    return "".join(f"{i} 2 3 10 20 30 40 50 60\n" for i in range(count))


def test_frame_counts_that_are_nearly_right_are_used_and_noted() -> None:
    head = SMALL.split("Frames:")[0]
    for claimed, there in ((100, 99), (100, 98), (98, 100), (0, 3)):
        text = f"{head}Frames: {claimed}\nFrame Time: 0.01\n{rows(there)}"
        document = parse_document(text.encode())
        assert len(document.values) == there
        assert f"claims {claimed} frames and has {there}" in document.notes[0]


def test_half_a_file_is_refused_unless_asked_for() -> None:
    head = SMALL.split("Frames:")[0]
    text = f"{head}Frames: 100\nFrame Time: 0.01\n{rows(50)}".encode()
    with pytest.raises(UnreadableError, match="50 of 100"):
        parse_document(text)
    assert len(parse_document(text, partial=True).values) == 50
    cut = parse_document(text[:-9], partial=True)
    assert len(cut.values) == 49
    assert any("left out" in note for note in cut.notes)
    with pytest.raises(UnreadableError, match="values"):
        parse_document(text[:-9])


def test_no_frames_give_the_rest_pose() -> None:
    text = SMALL.split("Frames:")[0] + "Frames: 0\nFrame Time: 0.01\n"
    document = parse_document(text.encode())
    assert document.values.shape == (0, 9)
    assert len(take_of(document).clip) == 1
    assert parse_document(document_bytes(document)) == document


@pytest.mark.parametrize("word", ["nan", "NaN", "-nan(ind)", "1.#QNAN", "-1.#IND", "inf"])
def test_numbers_that_are_none_are_filled_in(word: str) -> None:
    head = SMALL.split("Frames:")[0]
    text = (
        f"{head}Frames: 3\nFrame Time: 0.01\n"
        + "1 2 3 10 20 30 40 50 60\n"
        + f"1 2 3 10 20 30 {word} 50 60\n"
        + "1 2 3 10 20 30 50 50 60\n"
    )
    document = parse_document(text.encode())
    assert np.isnan(document.values[1, 6])
    take = take_of(document)
    assert any("NaN" in note for note in take.notes)
    assert np.isfinite(take.clip.rotations).all()
    assert document_of(take).values[1, 6] == pytest.approx(45.0)
    assert parse_document(document_bytes(document)) == document


def test_a_channel_without_any_number_is_refused() -> None:
    text = SMALL.replace(" 60", " nan").replace(" -61", " nan")
    with pytest.raises(UnreadableError, match="channel 9"):
        take_of(parse_document(text.encode()))


def test_written_numbers_read_back_bit_for_bit(rng: np.random.Generator) -> None:
    special = [
        0.0,
        -0.0,
        1e-300,
        1e300,
        123456.789012345,
        0.1,
        1 / 3,
        9e6,
        -9000000.5,
        5e-324,
        2**53,
        1e-9,
        0.123456789,
        8999999.999999,
    ]
    mixed = np.concatenate(
        [
            special,
            rng.normal(size=1000),
            np.round(rng.normal(scale=100, size=1000), 6),
            rng.integers(-999, 999, 500),
        ]
    )
    values = mixed[: len(mixed) // 9 * 9].reshape(-1, 9)
    document = replace(parse_document(SMALL.encode()), values=values)
    assert np.array_equal(parse_document(document_bytes(document)).values, values)


def test_the_number_reader_equals_float(rng: np.random.Generator) -> None:
    words = [repr(float(x)) for x in rng.normal(scale=1e3, size=2000)]
    words += [
        f"{x:.{d}{k}}"
        for x in rng.normal(scale=10.0 ** rng.integers(-30, 30), size=200)
        for d in (0, 3, 9, 17)
        for k in "efg"
    ]
    words += [
        "9007199254740993",
        "900719925474099.3",
        "0.000000000000000000000001",
        "1e22",
        "1e23",
        "123e-22",
        "00000000000000000000001.5",
    ]
    words = words[: len(words) // 9 * 9]
    head = SMALL.split("Frames:")[0]
    lines = "\n".join(" ".join(words[i : i + 9]) for i in range(0, len(words), 9))
    text = f"{head}Frames: {len(words) // 9}\nFrame Time: 0.01\n{lines}\n"
    assert parse_document(text.encode()).values.ravel().tolist() == [float(w) for w in words]


@pytest.mark.parametrize(
    ("unit", "scale"),
    [("m", 1.0), ("cm", 100.0), ("mm", 1000.0), ("inch", 1 / 0.0254), ("cmu", 0.45 / 0.0254)],
)
def test_units_are_recognised_by_body_height(
    unit: str, scale: float, rng: np.random.Generator
) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng)
    document = document_of(ks.Take(clip), unit="m")
    larger = BvhDocument(
        tuple(replace(n, offset=tuple(scale * x for x in n.offset)) for n in document.nodes),  # type: ignore[arg-type]
        document.frame_time_s,
        document.values * np.array([scale] * 3 + [1.0] * (document.values.shape[1] - 3)),
    )
    take = take_of(larger)
    assert take.provenance["unit"] == unit
    assert np.abs(take.clip.world_positions.max() - clip.world_positions.max()) < 1e-4
    assert any(unit in note for note in take.notes)


def test_a_body_of_no_known_unit_is_scaled_and_said_so(rng: np.random.Generator) -> None:
    document = document_of(ks.Take(smooth_clip(ks.default_skeleton().scale(10.0), rng)), unit="m")
    take = take_of(document)
    assert any("scaled to 1.70 m" in note for note in take.notes)
    assert take_of(document, unit="0.1").provenance["unit_m"] == 0.1
    for bad in ("ell", "0", "-1", "nan"):
        with pytest.raises(InvalidValueError, match="unit"):
            take_of(document, unit=bad)


def test_z_up_files_are_turned_upright_and_written_back_as_they_were(
    rng: np.random.Generator,
) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng, size=0.1)
    document = document_of(ks.Take(clip), unit="cm")
    tilt = quat.from_axis_angle([1.0, 0, 0], np.pi / 2)
    turned = []
    for node in document.nodes:
        turned.append(replace(node, offset=tuple(quat.rotate(tilt, np.array(node.offset)))))
    from kinesphere.maths.euler import from_euler, to_euler

    values = document.values.copy()
    values[:, :3] = quat.rotate(tilt, values[:, :3])
    for column in range(3, values.shape[1], 3):
        q = from_euler(np.radians(values[:, column : column + 3]), "ZXY")
        turned_q = quat.multiply(quat.multiply(tilt, q), quat.inverse(tilt))
        values[:, column : column + 3] = np.degrees(to_euler(turned_q, "ZXY"))
    lying = BvhDocument(tuple(turned), document.frame_time_s, values)
    take = take_of(lying)
    assert take.provenance["up"] == "z"
    hands = [c.joint_positions("leftHand") for c in (take.clip, clip)]
    assert np.abs(hands[0] - hands[1]).max() < 1e-4
    assert np.abs(document_of(take).values - values).max() < 1e-6
    assert take_of(lying, up="y").provenance["up"] == "y"
    with pytest.raises(InvalidValueError, match="up"):
        take_of(lying, up="x")


def test_any_skeleton_can_be_written(rng: np.random.Generator) -> None:
    base = ks.default_skeleton()
    rest = quat.exp(0.5 * rng.normal(size=(len(base), 3)))
    clip = smooth_clip(ks.Skeleton(base.names, base.parents, base.offsets, rest, base.tips), rng)
    again = take_of(parse_document(document_bytes(document_of(ks.Take(clip))))).clip
    assert again.fps == pytest.approx(clip.fps)
    for name in base.names:
        assert np.abs(again.joint_positions(name) - clip.joint_positions(name)).max() < 2e-7
    tips = {}
    for key, c in (("before", clip), ("after", again)):
        points = tip_positions(c.skeleton, c.world_rotations, c.world_positions)
        tips[key] = {c.skeleton.names[t.joint]: points[:, k] for k, t in enumerate(c.skeleton.tips)}
    for joint, path in tips["before"].items():
        assert np.abs(tips["after"][joint] - path).max() < 2e-7


def test_written_angles_do_not_jump(rng: np.random.Generator) -> None:
    skeleton = ks.Skeleton(("a",), [-1], np.zeros((1, 3)))
    spin = quat.from_axis_angle([0.2, 1.0, 0.1], np.linspace(0, 25, 500))
    document = document_of(
        ks.Take(ks.Clip(skeleton, 60.0, np.zeros((500, 3)), spin[:, None])), unit="m"
    )
    assert np.abs(np.diff(document.values[:, 3:], axis=0)).max() < 15.0


def test_an_edited_take_keeps_the_layout(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_bytes(SMALL.encode())
    take = read_bvh(path)
    cut = edit(take, Edits(start_s=0.02, end_s=0.05))
    document = document_of(cut)
    assert document.nodes == read_document(path).nodes
    assert document.values == pytest.approx(read_document(path).values[1:])
    faster = document_of(edit(take, Edits(fps=60.0)))
    assert faster.frame_time_s == pytest.approx(1 / 60)
    assert faster.values[0] == pytest.approx(read_document(path).values[0])


def test_a_cut_keeps_every_number(data: Path, tmp_path: Path) -> None:
    path = data / "cmu" / "18_08.bvh"
    whole = read_document(path).values
    cut = document_of(edit(read_bvh(path), Edits(drop_calibration=True)))
    assert np.array_equal(cut.values, whole[1:])
    later = document_of(edit(read_bvh(path), Edits(start_s=2.0, end_s=3.0)))
    assert np.array_equal(later.values, whole[240:361])


def test_one_gap_changes_nothing_else() -> None:
    head = SMALL.split("Frames:")[0]
    text = (
        f"{head}Frames: 3\nFrame Time: 0.01\n"
        + "1 2 3 10 200 30 40 50 60\n" * 2
        + "1 2 3 10 200 30 nan 50 60\n"
    )
    document = parse_document(text.encode())
    assert np.array_equal(document_of(take_of(document)).values[:2], document.values[:2])


def test_names_in_latin_1_and_files_with_bare_returns() -> None:
    data = SMALL.replace("JOINT Arm", "JOINT Hüfte").encode("latin-1")
    document = parse_document(data)
    take = take_of(document)
    assert take.clip.skeleton.names[1] == "Hüfte"
    assert parse_document(document_bytes(document_of(take))) == document
    assert parse_document(SMALL.replace("\n", "\r").encode()) == parse_document(SMALL.encode())


def test_names_that_become_the_same_stay_apart(rng: np.random.Generator) -> None:
    skeleton = ks.Skeleton(("root", "A  B", "A B"), [-1, 0, 0], [[0, 1, 0], [1, 0, 0], [-1, 0, 0]])
    clip = smooth_clip(skeleton, rng)
    again = take_of(document_of(ks.Take(clip), unit="m"), unit="m").clip
    assert np.abs(again.world_positions - clip.world_positions).max() < 1e-5


def test_a_file_with_thousands_of_joints_stays_small() -> None:
    import tracemalloc

    joints = "".join(
        f"JOINT j{i}\n{{\nOFFSET {i % 97} {i % 89} {i % 83}\nCHANNELS 0\n}}\n" for i in range(4000)
    )
    text = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{joints}}}\nMOTION\nFrames: 1\nFrame Time: 1\n5\n"
    tracemalloc.start()
    take_of(parse_document(text.encode()))
    assert tracemalloc.get_traced_memory()[1] < 40 * len(text)
    tracemalloc.stop()


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "out.bvh"
    write_document(parse_document(SMALL.encode()), path)
    assert read_document(path) == parse_document(SMALL.encode())
    write_bvh(read_bvh(path), tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_bytes() == path.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.bvh", "out.bvh"]


@pytest.mark.parametrize(
    "make", [lambda p: None, lambda p: p.mkdir(), lambda p: p.write_bytes(b"")]
)
def test_files_that_cannot_be_read(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "x.bvh"
    make(path)
    with pytest.raises(UnreadableError, match=r"x\.bvh"):
        read_bvh(path)


def test_every_recording_reads_and_comes_back(data: Path) -> None:
    files = sorted(
        [*data.glob("cmu/*.bvh"), *data.glob("greta/*.bvh"), *data.glob("characters/geno/*.bvh")]
    )
    assert len(files) >= 27
    for path in files:
        document = read_document(path)
        take = read_bvh(path)
        back = parse_document(document_bytes(document_of(take)))
        assert back.nodes == document.nodes, path.name
        assert np.abs(back.values - document.values).max() < 1e-6, path.name
        assert abs(back.frame_time_s - document.frame_time_s) < 1e-12
        expected = {"cmu": "cmu", "greta": "cm", "geno": "cm"}[path.parent.name]
        assert take.provenance["unit"] == expected, path.name
        assert any("calibration" in note for note in take.notes) == (expected == "cmu"), path.name
