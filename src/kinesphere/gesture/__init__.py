"""Gestures: the lexicon, hand positions, the gesture script, phases and their detection."""

from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.hand_movements import DetectionSettings
from kinesphere.gesture.phases import (
    HANDS,
    PHASE_KINDS,
    ArmPhases,
    BodyUnit,
    GesturePhases,
    GestureUnit,
    Phase,
)

__all__ = [
    "HANDS",
    "PHASE_KINDS",
    "ArmPhases",
    "BodyUnit",
    "DetectionSettings",
    "GesturePhases",
    "GestureUnit",
    "Phase",
    "detect_phases",
]
