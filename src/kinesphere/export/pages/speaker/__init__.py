"""The page and portrait of a speaker's style."""
