"""Tension: mass trackers, their response, presets."""
