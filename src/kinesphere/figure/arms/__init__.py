"""Arms and hands of the figure: tables, spheres, contacts, and corrections that change smoothly."""
