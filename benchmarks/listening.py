"""Body language from new voices: what the built-in model does with recordings it never heard.

``python benchmarks/listening.py`` prints the paper's comparisons (the model, segments at random,
random ones that change at syllables, chosen ones that do not), and every measure of movement for
the training data and for synthesis side by side. Recordings are looked for in the folder named by
KINESPHERE_DATA, then in ``../shared/data``; without them a synthetic voice speaks texts that the
model was not trained on.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from kinesphere.bodylanguage import live
from kinesphere.bodylanguage.live_options import KNOWN_S, ON_TIME_S, POLICIES, LiveOptions
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.character.default import default_rig
from kinesphere.evaluation.bodily import faults
from kinesphere.evaluation.listening import Listened, fit, library_clips
from kinesphere.evaluation.side_by_side import side_by_side
from kinesphere.evaluation.synchrony import stretches
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.pipeline.listen import RATE_HZ, clip_of
from kinesphere.pipeline.models import model as model_named
from kinesphere.speech.audio import read_audio
from kinesphere.speech.prosody import Prosody, prosody

ROOT = Path(__file__).parents[1]
RECORDINGS = (
    "sonnet/audio.wav", "jfk/jfk.flac", "mfa/61-70968-0000.flac",
    "librispeech/2412-153948-0000.flac",
    "librivox/sense_and_sensibility_01_austen_64kb-0880.wav",
)  # fmt: skip
HELD_OUT = ("en_news_7", "en_story_7", "en_talk_5", "de_talk_3")


def voices() -> dict[str, Floats]:
    """New speech by name, at the engine's rate."""
    for folder in (os.environ.get("KINESPHERE_DATA"), str(ROOT.parent / "shared" / "data")):
        if folder and (Path(folder) / "speech").is_dir():
            return {
                name: np.asarray(read_audio(Path(folder) / "speech" / name, int(RATE_HZ)).samples)
                for name in RECORDINGS
            }
    from kinesphere.pipeline.perform import voiced
    from kinesphere.speech.resampling import resampled

    out = {}
    for name in HELD_OUT:
        text = (ROOT / "tests" / "generation" / "texts" / f"{name}.txt").read_text("utf-8")
        spoken = voiced(text)
        out[name] = resampled(np.asarray(spoken.samples), spoken.rate_hz, RATE_HZ)
    return out


def moved(
    model: BodyLanguageModel, samples: Floats, heard: Prosody, policy: str, seed: int, fps: float
) -> tuple[Clip, Listened]:
    """One take to a voice."""
    options = LiveOptions(delay_s=ON_TIME_S, policy=policy)
    state = live.start(model, RATE_HZ, fps=fps, seed=seed, options=options)
    state, head = live.step(state, samples)
    parts = [head, live.finish(state)]
    changes = [c for part in parts for c in part.changes[0]]
    run = Listened(changes, heard, len(samples) / RATE_HZ, KNOWN_S - ON_TIME_S)
    return clip_of(parts, fps), run


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="house")
    parser.add_argument("--seeds", type=int, default=4)
    args = parser.parse_args()
    model = model_named(args.model)
    sounds = voices()
    heard = {name: prosody(samples, RATE_HZ) for name, samples in sounds.items()}
    whole = sum(len(s) for s in sounds.values()) / RATE_HZ
    print(f"{len(sounds)} voices, {whole:.0f} s, {args.seeds} seeds, model {model.name}\n")
    print("how motion is chosen     arms begin at peaks (80 ms, chance, p)   |lag| chance   "
          "bits head arms lower   shown head arms lower")  # fmt: skip
    takes: list[tuple[Clip, Prosody]] = []
    for policy in POLICIES:
        runs = []
        for name, samples in sounds.items():
            for seed in range(args.seeds):
                fps = 60.0 if policy == "model" else 30.0
                clip, run = moved(model, samples, heard[name], policy, seed, fps)
                runs.append(run)
                if policy == "model":
                    takes.append((clip, heard[name]))
        found = fit(model, runs)
        begins = found.begins
        bits = " ".join(f"{b:+.3f}" for b in found.bits.values())
        shown = " ".join(f"{100 * s:.0f}%" for s in found.shown.values())
        print(
            f"{policy:24s} {100 * begins.near_share:5.1f}% {100 * begins.chance_share:5.1f}% "
            f"p {begins.p_near:.3f}            {1000 * begins.median_abs_s:5.0f} "
            f"{1000 * begins.chance_abs_s:5.0f} ms     {bits}    {shown}"
        )
    rig = default_rig()
    training = library_clips(model)
    print(
        "\nmeasure                  training p5 / median / p95      synthesis   inside   accepted"
    )
    synthesis = [
        (clip, stretches([(s.start_s, s.end_s) for s in p.syllables])) for clip, p in takes
    ]
    for row in side_by_side(training, synthesis):
        t, s = row.training, row.synthesis
        print(
            f"{row.measure.name:22s} {t.low:9.3f} {t.median:9.3f} {t.high:9.3f} {s.median:13.3f} "
            f"{100 * row.inside:7.0f}%   {row.measure.accept('calm')}"
        )
    print("\nfault                     training (worst)   synthesis (worst)")
    before = [faults(clip, rig) for clip in training]
    after = [faults(clip, rig) for clip, _ in takes]
    for name in after[0]:
        print(
            f"{name:24s} {max(f[name] for f in before):12.4f} {max(f[name] for f in after):18.4f}"
        )


if __name__ == "__main__":
    main()
