"""Warnings about a trained model, in plain sentences."""

from __future__ import annotations

import numpy as np

from kinesphere.bodylanguage.learn.prosody_evidence import Evidence
from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.corpus.pairs.refusals import count_text
from kinesphere.export.pages.model.model_facts import StreamFacts, is_still
from kinesphere.export.pages.speaker.speaker_text import percent

ENOUGH_MIN = 30.0
"""Minutes that the paper trained on."""
_LITTLE_MIN = 10.0
_SURE = 0.05
_FEW = 6
_STILL = 0.6
PARTS = {"head": "the head", "arms": "the arms", "lower": "the lower body"}


def notes_of(trained: TrainedCorpus, facts: dict[str, StreamFacts]) -> list[str]:
    """Sentences, the most important first."""
    return [
        *_amount(trained, facts),
        *stillness(facts),
        *_missing(trained),
        *_starts(trained),
        *_prosody(trained),
        *_note_on_kept(trained),
    ]


def _amount(trained: TrainedCorpus, facts: dict[str, StreamFacts]) -> list[str]:
    out = []
    seconds = trained.model.provenance.get("seconds", {})
    minutes = sum(seconds.values()) / 60.0
    if minutes < _LITTLE_MIN:
        out.append(
            f"{minutes:.1f} minutes are little training data: the method was designed for "
            f"{ENOUGH_MIN:.0f}. Segments will repeat, and their relation to prosody is unreliable."
        )
    elif minutes < 0.8 * ENOUGH_MIN:
        out.append(
            f"{minutes:.0f} minutes are less than the {ENOUGH_MIN:.0f} the method was designed for."
        )
    poor = [name for name, s in seconds.items() if s < 60.0 * _LITTLE_MIN]
    if len(seconds) > 1 and poor:
        names = ", ".join(poor[:5]) + (" and others" if len(poor) > 5 else "")
        out.append(
            f"Of {len(poor)} of {len(seconds)} speakers there are less than {_LITTLE_MIN:.0f} "
            f"minutes ({names}): too few for a style of their own."
        )
    return out + _kinds(trained, facts)


def _kinds(trained: TrainedCorpus, facts: dict[str, StreamFacts]) -> list[str]:
    out = []
    wanted = trained.model.provenance["settings"]["clusters"]
    asked = {name: wanted[STREAMS.index(name)] for name in facts}
    fewer = [
        f"{len(stream.clusters)} of {asked[name]} of {PARTS[name]}"
        for name, stream in facts.items()
        if len(stream.clusters) < asked[name]
    ]
    if fewer:
        out.append(
            "There are too few segments for the requested number of clusters: "
            f"{_list_words(fewer)} were made."
        )
    rare = sum(c.count < _FEW for stream in facts.values() for c in stream.clusters)
    if rare:
        kinds = sum(len(stream.clusters) for stream in facts.values())
        out.append(
            f"{rare} of {kinds} clusters have fewer than {_FEW} examples; their curves "
            "rely on the common curve."
        )
    return out


def stillness(facts: dict[str, StreamFacts], fewer_than: float = np.inf) -> list[str]:
    """Sentences on streams that mostly stand still, if fewer than that many segments move."""
    out = []
    for name, stream in facts.items():
        still = sum(c.count for c in stream.clusters if is_still(c.words))
        share = still / max(len(stream.lengths_s), 1)
        moves = len(stream.lengths_s) - still
        if share > _STILL and moves < fewer_than:
            out.append(
                f"{PARTS[name].capitalize()}: {percent(share)} of the segments are standing "
                f"still; only {count_text(moves, 'segment moves', 'segments move')}."
            )
    return out


def _list_words(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _missing(trained: TrainedCorpus) -> list[str]:
    out = []
    lacking = [PARTS[name] for name in STREAMS if name not in trained.model.streams]
    if lacking:
        out.append(f"The recordings do not show {_list_words(lacking)}: they get idle motion.")
    readable = trained.report.readable
    without = sum("fingers" not in f.present for f in readable)
    if without == len(readable):
        out.append("No recording shows fingers: the hands stay relaxed.")
    elif without:
        out.append(f"{without} of {len(readable)} recordings show no fingers: hands relax there.")
    return out


def _starts(trained: TrainedCorpus) -> list[str]:
    readable = trained.report.readable
    apart = [facts.apart_s for facts in readable if facts.apart_s]
    if not apart:
        return []
    return [
        f"In {len(apart)} of {len(readable)} recordings audio and motion seem to start "
        f"{np.median(np.abs(apart)):.1f} s apart (median). If they do, the relation to prosody is "
        "wrong: see --offset."
    ]


def _prosody(trained: TrainedCorpus) -> list[str]:
    return [prosody_sentence(name, found) for name, found in trained.evidence.items()]


def prosody_sentence(name: str, found: Evidence) -> str:
    """Evidence of prosody for one stream, as a sentence."""
    told, spoken = found.state, found.syllables
    who = PARTS[name].capitalize()
    if told.p >= _SURE:
        return (
            f"{who}: prosody predicts the segments no better than chance level (p {told.p:.2f}). "
            "The model moves with the syllables, but the segment chosen does not depend on prosody."
        )
    said = (
        f"{who}: prosody explains {percent(told.share, 1)} of the entropy of the next "
        f"segment (p {told.p:.3f})"
    )
    if spoken.p >= _SURE:
        return f"{said}; syllables alone are at chance level: only speech and pauses matter."
    return f"{said}, syllables alone {percent(spoken.share, 1)} (p {spoken.p:.3f})."


def _note_on_kept(trained: TrainedCorpus) -> list[str]:
    whole = sum(trained.model.provenance.get("seconds", {}).values())
    kept = trained.model.duration_s
    if kept > 0.98 * whole:
        return []
    return [
        f"All data was counted; of {whole / 60:.0f} minutes of motion the model keeps "
        f"{kept / 60:.0f}, equally much of every cluster."
    ]
