"""The studio: a local server with sessions and worker processes, used from a browser page."""
