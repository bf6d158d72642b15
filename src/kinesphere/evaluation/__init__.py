"""Measures of motion: one file a metric."""
