"""Annotated performances, speakers' profiles, automatic annotation, and motion-audio corpora."""
