"""Body language from the voice (2009): learned from motion recorded with speech, performed live.

Recordings are cut into short segments of the head, the arms and the lower body, similar segments
are clustered, and a hidden Markov model learns which cluster follows which under which prosody.
Live, the voice alone then selects segments, and these are blended into one body.
"""
