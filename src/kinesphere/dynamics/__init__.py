"""Dynamics: tension by mass trackers (2022), and a physical body (2008, section 6.6).

A mass tracker is a point mass on a damped spring that follows a wrist. Two parameters set it: the
rest error in metres (displacement under gravity without compensation: small is stiff) and
the damping ratio zeta (small values oscillate for long).
"""
