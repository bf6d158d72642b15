"""A trained model as a page: training data, results, and warnings.

The page opens from disk, with no script, no server and no network, and is light or dark as the
viewer's system. The same training gives the same bytes.
"""

from __future__ import annotations

from os import PathLike

from kinesphere.bodylanguage.learn.prosody_evidence import MutualInformation
from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
from kinesphere.corpus.pairs.facts import PairFacts
from kinesphere.corpus.pairs.offsets import CONFIDENT
from kinesphere.export.pages.model.model_facts import StreamFacts, observation_words, stream_facts
from kinesphere.export.pages.model.model_notes import PARTS, notes_of
from kinesphere.export.pages.model.model_pictures import (
    curve_picture,
    follows_picture,
    hands_picture,
    length_picture,
    movement_picture,
    surprise_picture,
)
from kinesphere.export.pages.model.model_style import STYLE
from kinesphere.export.pages.speaker.speaker_charts import section
from kinesphere.export.pages.speaker.speaker_style import page_html
from kinesphere.export.pages.speaker.speaker_text import (
    MINUS,
    NO_BREAK,
    NOTHING,
    TIMES,
    clock,
    percent,
    safe,
    shorten,
)
from kinesphere.formats.files import write_atomically

_MOST_ROWS = 60
_MOST_LISTED = 20
_TITLES = {"head": "Head", "arms": "Arms", "lower": "Lower body"}
_SEEN = {
    "head": "the path of the nose from the front; the oval reaches 32 degrees to each side",
    "arms": "the paths of the wrists from the front",
    "lower": "the path of the pelvis from above, the front at the bottom; the lines of the "
    "cross are 10 cm long",
}


def write_model_page(trained: TrainedCorpus, path: str | PathLike[str]) -> None:
    """Write `model_html` to a file, atomically."""
    data = model_html(trained).encode()
    with write_atomically(path) as file:
        file.write(data)


def model_html(trained: TrainedCorpus) -> str:
    """A page with all training results."""
    facts = {name: stream_facts(trained, name) for name in trained.model.streams}
    parts = [
        _head(trained),
        _overview(trained, facts),
        _notes(trained, facts),
        _recordings(trained),
        _problems(trained),
        _evidence(trained),
        *(_stream(stream) for stream in facts.values()),
    ]
    page = page_html(safe(trained.model.name), "one", "\n".join(filter(None, parts)))
    return page.replace("</style>", f"{STYLE}</style>", 1)


def _head(trained: TrainedCorpus) -> str:
    about = trained.model.provenance
    lines = [f"corpora: {', '.join(about['corpora'])} ({', '.join(about['layouts'])})"]
    if about["licence"]:
        lines.append(f"licence: {shorten(about['licence'], 400)}")
    lines.append(f"made by Kinesphere {about['versions']['kinesphere']}, seed {about['seed']}")
    notes = "".join(f'<p class="note">{safe(line)}</p>' for line in lines)
    return (
        '<header><div class="a"><p class="over">body-language model</p>'
        f"<h1>{safe(trained.model.name)}</h1>{notes}</div></header>"
    )


def _overview(trained: TrainedCorpus, facts: dict[str, StreamFacts]) -> str:
    model = trained.model
    seconds = model.provenance["seconds"]
    heard = max(int(stream.observations.sum()) for stream in model.streams.values())
    tiles = [
        ("length", f"{clock(sum(seconds.values()))} <small>min</small>"),
        ("recordings", f"{model.provenance['recordings']}"),
        ("speakers", f"{len(model.speakers)}"),
        ("syllables and pauses", f"{heard}"),
        ("segments", f"{sum(len(f.lengths_s) for f in facts.values())}"),
        ("clusters", f"{sum(len(f.clusters) for f in facts.values())}"),
        ("motion library", f"{clock(model.duration_s)} <small>min</small>"),
    ]
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in tiles)
    figure = ""
    if "arms" in facts:
        figure = (
            f'<figure class="a">{hands_picture(model)}<figcaption>Hand positions, seen from '
            'the front: <span class="inline"><i class="dot rh"></i>right <i class="dot lh"></i>'
            "left</span></figcaption></figure>"
        )
    people = ""
    if len(seconds) > 1:
        most = sorted(seconds, key=lambda name: (-seconds[name], name))
        rows = ", ".join(f"{safe(n)} <b>{seconds[n] / 60:.1f}</b>" for n in most[:_MOST_LISTED])
        more = f" and {len(most) - _MOST_LISTED} more" if len(most) > _MOST_LISTED else ""
        people = f'<p class="hint people">Minutes by speaker: {rows}{more}.</p>'
    return (
        f'<section class="hero">{figure}<div class="facts"><p class="lead">{_lead(facts)}</p>'
        f'<dl class="key">{cells}</dl>{people}</div></section>'
    )


def _lead(facts: dict[str, StreamFacts]) -> str:
    parts = [
        f"{len(f.lengths_s)} of {PARTS[name]} in {len(f.clusters)} clusters, "
        f"{f.lengths_s.mean():.2f}{NO_BREAK}s long"
        for name, f in facts.items()
    ]
    return f"Segments: {'; '.join(parts)}."


def _notes(trained: TrainedCorpus, facts: dict[str, StreamFacts]) -> str:
    rows = "".join(f"<li>{safe(note)}</li>" for note in notes_of(trained, facts))
    return section("Notes", "Limits of the training data.", f'<ul class="notes">{rows}</ul>')


def _recordings(trained: TrainedCorpus) -> str:
    report = trained.report
    speaker = {pair.name: pair.speaker for pair in report.pairing.pairs}
    head = (
        "recording",
        "speaker",
        "length",
        "audio longer by",
        "motion",
        "audio",
        "shows",
        "words",
        "start",
        "sure",
    )
    rows = "".join(_recording(facts, speaker) for facts in report.readable[:_MOST_ROWS])
    more = len(report.readable) - _MOST_ROWS
    said = f'<p class="hint">and {more} more.</p>' if more > 0 else ""
    top = "".join(
        f'<th scope="col"{" class=left" if name == "shows" else ""}>{name}</th>' for name in head
    )
    hint = (
        f"Layout: {safe(report.pairing.layout)}. <i>Start</i> is when the motion seems to start in "
        "the audio, from speech activity and hand speed, and <i>sure</i> its distance from "
        f"chance level ({CONFIDENT:g} is reliable)."
    )
    table = (
        f'<div class="scroll"><table class="numbers"><thead><tr>{top}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{said}"
    )
    return section("Recordings", hint, table)


def _recording(facts: PairFacts, speaker: dict[str, str]) -> str:
    start = facts.offset
    cells = [
        safe(speaker.get(facts.name, "")) or NOTHING,
        clock(min(facts.motion_s, facts.audio_s)),
        f"{_signed_text(facts.difference_s)}{NO_BREAK}s",
        f"{facts.fps:.4g}{NO_BREAK}fps",
        f"{facts.audio_hz / 1000:.4g}{NO_BREAK}kHz",
        " ".join(facts.present),
        str(facts.words) if facts.words else NOTHING,
        NOTHING if start is None else f"{_signed_text(start.offset_s)}{NO_BREAK}s",
        NOTHING if start is None else f"{start.confidence:.2f}",
    ]
    kind = ' class="warn"' if start is not None and start.confident else ""
    row = "".join(f"<td>{cell}</td>" for cell in cells[:-4])
    row += f'<td class="left">{cells[-4]}</td><td>{cells[-3]}</td>'
    row += "".join(f"<td{kind}>{cell}</td>" for cell in cells[-2:])
    notes = safe("; ".join(facts.notes))
    return f'<tr title="{notes}"><th scope="row">{safe(shorten(facts.name, 60))}</th>{row}</tr>'


def _signed_text(value: float) -> str:
    return f"{value:+.2f}".replace("-", MINUS)


def _problems(trained: TrainedCorpus) -> str:
    pairing = trained.report.pairing
    lists = [
        ("cannot be read, skipped", trained.report.problems),
        ("motion without audio", pairing.motion_alone),
        ("audio without motion", pairing.sound_alone),
        ("ambiguous names", tuple(a.name for a in pairing.ambiguous)),
        ("note" if len(pairing.notes) == 1 else "notes", pairing.notes),
    ]
    blocks = ""
    for title, rows in lists:
        if rows:
            items = "".join(f"<li>{safe(shorten(row, 300))}</li>" for row in rows[:_MOST_LISTED])
            more = len(rows) - _MOST_LISTED
            items += f"<li><em>and {more} more</em></li>" if more > 0 else ""
            blocks += (
                f'<div class="block"><h3>{len(rows)} {title}</h3>'
                f'<ul class="notes">{items}</ul></div>'
            )
    if not blocks:
        return ""
    return section(
        "Not used",
        "Files that did not become part of the model.",
        f'<div class="blocks">{blocks}</div>',
    )


def _evidence(trained: TrainedCorpus) -> str:
    rows = ""
    full = max((t.bits for found in trained.evidence.values() for t in found), default=1.0) or 1.0
    for name, found in trained.evidence.items():
        about = (
            ("whether another segment starts", found.starts),
            ("which segment", found.state),
            ("which segment, syllables alone", found.syllables),
        )
        for i, (what, told) in enumerate(about):
            who = f'<th scope="rowgroup" rowspan="3">{_TITLES[name]}</th>'
            begins = f"<tr class=first>{who}" if i == 0 else "<tr>"
            rows += f'{begins}<td class="what">{what}</td>{_information_cells(told, full)}</tr>'
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("", "about", "", "bits", "chance", "beyond chance", "p")
    )
    hint = (
        "Mutual information of an observation and the state at the next one, per observation. It "
        "is biased for few data, so the chance level is measured with the audio of each recording "
        "circularly shifted (grey). <i>Beyond chance</i> is a proportion of the "
        "entropy; <i>syllables alone</i> ignores the difference between speech and pauses."
    )
    table = (
        f'<div class="scroll"><table class="numbers told"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
    return section("Information in prosody", hint, table)


def _information_cells(told: MutualInformation, full: float) -> str:
    by_chance, found = (min(100.0, 100.0 * v / full) for v in (told.chance_bits, told.bits))
    bar = (
        f'<span class="lane"><b style="width:{found:.1f}%"></b>'
        f'<s style="width:{by_chance:.1f}%"></s></span>'
    )
    kind = "sure" if told.p < 0.05 else "unsure"
    return (
        f'<td class="chart">{bar}</td><td>{told.bits:.3f}</td><td>{told.chance_bits:.3f}</td>'
        f'<td class="{kind}">{percent(told.share, 1)}</td><td class="{kind}">{told.p:.3f}</td>'
    )


def _stream(facts: StreamFacts) -> str:
    title = _TITLES[facts.name]
    cards = "".join(
        f'<figure class="card a"><figcaption><b>{c.number}</b> {safe(c.words)}</figcaption>'
        f'<div class="pair">{movement_picture(facts.name, c)}{curve_picture(c)}</div>'
        f"<p>{c.count}{TIMES} <em>{c.mean_s:.2f}{NO_BREAK}s</em></p></figure>"
        for c in facts.clusters
    )
    hint = (
        f"{len(facts.lengths_s)} segments in {len(facts.clusters)} clusters, the most frequent "
        f"first. Left, a few of each over one another: {_SEEN[facts.name]}; a dot is where a "
        "segment ends. Right, the probability that it continues at the next syllable, by its "
        "elapsed proportion: data (dots, larger for more samples) and fitted curve."
    )
    left = (
        f"<div><h3>Lengths</h3>{length_picture(facts)}{_telling(facts)}<h3>Transitions</h3>"
        '<p class="hint">Rows are before, columns after, darker is more probable.</p>'
        f"{follows_picture(facts)}</div>"
    )
    right = (
        '<div><h3>Starts after each observation</h3><p class="hint">Blue is more often than by '
        "chance, orange less; stronger colours are more significant. A column is an "
        "observation: a filled dot in <i>rises</i> or <i>falls</i> for a significant change of "
        "pitch; <i>loud</i> large, usual small, a ring in a pause; <i>long</i> by the length of "
        f"the line; bars are its frequency.</p>{surprise_picture(facts)}</div>"
    )
    body = f'<div class="movements">{cards}</div><div class="tables">{left}{right}</div>'
    return section(title, hint, body)


def _telling(facts: StreamFacts) -> str:
    if not facts.telling:
        return (
            '<h3>Most significant</h3><p class="hint">No cluster starts after any '
            "one observation more often than chance explains.</p>"
        )
    words = {c.number: c.words for c in facts.clusters}
    rows = "".join(
        f"<li>After {observation_words(t.observation)}, <b>{t.cluster}</b> "
        f"({safe(words[t.cluster])}): <b>{t.times / t.expected:.1f}{TIMES}</b> as often "
        f"<em>({t.times} times)</em></li>"
        for t in facts.telling
    )
    return f'<h3>Most significant</h3><ul class="notes">{rows}</ul>'
