"""What makes a body act: so far the life of one that does nothing."""
