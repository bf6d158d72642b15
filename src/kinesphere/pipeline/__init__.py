"""Composes the stages; the only place that knows them all. The Python API mirrors the commands."""
