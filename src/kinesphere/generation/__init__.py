"""From tagged text to a gesture script in a speaker's style (2008 paper, chapter 5)."""
