"""Body language from the voice (2009): learned from motion recorded with speech, performed live.

Recordings are cut into short movements of the head, the arms and the lower body, movements that are
alike are put together, and a model learns which follow which under which prosody. Live, a voice
alone then chooses movements as it is heard, and these are blended into one body.
"""
