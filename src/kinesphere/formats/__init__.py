"""File formats, one module each: bytes to motion and back. `registry` chooses by the suffix."""
