"""Arms and hands: poses of gestures, their timing, and what lies between them."""
