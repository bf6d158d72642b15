"""Random numbers of live characters: each follows from its seed, a stream and a count."""

from __future__ import annotations

_MASK = (1 << 64) - 1


def uniform_random(seed: int, stream: int, count: int) -> float:
    """Uniform random number in [0, 1) from a character's seed, a stream and a count (splitmix64).

    >>> uniform_random(1, 0, 0) == uniform_random(1, 0, 0) != uniform_random(1, 0, 1)
    True
    """
    z = (seed * 0x9E3779B97F4A7C15 + stream * 0xD1B54A32D192ED03 + count) & _MASK
    for _ in range(2):
        z = (z + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
    return (z >> 11) / float(1 << 53)
