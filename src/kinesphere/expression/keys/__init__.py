"""Effort and Shape on keys: EMOTE as published and corrected."""
