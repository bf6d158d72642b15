"""Finished takes to what people look at and hand on: pages, video, pictures, characters."""
