"""Hashes of thirty takes: ``python -m benchmarks.take_hashes [--against FILE] [-o FILE]``.

For changes that must not change any frame: write the table before the change, compare
after it. Each hash covers rotations, root path, channels, tiers and script of a take, to the bit.
The takes cover every input (perform, animate, recreate, listen, live) and every layer
(express, tense, simulate, idle, retarget). Exits with 1 if a hash differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.live_speed import FPS, RATE_HZ, voice

import kinesphere as ks
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.generation.recreation import recreate_script
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.speakers import shipped_annotation
from kinesphere.realtime.engine import TensedEngine, VoiceEngine
from kinesphere.speech.value import Speech

GREETING = "Good evening! I had a tiny problem. No, it was huge, and nobody knew what to do."
GERMAN = "Das ist riesig. Zuerst gehen wir nach links, dann nach oben."
LISTED = "First, you stop. Second, you look up. Third, never come back!"


def digest(*parts: bytes) -> str:
    """Short hash of bytes."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.hexdigest()[:16]


def take_hash(take: ks.Take) -> str:
    """Hash of the visible content of a take."""
    clip = take.clip
    curves = (clip.channels[name] for name in sorted(clip.channels))
    arrays = (clip.rotations, clip.root_positions, clip.translations, *curves)
    tiers = repr([(tier.name, tier.intervals) for tier in take.tiers])
    return digest(*(np.ascontiguousarray(a).tobytes() for a in arrays), tiers.encode())


def takes() -> dict[str, Callable[[], str]]:
    """Name of each take, and the function that computes its hash."""
    speech = Speech(voice(20.0, 4), RATE_HZ)
    plain: dict[str, ks.Take] = {}

    def performed() -> ks.Take:
        if "plain" not in plain:
            plain["plain"] = ks.perform(GREETING, "host", seed=3)
        return plain["plain"]

    def done_again(name: str, **how: Any) -> ks.Take:
        script, _ = recreate_script(shipped_annotation(name), 0.0, 20.0)
        return ks.animate(script, style=name, **how)

    made: dict[str, Callable[[], ks.Take]] = {
        "perform host": performed,
        "perform critic": lambda: ks.perform(GREETING, "critic", seed=1),
        "perform neutral": lambda: ks.perform(LISTED, seed=2),
        "perform German": lambda: ks.perform(GERMAN, "host", seed=5),
        "perform likeliest": lambda: ks.perform(LISTED, "critic", most_likely=True),
        "perform calm": lambda: ks.perform(GREETING, "host", amount=0.4, fps=30.0),
        "perform manner": lambda: ks.perform(GREETING, "host", manner="very proudly"),
        "perform effort": lambda: ks.perform(GREETING, "host", effort="time=1,weight=-0.5"),
        "perform shape": lambda: ks.perform(GREETING, "host", shape="vertical=-0.7"),
        "perform tense": lambda: ks.perform(GREETING, "host", tension="trembling"),
        "perform wrists": lambda: ks.perform(GREETING, "critic", physics="wrists"),
        "perform body": lambda: ks.perform(GREETING, "critic", physics="body"),
        "perform paper": lambda: ks.perform(GREETING, "host", paper=True),
        "recreate host": lambda: done_again("host"),
        "recreate critic follow": lambda: done_again("critic", follow_script=True),
        "recreate critic paper": lambda: done_again("critic", paper=True),
        "listen": lambda: ks.listen(speech),
        "listen seed, amount": lambda: ks.listen(speech, seed=7, amount=0.6, fps=30.0),
        "listen manner": lambda: ks.listen(speech, manner="sadly", tension="relaxed"),
        "listen random": lambda: ks.listen(speech, policy="random-synchronised"),
        "listen onto": lambda: ks.listen(speech, onto=performed()),
        "express effort": lambda: ks.express(performed(), effort={"time": 1.0, "space": -0.6}),
        "express manner": lambda: ks.express(performed(), manner="slightly hesitant, tired"),
        "express paper": lambda: ks.express(performed(), effort={"flow": 1.0}, paper=True),
        "tense": lambda: ks.tense(performed(), "tense"),
        "tense measured": lambda: ks.tense(performed(), "8mm,0.2", retraction="1cm,0.4"),
        "simulate": lambda: ks.simulate(performed(), "relaxed"),
        "idle": lambda: ks.idle(10.0, seed=2),
        "add_idle": lambda: ks.add_idle(ks.express(performed(), shape="sagittal=0.6"), seed=4),
    }
    hashes: dict[str, Callable[[], str]] = {
        name: (lambda make=make: take_hash(make()))  # type: ignore[misc]
        for name, make in made.items()
    }
    hashes["live, tensed, chunks of 37 ms"] = lambda: live_hash(voice(12.0, 8))
    return hashes


def live_hash(sound: Floats) -> str:
    """Frames of a live character in small chunks."""
    engine = TensedEngine(VoiceEngine(model_named("house"), FPS), PRESETS["tense"])
    state, parts, size = engine.start(), [], int(0.037 * RATE_HZ)
    for first in range(0, len(sound), size):
        state, frames = engine.step(state, sound[first : first + size])
        parts += [np.ascontiguousarray(frames.rotations).tobytes()]
    return digest(*parts)


def main() -> int:
    """Print the table, and compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--against", type=Path, help="table of an earlier run")
    parser.add_argument("-o", "--output", type=Path, help="write the table as JSON")
    chosen = parser.parse_args()
    before = json.loads(chosen.against.read_text()) if chosen.against else {}
    now, differ = {}, 0
    for name, made in takes().items():
        now[name] = made()
        same = now[name] == before.get(name, now[name])
        differ += not same
        print(f"{name:<32} {now[name]}{'' if same else '  DIFFERS from ' + before[name]}")
    print(f"{len(now)} takes, {differ} differ")
    if chosen.output:
        chosen.output.write_text(json.dumps(now, indent=1))
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
