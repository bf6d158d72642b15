"""Which segment or gesture comes next."""
