"""Pages in HTML and plots for them."""
