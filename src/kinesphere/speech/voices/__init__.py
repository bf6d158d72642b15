"""Synthetic and recorded voices."""
