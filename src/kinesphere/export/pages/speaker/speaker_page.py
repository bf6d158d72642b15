"""A speaker as a page: gestures, hands, positions and timing.

The page shows all counts of a profile, of one speaker or of two side by side. It opens from disk,
with no script, no server and no network, and is light or dark as the viewer's system. The same
profile gives the same bytes.
"""

from __future__ import annotations

from os import PathLike

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.export.pages.speaker.speaker_charts import (
    Shown,
    bar_html,
    hands_section,
    lexemes_section,
    manner_section,
    pairs_section,
    space_section,
    units_section,
    words_section,
)
from kinesphere.export.pages.speaker.speaker_facts import HANDS, KIND_OF_HAND, busiest, lead_of
from kinesphere.export.pages.speaker.speaker_figure import Full, figure_svg
from kinesphere.export.pages.speaker.speaker_style import page_html
from kinesphere.export.pages.speaker.speaker_text import LONGEST_NOTE, clock, percent, safe, shorten
from kinesphere.export.pages.speaker.speaker_timing import timing_section
from kinesphere.formats.files import write_atomically


def write_speaker_page(
    profile: Profile, path: str | PathLike[str], other: Profile | None = None
) -> None:
    """Write `speaker_html` to a file, atomically."""
    data = speaker_html(profile, other).encode()
    with write_atomically(path) as file:
        file.write(data)


def speaker_html(profile: Profile, other: Profile | None = None) -> str:
    """A page on a speaker's style, with a second speaker for comparison if given."""
    shown = [("a", profile)] if other is None else [("a", profile), ("b", other)]
    parts = [
        _heads(shown),
        _overview(shown),
        lexemes_section(shown),
        hands_section(shown),
        space_section(shown),
        timing_section(shown),
        units_section(shown),
        words_section(shown),
        pairs_section(shown),
        manner_section(shown),
    ]
    title = " and ".join(safe(p.name) for _, p in shown)
    return page_html(title, "one" if other is None else "two", "\n".join(filter(None, parts)))


def _heads(shown: Shown) -> str:
    blocks = []
    for role, profile in shown:
        language = {"en": "English", "de": "German"}.get(profile.language, profile.language)
        note = f'<p class="note">{safe(shorten(profile.note, LONGEST_NOTE))}</p>'
        blocks.append(
            f'<div class="{role}"><p class="over">speaker, {safe(language)}</p>'
            f"<h1>{safe(profile.name)}</h1>{note if profile.note else ''}</div>"
        )
    return f"<header>{''.join(blocks)}</header>"


def _overview(shown: Shown) -> str:
    full = Full.of([profile for _, profile in shown])
    figures = "".join(
        f'<figure class="{role}">{figure_svg(profile, role, full)}'
        f"<figcaption>{_caption(profile)}</figcaption>"
        + (f'<p class="lead">{safe(lead_of(profile, name=False))}</p>' if len(shown) > 1 else "")
        + "</figure>"
        for role, profile in shown
    )
    columns = [_key_figures(profile) for _, profile in shown]
    tiles = "".join(
        f"<div><dt>{rows[0][0]}</dt>"
        + "".join(f'<dd class="{r}">{v}</dd>' for (r, _), (_, v) in zip(shown, rows, strict=True))
        + "</div>"
        for rows in zip(*columns, strict=True)
    )
    lead = (
        f'<p class="lead">{safe(lead_of(shown[0][1], name=False))}</p>' if len(shown) == 1 else ""
    )
    split = "".join(_hand_split(role, profile) for role, profile in shown)
    return (
        f'<section class="hero">{figures}<div class="facts">{lead}<dl class="key">{tiles}</dl>'
        f"{split}</div></section>"
    )


def _key_figures(profile: Profile) -> list[tuple[str, str]]:
    counts = profile.counts
    return [
        ("length", f"{clock(counts.duration_s)} <small>min</small>"),
        ("gestures", f"{counts.gestures}"),
        ("per minute", f"{profile.rate_per_minute:.1f}"),
        ("units", f"{counts.units}"),
        ("gestures per unit", f"{profile.gestures_per_unit:.1f}"),
        ("larger units", percent(profile.larger_units)),
        ("lexemes", f"{len(profile.lexemes)}"),
        ("phases", f"{sum(counts.phases.values())}"),
    ]


def _caption(profile: Profile) -> str:
    most = percent(busiest(profile))
    return f"Hand positions at the ends of strokes, seen from the front; {most} at most."


def _hand_split(role: str, profile: Profile) -> str:
    """Proportions of the hands as one wide bar with its legend."""
    parts = [(hand, profile.of_hand(hand)) for hand in HANDS]
    legend = "".join(
        f'<li><i class="dot {KIND_OF_HAND[hand]}"></i>{HANDS[hand]} <b>{percent(share)}</b></li>'
        for hand, share in parts
    )
    pieces = [(KIND_OF_HAND[hand], share) for hand, share in parts]
    bar = bar_html(role, pieces, 1.0, ", ".join(f"{HANDS[h]} {percent(s)}" for h, s in parts))
    return f'<div class="split {role}">{bar}<ul class="legend">{legend}</ul></div>'
