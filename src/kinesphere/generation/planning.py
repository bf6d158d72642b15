"""Step 4: phases, positions and times of a unit's gestures (section 5.2.4)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kinesphere.corpus.profiles.profile import GestureSample, Profile
from kinesphere.generation.creation import Candidate
from kinesphere.generation.graph import Graph
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.positions import HandPosition
from kinesphere.gesture.script import Hands, ScriptGesture, ScriptUnit

_MIDDLE = HandPosition("abdomen", "normal", "front", "normal")
_MOST_STROKES = 8
_USUAL_DISTANCE = (0.7, 0.7)


@dataclass(frozen=True)
class Frame:
    """A gesture that was chosen, with hand and hand shape, before it is planned."""

    candidate: Candidate
    hands: Hands
    handshape: str


@dataclass
class Planned:
    """A gesture that is being planned; times in seconds."""

    frame: Frame
    place: int  # in the path
    sample: GestureSample
    random: bool  # whether the sample was chosen freely
    prep: bool
    stroke_end_s: float
    stroke_s: float
    chance_s: float  # random part of the stroke's length
    offset_s: float  # subtracted from the word's end or start
    moved_s: float = 0.0
    after: list[float] = field(default_factory=list)
    hold_s: float = 0.0

    @property
    def start_s(self) -> float:
        """Start of the stroke, or of the hold of a hold gesture."""
        return self.stroke_end_s - self.stroke_s

    @property
    def end_s(self) -> float:
        """End of the last stroke."""
        return self.after[-1] if self.after else self.stroke_end_s


@dataclass(frozen=True)
class Dropped:
    """A gesture that was chosen and then omitted, with the reason."""

    place: int
    reason: str


@dataclass
class Planner:
    """Plans units one after the other; dropped gestures are kept with their reasons."""

    graph: Graph
    profile: Profile
    settings: GenerationSettings
    rng: np.random.Generator
    dropped: list[Dropped] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._word_ends = [w.end_s for w in self.graph.words]
        self._next_unit_s = self.graph.duration_s

    def plan(self, frames: Sequence[Frame], units: Sequence[Sequence[int]]) -> list[list[Planned]]:
        """Plan all units; a unit whose gestures were all dropped is omitted."""
        out: list[list[Planned]] = []
        free_from = 0.0
        for n, unit in enumerate(units):
            following = frames[units[n + 1][0]] if n + 1 < len(units) else None
            rows = [(i, frames[i]) for i in unit]
            # Hands stay up if there is no time to retract and return.
            stay = bool(out) and self._earliest(rows[0][1]) - free_from < self.settings.retraction_s
            planned = self._unit(rows, free_from, out[-1][-1] if stay else None, following)
            if planned and stay:
                out[-1] += planned
            elif planned:
                out.append(planned)
            free_from = planned[-1].end_s if planned else free_from
        for n, group in enumerate(out):
            after = out[n + 1][0].start_s if n + 1 < len(out) else None
            self._holds(group, after)
        return out

    def _unit(
        self,
        rows: list[tuple[int, Frame]],
        free_from: float,
        held: Planned | None,
        following: Frame | None,
    ) -> list[Planned]:
        """Plan consecutive gestures; `held` is the one before if the hands have not retracted."""
        done: list[Planned] = []
        waiting = list(rows)
        self._next_unit_s = self.graph.duration_s
        if following is not None:
            self._next_unit_s = self._earliest(following) - self.settings.retraction_s
        while waiting:
            place, frame = waiting.pop(0)
            before = done[-1] if done else held
            made = self._gesture(place, frame, before, free_from)
            if made is None:
                said = "no time after the gesture before it" if before else "no time before it"
                self.dropped.append(Dropped(place, said))
                continue
            if not made.sample.is_hold:
                self._after_strokes(made, waiting)
            done.append(made)
        return done

    def _aim(self, frame: Frame, hold: bool) -> tuple[float, float, float]:
        """Target end of the stroke (or start of the hold), the offset, and its spread."""
        words, lexeme = self.graph.words, frame.candidate.lexeme
        if hold:
            mean, spread = self.profile.start_offset(lexeme)
            at = words[frame.candidate.first].start_s
        else:
            mean, spread = self.profile.end_offset(lexeme)
            at = words[frame.candidate.last].end_s
        offset = mean + self.settings.main_offset_s
        return at - offset, offset, spread

    def _gesture(
        self, place: int, frame: Frame, before: Planned | None, free_from: float
    ) -> Planned | None:
        s = self.settings
        mean, spread = self.profile.stroke_length(frame.candidate.lexeme)
        chance = float(np.clip(self.rng.normal(), -2.0, 2.0)) * spread
        length = max(mean + chance, s.least_stroke_s)
        end, offset, sure = self._aim(frame, hold=False)
        edge = before.end_s if before is not None else free_from
        prep = before is None or end - length - edge > s.preparation_from_s
        sample, random = self._sample(frame, before, prep)
        if sample.is_hold:
            end, offset, sure = self._aim(frame, hold=True)
            length = chance = 0.0
        least = 0.0 if sample.is_hold else s.least_stroke_s
        # From rest the hands need time for a preparation; in a unit they may continue directly.
        first = edge + (s.least_after_s if before is None else 0.0)
        if sample.is_hold and before is not None:
            first += s.least_after_s
        moved = max(first + least - end, 0.0)
        # From rest a stroke may be as late as its word's end; one set by the author, any time.
        most = max(sure, offset if before is None else 0.0)
        if moved > most + 1e-9 and not frame.candidate.asked:
            return None
        end += moved
        length = min(length, end - first)
        return Planned(frame, place, sample, random, prep, end, length, chance, offset, moved)

    def _sample(
        self, frame: Frame, before: Planned | None, prep: bool
    ) -> tuple[GestureSample, bool]:
        """Sample of the lexeme: any if there is a preparation, else the one that starts nearest."""
        lexeme = frame.candidate.lexeme
        rows = self.profile.samples_of(lexeme, frame.hands)
        if not prep:
            rows = tuple(r for r in rows if not r.is_hold) or rows
        if not rows:
            return _from_lexicon(lexeme, frame.hands), True
        if prep or before is None:
            return rows[int(self.rng.integers(len(rows)))], True
        here = before.sample.end or before.sample.start
        nearest = min(row.start.steps_to(here) for row in rows)
        near = [row for row in rows if row.start.steps_to(here) == nearest]
        return near[int(self.rng.integers(len(near)))], False

    def _after_strokes(self, made: Planned, waiting: list[tuple[int, Frame]]) -> None:
        """Add after-strokes to a gesture, as many as there is time for."""
        s = self.settings
        mean, spread = self.profile.strokes(made.frame.candidate.lexeme)
        if mean <= s.several_from:
            return
        wanted = min(round(self.rng.normal(mean, spread)), _MOST_STROKES) - 1
        if wanted < 1:
            return
        ends = self._ends(made, wanted, self._limit(waiting))
        if len(ends) < wanted and mean > s.many_from and waiting:
            _, _, spare = self._aim(waiting[0][1], hold=False)
            later = self._ends(made, wanted, self._limit(waiting) + spare)
            if len(later) == wanted:
                ends = later
            elif not waiting[0][1].candidate.asked and len(ends) == 0:
                place, _ = waiting.pop(0)
                self.dropped.append(Dropped(place, "omitted for the strokes before it"))
                ends = self._ends(made, wanted, self._limit(waiting))
        made.after = ends

    def _limit(self, waiting: list[tuple[int, Frame]]) -> float:
        """Time from which on the next gesture needs the hand."""
        return self._earliest(waiting[0][1]) if waiting else self._next_unit_s

    def _earliest(self, frame: Frame) -> float:
        """Preferred start of a gesture's stroke."""
        end, _, _ = self._aim(frame, hold=False)
        return end - self.profile.stroke_length(frame.candidate.lexeme)[0]

    def _ends(self, made: Planned, wanted: int, limit: float) -> list[float]:
        """Ends of after-strokes: at ends of words less an offset, each long enough."""
        s = self.settings
        habit = self.profile.counts.after_intervals
        step = max(s.least_after_s, s.after_ratio * habit.mean)
        out: list[float] = []
        at = made.stroke_end_s
        for _ in range(wanted):
            i = bisect_left(self._word_ends, at + step + s.after_offset_s)
            if i == len(self._word_ends):
                break
            at = self._word_ends[i] - s.after_offset_s
            if at > limit:
                break
            out.append(at)
        return out

    def _holds(self, unit: list[Planned], next_unit_s: float | None) -> None:
        s = self.settings
        for a, b in pairwise(unit):
            busy = b.start_s - (s.preparation_s if b.prep else 0.0)
            room = busy - a.end_s
            a.hold_s = max(room, 0.0)
            if b.prep and a.hold_s < s.least_hold_s:
                a.hold_s = 0.0
        last = unit[-1]
        wanted = last.sample.hold_s or 0.0
        room = s.longest_hold_s
        if next_unit_s is not None:
            room = next_unit_s - last.end_s - s.retraction_s - s.preparation_s
        last.hold_s = max(min(wanted, room, s.longest_hold_s), 0.0)
        for planned in unit:
            if planned.hold_s < s.least_hold_s and not planned.sample.is_hold:
                planned.hold_s = 0.0


def _from_lexicon(lexeme: str, hands: str) -> GestureSample:
    """Sample of a lexeme that does not occur in the speaker's recordings."""
    entry = lexicon().get(lexeme)
    if entry is None:
        return GestureSample(
            -1, "", lexeme, hands, "", "straight", 1, 0.3, None, _MIDDLE, _MIDDLE, None, None
        )
    two = hands == "2H"
    return GestureSample(
        -1,
        "lexicon",
        lexeme,
        hands,
        entry.shapes[0] if entry.shapes else "",
        entry.trajectory,
        1,
        entry.stroke_s,
        None,
        entry.start,
        entry.end,
        entry.hand_distance[0] if two else None,
        entry.hand_distance[1] if two else None,
    )


def with_head_gestures(
    units: Sequence[list[Planned]],
    heads: Sequence[Candidate],
    place: int,
    graph: Graph,
    settings: GenerationSettings,
) -> list[list[Planned]]:
    """Units with gestures of the head among those of the hands, in order of their strokes' ends.

    They belong to the unit before them, or to the first one; the hands do not wait for them.
    `place` is that of the first, after the path of the hands.
    """
    if not heads:
        return list(units)
    out = [list(unit) for unit in units] or [[]]
    for n, candidate in enumerate(heads):
        made = _of_head(candidate, place + n, graph, settings)
        started = [unit for unit in out if unit and unit[0].end_s <= made.end_s]
        unit = started[-1] if started else out[0]
        unit.insert(sum(p.end_s <= made.end_s for p in unit), made)
    return out


def _of_head(
    candidate: Candidate, place: int, graph: Graph, settings: GenerationSettings
) -> Planned:
    """A gesture of the head on its words."""
    hands: Hands = "LH" if candidate.hands == "LH" else "RH"
    entry = lexicon()[candidate.lexeme]
    after_s = settings.pictures.head_after_s if settings.pictures else 0.0
    end_s = max(graph.words[candidate.first].start_s + after_s, entry.stroke_s)
    frame = Frame(candidate, hands, "")
    sample = _from_lexicon(candidate.lexeme, hands)
    return Planned(frame, place, sample, True, False, end_s, entry.stroke_s, 0.0, 0.0)


def rest_pose(gap_s: float, profile: Profile, settings: GenerationSettings) -> str:
    """Pose after a unit, by the time to the next one."""
    if gap_s < settings.near_s:
        return "clasped"
    if gap_s < settings.far_s:
        return "at-side"
    poses = profile.counts.rest_poses
    away = [p for p in ("in-pockets", "folded", "behind-back") if poses.get(p, 0) > 0]
    return max(away, key=lambda p: poses[p], default="in-pockets")


def script_unit(
    unit: Sequence[Planned], graph: Graph, rest: str, *, comments: bool = True
) -> ScriptUnit:
    """Turn a planned unit into the script's."""
    return ScriptUnit(tuple(_script_gesture(p, graph, comments) for p in unit), rest)


def _script_gesture(p: Planned, graph: Graph, comments: bool) -> ScriptGesture:
    sample, c = p.sample, p.frame.candidate
    hold = sample.is_hold
    kinds = ["prep"] if p.prep else []
    kinds += ["hold"] if hold else ["stroke", *(["hold"] if p.hold_s > 0.0 else [])]
    two = p.frame.hands == "2H"
    entry = lexicon().get(c.lexeme)
    usual = entry.hand_distance if entry is not None else _USUAL_DISTANCE
    return ScriptGesture(
        lexeme=c.lexeme,
        hands=p.frame.hands,
        type="+".join(kinds),
        handshape=p.frame.handshape,
        trajectory=sample.trajectory,
        stroke_end_s=None if hold else p.stroke_end_s,
        stroke_s=None if hold else p.stroke_s,
        hold_start_s=p.stroke_end_s if hold else None,
        hold_s=p.hold_s if p.hold_s > 0.0 else None,
        after_strokes=tuple(p.after),
        start=sample.start,
        end=None if hold else sample.end,
        start_distance=(sample.start_distance or usual[0]) if two else None,
        end_distance=(sample.end_distance or usual[1]) if two and not hold else None,
        notes=_notes(p) if comments else (),
        remarks=_remarks(p, graph) if comments else (),
    )


def _comma(value: float) -> str:
    """Number as in comments of scripts."""
    return f"{value:.3f}".replace(".", ",")


def _notes(p: Planned) -> tuple[tuple[str, str], ...]:
    how = "random" if p.random else "nearest start"
    out = [("lexeme", f"from sample {p.sample.number} ({how})")]
    if not p.sample.is_hold:
        out.append(("stroke.time.duration", f"ran. offset {_comma(p.chance_s)}"))
        moved = f", moved {_comma(p.moved_s)}" if p.moved_s else ""
        out.append(("stroke.time.end", f"offset {_comma(-p.offset_s)}{moved}"))
    return tuple(out)


def _remarks(p: Planned, graph: Graph) -> tuple[str, ...]:
    c = p.frame.candidate
    first, last = c.trigger
    span = f"{_comma(graph.words[first].start_s)} - {_comma(graph.words[last].end_s)}"
    out = [f'Triggered by: "{graph.text(first, last)}" {c.tag or "author"} {span}']
    if c.on_focus:
        out.append(f'on the focus "{graph.text(c.first, c.last)}"')
    return tuple(out)
