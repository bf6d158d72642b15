"""Effort and Shape (the EMOTE model, 2000): values, equations, keyed and recorded motion.

Manner words are in `expression.manner`, the command is ``kinesphere express``.
"""
