"""Pure array functions: quaternions, Euler angles, splines, springs, curves and filters.

Nothing here depends on skeletons or files. Every function takes any number of leading batch axes;
components come last. Quaternions are ``wxyz``, unit length, right-handed.
"""
