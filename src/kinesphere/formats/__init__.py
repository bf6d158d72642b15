"""One file a format: bytes to motion and back. `registry` chooses by the file's ending."""
