"""Outputs of live frames: pages, VMC, terminal, files."""
