"""Live: segments assembled on one body, frame by frame."""
