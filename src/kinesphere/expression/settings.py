"""How Effort and Shape are applied."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinesphere.expression.keys.keypoints import ShapeSettings
from kinesphere.expression.keys.torso import TorsoTable


@dataclass(frozen=True)
class ExpressionSettings:
    """How qualities are applied.

    Parameters
    ----------
    paper : the published formulas and switches where they can be computed, without our additions
        (`expression.keys.printed`); see docs/papers.md.
    shape, torso : values that the paper leaves open.
    pinned : Goals keep their times (time freed by Sudden becomes a hold before the movement); else
        movements get shorter and longer, and all that follows is shifted.
    straighten : for keys extracted from recorded motion, ratio by which Direct moves Vias towards
        the straight line and Indirect away from it.
    roundest : least tension of a path; recorded motion has too many keys for the paper's -1.
    """

    paper: bool = False
    shape: ShapeSettings = field(default_factory=ShapeSettings)
    torso: TorsoTable = field(default_factory=TorsoTable)
    pinned: bool = False
    straighten: float = 0.0
    roundest: float = -1.0
