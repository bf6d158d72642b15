"""Animation of a body: gesture scripts, head, eyes, face and idle motion."""
