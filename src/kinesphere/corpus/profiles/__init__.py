"""Profiles of speakers, and how they are counted."""
