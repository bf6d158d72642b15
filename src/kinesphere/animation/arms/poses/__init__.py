"""Poses of arms and hands: of gestures, contacts and rests."""
