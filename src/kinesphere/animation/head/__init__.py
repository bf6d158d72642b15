"""Head and eyes: gaze, nods, blinks."""
