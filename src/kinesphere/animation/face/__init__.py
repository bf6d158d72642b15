"""Face curves: mouth, brows, lids."""
