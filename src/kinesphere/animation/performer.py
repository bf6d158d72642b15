"""Parameters of a speaker that the body needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.corpus.profiles.profile import Profile

_SIZES = (0.5, 1.5)  # allowed amplitudes of a speaker


@dataclass(frozen=True)
class Performer:
    """Parameters of a speaker that the body needs.

    Parameters
    ----------
    body_yaw, head_yaw : rotation for a turn to a side, radians.
    collar_gain : factor of the collar bones' part in reaching.
    effort : Space, Weight, Time, Flow that are added to every gesture.
    swivel : added to the elbow's swivel, radians: a trait of a speaker.
    stance : restlessness of the stance, from 0 (still) to 1.
    size : factor of the amplitudes of gestures.
    """

    body_yaw: float = np.radians(20.0)
    head_yaw: float = np.radians(32.0)
    collar_gain: float = 1.0
    effort: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    swivel: float = 0.0
    stance: float = 0.5
    size: float = 1.0

    @classmethod
    def of(cls, profile: Profile) -> Performer:
        """Parameters of a profile; defaults for missing ones."""
        p = profile.portrait

        def number(name: str, usual: float) -> float:
            value = p.get(name, usual)
            return float(value) if not isinstance(value, str) else usual

        usual = cls()
        return cls(
            np.radians(number("body_yaw_deg", np.degrees(usual.body_yaw))),
            np.radians(number("head_yaw_deg", np.degrees(usual.head_yaw))),
            number("collar_bone_gain", 1.0),
            tuple(number(n, 0.0) for n in ("space", "weight", "time", "flow")),  # type: ignore[arg-type]
            np.radians(number("swivel_deg", 0.0)),
            float(np.clip(number("stance", usual.stance), 0.0, 1.0)),
            float(np.clip(number("size", usual.size), *_SIZES)),
        )
