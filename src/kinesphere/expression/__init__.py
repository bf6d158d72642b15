"""Effort and Shape (the EMOTE model, 2000): the values and the equations.

Not yet applied to motion: keypoint movements, clips in and out, manner words and the command come
next.
"""
