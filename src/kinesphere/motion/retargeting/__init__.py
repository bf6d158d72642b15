"""Retargeting to other bodies, with their feet on the floor."""
