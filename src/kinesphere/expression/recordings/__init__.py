"""Effort and Shape on recorded motion."""
