"""Pitch, intensity, syllables, accents; whole and streaming with the same numbers."""
