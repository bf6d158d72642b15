"""Server, sessions and messages."""
