"""Metrics of motion: one module per metric."""
