"""Body language from a voice: a recording, then the same live, in chunks.

Run it with a folder to write to: ``python examples/04_listen.py out``. A WAV may follow.
"""

from __future__ import annotations

import sys
from pathlib import Path

import kinesphere as ks
from kinesphere.bodylanguage.play import engine
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.models import model
from kinesphere.pipeline.stages.utter import speak
from kinesphere.speech.resampling import resample_audio

RATE_HZ = 16_000
SAID = "I never thought that this would work. But look at it! It moves, and nobody told it how."


def heard(samples: Floats) -> int:
    """Process a voice live in chunks of 10 ms; return the number of frames."""
    state = engine.start(model("house"), RATE_HZ, fps=60.0, seed=1)
    frames = 0
    for first in range(0, len(samples), 160):
        state, made = engine.step(state, samples[first : first + 160])
        frames += len(made)  # made.rotations, made.channels: show or send them
    return frames + len(engine.finish(state))


def main(folder: Path, recording: str | None = None) -> None:
    """Listen, and print the path of the result."""
    folder.mkdir(parents=True, exist_ok=True)
    take = ks.listen(recording if recording is not None else speak(SAID), seed=1)
    arms = take.tier("arms")
    print(f"{take.clip.duration_s:.1f} s, {len(arms or ())} segments of the arms")
    page = folder / "listened.html"
    take.save(page)
    assert take.audio is not None
    sound = resample_audio(take.audio.samples, take.audio.rate_hz, RATE_HZ)
    print(f"{heard(sound)} frames live; open {page}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"), *sys.argv[2:3])
