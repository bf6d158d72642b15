"""Pairs of motion and sound files."""
