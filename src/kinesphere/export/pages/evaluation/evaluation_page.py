"""An evaluation as a page with plots that opens from disk: no script, no server, no network.

Takes are blue, references orange. Every number is that of the JSON document; the same evaluation
gives the same bytes.
"""

from __future__ import annotations

from os import PathLike

from kinesphere.evaluation.gesture_feature import PARTS
from kinesphere.evaluation.results import Evaluation, TakeFigures
from kinesphere.export.pages.evaluation.evaluation_plots import (
    distance_figure,
    histogram_figures,
    lag_figures,
)
from kinesphere.export.pages.evaluation.evaluation_tables import (
    beats_table,
    diversity_tables,
    faults_table,
    lags_table,
    movement_table,
    takes_table,
    worst_joints,
)
from kinesphere.export.pages.evaluation.evaluation_words import (
    between,
    by_chance,
    decimals,
    fault,
    figure,
    share,
)
from kinesphere.export.pages.speaker.speaker_charts import bar_html, section
from kinesphere.export.pages.speaker.speaker_style import page_html
from kinesphere.export.pages.speaker.speaker_text import NO_BREAK, clock, safe, shorten
from kinesphere.formats.files import write_atomically

_MOST_NAMES = 8


def write_evaluation_page(found: Evaluation, path: str | PathLike[str]) -> None:
    """Write `evaluation_html` to a file, atomically."""
    data = evaluation_html(found).encode()
    with write_atomically(path) as file:
        file.write(data)


def evaluation_html(found: Evaluation) -> str:
    """A page with all results."""
    parts = [
        _head(found),
        _overview(found),
        _movement(found),
        _speech(found),
        _quantities(found),
        _frechet(found),
        _diversity(found),
        _faults(found),
        _each(found),
        _notes(found),
    ]
    page = page_html(_title(found), "one", "\n".join(filter(None, parts)))
    # The style of pages about speakers, with additions.
    return page.replace("</style>", f"{_STYLE}</style>", 1)


def _title(found: Evaluation) -> str:
    names = ", ".join(safe(shorten(take.name, 60)) for take in found.takes[:3])
    more = len(found.takes) - 3
    return f"Evaluation of {names}" + (f" and {more} more" if more > 0 else "")


def _people(takes: tuple[TakeFigures, ...]) -> str:
    names = [safe(shorten(take.name, 60)) for take in takes[:_MOST_NAMES]]
    more = len(takes) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _head(found: Evaluation) -> str:
    lines = []
    for role, what, takes in (("a", "take", found.takes), ("b", "reference", found.references)):
        if takes:
            length = clock(sum(take.length_s for take in takes))
            plural = "" if len(takes) == 1 else "s"
            lines.append(
                f'<p class="who"><i class="dot {role}"></i><b>{len(takes)} {what}{plural}</b>, '
                f"{length}{NO_BREAK}min: {_people(takes)}</p>"
            )
    return (
        f'<header><div><p class="over">evaluation</p><h1>{_title(found)[14:]}</h1>'
        f"{''.join(lines)}</div></header>"
    )


def _overview(found: Evaluation) -> str:
    """The most important figures, each with its baseline."""
    tiles = [("in people's range", share(found.accepted), f"of values, {found.manner} ranges")]
    if found.references:
        said = "of values; expected are 90 %"
        tiles.append(("within the references", share(found.inside), said))
    beats = found.timing.beats if found.timing else None
    if beats is not None:
        said = f"{decimals(beats.low, signed=True)} to {decimals(beats.high, signed=True)} (95 %)"
        tiles.append(("beats above chance", decimals(beats.excess, signed=True), said))
    if found.references:
        speed = found.quantities[0]
        tiles.append(("Hellinger, speed", figure(speed.distance), by_chance(speed.floor)))
    if found.frechet is not None:
        value = figure(found.frechet.distance.value)
        tiles.append(("Fréchet distance", value, by_chance(found.frechet.floor)))
    if found.diversity is not None:
        ratio = share(found.diversity.hands_m.ratio)
        tiles.append(("diversity of hands", ratio, "100 % is that of unrelated times"))
    tiles.append(("foot sliding", fault("foot_slide_m_s", found.faults["foot_slide_m_s"]), "mean"))
    inside = found.faults["hand_in_body_share"]
    tiles.append(("hands in the body", fault("hand_in_body_share", inside), "of the time"))
    cells = "".join(
        f"<div><dt>{name}</dt><dd>{value}</dd><dd><small>{said}</small></dd></div>"
        for name, value, said in tiles
    )
    return f'<section><dl class="tiles">{cells}</dl></section>'


def _movement(found: Evaluation) -> str:
    mine, theirs = (sum(t.windows for t in takes) for takes in (found.takes, found.references))
    rest = (
        "<i>inside</i> is the proportion within the references' 5th to 95th percentile, where 90 % "
        "of the references' own values are."
        if found.references
        else "<i>people</i> is the median of these recordings."
    )
    ticks = "; ticks above are the medians of each take" if len(found.takes) > 1 else ""
    counted = f"{mine} of the takes" + (f", {theirs} of the references" if theirs else "")
    hint = (
        f"Windows of 20 s in which the hands move: {counted}. Dots are medians, lines run from the "
        f"5th to the 95th percentile{ticks}. Grey is the accepted range, from recordings of "
        f"{found.manner} speakers; <i>accepted</i> is the proportion of the takes' values "
        f"in it, {rest}"
    )
    return section("Movement", hint, movement_table(found))


def _speech(found: Evaluation) -> str:
    if found.timing is None and found.reference_timing is None:
        return ""
    hint = (
        "Consistency is 1 where every beat falls on a syllable, but many beats alone make it high: "
        "what counts is the excess over circular shifts of the same speech. People's "
        "hands peak in speed near syllables; they do not stop there."
    )
    curves = (
        '<p class="hint">The curves show how many ends of segments are within 80 ms of a syllable '
        "if the speech is delayed; a peak above the dashed line is significant, and away from "
        "0 it is a delay. By chance one curve in twenty reaches that line.</p>"
    )
    gates = []
    for who, timing in (("takes", found.timing), ("references", found.reference_timing)):
        if timing is not None:
            gates.append(
                f"{who} <b>{figure(timing.speaking)}</b>{NO_BREAK}m/s while speaking, "
                f"<b>{figure(timing.pausing)}</b> in pauses"
            )
    gating = f'<p class="hint">Speed of the faster hand: {"; ".join(gates)}.</p>'
    figures = lag_figures(found)
    beside = (
        f'<div class="beside">{figures}<div>{curves}{gating}</div></div>' if figures else gating
    )
    return section("Timing with speech", hint, beats_table(found) + lags_table(found) + beside)


def _quantities(found: Evaluation) -> str:
    hint = (
        "Proportions of time by speed, acceleration and jerk of both wrists, for a body of 1.75 m; "
        "the last bins on either side contain everything beyond."
    )
    if found.references:
        hint += (
            " The Hellinger distance is 0 where two histograms are equal and 1 where they have "
            "nothing in common; its chance level is the distance between parts of the references."
        )
    return section("Speed, acceleration and jerk", hint, histogram_figures(found))


def _frechet(found: Evaluation) -> str:
    row = found.frechet
    if row is None:
        return ""
    d = row.distance
    full = max(row.parts.values()) or 1.0
    parts = "".join(
        f'<li><span class="name">{safe(name)}</span><span class="bars">'
        f"{bar_html('a', [('plain', row.parts[name])], full, name)}</span>"
        f'<span class="values"><span><b>{figure(row.parts[name])}</b></span></span></li>'
        for name in PARTS
    )
    more = between(row.between)
    hint = (
        f"<b>{figure(d.value)}</b>: {figure(d.mean_part)} for the means, {figure(d.spread_part)} "
        f"for the spread, of {d.windows[0]} and {d.windows[1]} windows; {by_chance(row.floor)}"
        f"{'; ' + more if more else ''}. The feature is 45 numbers per second: mean, deviation "
        "and velocity of wrists and elbows, relative to the chest, and of the head."
    )
    says = (
        '<p class="hint"><b>What it shows:</b> whether arms and head are on average at the '
        "same positions and move as far and as fast as in the references. <b>What it does not:</b> "
        "whether a movement is good, whether it fits the speech, how it looks. The feature is not "
        "learned by a network, so the number differs from those of the literature; it is "
        "comparable only for this feature and these references. With few windows it is too large, "
        "even between parts of one recording: compare it with the grey range, the distance "
        "between parts of the references as long as the take (median to 95th percentile).</p>"
    )
    note = "Orange: each reference to all the others." if row.between else ""
    body = (
        f'<div class="blocks">{_block("Distance to the references", distance_figure(found), note)}'
        f"{_block('Where the means differ', f'<ul class=rows>{parts}</ul>')}</div>{says}"
    )
    return section("Fréchet distance", hint, body)


def _block(title: str, body: str, note: str = "") -> str:
    below = f'<p class="under">{note}</p>' if note else ""
    return f'<div class="block wide-names"><h3>{title}</h3>{body}{below}</div>'


def _diversity(found: Evaluation) -> str:
    tables = diversity_tables(found)
    if not tables:
        return ""
    hint = (
        "Distance of takes of one speech at equal times: wrists relative to the chest, "
        "and head, arms and legs relative to the hips. 100 % is the distance of unrelated times of "
        "one take; 0 is the same take. High values are no merit by themselves: shaking counts, too."
    )
    return section("Diversity between takes", hint, tables)


def _faults(found: Evaluation) -> str:
    hint = (
        "The maximum over all takes; the mean of proportions and means. Bodies are measured on "
        "their own skeletons, so recordings with other joint axes can exceed limits and look fine."
    )
    worst = worst_joints(found.takes)
    said = f'<p class="hint">Farthest past their limits: {worst}.</p>' if worst else ""
    return section("Faults", hint, faults_table(found) + said)


def _each(found: Evaluation) -> str:
    if len(found.takes) + len(found.references) < 2:
        return ""
    against = bool(found.references)
    body = takes_table(found.takes, against)
    if against:
        body += takes_table(found.references, False, "reference")
    return section("One by one", "Medians over the windows of each.", body)


def _notes(found: Evaluation) -> str:
    if not found.notes:
        return ""
    rows = "".join(f"<li>{safe(note)}</li>" for note in found.notes)
    hint = "What was omitted, and warnings."
    return section("Notes", hint, f'<ul class="notes">{rows}</ul>')


_STYLE = """
:root{--good:#1c7a4d;--fair:#8a6100;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--good:#5cc890;--fair:#d9b04a;--bad:#ff8a80}}
.who{margin:6px 0 0;overflow-wrap:anywhere}
.dot.a{background:var(--a)}.dot.b{background:var(--b)}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:20px 26px;margin:0}
.tiles dt{color:var(--muted);font-size:12.5px}
.tiles dd{margin:0;font-size:25px;font-weight:620;line-height:1.25}
.tiles dd+dd{font-size:12.5px;font-weight:400;color:var(--muted)}
.tiles small{font-size:12.5px}
.scroll{overflow-x:auto;margin-bottom:18px}
.movement td,.movement th,.numbers td,.numbers th{padding:4px 0 4px 16px;vertical-align:middle}
.movement th:first-child,.numbers th:first-child{padding-left:0}
.movement tbody tr+tr,.numbers tbody tr+tr{border-top:1px solid var(--track)}
.movement td,.numbers td,.numbers th:nth-child(n+2),.movement th:nth-child(n+3){text-align:right}
.movement td,.numbers td{white-space:nowrap}
.movement td:nth-child(2){width:30%;min-width:170px}
.movement small,.numbers small{color:var(--muted);font-size:12px}
.numbers{width:auto;min-width:50%}
.numbers thead th{vertical-align:bottom;line-height:1.2}
.numbers thead th:nth-child(n+2){min-width:74px;max-width:110px}
.good{color:var(--good)}.fair{color:var(--fair);font-weight:600}.bad{color:var(--bad);font-weight:600}
.strip,.interval,.lane{position:relative;display:block;height:24px}
.interval{width:150px;height:18px;
  background:linear-gradient(var(--outline),var(--outline)) 50% 0/1px 100% no-repeat}
.strip s,.lane s{position:absolute;top:2px;bottom:2px;background:var(--grid);border-radius:3px;
  text-decoration:none}
.strip b,.interval b{position:absolute;height:4px;border-radius:2px;opacity:.5}
.strip b.a{top:7px}.strip b.b{top:14px}
.strip i,.interval i{position:absolute;width:8px;height:8px;margin-left:-4px;border-radius:50%}
.strip i.a{top:5px}.strip i.b{top:12px}
.strip .a,.interval.a b,.interval.a i{background:var(--a)}
.strip .b,.interval.b b,.interval.b i{background:var(--b)}
.interval b{top:7px}.interval i{top:5px}
.strip u{position:absolute;top:0;width:2px;height:5px;margin-left:-1px;background:var(--a)}
.lane{height:18px;background:var(--track);border-radius:3px}
.lane b{position:absolute;left:0;top:6px;height:6px;border-radius:3px;background:var(--c)}
.lane s{background:var(--outline);opacity:.45;top:0;bottom:0}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(330px,100%),1fr));
  gap:18px 28px;margin:8px 0 14px}
.plots figure{max-width:440px}
.under{margin:6px 0 0;color:var(--muted);font-size:12.5px}.blocks+.hint{margin-top:16px}
.wide-names .rows{--name:min(190px,45%)}
.pairs{width:auto;max-width:100%;table-layout:auto;margin-top:14px}
.pairs td{min-width:58px}.pairs th:first-child{padding-right:14px}
.pairs td i{background:var(--a)}
.notes li{padding:3px 0}
section .hint:last-child{margin-bottom:0}
.beside{display:grid;grid-template-columns:minmax(0,440px) minmax(0,1fr);gap:8px 32px}
.beside .plots{grid-template-columns:1fr}
@media (max-width:860px){.beside{grid-template-columns:1fr}.tiles{grid-template-columns:1fr 1fr}}
@media (max-width:560px){.movement td:nth-child(2){min-width:130px}}
"""
