"""Text analysis: tokens, lemmas, semantic tags of gesture, clauses, theme, rheme and focus."""
