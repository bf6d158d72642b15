"""Words in a recording: alignment, spotting, transcripts."""
