"""Pages of the papers' figures, drawn with our code; one module a page, and its parts."""
