"""Perform a corpus and train the default body-language model of the package.

    python tools/body_language/build.py [--check] [FILE]

Texts are spoken by espeak-ng, performed by the engine in the styles of the built-in speakers, and
used for training; only the model is written. The same machine gives the same bytes. With
``--check`` the corpus is measured as well, which takes longer.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
if __package__ in (None, ""):
    sys.path.insert(0, str(ROOT))

from tools.body_language import check  # noqa: E402
from tools.body_language.beats import Beating  # noqa: E402
from tools.body_language.carriage import Carriage  # noqa: E402
from tools.body_language.delivery import Delivery  # noqa: E402
from tools.body_language.directing import Directions  # noqa: E402
from tools.body_language.repertoire import HELD_OUT, Passage, passages  # noqa: E402
from tools.body_language.takes import performed  # noqa: E402

from kinesphere import __version__  # noqa: E402
from kinesphere.bodylanguage.learn.extract import Extract  # noqa: E402
from kinesphere.bodylanguage.learn.training import Trained, train  # noqa: E402
from kinesphere.bodylanguage.model_file import write_model  # noqa: E402
from kinesphere.speech.voices.espeak import EspeakVoice  # noqa: E402

HOUSE = ROOT / "src" / "kinesphere" / "bodylanguage" / "data" / "house.kin"
WORKERS = 2
SEED = 2009
Job = tuple[int, Passage]


def main(arguments: Sequence[str]) -> None:
    """Build, and print a summary."""
    about = ArgumentParser(description="Build the default body-language model of the package.")
    about.add_argument("--check", action="store_true", help="measure the corpus, too")
    about.add_argument("file", nargs="?", type=Path, default=HOUSE, help="model to write")
    given = about.parse_args(arguments)
    file, checks = given.file, given.check
    extracts, found = made(checks)
    trained = train(extracts, name="house", seed=SEED, provenance=provenance())
    file.parent.mkdir(parents=True, exist_ok=True)
    write_model(trained.model, file)
    print(summary(extracts, trained, file.stat().st_size))
    if checks:
        print("", check.acceptance(found), "", check.fault_table(found), sep="\n")
        print("", check.evidence_table(extracts, trained), sep="\n")
        print("", check.silence_table(extracts, trained), sep="\n")


def jobs() -> list[Job]:
    """Passages to perform, with seeds."""
    return [(SEED + k, what) for k, what in enumerate(passages())]


def made(checks: bool = False) -> tuple[list[Extract], list[check.Checked]]:
    """The whole corpus as training data, and measures of its takes."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        rows = list(pool.map(partial(extracted, checks=checks), jobs()))
    return [row[0] for row in rows], [row[1] for row in rows if row[1] is not None]


def extracted(job: Job, checks: bool = False) -> tuple[Extract, check.Checked | None]:
    """One take."""
    seed, passage = job
    one = performed(passage, seed)
    return one.extract(), check.checked(one) if checks else None


def provenance() -> dict[str, Any]:
    """Provenance of the model, stored in its file."""
    rows = list(passages())
    return {
        "made_by": "python tools/body_language/build.py",
        "version": __version__,
        "licence": "Apache-2.0",
        "corpus": "performed by kinesphere itself: no recording of a person is in it",
        "voice": EspeakVoice().speak("Hello").provenance["voice"],
        "seeds": [SEED, SEED + len(rows) - 1],
        "texts": [row.text for row in rows],
        "held_out": list(HELD_OUT),
        "rules": {type(r).__name__.lower(): asdict(r) for r in _RULES},
    }


_RULES = (Delivery(), Directions(), Beating(), Carriage())


def summary(extracts: Sequence[Extract], trained: Trained, size: int) -> str:
    """Tables of the corpus and the model."""
    minutes = check.minutes_by_style(extracts)
    lines = [f"{'style':<10} {'takes':>6} {'minutes':>8}"]
    for style, value in minutes.items():
        lines.append(f"{style:<10} {sum(e.speaker == style for e in extracts):>6} {value:>8.1f}")
    lines.append(f"{'all':<10} {len(extracts):>6} {sum(minutes.values()):>8.1f}")
    lines += ["", f"{'stream':<10} {'segments':>8} {'clusters':>8} {'seconds':>8}"]
    for name, stream in trained.model.streams.items():
        mean = float(stream.segment_s.mean())
        lines.append(f"{name:<10} {len(stream.segments):>8} {len(stream):>8} {mean:>8.2f}")
    return "\n".join([*lines, "", f"{size / 1e6:.1f} MB"])


if __name__ == "__main__":
    main(sys.argv[1:])
