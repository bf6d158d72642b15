"""Gaze, eyes, lids, brows, and the layers of a face."""
