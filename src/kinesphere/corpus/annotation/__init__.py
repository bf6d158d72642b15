"""Annotated performances: ANVIL, ELAN and automatic annotation."""
