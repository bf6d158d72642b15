"""Curves of a face, layered: mouth, lids, brows and what gestures add, by one rule for each.

A mouth is said by one source, so the last one that has it is taken. Lids are closed as far as the
one who closes them most. A raise of the brows counts once: raises of speech near one that a gesture
makes are left out. All others, such as a smile, add up to at most 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.maths.arrays import Floats

MOUTH = ("aa", "ih", "ou", "ee", "oh", "jaw")
"""Channels of the mouth: VRM's presets, and how far they open the jaw."""
LIDS = ("blink", "blinkLeft", "blinkRight")
BROWS = "browUp"
SEEN = 0.02
"""Lower values of a channel are not visible."""
_APART_S = 0.5  # between two raises of the brows, such as of a gesture and of a syllable


def layer_face(
    under: Mapping[str, Floats], over: Mapping[str, Floats], fps: float
) -> dict[str, Floats]:
    """Channels ``[..., frames]`` of two layers, in [0, 1].

    Parameters
    ----------
    under : such as of gestures; its brow raises are kept.
    over : such as of speech; its mouth is taken.

    Examples
    --------
    >>> smile, talk = np.array([0.75, 0.75]), np.array([0.5, 0.125])
    >>> found = layer_face({"happy": smile, "aa": talk}, {"happy": talk, "aa": smile}, 30.0)
    >>> found["happy"].tolist(), found["aa"].tolist()
    ([1.0, 0.875], [0.75, 0.75])
    """
    layered = dict(under)
    for name, values in over.items():
        if name not in under or name in MOUTH:
            layered[name] = values
        elif name in LIDS:
            layered[name] = np.maximum(under[name], values)
        elif name == BROWS:
            layered[name] = _raised_once(under[name], values, round(_APART_S * fps))
        else:
            layered[name] = np.minimum(under[name] + values, 1.0)
    return layered


def _raised_once(kept: Floats, more: Floats, margin: int) -> Floats:
    """A channel ``[frames]`` with those movements of another that are farther than a margin."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (more > 0.0).astype(np.int8), [0]])))
    free = np.zeros(len(more))
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        near = kept[max(first - margin, 0) : end + margin]
        if not (near > SEEN).any():
            free[first:end] = more[first:end]
    return np.maximum(kept, free)
