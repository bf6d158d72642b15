"""What a person edits, and its history."""
