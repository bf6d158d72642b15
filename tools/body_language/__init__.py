"""Makes the model of body language that comes with the project, from a corpus performed by code."""
