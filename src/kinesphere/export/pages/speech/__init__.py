"""The picture of an analysed speech."""
