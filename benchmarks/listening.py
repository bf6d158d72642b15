"""Body language from new voices: the default model with recordings it was not trained on.

``python -m benchmarks.listening`` prints the paper's comparisons (the model, random segments,
random ones that change at syllables, chosen ones that do not), and every measure of movement for
the training data and for synthesis. Recordings are searched in the folder named by
KINESPHERE_DATA, then in ``../shared/data``: five with which most settings were chosen, and five
more, whose results were known when the last settings were chosen. In addition a synthetic voice
speaks texts that the model was not trained on, with silence before and after. ``--voices FILE ...``
takes other recordings instead.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from benchmarks.studies.voice_fit import Fit, Listened, fit, library_clips, phrases

from kinesphere.bodylanguage.choose.acting_times import AHEAD_S
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.live_options import POLICIES, LiveOptions
from kinesphere.character.default import default_rig
from kinesphere.evaluation.metric_registry import faults
from kinesphere.evaluation.movement import wrist_motion
from kinesphere.evaluation.side_by_side import side_by_side
from kinesphere.evaluation.synchrony import Coincidence, gating
from kinesphere.motion.clip import Clip
from kinesphere.motion.resampling import resample
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.stages.utter import speak
from kinesphere.pipeline.stages.voice_motion import RATE_HZ, move_by_voice
from kinesphere.speech.audio import read_audio
from kinesphere.speech.prosody.prosody import Prosody, prosody
from kinesphere.speech.resampling import resample_audio
from kinesphere.speech.value import Speech, pad_speech

ROOT = Path(__file__).parents[1]
FIRST = (
    "speech/sonnet/audio.wav",
    "speech/jfk/jfk.flac",
    "speech/mfa/61-70968-0000.flac",
    "speech/librispeech/2412-153948-0000.flac",
    "speech/librivox/sense_and_sensibility_01_austen_64kb-0880.wav",
)
LATER = (
    "beat2/2_scott_0_1_1.wav",
    "speech/librispeech/2412-153948-0001.flac",
    "speech/librispeech/libri-1088-134315-0000.wav",
    "speech/librivox/sense_and_sensibility_01_austen_64kb-0870.wav",
    "speech/librivox/sense_and_sensibility_01_austen_64kb-0890.wav",
)
TEXTS = ("en_news_7", "en_story_7", "en_talk_5", "de_talk_3")
SILENCE_S = 4.0
LONGEST_S = 120.0
ROWS: tuple[tuple[str, str, float | None], ...] = (
    *((policy, policy, None) for policy in POLICIES),
    ("model without rhythm", "model", 0.0),
    ("random-synchronised, rhythm", "random-synchronised", 1.0),
)
"""Name, policy, and rhythm: the paper's comparisons, and the effect of the rhythm term."""
Voice = tuple[Speech, Prosody]


def recordings(names: tuple[str, ...]) -> list[Voice]:
    """Recordings of people; none if the folder is missing."""
    for folder in (os.environ.get("KINESPHERE_DATA"), str(ROOT.parent / "shared" / "data")):
        if folder and (Path(folder) / "speech").is_dir():
            return [heard(sound(Path(folder) / name)) for name in names]
    return []


def sound(file: Path) -> np.ndarray:
    """A recording at the engine's rate, of a long one the first two minutes."""
    samples = np.asarray(read_audio(file, int(RATE_HZ)).samples)
    return samples[: int(LONGEST_S * RATE_HZ)]


def synthetic() -> list[Voice]:
    """Texts that the model was not trained on, spoken by a synthetic voice."""
    out = []
    for name in TEXTS:
        text = (ROOT / "tests" / "generation" / "texts" / f"{name}.txt").read_text("utf-8")
        said = pad_speech(speak(text), SILENCE_S, SILENCE_S)
        out.append(heard(resample_audio(np.asarray(said.samples), said.rate_hz, RATE_HZ)))
    return out


def heard(samples: np.ndarray) -> Voice:
    """Audio at the engine's rate, and its prosody."""
    return Speech(samples, int(RATE_HZ)), prosody(samples, RATE_HZ)


def taken(
    model: BodyLanguageModel,
    voices: list[Voice],
    policy: str,
    seeds: int,
    rhythm: float | None = None,
) -> tuple[Fit, list[tuple[Clip, Prosody]]]:
    """Takes for all voices with a number of seeds, and their measures."""
    options = LiveOptions(delay_s=AHEAD_S, policy=policy, rhythm=rhythm)
    runs, clips = [], []
    for speech, known in voices:
        for seed in range(seeds):
            done = move_by_voice(model, speech, options, fps=60.0, seed=seed)
            clip, changes = done.clip, done.changes
            runs.append(Listened(changes, known, speech.duration_s, AHEAD_S, clip))
            clips.append((clip, known))
    return fit(model, runs), clips


def comparisons(
    model: BodyLanguageModel, name: str, voices: list[Voice], seeds: int
) -> list[tuple[Clip, Prosody]]:
    """Print one table; return the takes of the model."""
    whole = sum(speech.duration_s for speech, _ in voices)
    print(f"\n{name}: {len(voices)} voices, {whole:.0f} s, {seeds} seeds")
    print(
        f"{'how motion is chosen':29s} begin at peaks (chance)    hands fastest there, |lag|"
        "         head lowest at loud ones   follows (p95)    first   speaking pausing   "
        "bits head arms lower     shown head arms lower"
    )
    kept: list[tuple[Clip, Prosody]] = []
    for name, policy, rhythm in ROWS:
        found, clips = taken(model, voices, policy, seeds, rhythm)
        kept = clips if name == ROWS[0][0] else kept
        begins, strokes, nods, follows = found.begins, found.strokes, found.nods, found.follows
        assert follows is not None
        assert strokes is not None
        assert nods is not None
        speeds = np.array([gating(wrist_motion(c, default_rig()), phrases(p)) for c, p in clips])
        bits = " ".join(f"{b:+.3f}" for b in found.bits.values())
        shown = " ".join(f"{100 * s:.0f}%" for s in found.shown.values())
        print(
            f"{name:29s} {_shares(begins)}   {_shares(strokes)} "
            f"{1e3 * strokes.median_abs_s:3.0f} ms ({1e3 * strokes.chance_abs_s:.0f}) "
            f"{strokes.count:6d}   {_shares(nods)} {nods.count:6d}   "
            f"{follows.r:+.3f} ({follows.high:+.3f}) {found.first_s:6.2f} s "
            f"{np.nanmean(speeds[:, 0]):7.2f} {np.nanmean(speeds[:, 1]):7.2f}     {bits}   {shown}"
        )
    return kept


def _shares(found: Coincidence) -> str:
    return f"{100 * found.near_share:5.1f}% ({100 * found.chance_share:.1f}%)"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="house")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--voices", nargs="+", type=Path, help="these recordings, and no others")
    args = parser.parse_args()
    model = model_named(args.model)
    if args.voices:
        sets = {"voices": [heard(sound(file)) for file in args.voices]}
    else:
        sets = {
            "first recordings": recordings(FIRST),
            "later recordings": recordings(LATER),
            "synthetic voices, other texts": synthetic(),
        }
    print(f"model {model.name}")
    takes = []
    for name, voices in sets.items():
        if voices:
            takes += comparisons(model, name, voices, args.seeds)
    movement(model, takes)


def movement(model: BodyLanguageModel, takes: list[tuple[Clip, Prosody]]) -> None:
    """Print measures of movement, at the training data's rate, and artefacts of both."""
    rig = default_rig()
    training = library_clips(model)
    print(
        "\nmeasure                  training p5 / median / p95      synthesis   inside   accepted"
    )
    synthesis = [(resample(clip, training[0].fps), phrases(p)) for clip, p in takes]
    for row in side_by_side(training, synthesis):
        t, s = row.training, row.synthesis
        print(
            f"{row.measure.name:22s} {t.low:9.3f} {t.median:9.3f} {t.high:9.3f} {s.median:13.3f} "
            f"{100 * row.inside:7.0f}%   {row.measure.accept('calm')}"
        )
    print("\nartefact                  training (worst)   synthesis (worst)")
    before = [faults(clip, rig) for clip in training]
    after = [faults(clip, rig) for clip, _ in takes]
    for name in after[0]:
        print(
            f"{name:24s} {max(f[name] for f in before):12.4f} {max(f[name] for f in after):18.4f}"
        )


if __name__ == "__main__":
    main()
