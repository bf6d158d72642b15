"""Motion by keys: Goals, Vias, movements, tracks, and their sampling."""
