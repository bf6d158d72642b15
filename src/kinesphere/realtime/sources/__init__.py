"""Sources of live sound and words."""
