"""Builds the default body-language model of the package from a corpus performed by the engine."""
