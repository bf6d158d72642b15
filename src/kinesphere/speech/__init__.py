"""Sound to prosody: pitch, intensity, syllables, observations; batch and live, the same numbers."""
