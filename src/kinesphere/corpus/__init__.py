"""Annotated performances: what they hold, reading and writing them, what they lack for what."""
