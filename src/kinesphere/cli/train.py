"""``kinesphere train CORPUS... -o model.kin``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from kinesphere.cli.options import progress_bar, say, shows_status

if TYPE_CHECKING:
    from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
    from kinesphere.bodylanguage.learn.training import TrainingSettings
    from kinesphere.corpus.pairs.report import PairingReport

_HARDLY = 12
"""Segments: a corpus with fewer is too small."""


@click.command(
    "train",
    epilog="Examples:\n\n\b\n  kinesphere train capture/ -o anna.kin --report anna.html\n"
    "  kinesphere train capture/ --check\n"
    "  kinesphere train bvh/ wav/ -o anna.kin --offset auto --licence 'CC BY 4.0'\n"
    "  kinesphere train s3://bucket/beat -o beat.kin --cluster tcp://scheduler:8786",
)
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS...")
@click.option("-o", "--output", metavar="MODEL.kin", help="Model to write.")
@click.option("--name", help="The model's name (default: the file's).")
@click.option(
    "--report", metavar="PAGE.html", help="Also write a page that shows the trained model."
)
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Only list the pairs, their lengths, rates and problems; write nothing. "
    "The exit status is 2 if no pair can be read.",
)
@click.option(
    "--licence", default="", metavar="TEXT", help="Licence of the corpora; kept in the model."
)
@click.option(
    "--offset",
    metavar="auto|SECONDS",
    help="Start time of the motion in the audio (default: they start together).",
)
@click.option(
    "--skip-broken", is_flag=True, help="Skip pairs that cannot be read, instead of stopping."
)
@click.option(
    "--any-length", is_flag=True, help="Accept pairs of very different lengths; the longer is cut."
)
@click.option(
    "--clusters", metavar="H,A,L", help="Clusters of head, arms and lower body (default: 20,45,6)."
)
@click.option(
    "--library",
    "library_min",
    type=float,
    metavar="MINUTES",
    help="Largest motion library of the model (default: 60).",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
)
@click.option("--workers", type=int, metavar="N", help="Reading processes (default: one per core).")
@click.option(
    "--cluster", metavar="ADDRESS", help="Read on a dask cluster: its scheduler, or 'local'."
)
@click.option(
    "--unit",
    default="auto",
    metavar="UNIT",
    help="Unit of BVH files: auto, m, cm, mm, inch, cmu, or metres per unit.",
)
@click.option(
    "--up",
    type=click.Choice(["auto", "y", "z"]),
    default="auto",
    help="Vertical axis of BVH files (default: auto).",
)
@click.option(
    "--partial", is_flag=True, help="Read truncated BVH files up to their last complete frame."
)
@shows_status("training")
def command(corpus: tuple[str, ...], output: str | None, only_check: bool, **values: Any) -> None:
    """Train a body-language model on motion recorded with speech.

    CORPUS are folders in which motion (BVH, GLB, npz, take) and audio (WAV, FLAC, MP3) have the
    same names, or published corpora in their own layout: BEAT, BEAT2, ZeroEGGS, Trinity, Talking
    With Hands, GENEA. URLs that fsspec supports work, too.
    """
    from pathlib import Path

    from kinesphere.corpus.pairs.recordings import PairSettings

    reading = PairSettings(
        offset=_offset(values["offset"]),
        any_length=values["any_length"],
        unit=values["unit"],
        up=values["up"],
        partial=values["partial"],
    )
    if only_check:
        _check(corpus, reading)
        return
    if output is None:
        raise click.UsageError("give -o MODEL.kin, or --check")
    from kinesphere.bodylanguage.model_file import write_model
    from kinesphere.pipeline.train import check_model_output, train

    check_model_output(output)
    if values["report"] is not None:
        check_model_output(values["report"], ".html")
    settings = _settings(values["clusters"], values["library_min"])
    with progress_bar("training") as done:
        trained = train(
            corpus,
            name=values["name"] or Path(output).stem,
            settings=settings,
            seed=values["seed"],
            skip_broken=values["skip_broken"],
            reading=reading,
            licence=values["licence"],
            cluster=values["cluster"],
            workers=values["workers"],
            progress=lambda what, ratio: done(int(1000 * ratio), 1000),
        )
    write_model(trained.model, output)
    if values["report"] is not None:
        from kinesphere.export.pages.model.model_page import write_model_page

        write_model_page(trained, values["report"])
    _say_problems(trained.report)
    _say_stillness(trained)
    say(f"{output}: {_summary(trained)}")
    if values["report"] is not None:
        say(values["report"])


def _offset(given: str | None) -> float | Literal["auto"] | None:
    if given is None or given == "auto":
        return None if given is None else "auto"
    try:
        return float(given)
    except ValueError:
        raise click.UsageError(f"--offset is {given!r}, allowed are auto or seconds") from None


def _settings(clusters: str | None, library_min: float | None) -> TrainingSettings:
    from kinesphere.bodylanguage.learn.training import TrainingSettings

    changes: dict[str, Any] = {}
    if clusters is not None:
        try:
            head, arms, lower = (int(word) for word in clusters.split(","))
        except ValueError:
            raise click.UsageError(
                f"--clusters is {clusters!r}, allowed are three whole numbers such as 20,45,6"
            ) from None
        changes["clusters"] = (head, arms, lower)
    if library_min is not None:
        if not 1.0 / 6.0 <= library_min <= 600.0:
            raise click.UsageError(f"--library is {library_min:g} minutes, allowed is 1/6 to 600")
        changes["library_s"] = 60.0 * library_min
    return TrainingSettings(**changes)


def _check(corpus: tuple[str, ...], reading: Any) -> None:
    """Print the report on the corpus.

    Raises
    ------
    UnreadableError
        If no pair can be read, as in training.
    """
    from kinesphere.corpus.pairs.pairs import find_pairs
    from kinesphere.corpus.pairs.refusals import why_unusable
    from kinesphere.errors import UnreadableError

    with progress_bar("reading") as done:
        report = find_pairs(corpus).report(settings=reading, progress=done)
    if report.anything:
        say(report.text())
    if reason := why_unusable(report):
        raise UnreadableError(None, reason)


def _say_problems(report: PairingReport) -> None:
    """Print to stderr what was skipped."""
    from kinesphere.corpus.pairs.refusals import count_text, first_names

    for problem in report.problems:
        say(f"problem: {problem}", err=True)
    pairing = report.pairing
    for files, one, many in (
        (pairing.motion_alone, "motion file has no audio", "motion files have no audio"),
        (pairing.sound_alone, "audio file has no motion", "audio files have no motion"),
        (pairing.ambiguous, "name fits several files", "names fit several files"),
    ):
        if files:
            named = f" ({first_names(pairing.ambiguous)})" if files is pairing.ambiguous else ""
            it = "it" if len(files) == 1 else "them"
            what = count_text(len(files), one, many) + named
            say(f"note: {what}; 'train --check' lists {it}", err=True)
    for facts, what in (
        ([f for f in report.readable if f.silent], "no syllable is found"),
        (
            [f for f in report.readable if f.apart_s],
            "motion and audio seem to start at different times; see --offset",
        ),
    ):
        if facts:
            of = count_text(len(report.readable), "recording")
            say(f"note: in {len(facts)} of {of} {what}", err=True)
    for note in pairing.notes:
        say(f"note: {note}", err=True)


def _say_stillness(trained: TrainedCorpus) -> None:
    """Warn on stderr if the corpus has too few segments."""
    from kinesphere.export.pages.model.model_facts import stream_facts
    from kinesphere.export.pages.model.model_notes import stillness

    if "arms" in trained.model.streams:
        for note in stillness({"arms": stream_facts(trained, "arms")}, _HARDLY):
            say(f"note: {note}", err=True)


def _summary(trained: TrainedCorpus) -> str:
    model = trained.model
    seconds = sum(model.provenance["seconds"].values())
    people = f"{len(model.speakers)} speaker{'s' if len(model.speakers) > 1 else ''}"
    parts = ", ".join(
        f"{name} {sum(len(row) for row in trained.fits[name].labels)} segments in {len(stream)}"
        for name, stream in model.streams.items()
    )
    return f"{model.name}, {seconds / 60:.1f} minutes of {people}: {parts} clusters"
