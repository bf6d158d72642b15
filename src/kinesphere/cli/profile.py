"""``kinesphere profile CORPUS... -o speaker.kin``."""

from __future__ import annotations

import click

from kinesphere.cli.options import say, shows_status


@click.command(
    "profile",
    epilog="Examples:\n\n\b\n  kinesphere profile anna/*.eaf -o anna.kin --report anna.html\n"
    "  kinesphere profile anna.eaf --check\n"
    "  kinesphere profile corpus/ -o anna.kin --name Anna --compare host\n"
    "  kinesphere perform talk.txt --style anna.kin -o talk.script",
)
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS...")
@click.option("-o", "--output", metavar="SPEAKER.kin", help="Profile to write.")
@click.option("--name", default="", help="The speaker's name (default: from the first file).")
@click.option("--report", metavar="PAGE.html", help="Also write a page that shows the style.")
@click.option("--compare", metavar="STYLE", help="Another speaker on the page, for comparison.")
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Only list errors and missing annotation, and what needs it; write nothing.",
)
@click.option(
    "--strict", is_flag=True, help="Stop if a file has problems, instead of using the rest."
)
@shows_status("learning the style")
def command(
    corpus: tuple[str, ...],
    output: str | None,
    name: str,
    report: str | None,
    compare: str | None,
    only_check: bool,
    strict: bool,
) -> None:
    """Learn a speaker's style from annotated performances.

    CORPUS are ELAN (.eaf) or ANVIL (.anvil) files, or folders of them. Errors in a file are
    listed with their lines, and the rest is used.
    """
    from pathlib import Path

    from kinesphere.corpus.profiles.profile_file import write_profile
    from kinesphere.pipeline.speakers import check_annotations, profile, speaker

    if only_check:
        found = check_annotations(corpus)
        for line in found:
            say(line)
        say(f"{len(found)} findings" if found else "no errors, and no annotation is missing")
        return
    if output is None:
        raise click.UsageError("give -o SPEAKER.kin, or --check")
    if Path(output).suffix.lower() != ".kin":
        raise click.UsageError(f"{output}: a profile needs the suffix .kin")
    if compare is not None and report is None:
        raise click.UsageError("--compare needs --report")
    if report is not None and Path(report).suffix.lower() != ".html":
        raise click.UsageError(f"{report}: --report writes .html")
    for target in (output, report):
        if target is not None and not Path(target).resolve().parent.is_dir():
            raise click.UsageError(f"{target}: the folder does not exist")
    other = speaker(compare) if compare is not None else None
    counted = profile(corpus, name)
    fitted, problems = counted.profile, counted.problems
    for problem in problems:
        say(f"problem: {problem}", err=True)
    if strict and problems:
        raise click.UsageError(f"{len(problems)} problems; nothing was written (--strict)")
    write_profile(fitted, output)
    if report is not None:
        from kinesphere.export.pages.speaker.speaker_page import write_speaker_page

        write_speaker_page(fitted, report, other)
    c = fitted.counts
    say(
        f"{output}: {fitted.name}, {c.gestures} gestures of {len(fitted.lexemes)} lexemes in "
        f"{c.units} units over {c.duration_s / 60:.1f} minutes, {fitted.rate_per_minute:.1f} per minute"
    )
    if report is not None:
        say(report)
