"""Idle motion: breathing, sway, small glances."""
