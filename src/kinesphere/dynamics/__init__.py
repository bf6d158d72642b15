"""Dynamics: tension by mass trackers (2022), and a physical body (2008, section 6.6).

A mass tracker is a point mass on a damped spring that follows a wrist. Two numbers tune it: the
rest error in metres (how far the hand would sag without gravity compensation: small is stiff) and
the damping ratio zeta (small swings for long).
"""
