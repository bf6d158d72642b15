"""The simulated body."""
