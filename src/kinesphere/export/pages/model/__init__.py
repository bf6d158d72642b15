"""The page of a body-language model."""
