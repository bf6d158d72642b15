"""Audio to prosody: pitch, intensity, syllables, observations; equal in batch and live."""
