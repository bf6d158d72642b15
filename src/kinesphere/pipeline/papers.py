"""Pages that reproduce the papers' figures with our code: ``docs/tension-figures.md`` so far.

Every number on a page is computed here. Errors of a paper are drawn as published, dashed, together
with the correction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from os import PathLike
from pathlib import Path

import numpy as np

from kinesphere.animation.arms.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.mass_tracker import measure_lag, track
from kinesphere.dynamics.tension.presets import PRESETS, Tension
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.render.plot import GREY, MINUS, PALETTE, Axis, Band, Line, Panel, figure_svg
from kinesphere.formats.files import written_whole
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side, chest_bone, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.movement import Movement, Timing
from kinesphere.motion.keyed.sampling import apply_keys
from kinesphere.motion.resampling import resample
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import Edits, edit

# The example of the whole page: rest error in metres and zeta.
EXAMPLE = (0.05, 0.3)
ZETAS = (0.15, 0.3, 0.5, 0.7, 1.0)
REST_ERRORS_M = (0.005, 0.02, 0.05, 0.1, 0.3)
ASKED = {"oscillations": 3.0, "overshoot_m": 0.04, "speed_m_s": 1.0}
FPS = 240.0
_MARGIN_S = 1.5  # around the shown part, so that no mass starts or ends within it
_SHOWN_S = (2.0, 2.2)  # at most, before and after a stroke's end
_HELD_S = 0.3  # a shorter hold shows no oscillation
_BLEND_S = 0.15  # from a stroke's parameters to a retraction's
_COLOURS = dict(zip(PRESETS, (PALETTE[0], PALETTE[2], GREY, PALETTE[1], PALETTE[3]), strict=True))
_DRAWN = ("loose", "relaxed", "tense", "trembling")


@dataclass(frozen=True)
class Page:
    """A page of Markdown and its pictures, SVG text by file name."""

    text: str
    pictures: dict[str, str]


def check_names(only: Sequence[str]) -> None:
    """Reject names of pages that do not exist."""
    for name in only:
        if name not in PAGES:
            raise InvalidValueError(f"page {name!r} is unknown; allowed are {', '.join(PAGES)}")


def papers(
    folder: str | PathLike[str], only: Sequence[str] = (), take: Take | None = None
) -> list[Path]:
    """Write the pages, all unless some are named, and their pictures into a folder.

    Parameters
    ----------
    folder : is made if it does not exist; pictures go into its folder ``pictures``.
    take : a recording with a gesture, shown in addition to our own.

    Raises
    ------
    InvalidValueError
        For the name of a page that does not exist, or a take without a gesture.
    UnwritableError
        If the folder cannot be written to.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.papers("pages")[-1].name
    'tension-figures.md'
    """
    check_names(only)
    made = {name: PAGES[name](take) for name in PAGES if not only or name in only}
    target = Path(folder)
    try:
        (target / "pictures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnwritableError(f"{target}: cannot write here: {reason}") from None
    files = {}
    for name, page in made.items():
        files.update({target / "pictures" / file: text for file, text in page.pictures.items()})
        files[target / f"{name}-figures.md"] = page.text
    for path, text in files.items():
        with written_whole(path) as file:
            file.write(text.encode())
    return list(files)


# The paper's formulas as published, for comparison only.


def printed_error(t_s: Floats, rest_error_m: float, zeta: float) -> Floats:
    """Eq 3 as published, at 1 m/s."""
    omega, root = _omega(rest_error_m), np.sqrt(1.0 - zeta * zeta)
    swing = np.exp(-zeta * omega * t_s) * np.sin(
        omega * root * t_s + np.arccos(2.0 * zeta * zeta - 1.0)
    )
    return np.asarray(2.0 * zeta / omega + swing / (omega * root))


def printed_peak_error_m(rest_error_m: float, zeta: float) -> float:
    """Eq 5 as published, at 1 m/s."""
    peak = float(response.peak_time_s(rest_error_m, zeta))
    return float(printed_error(np.array(peak), rest_error_m, zeta))


def printed_settling_time_s(rest_error_m: float, zeta: float) -> float:
    """Eq 7 as published."""
    omega, root = _omega(rest_error_m), np.sqrt(1.0 - zeta * zeta)
    return float(np.log(2.0 * response.SETTLED * omega * root) / (zeta * omega))


def printed_oscillations(zeta: Floats) -> Floats:
    """Eq 8 as published."""
    root, half_theta = np.sqrt(1.0 - zeta * zeta), np.arccos(zeta)
    inside = 2.0 * response.SETTLED * zeta * root + half_theta
    return np.asarray(-root / zeta * np.log(inside) / np.pi)


def _omega(rest_error_m: float) -> float:
    return float(2.0 * np.pi * response.natural_frequency_hz(rest_error_m))


@dataclass(frozen=True)
class Measured:
    """Response of a tracker to a ramp of 1 m/s, measured on its path.

    Parameters
    ----------
    start_m, peak_m, overshoot_m : error at the start; largest error; the same without the lag.
    settled_s : when the error last was farther from the lag than `response.SETTLED` of it.
    swings : extrema of the error up to then.
    """

    start_m: float
    peak_m: float
    overshoot_m: float
    settled_s: float
    swings: int


def measured(rest_error_m: float, zeta: float, fps: float = 2000.0) -> Measured:
    """Run the tracker itself on a ramp and measure the error."""
    length = 1.5 * float(response.settling_time_s(rest_error_m, zeta))
    t = np.arange(int(length * fps) + 1) / fps
    ramp = np.stack([t, np.zeros_like(t), np.zeros_like(t)], axis=-1)
    error = t - track(ramp, fps, rest_error_m, zeta).position[:, 0]
    lag = float(response.lag_s(rest_error_m, zeta))
    out = np.flatnonzero(np.abs(error - lag) > response.SETTLED * lag)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(error))) != 0) + 1
    return Measured(
        start_m=float(error[0]),
        peak_m=float(error.max()),
        overshoot_m=float(error.max() - lag),
        settled_s=float(t[out[-1]]),
        swings=int(np.sum(turns <= out[-1])),
    )


# Table 1: direction in which each parameter has to change, found by changing it.

NO_EFFECT = "\N{EN DASH}"
Effect = Callable[[Floats, Floats, Floats], Floats]
EFFECTS: dict[str, Effect] = {
    "overshoot past a stop": lambda e, z, v: response.overshoot_m(e, z, v),
    "frequency of the swings": lambda e, z, v: response.damped_frequency_hz(e, z) + 0.0 * v,
    "number of swings": lambda e, z, v: response.oscillations(z) + 0.0 * (e + v),
    "lag": lambda e, z, v: response.lag_s(e, z) + 0.0 * v,
    "time to settle": lambda e, z, v: response.settling_time_s(e, z) + 0.0 * v,
    "largest error on a ramp (eq 5)": lambda e, z, v: response.peak_error_m(e, z, v),
}
PRINTED_TABLE = {
    "overshoot past a stop": ("↓", "↓", "↑"),
    "frequency of the swings": ("↓", "↑", NO_EFFECT),
    "number of swings": ("↑", NO_EFFECT, NO_EFFECT),
}
"""Table 1 as published: zeta, stiffness, input speed; a blank cell is read as no effect."""
STEP = 0.05
GRID = (np.geomspace(0.001, 0.3, 7), np.linspace(0.1, 0.8, 8), np.array([0.5, 1.0, 2.0]))


def arrows(effect: Effect) -> tuple[str, str, str]:
    """Return how zeta, stiffness and speed must change for more: ↑, ↓, `NO_EFFECT`, ± if mixed."""
    error, zeta, speed = (np.array(v) for v in zip(*product(*GRID), strict=True))
    now = effect(error, zeta, speed)
    # Stiffness is the inverse of the rest error.
    more = (
        effect(error, (1.0 + STEP) * zeta, speed),
        effect(error / (1.0 + STEP), zeta, speed),
        effect(error, zeta, (1.0 + STEP) * speed),
    )
    first, second, third = (_arrow(changed / now - 1.0) for changed in more)
    return first, second, third


def _arrow(change: Floats) -> str:
    if np.all(np.abs(change) < 1e-9):
        return NO_EFFECT
    if np.all(change > 0.0):
        return "↑"
    return "↓" if np.all(change < 0.0) else "±"


# The gesture.


def gesture_clip() -> Clip:
    """Our own right-hand gesture: rest, preparation, stroke with a sudden stop, hold, home pose.

    The stop has to be sudden: a hand that decelerates by itself hardly excites oscillation in a
    stiff tracker.
    """
    rig = default_rig()
    base = home_clip(round(3.8 * FPS) + 1, FPS)
    arm = measure_arm(base, rig, "right")
    home, swivel = arm.wrists[0], float(arm.swivels[0])
    ready, done = (0.06, -0.02, 0.30), (-0.20, -0.25, 0.34)
    late = Movement(Timing(corners=(0.01, 0.85, 0.99), speeds=(0.0, 0.85, 0.0)), rounding_s=0.02)
    keys = ArmKeys(
        np.array([0.4, 1.15, 1.5, 2.3, 3.1]),
        np.array([home, ready, done, done, home]),
        np.array([swivel, 0.5, 0.5, 0.5, swivel]),
        movements=(Movement(), late, Movement(), Movement()),
    )
    return apply_keys(KeyedMotion(right=keys), base, rig)


@dataclass(frozen=True, eq=False)
class Gesture:
    """A stroke of one hand with the motion around it.

    Parameters
    ----------
    wrists : ``[frames, 3]`` in the chest's frame, at `fps`; frame 0 is at `start_s` of the clip.
    phases, stroke : of the arm, and the stroke that is shown, in the clip's time.
    """

    wrists: Floats
    fps: float
    start_s: float
    phases: ArmPhases
    stroke: Phase

    @property
    def times(self) -> Floats:
        """Time axis in seconds of the clip."""
        return self.start_s + np.arange(len(self.wrists)) / self.fps

    @property
    def shown_s(self) -> tuple[float, float]:
        """Time range of a figure: the gesture unit, or as much of it as fits."""
        unit = next(u for u in self.phases.units if self.stroke in u.phases)
        end = self.stroke.end_s
        low = max(unit.start_s - 0.3, end - _SHOWN_S[0], self.times[0])
        return float(low), float(min(unit.end_s + 0.6, end + _SHOWN_S[1], self.times[-1]))

    @property
    def peak_speed_m_s(self) -> float:
        """Peak wrist speed in the chest's frame during the stroke."""
        inside = (self.times >= self.stroke.start_s) & (self.times <= self.stroke.end_s)
        steps = np.diff(self.wrists[inside], axis=0)
        return float(np.linalg.norm(steps, axis=-1).max() * self.fps)

    @property
    def hold_end_s(self) -> float:
        """When the hand moves again after the stroke, or 0.5 s later if there is no hold."""
        after = [p for p in self.phases if p.start_s >= self.stroke.end_s]
        held = after and after[0].kind in ("hold", "rest")
        return after[0].end_s if held else min(self.stroke.end_s + 0.5, float(self.times[-1]))

    def along(self, wrists: Floats) -> Floats:
        """Metres along the stroke's direction, 0 where the stroke ends."""
        first, last = (
            self.wrists[int(np.argmin(np.abs(self.times - t)))]
            for t in (self.stroke.start_s, self.stroke.end_s)
        )
        way = (last - first) / max(float(np.linalg.norm(last - first)), 1e-9)
        return np.asarray((wrists - last) @ way)

    def tracked(self, tension: Tension, *, compensate: bool = True) -> Floats:
        """Wrists ``[frames, 3]`` that follow with a tension; looser in retraction and at rest."""
        loose = np.zeros(len(self.times))
        for phase in self.phases:
            if phase.kind in ("retraction", "rest"):
                loose[(self.times >= phase.start_s) & (self.times < phase.end_s)] = 1.0
        count = max(1, round(_BLEND_S * self.fps))
        padded = np.concatenate([np.full(count - 1, loose[0]), loose])
        loose = np.convolve(padded, np.full(count, 1.0 / count), mode="valid")
        (e0, z0), (e1, z1) = (
            (float(p.rest_error_m), float(p.zeta)) for p in (tension.stroke, tension.retraction)
        )
        error = np.exp(np.log(e0) + loose * (np.log(e1) - np.log(e0)))
        zeta = z0 + loose * (z1 - z0)
        return track(self.wrists, self.fps, error, zeta, compensate=compensate, cubic=True).position


def gesture_of(clip: Clip, rig: Rig) -> Gesture:
    """Find the fastest stroke, with a factor of two for a hold after it, and cut out its context.

    Raises
    ------
    InvalidValueError
        If no hand makes a stroke.
    RigError
        If the rig lacks a bone of an arm.
    """
    found = detect_phases(clip, rig)
    strokes = [
        (phase.peak_speed * (2.0 if _held(after) else 1.0), side, phase)
        for side in SIDES
        for phase, after in zip_longest(found.arm(side), found.arm(side).phases[1:])
        if phase.kind == "stroke"
    ]
    if not strokes:
        raise InvalidValueError("no hand makes a stroke in this clip; give one with a gesture")
    _, side, stroke = max(strokes, key=lambda s: s[0])
    low = max(0.0, stroke.end_s - _SHOWN_S[0] - _MARGIN_S)
    high = min(clip.duration_s, stroke.end_s + _SHOWN_S[1] + _MARGIN_S)
    first, last = int(low * clip.fps), int(np.ceil(high * clip.fps - 1e-6))
    cut = clip.frames(first, min(last + 1, len(clip)))
    start = first / clip.fps
    cut = resample(cut, FPS) if cut.fps < FPS else cut
    return Gesture(wrist_in_chest(cut, rig, side), cut.fps, start, found.arm(side), stroke)


def _held(after: Phase | None) -> bool:
    return after is not None and after.kind == "hold" and after.duration_s >= _HELD_S


def wrist_in_chest(clip: Clip, rig: Rig, side: Side) -> Floats:
    """Wrist ``[frames, 3]`` relative to the chest joint, in the chest's axes."""
    arm = measure_arm(clip, rig, side)
    chest = clip.world_positions[:, rig.joint(chest_bone(rig))]
    away = arm.in_world(arm.wrists) - chest
    return quaternion.rotate(quaternion.inverse(arm.axes), away)


# Figures.


def _figure_2() -> str:
    errors = np.geomspace(0.001, 0.3, 121)
    past, largest = (
        [
            Line(100.0 * errors, 100.0 * f(errors, zeta), f"ζ = {zeta:g}", PALETTE[i])
            for i, zeta in enumerate(ZETAS[:4])
        ]
        for f in (response.overshoot_m, response.peak_error_m)
    )
    strokes = [preset.stroke for preset in PRESETS.values()]
    at = np.array([float(p.rest_error_m) for p in strokes])
    over = np.array([float(response.overshoot_m(p.rest_error_m, p.zeta)) for p in strokes])
    dots = Line(100.0 * at, 100.0 * over, "our presets", GREY, width=2.5, dots=True)
    x = Axis("rest error (cm), stiff to loose", log=True)
    y = Axis("cm at 1 m/s", 0.08, 30.0, log=True)
    return figure_svg(
        [
            Panel((*past, dots), x, y, "Overshoot past a stop"),
            Panel(tuple(largest), x, y, "Largest error, with the lag"),
        ],
        "Overshoot by rest error and zeta",
        description="Overshoot falls as zeta grows; the largest error on a ramp grows with it.",
        columns=2,
    )


def _figure_3() -> str:
    zeta = np.linspace(0.1, 0.99, 179)
    some = np.linspace(0.1, 0.9, 17)
    counted = np.array([measured(EXAMPLE[0], float(z), 1000.0).swings for z in some])
    lines = (
        Line(zeta, response.oscillations(zeta), "eq 8, corrected", PALETTE[0], width=2.5),
        Line(zeta, printed_oscillations(zeta), "eq 8, as printed", PALETTE[3], "dashed"),
        Line(some, counted, "counted on the simulated path", GREY, width=2.5, dots=True),
    )
    return figure_svg(
        [
            Panel(
                lines,
                Axis("damping ratio ζ", 0.08, 1.0),
                Axis("swings (half-cycles)", -2.0, 16.0),
                bands=(Band(0.3, 0.5, "paper's advice"),),
            )
        ],
        "Number of swings by zeta",
        description="The number falls as zeta grows, to none at 1.",
    )


def _responses(
    times: Floats, cases: Sequence[tuple[float, float]], labels: Sequence[str]
) -> tuple[list[Line], list[Line]]:
    """Errors on a ramp and positions after a stop, in centimetres at 1 m/s."""
    behind, after = (
        [
            Line(times, 100.0 * f(times, error, zeta), label, PALETTE[i])
            for i, ((error, zeta), label) in enumerate(zip(cases, labels, strict=True))
        ]
        for f in (response.ramp_error, response.ramp_stop_response)
    )
    return behind, after


def _figure_4() -> str:
    times = np.linspace(0.0, 1.2, 241)
    behind, after = _responses(
        times,
        [(error, EXAMPLE[1]) for error in REST_ERRORS_M],
        [f"rest error {_length(error)}" for error in REST_ERRORS_M],
    )
    wrong = Line(
        times,
        100.0 * printed_error(times, *EXAMPLE),
        f"{_length(EXAMPLE[0])}, eq 3 as printed",
        PALETTE[REST_ERRORS_M.index(EXAMPLE[0])],
        "dashed",
    )
    x = Axis("seconds since the start", 0.0, 1.2)
    return figure_svg(
        [
            Panel((*behind, wrong), x, Axis("cm at 1 m/s"), "Behind a target that sets off"),
            Panel(
                tuple(after),
                Axis("seconds since the stop", 0.0, 1.2),
                Axis("cm at 1 m/s"),
                "Past a target that stops",
            ),
        ],
        f"Tracking error by rest error, zeta {EXAMPLE[1]:g}",
        description="A looser tracker falls farther behind, swings farther and more slowly.",
        columns=2,
    )


def _figure_5() -> str:
    times = np.linspace(0.0, 1.5, 301)
    behind, after = _responses(
        times, [(EXAMPLE[0], zeta) for zeta in ZETAS], [f"ζ = {zeta:g}" for zeta in ZETAS]
    )
    return figure_svg(
        [
            Panel(
                tuple(behind),
                Axis("seconds since the start", 0.0, 1.5),
                Axis("cm at 1 m/s"),
                "Behind a target that sets off",
            ),
            Panel(
                tuple(after),
                Axis("seconds since the stop", 0.0, 1.5),
                Axis("cm at 1 m/s"),
                "Past a target that stops",
            ),
        ],
        f"Tracking error by zeta, rest error {_length(EXAMPLE[0])}",
        description="A smaller zeta swings more often and starts less far behind.",
        columns=2,
    )


def _figure_gesture(gesture: Gesture) -> str:
    times, (low, high) = gesture.times, gesture.shown_s
    # Half the frames are enough for the whole; the close-up needs them all.
    shown = (times >= low) & (times <= high) & (np.arange(len(times)) % 2 == 0)
    paths = {name: gesture.tracked(PRESETS[name]) for name in _DRAWN}

    def lines(some: Bools, seen: Callable[[Floats], Floats]) -> tuple[Line, ...]:
        given = seen(gesture.wrists[some])
        tracked = (
            Line(times[some], 100.0 * seen(path[some]), name, _COLOURS[name], width=1.8)
            for name, path in paths.items()
        )
        return (Line(times[some], 100.0 * given, "input", GREY, width=4.5), *tracked)

    heights = lines(shown, lambda path: path[:, 1])
    bands = tuple(
        Band(max(p.start_s, low), min(p.end_s, high), p.kind, shade=0.2 if i % 2 else 0.08)
        for i, p in enumerate(p for p in gesture.phases if p.end_s > low and p.start_s < high)
        if p.kind != "rest"
    )
    stop, until = gesture.stroke.end_s, min(gesture.hold_end_s, gesture.stroke.end_s + 0.8)
    near = (times >= stop - 0.1) & (times <= until)
    ends = lines(near, gesture.along)
    held = np.concatenate([line.y[line.x >= stop - 0.05] for line in ends])
    top, span = float(held.max()), max(float(np.ptp(held)), 1.0)
    limits = top - 1.3 * span, top + 0.1 * span
    return figure_svg(
        [
            Panel(
                heights,
                Axis("seconds", low, high),
                Axis("height from the chest (cm)"),
                "The gesture",
                bands,
            ),
            Panel(
                ends,
                Axis("seconds", stop - 0.1, until),
                Axis("cm past the stroke's end", *limits),
                "The end of its stroke, closer",
            ),
        ],
        "A gesture with four tensions",
        description="Loose hands swing past the stroke's end slowly and far, tense ones quiver.",
    )


def _figure_inverse() -> str:
    error, zeta = response.parameters_for(**ASKED)
    speed, end = ASKED["speed_m_s"], 1.2
    lag = float(response.lag_s(error, zeta))
    times = np.linspace(-0.1, end, 261)
    after = response.ramp_stop_response(np.maximum(times, 0.0), error, zeta, speed)
    place = np.where(times < 0.0, speed * (times - lag), after)
    turns = response.peak_time_s(error, zeta, np.arange(1, int(ASKED["oscillations"]) + 1))
    heights = response.ramp_stop_response(turns, error, zeta, speed)
    asked, settled = 100.0 * ASKED["overshoot_m"], 100.0 * response.SETTLED * lag * speed
    lines = (
        Line(times, 100.0 * speed * np.minimum(times, 0.0), "target", GREY, "dashed"),
        Line(np.array([0.0, end]), np.full(2, asked), "asked for", PALETTE[1], "dashed", 1.5),
        Line(times, 100.0 * place, f"rest error {_length(error)}, ζ = {zeta:.2f}", width=2.5),
        Line(turns, 100.0 * heights, "its swings", PALETTE[3], dots=True),
    )
    return figure_svg(
        [
            Panel(
                lines,
                Axis("seconds since the stop", -0.1, end),
                Axis("cm from the stop", -9.0, 5.5),
                bands=(Band(-settled, settled, axis="y", shade=0.25),),
            )
        ],
        "The response that was asked for",
        description="The hand swings past the stop by what was asked for, and settles.",
    )


# The page.


def _length(metres: float) -> str:
    return f"{1000.0 * metres:.3g} mm" if metres < 0.01 else f"{100.0 * metres:.3g} cm"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _preset_table() -> str:
    rows = []
    for name, preset in PRESETS.items():
        for kind, p in (("stroke", preset.stroke), ("retraction", preset.retraction)):
            error, zeta = float(p.rest_error_m), float(p.zeta)
            rows.append(
                [
                    name if kind == "stroke" else "",
                    kind,
                    _length(error),
                    f"{zeta:g}",
                    f"{float(response.natural_frequency_hz(error)):.1f} Hz",
                    f"{1000.0 * float(response.lag_s(error, zeta)):.0f} ms",
                    f"{100.0 * float(response.overshoot_m(error, zeta)):.1f} cm",
                    f"{float(response.settling_time_s(error, zeta)):.2f} s",
                    f"{float(response.oscillations(zeta)):.1f}",
                ]
            )
    head = ["preset", "for", "rest error", "zeta", "frequency", "lag", "overshoot", "settles in"]
    return _table([*head, "swings"], rows)


def _print_table() -> str:
    error, zeta = EXAMPLE
    seen = measured(error, zeta)
    rows = [
        (
            "error at the start (eq 3)",
            "{:.1f} cm",
            100.0 * float(printed_error(np.zeros(()), *EXAMPLE)),
            100.0 * float(response.ramp_error(0.0, error, zeta)),
            100.0 * seen.start_m,
        ),
        (
            "largest error (eq 5)",
            "{:.2f} cm",
            100.0 * printed_peak_error_m(*EXAMPLE),
            100.0 * float(response.peak_error_m(error, zeta)),
            100.0 * seen.peak_m,
        ),
        (
            "overshoot past a stop",
            "{:.2f} cm",
            None,
            100.0 * float(response.overshoot_m(error, zeta)),
            100.0 * seen.overshoot_m,
        ),
        (
            "settled after (eq 7)",
            "{:.2f} s",
            printed_settling_time_s(*EXAMPLE),
            float(response.settling_time_s(error, zeta)),
            seen.settled_s,
        ),
        (
            "swings (eq 8)",
            "{:.1f}",
            float(printed_oscillations(np.array(zeta))),
            float(response.oscillations(zeta)),
            float(seen.swings),
        ),
    ]
    cells = [
        [name, *("" if v is None else form.format(v + 0.0).replace("-", MINUS) for v in values)]
        for name, form, *values in rows
    ]
    return _table(["", "as printed", "corrected", "measured on the tracker"], cells)


def _effect_table() -> str:
    rows = []
    for name, effect in EFFECTS.items():
        found = arrows(effect)
        printed = PRINTED_TABLE.get(name, found)
        cells = [
            a if a == b else f"**{a}** (printed {b})" for a, b in zip(found, printed, strict=True)
        ]
        rows.append([name, *cells, "" if name in PRINTED_TABLE else "ours"])
    return _table(["for more …", "zeta", "stiffness", "speed of the hand", ""], rows)


def _inverse_table() -> str:
    rows = []
    for swings, overshoot, speed in (
        (3.0, 0.04, 1.0),
        (6.0, 0.04, 1.0),
        (3.0, 0.01, 1.0),
        (3.0, 0.04, 2.0),
    ):
        error, zeta = response.parameters_for(swings, overshoot, speed)
        seen = measured(error, zeta)
        rows.append(
            [
                f"{swings:g}",
                _length(overshoot),
                f"{speed:g} m/s",
                _length(error),
                f"{zeta:.2f}",
                f"{100.0 * speed * seen.overshoot_m:.2f} cm",
                f"{seen.swings}",
            ]
        )
    head = ["swings", "overshoot", "at", "rest error", "zeta", "overshoot measured"]
    return _table([*head, "swings counted"], rows)


def _gesture_table(gesture: Gesture) -> str:
    shown = (gesture.times >= gesture.shown_s[0]) & (gesture.times <= gesture.shown_s[1])
    # A stiff hand reverses just before its stroke counts as over.
    held = (gesture.times >= gesture.stroke.end_s - 0.1) & (gesture.times <= gesture.hold_end_s)
    rows = []
    for name, preset in PRESETS.items():
        late, path = gesture.tracked(preset, compensate=False), gesture.tracked(preset)
        lags = [
            1000.0 * float(measure_lag(gesture.wrists[shown], p[shown], gesture.fps))
            for p in (late, path)
        ]
        past = gesture.along(path)[held].max() - gesture.along(gesture.wrists)[held].max()
        away = np.linalg.norm(path - gesture.wrists, axis=-1)[shown].max()
        cells = [f"{lags[0]:.0f} ms", f"{lags[1]:.0f} ms", f"{100.0 * past:.1f} cm"]
        rows.append([name, *cells, f"{100.0 * away:.1f} cm"])
    head = ["preset", "lag", "lag when shifted", "past the stroke's end", "farthest from the input"]
    return _table(head, rows)


def _tension(take: Take | None) -> Page:
    """The page on the mass trackers of the 2022 paper."""
    ours = gesture_of(gesture_clip(), default_rig())
    pictures = {
        "tension-2.svg": _figure_2(),
        "tension-3.svg": _figure_3(),
        "tension-4.svg": _figure_4(),
        "tension-5.svg": _figure_5(),
        "tension-gesture.svg": _figure_gesture(ours),
        "tension-inverse.svg": _figure_inverse(),
    }
    clip = ""
    if take is not None:
        moving = edit(take, Edits(drop_calibration=True))
        theirs = gesture_of(moving.clip, report_of(moving).rig)
        pictures["tension-clip.svg"] = _figure_gesture(theirs)
        clip = _CLIP.format(table=_gesture_table(theirs), side=theirs.phases.side)
    error, zeta = response.parameters_for(**ASKED)
    slower = response.damped_frequency_hz(EXAMPLE[0], np.array([0.15, 0.5]))
    text = _PAGE.format(
        presets=_preset_table(),
        prints=_print_table(),
        effects=_effect_table(),
        inverse=_inverse_table(),
        gesture=_gesture_table(ours),
        clip=clip,
        example=f"rest error {_length(EXAMPLE[0])}, zeta {EXAMPLE[1]:g}",
        asked_error=_length(error),
        asked_zeta=f"{zeta:.2f}",
        slower=f"{100.0 * (1.0 - slower[1] / slower[0]):.0f}",
        few=f"{float(response.oscillations(0.5)):.1f}",
        some=f"{float(response.oscillations(0.3)):.1f}",
        many=f"{float(response.oscillations(0.15)):.1f}",
        grid_errors=f"{_length(GRID[0][0])} to {_length(GRID[0][-1])}",
        grid_zetas=f"{GRID[1][0]:g} to {GRID[1][-1]:g}",
        grid_speeds=f"{GRID[2][0]:g} to {GRID[2][-1]:g} m/s",
        stroke_speed=f"{ours.peak_speed_m_s:.1f}",
        none=NO_EFFECT,
        step=f"{100.0 * STEP:g}",
        zeta=f"{EXAMPLE[1]:g}",
        rest_error=_length(EXAMPLE[0]),
        share=f"{100.0 * response.SETTLED:g}",
    )
    return Page(text, pictures)


_PAGE = """\
# Figures of the tension paper

<!-- Written by `kinesphere papers -o docs`; edit src/kinesphere/pipeline/papers.py instead. -->

Michael Neff, *Tunable Tension for Gesture Animation*, IVA 2022,
[doi 10.1145/3514197.3549631](https://doi.org/10.1145/3514197.3549631). Every number and picture
here is computed from our code. Where a printed formula is wrong, the page says so. To use it, see
[muscular tension](muscular-tension.md).

## Parameters and presets

A small mass hangs on each wrist by a spring and a damper. The mass follows the hand, and the arm
follows the mass. There are two parameters:

- **Rest error** is how far gravity would displace the mass: millimetres are stiff, decimetres are
  loose. (The displacement itself is compensated.) It sets how far and how slowly the hand
  oscillates.
- **Zeta** is the damping ratio: at 0.15 oscillation persists, at 0.5 the hand overshoots once, at 1
  it does not overshoot.

Presets set both:

{presets}

Overshoot is the distance by which a hand that moves at 1 m/s passes its stop; it is proportional
to speed. A swing is a half-cycle: past the stop and back again count as two. Lag is the delay of
the hand; offline the input is advanced by it, so that the timing is kept.

## Effect on a gesture

![A gesture with four tensions](pictures/tension-gesture.svg)

The input is a gesture of our own, made from five keys: it reaches {stroke_speed} m/s and stops
suddenly. In the lower panel, 0 is where the stroke ends, up is its direction. *Loose* overshoots
and returns slowly. *Trembling* arrives on time and oscillates. The retraction is looser than the
stroke.

{gesture}

Lag compensation is exact for constant speed; fast movements are still slightly late.

A hand that decelerates smoothly gives a stiff tracker little to oscillate on. This is why the paper
makes holds constant before it applies tension. The same figure for your own recording:
`kinesphere papers -o pages --clip talk.bvh`.
{clip}
## Parameters for a requested effect

"Three visible oscillations, with 4 cm of overshoot at 1 m/s":

```python
from kinesphere.dynamics.tension.response import parameters_for

rest_error_m, zeta = parameters_for(oscillations=3, overshoot_m=0.04, speed_m_s=1.0)
```

gives a rest error of {asked_error} and a zeta of {asked_zeta}. Inside the band the
oscillation counts as settled: {share} percent of the distance by which the hand lagged behind.

![The response that was asked for](pictures/tension-inverse.svg)

An oscillation here is a half-cycle: past the stop is one, back is the second. For three full cycles
ask for six. The two columns on the right are measured on the tracker's path. The last requested
half-cycle ends just inside the band, so one fewer is visible; the paper's formula counts it too.

{inverse}

## Table 1: effect of each parameter

{effects}

↑ increase it, ↓ decrease it, {none} no effect. The arrows are found by changing each parameter by
{step} percent everywhere between rest errors of {grid_errors}, zetas of {grid_zetas} and
speeds of {grid_speeds}. Stiffness is the inverse of the rest error.

Corrected: the number of swings grows as zeta *de*creases; it is printed the other way round. Zeta
has little effect on the frequency, as the paper says: from 0.15 to 0.5 it falls by {slower}
percent.

## Figure 2: overshoot

![Overshoot by rest error and zeta](pictures/tension-2.svg)

Looser and less damped hands overshoot more. The dots are the strokes of our presets.

Corrected: eq 5 has the wrong sign, and its peak includes the lag. That peak (right) *grows* with
zeta. The visible overshoot, which Table 1 means, is the peak without the lag (left).

## Figure 3: number of swings

![Number of swings by zeta](pictures/tension-3.svg)

At zeta 0.5 there are {few} swings, at 0.3 {some}, at 0.15 {many}, whatever the stiffness.

Corrected: eq 8 has its `theta/2` inside the logarithm, where the result is near zero or
negative (dashed). It counts half-cycles. The formula uses the envelope of the oscillation and
so counts up to one more than the path has (dots).

## Figure 4: stiffness

![Tracking error by rest error](pictures/tension-4.svg)

All at zeta {zeta}. A looser tracker has more lag, more overshoot and a lower frequency, but the
same number of swings.

Corrected: the sign of the oscillating term in eq 3 is minus. As printed (dashed), the mass would
not start on its target. The paper does not print the zeta of its figure; {zeta} is ours. The right
half is ours too: the left one without the lag, as seen at the end of a stroke.

## Figure 5: zeta

![Tracking error by zeta](pictures/tension-5.svg)

All at a rest error of {rest_error}. A smaller zeta gives more swings and less lag.

Corrected: as in Figure 4. Without its lag, the left half is the paper's transient error.

## The printed formulas, checked on one example

For {example}, on a ramp of 1 m/s. The last column comes from the tracker, not
from a formula.

{prints}

## Formulas

With `g` gravity, `v` the speed, `c` the share that counts as settled ({share} percent), and

```
omega = sqrt(g / rest_error)    s = sqrt(1 - zeta^2)    theta = arccos(2 zeta^2 - 1)
```

```
eq 2  x(t)      = v [t - 2 zeta/omega + exp(-zeta omega t) sin(omega s t + theta) / (omega s)]
eq 3  phi(t)    = v [2 zeta/omega - exp(-zeta omega t) sin(omega s t + theta) / (omega s)]
eq 4  t_peak    = (n pi - theta/2) / (omega s)
eq 5  phi_max   = 2 zeta v/omega + overshoot
      overshoot = (v/omega) exp(-zeta (pi - arccos zeta) / s)
eq 6  -2 v zeta/omega + v exp(-zeta omega t) / (omega s) = -(1 - c) 2 v zeta/omega
eq 7  t_settle  = -ln(2 c zeta s) / (zeta omega)
eq 8  n         = [theta/2 - (s/zeta) ln(2 c zeta s)] / pi
eq 9  rest_error = m g / k_s
      lag       = 2 zeta/omega
```

Eqs 2, 4 and 9 are as printed. Near zeta 1 eq 7 diverges; there
`kinesphere.dynamics.tension.response.settling_time_s` uses a tighter bound. Each frame is solved
exactly, so the result does not depend on the frame rate (the paper uses Euler steps, which are
inaccurate for stiff trackers at 60 or 120 frames a second).
"""

_CLIP = """
## Your clip

![A gesture of your clip with four tensions](pictures/tension-clip.svg)

The fastest stroke of the clip, of the {side} hand; one that ends in a hold counts double. Holds are
as recorded; a calibration frame at the start is removed.

{table}
"""

PAGES: dict[str, Callable[[Take | None], Page]] = {"tension": _tension}
"""Pages by name."""
