"""Step 2, continued: hand and hand shape of the selected gestures (section 5.2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.corpus.annotation.annotation import HANDEDNESS
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.creation import Candidate
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexicon import lexicon
from kinesphere.maths.arrays import Floats


def select_hands(
    path: Sequence[Candidate],
    profile: Profile,
    settings: GenerationSettings,
    rng: np.random.Generator,
) -> list[str]:
    """Select the hand of each gesture.

    P(h | h before) = 0.5 P(h | lexeme) + 0.2 P(h) + 0.3 P(h | h before): the most probable
    sequence, or a sampled one, corrected so that hands are expected as often as in the
    speaker's profile.
    """
    if not path:
        return []
    table = np.zeros((len(path), 3, 3))  # gesture, hand before, hand
    for i, candidate in enumerate(path):
        for b, before in enumerate(HANDEDNESS):
            for h, hand in enumerate(HANDEDNESS):
                table[i, b, h] = hand_weight(
                    profile, settings, candidate.lexeme, hand, before if i else ""
                )
        if candidate.hands is not None:
            only = HANDEDNESS.index(candidate.hands)
            table[i] = 1e-12
            table[i, :, only] = 1.0
    if settings.sampling:
        usual = np.array([profile.of_hand(hand) for hand in HANDEDNESS])
        picked = _sample_hands(_correct_hands(table, usual, settings), rng)
    else:
        picked = _best_hands(np.log(np.maximum(table, 1e-300)))
    return [HANDEDNESS[h] for h in picked]


def hand_weight(
    profile: Profile, settings: GenerationSettings, lexeme: str, hand: str, before: str
) -> float:
    """Weight of a hand for a lexeme after another hand.

    None where the lexeme is hardly ever performed with it and this speaker has no such sample:
    nobody points at a person with both hands.
    """
    entry = lexicon().get(lexeme)
    if entry is not None:
        share = entry.hands[{"RH": 0, "LH": 1, "2H": 2}[hand]]
        if (
            share < settings.least_hand_share
            and profile.counts.lexeme_hands.get((lexeme, hand), 0) == 0
        ):
            return 0.0
    return (
        settings.hand_by_lexeme * profile.hand_given_lexeme(hand, lexeme)
        + settings.hand_alone * profile.of_hand(hand)
        + settings.hand_by_previous * profile.hand_following(hand, before)
    )


def _best_hands(logs: Floats) -> list[int]:
    value = logs[0, 0]
    back = []
    for i in range(1, len(logs)):
        scores = value[:, None] + logs[i]
        back.append(scores.argmax(axis=0))
        value = scores.max(axis=0)
    picked = [int(value.argmax())]
    for row in reversed(back):
        picked.append(int(row[picked[-1]]))
    return picked[::-1]


def _correct_hands(table: Floats, usual: Floats, settings: GenerationSettings) -> Floats:
    """Weights with a factor for each hand, so that the expected proportions are the usual ones."""
    factor = np.ones(len(usual))
    least, most = settings.least_hands, settings.most_corrected
    for _ in range(settings.correction_rounds):
        weighted = table * factor
        step = weighted / weighted.sum(axis=2, keepdims=True)
        here = step[0, 0]
        seen = here.copy()
        for i in range(1, len(step)):
            here = here @ step[i]
            seen += here
        wanted = len(step) * usual
        factor = np.clip(factor * (wanted + least) / (seen + least), 1.0 / most, most)
    return np.asarray(table * factor)


def _sample_hands(table: Floats, rng: np.random.Generator) -> list[int]:
    picked: list[int] = []
    for i in range(len(table)):
        row = table[i, picked[-1] if picked else 0]
        share = np.cumsum(row) / row.sum()
        picked.append(min(int(np.searchsorted(share, rng.random(), side="right")), 2))
    return picked


def select_shapes(lexemes: Sequence[str]) -> list[str]:
    """Hand shape of each gesture: that of the one before where it is allowed, else the default."""
    out: list[str] = []
    kept = ""
    for lexeme in lexemes:
        entry = lexicon().get(lexeme)
        shapes = entry.shapes if entry is not None else ()
        shape = kept if kept in shapes else (shapes[0] if shapes else kept or "open-rlx")
        out.append(shape)
        kept = shape.split("+")[0].split(">")[-1]
    return out
