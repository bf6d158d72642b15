"""The skin of a character: its surface, the thickness of its arms, and arms kept out of it."""
