"""Composes the stages; the only package that imports all. The Python API mirrors the commands."""
