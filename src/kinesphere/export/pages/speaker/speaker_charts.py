"""Charts of a speaker's page: gestures, hands, space, units, words, pairs and parameters.

Every chart takes the speakers as pairs of their role ("a", "b") and profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from kinesphere.corpus.profiles.counts import Moments
from kinesphere.corpus.profiles.profile import FOCUS, Profile
from kinesphere.export.pages.speaker.speaker_facts import (
    HANDS,
    KIND_OF_HAND,
    frequent_pairs,
    place_of,
    telling_tags,
)
from kinesphere.export.pages.speaker.speaker_text import (
    MINUS,
    NO_BREAK,
    NOTHING,
    TIMES,
    breakable_name,
    display_name,
    percent,
    safe,
)
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.positions import DISTANCES, HEIGHTS, INCLINATIONS, RADIALS
from kinesphere.language.tags import semantic_tags

Shown = Sequence[tuple[str, Profile]]
_LARGEST_UNIT = 18
_UNITS = {"_deg": "\N{DEGREE SIGN}", "_m": f"{NO_BREAK}m", "_s": f"{NO_BREAK}s"}


def bar_html(role: str, parts: Iterable[tuple[str, float]], full: float, label: str) -> str:
    """A bar of parts; `full` is the value of the full width."""
    drawn = "".join(
        f'<i class="{kind}" style="width:{min(100.0 * value / full, 100.0):.2f}%"></i>'
        for kind, value in parts
        if value > 0.0 and full > 0.0
    )
    return f'<span class="bar {role}" role="img" aria-label="{safe(label)}">{drawn}</span>'


def section(title: str, hint: str, body: str) -> str:
    """A part of the page: its title, what it shows, and the charts."""
    return f'<section><h2>{title}</h2><p class="hint">{hint}</p>{body}</section>'


def names_of(shown: Shown, rows: Callable[[Profile], Iterable[str]]) -> list[str]:
    """Names that any speaker has, those of the first speaker first."""
    return list(dict.fromkeys(name for _, profile in shown for name in rows(profile)))


def meaning_of(name: str) -> str:
    """Meaning of a lexeme, for a tooltip."""
    entry = lexicon().get(name)
    return entry.meaning if entry is not None else "defined by the speaker"


def lexemes_section(shown: Shown) -> str:
    """Gestures by their probability, with hands and strokes."""
    names = names_of(shown, lambda profile: profile.lexemes)
    full = max((p.of_lexeme(n) for _, p in shown for n in names), default=1.0)
    rows = []
    for name in names:
        bars = "".join(_lexeme_bar(role, profile, name, full) for role, profile in shown)
        values = "".join(_lexeme_values(role, profile, name) for role, profile in shown)
        rows.append(
            f'<li><span class="name" title="{safe(meaning_of(name))}">{breakable_name(name)}</span>'
            f'<span class="bars">{bars}</span><span class="values">{values}</span></li>'
        )
    hint = (
        "Proportion of each gesture, split by hand, and its mean number of strokes"
        f" ({TIMES}). {_key(shown)}"
    )
    return section("Gestures", hint, f'<ul class="rows wide">{"".join(rows)}</ul>')


def _key(shown: Shown) -> str:
    """Legend of the hands' colours."""
    out = ""
    for role, profile in shown:
        who = f"<b>{safe(profile.name)}</b> " if len(shown) > 1 else ""
        dots = " ".join(
            f'<i class="dot {KIND_OF_HAND[hand]}"></i>{name}' for hand, name in HANDS.items()
        )
        out += f'<span class="inline {role}">{who}{dots}</span>'
    return out


def _lexeme_bar(role: str, profile: Profile, name: str, full: float) -> str:
    share = profile.of_lexeme(name)
    seen = {hand: profile.counts.lexeme_hands.get((name, hand), 0) for hand in HANDS}
    total = sum(seen.values())
    if not total:  # no annotated hands
        return bar_html(role, [("plain", share)], full, f"{name} {percent(share, 1)}")
    parts = [(KIND_OF_HAND[hand], share * n / total) for hand, n in seen.items()]
    label = f"{name}: " + ", ".join(f"{HANDS[hand]} {n}" for hand, n in seen.items())
    return bar_html(role, parts, full, label)


def _lexeme_values(role: str, profile: Profile, name: str) -> str:
    n = profile.counts.lexemes.get(name, 0)
    strokes = profile.counts.strokes.get(name, Moments())
    often = f"{TIMES}{strokes.mean:.1f}" if strokes.n else ""
    share = percent(profile.of_lexeme(name), 1) if n else NOTHING
    return f'<span class="{role}" title="{n} of them"><b>{share}</b> <em>{often}</em></span>'


def hands_section(shown: Shown) -> str:
    """Hands by their probability, and transition probabilities."""
    body = "".join(_matrix(role, profile, alone=len(shown) == 1) for role, profile in shown)
    hint = "Transition probabilities between hands of gestures: rows are before, columns after."
    bars = _shares(
        "Share",
        {name: hand for hand, name in HANDS.items()},
        shown,
        lambda p, hand: p.of_hand(hand),
    )
    return section("Hands", hint, f'<div class="blocks">{bars}{body}</div>')


def _matrix(role: str, profile: Profile, *, alone: bool) -> str:
    rows = ""
    for before, name in HANDS.items():
        cells = ""
        for after in HANDS:
            p = profile.hand_following(after, before)
            n = profile.counts.hand_pairs.get((before, after), 0)
            cells += (
                f'<td title="{n} times"><i style="opacity:{0.06 + 0.74 * p:.2f}"></i>'
                f"<span>{percent(p)}</span></td>"
            )
        rows += f'<tr><th scope="row">{name}</th>{cells}</tr>'
    head = "".join(f'<th scope="col">{name}</th>' for name in HANDS.values())
    who = "Transitions" if alone else f"Transitions: {safe(profile.name)}"
    return (
        f'<table class="matrix {role}"><caption>{who}</caption>'
        f'<thead><tr><th scope="col">after</th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _shares(
    title: str, names: Mapping[str, str], shown: Shown, share: Callable[[Profile, str], float]
) -> str:
    """A block of small bars: displayed names, and their keys."""
    full = max((share(p, key) for _, p in shown for key in names.values()), default=0.0)
    rows = ""
    for name, key in names.items():
        values = [(role, share(profile, key)) for role, profile in shown]
        kind = KIND_OF_HAND.get(key, "plain")
        bars = "".join(bar_html(r, [(kind, v)], full, f"{name} {percent(v)}") for r, v in values)
        texts = "".join(f'<span class="{r}"><b>{percent(v)}</b></span>' for r, v in values)
        rows += (
            f'<li><span class="name">{safe(name)}</span><span class="bars">{bars}</span>'
            f'<span class="values">{texts}</span></li>'
        )
    return f'<div class="block"><h3>{title}</h3><ul class="rows">{rows}</ul></div>'


def _place_share(part: str) -> Callable[[Profile, str], float]:
    def share(profile: Profile, name: str) -> float:
        places = [getattr(place_of(sample), part) for sample in profile.samples]
        return places.count(name) / len(places) if places else 0.0

    return share


def space_section(shown: Shown) -> str:
    """Positions of stroke ends: height, side, distance and elbow."""
    tables: tuple[tuple[str, str, Sequence[str]], ...] = (
        ("Height", "height", HEIGHTS),
        ("Round the body", "radial", RADIALS),
        ("Distance from it", "distance", DISTANCES[::-1]),
        ("Elbow", "inclination", INCLINATIONS[::-1]),
    )
    blocks = "".join(
        _shares(title, {display_name(n): n for n in names}, shown, _place_share(part))
        for title, part, names in tables
    )
    hint = "Position at the end of the stroke; the elbow from touching the body to straight out."
    return section("Space", hint, f'<div class="blocks four">{blocks}</div>')


def units_section(shown: Shown) -> str:
    """Sizes of units, rest poses and body rotation."""
    poses = names_of(shown, lambda profile: _rank(profile.counts.rest_poses))
    turns = names_of(shown, lambda profile: _rank(profile.counts.turns))
    blocks = _histogram(shown)
    blocks += _shares(
        "Rest poses", {display_name(p): p for p in poses}, shown, _part_of("rest_poses")
    )
    if turns:
        blocks += _shares("Turns to", {display_name(t): t for t in turns}, shown, _part_of("turns"))
    hint = "Gestures between two rests, rest poses of the hands, and directions the body turns to."
    return section("Units and rests", hint, f'<div class="blocks">{blocks}</div>')


def _rank(table: Mapping[str, int]) -> list[str]:
    return sorted(table, key=lambda name: (-table[name], name))


def _part_of(table: str) -> Callable[[Profile, str], float]:
    def share(profile: Profile, name: str) -> float:
        rows: Mapping[str, int] = getattr(profile.counts, table)
        total = sum(rows.values())
        return rows.get(name, 0) / total if total else 0.0

    return share


def _sizes(profile: Profile) -> dict[int, int]:
    """Units by size; the largest sizes share one entry."""
    out: dict[int, int] = {}
    for size, n in profile.counts.unit_sizes.items():
        if size.isdecimal():
            key = min(int(size), _LARGEST_UNIT)
            out[key] = out.get(key, 0) + n
    return out


def _histogram(shown: Shown) -> str:
    sizes = [(role, profile.counts.units, _sizes(profile)) for role, profile in shown]
    last = max((size for _, _, table in sizes for size in table), default=0)
    full = max((n / units for _, units, table in sizes for n in table.values()), default=1.0)
    columns = ""
    for size in range(1, last + 1):
        bars = ""
        for role, units, table in sizes:
            n = table.get(size, 0)
            tall = 100.0 * n / units / full if units else 0.0
            count = f"<b>{n}</b>" if n and len(shown) == 1 else ""
            bars += f'<i class="{role}" style="height:{tall:.1f}%" title="{n} units">{count}</i>'
        label = f"{size}+" if size == _LARGEST_UNIT else f"{size}"
        columns += f"<li><span>{bars}</span><small>{label}</small></li>"
    about = "; ".join(
        f"{safe(p.name)}: " + ", ".join(f"{n} of {size}" for size, n in sorted(_sizes(p).items()))
        for _, p in shown
    )
    return (
        '<div class="block"><h3>Gestures in a unit</h3>'
        f'<ol class="hist" role="img" aria-label="Units by size. {about}">{columns}</ol></div>'
    )


def words_section(shown: Shown) -> str:
    """Tags that predict the gesture best; empty if there are none."""
    tags = telling_tags([profile for _, profile in shown])
    if not tags:
        return ""
    rows = "".join(_tag_row(tag, shown) for tag in tags)
    hint = (
        "Semantic tags that predict the gesture best, how often they occur, and the "
        "probability of each gesture given the tag."
    )
    return section("Gestures by meaning", hint, f'<ul class="tags">{rows}</ul>')


def _tag_row(tag: str, shown: Shown) -> str:
    entry = semantic_tags().get(tag)
    meaning = entry.meaning if entry is not None else ""
    meaning = "a stressed word of no other kind" if tag == FOCUS else meaning
    lines = ""
    for role, profile in shown:
        given = profile.given_tag(tag)
        best = sorted(given, key=lambda name: (-given[name], name))
        best = [name for name in best if given[name] >= 0.015][:3]
        parts = [(f"s{i}", given[name]) for i, name in enumerate(best)]
        texts = ", ".join(f"{breakable_name(name)} <b>{percent(given[name])}</b>" for name in best)
        label = ", ".join(f"{name} {percent(given[name])}" for name in best)
        n = profile.counts.tags.get(tag, 0)
        lines += (
            f'<span class="line {role}">{bar_html(role, parts, 1.0, f"{tag}: {label}")}'
            f'<span class="said">{texts or NOTHING}</span><em>{n}{TIMES}</em>'
            "</span>"
        )
    return (
        f'<li><span class="tag"><b>{safe(tag)}</b> <small>{safe(meaning)}</small></span>'
        f'<span class="lines">{lines}</span></li>'
    )


def pairs_section(shown: Shown) -> str:
    """Gestures that follow each other; empty if there are none."""
    pairs = frequent_pairs([profile for _, profile in shown])
    if not pairs:
        return ""
    seen = [p.counts.lexeme_pairs.get(pair, 0) for _, p in shown for pair in pairs]
    full = float(max(seen))
    rows = ""
    for before, after in pairs:
        bars = texts = ""
        for role, profile in shown:
            n = profile.counts.lexeme_pairs.get((before, after), 0)
            p = profile.following(after, before) if before in profile.lexemes else 0.0
            bars += bar_html(role, [("plain", float(n))], full, f"{n} times")
            texts += f'<span class="{role}"><b>{n}{TIMES}</b> <em>{percent(p)}</em></span>'
        rows += (
            f'<li><span class="name">{breakable_name(before)} <em>\N{RIGHTWARDS ARROW}</em> '
            f'{breakable_name(after)}</span><span class="bars">{bars}</span>'
            f'<span class="values">{texts}</span></li>'
        )
    hint = (
        "Most frequent pairs, how often they were seen, and how probable the second is after the "
        "first."
    )
    return section("Sequences", hint, f'<ul class="rows wide pairs">{rows}</ul>')


def manner_section(shown: Shown) -> str:
    """Parameters that are not counted; empty if there are none."""
    names = names_of(shown, lambda profile: sorted(profile.portrait))
    if not names:
        return ""
    tiles = ""
    for name in names:
        ending = next((e for e in _UNITS if name.endswith(e)), "")
        unit = _UNITS.get(ending, "")
        values = "".join(
            f'<dd class="{role}">{safe(_value(profile.portrait.get(name), unit))}</dd>'
            for role, profile in shown
        )
        said = name.removesuffix(ending).replace("_", " ")
        tiles += f"<div><dt>{safe(said)}</dt>{values}</div>"
    hint = "Parameters of the speaker that are not counted: Effort, tension and body rotation."
    return section("Manner", hint, f'<dl class="key small">{tiles}</dl>')


def _value(value: float | str | None, unit: str) -> str:
    if value is None:
        return NOTHING
    return value if isinstance(value, str) else f"{value:g}{unit}".replace("-", MINUS)
