"""Offline: from recordings to a body-language model."""
