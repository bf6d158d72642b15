"""Fourier transforms for use inside other compiled loops.

A call of numpy costs several times the transform of one short frame, which a stream of one voice
would pay at every step. Stockham's algorithm is used: passes of radix 4, then 2 or 3, from one pair
of rows to another, which leave the result in order.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads

_F1, _F2 = reads("float64", 1), reads("float64", 2)
_ROW = "f8[::1]"


def smooth_length(least: int) -> int:
    """Smallest supported length >= `least`: 2, 4, 6, 8, 12, 16, 24, ..."""
    power = 1 << max(1, (least - 1).bit_length())
    return power * 3 // 4 if power >= 8 and power * 3 // 4 >= least else power


def twiddle_factors(length: int) -> Floats:
    """Cosines and sines ``[4, length/2]`` of even and of all multiples of a turn over `length`."""
    angles = 2.0 * np.pi * np.arange(length // 2) / length
    return np.stack([np.cos(2 * angles), np.sin(2 * angles), np.cos(angles), np.sin(angles)])


@compiled(f"UniTuple(f8, 8)({', '.join(['f8'] * 14)})")
def _butterfly(
    ar: float,
    ai: float,
    br: float,
    bi: float,
    cr: float,
    ci: float,
    dr: float,
    di: float,
    c1: float,
    s1: float,
    c2: float,
    s2: float,
    c3: float,
    s3: float,
) -> tuple[float, float, float, float, float, float, float, float]:
    """Transform of four numbers with three twiddle factors; real and imaginary parts."""
    er, ei, fr, fi = ar + cr, ai + ci, ar - cr, ai - ci
    gr, gi, hr, hi = br + dr, bi + di, br - dr, bi - di
    tr, ti, ur, ui, vr, vi = fr + hi, fi - hr, er - gr, ei - gi, fr - hi, fi + hr
    return (
        er + gr,
        ei + gi,
        c1 * tr + s1 * ti,
        c1 * ti - s1 * tr,
        c2 * ur + s2 * ui,
        c2 * ui - s2 * ur,
        c3 * vr + s3 * vi,
        c3 * vi - s3 * vr,
    )


@compiled(f"void({_F2}, i8, i8, {_ROW}, {_ROW}, {_ROW}, {_ROW})")
def _by_four(turn: Floats, n: int, s: int, xr: Floats, xi: Floats, yr: Floats, yi: Floats) -> None:
    """Pass of radix 4 over `s` interleaved transforms of length `n`."""
    h = n // 4
    cos, sin = turn[0], turn[1]
    if s == 1:  # the same with merged loops, which the compiler can vectorise
        ar, br, cr, dr = xr[:h], xr[h : 2 * h], xr[2 * h : 3 * h], xr[3 * h :]
        ai, bi, ci, di = xi[:h], xi[h : 2 * h], xi[2 * h : 3 * h], xi[3 * h :]
        for p in range(h):
            y = _butterfly(
                ar[p],
                ai[p],
                br[p],
                bi[p],
                cr[p],
                ci[p],
                dr[p],
                di[p],
                cos[p],
                sin[p],
                cos[2 * p],
                sin[2 * p],
                cos[3 * p],
                sin[3 * p],
            )
            yr[4 * p], yr[4 * p + 1], yr[4 * p + 2], yr[4 * p + 3] = y[0], y[2], y[4], y[6]
            yi[4 * p], yi[4 * p + 1], yi[4 * p + 2], yi[4 * p + 3] = y[1], y[3], y[5], y[7]
        return
    for p in range(h):
        a, b, c, d, o = s * p, s * (p + h), s * (p + 2 * h), s * (p + 3 * h), 4 * s * p
        c1, s1, c2, s2, c3, s3 = cos[a], sin[a], cos[2 * a], sin[2 * a], cos[3 * a], sin[3 * a]
        ar, br, cr, dr = xr[a : a + s], xr[b : b + s], xr[c : c + s], xr[d : d + s]
        ai, bi, ci, di = xi[a : a + s], xi[b : b + s], xi[c : c + s], xi[d : d + s]
        for q in range(s):
            y = _butterfly(
                ar[q], ai[q], br[q], bi[q], cr[q], ci[q], dr[q], di[q], c1, s1, c2, s2, c3, s3
            )
            yr[o + q], yr[o + s + q] = y[0], y[2]
            yr[o + 2 * s + q], yr[o + 3 * s + q] = y[4], y[6]
            yi[o + q], yi[o + s + q] = y[1], y[3]
            yi[o + 2 * s + q], yi[o + 3 * s + q] = y[5], y[7]


@compiled(f"void({_F2}, i8, i8, {_ROW}, {_ROW}, {_ROW}, {_ROW})")
def _by_two(turn: Floats, n: int, s: int, xr: Floats, xi: Floats, yr: Floats, yi: Floats) -> None:
    """Pass of radix 2."""
    for p in range(n // 2):
        a, b, o = s * p, s * (p + n // 2), 2 * s * p
        cos, sin = turn[0, a], turn[1, a]
        ar, ai, br, bi = xr[a : a + s], xi[a : a + s], xr[b : b + s], xi[b : b + s]
        for q in range(s):
            tr, ti = ar[q] - br[q], ai[q] - bi[q]
            yr[o + q], yi[o + q] = ar[q] + br[q], ai[q] + bi[q]
            yr[o + s + q], yi[o + s + q] = cos * tr + sin * ti, cos * ti - sin * tr


@compiled(f"void(i8, {_ROW}, {_ROW}, {_ROW}, {_ROW})")
def _by_three(s: int, xr: Floats, xi: Floats, yr: Floats, yi: Floats) -> None:
    """Last pass, of radix 3."""
    ar, br, cr = xr[:s], xr[s : 2 * s], xr[2 * s :]
    ai, bi, ci = xi[:s], xi[s : 2 * s], xi[2 * s :]
    sine = math.sqrt(0.75)
    for q in range(s):
        tr, ti = br[q] + cr[q], bi[q] + ci[q]
        ur, ui = ar[q] - 0.5 * tr, ai[q] - 0.5 * ti
        vr, vi = sine * (bi[q] - ci[q]), sine * (cr[q] - br[q])
        yr[q], yr[s + q], yr[2 * s + q] = ar[q] + tr, ur + vr, ur - vr
        yi[q], yi[s + q], yi[2 * s + q] = ai[q] + ti, ui + vi, ui - vi


@compiled(f"i8({_F2}, f8[:, ::1])")
def transform(turn: Floats, work: Floats) -> int:
    """Fourier transform of ``work[0] + i work[1]``; returns the row of its real part, 0 or 2.

    The imaginary part is in the next row. The length is that of the rows, ``[4, n]``.
    """
    n, s, x = work.shape[1], 1, 0
    while n > 1:
        y = 2 - x
        if n % 4 == 0:
            _by_four(turn, n, s, work[x], work[x + 1], work[y], work[y + 1])
            n, s = n // 4, s * 4
        elif n % 2 == 0:
            _by_two(turn, n, s, work[x], work[x + 1], work[y], work[y + 1])
            n, s = n // 2, s * 2
        else:
            _by_three(s, work[x], work[x + 1], work[y], work[y + 1])
            n, s = 1, s * 3
        x = y
    return x


@compiled(f"void({_F2}, f8[:, ::1], {_ROW}, {_ROW})")
def real_spectrum(turn: Floats, work: Floats, real: Floats, imaginary: Floats) -> None:
    """First bins of the transform of real numbers; `work` has the even and the odd samples.

    ``work [4, n/2]`` has the even samples in row 0, the odd ones in row 1. As many bins are
    written as there is room for, at most ``n/2 + 1``.
    """
    half = work.shape[1]
    x = transform(turn, work)
    xr, xi, cos, sin = work[x], work[x + 1], turn[2], turn[3]
    real[0], imaginary[0] = xr[0] + xi[0], 0.0
    for k in range(1, min(half, len(real))):
        er, ei = 0.5 * (xr[k] + xr[half - k]), 0.5 * (xi[k] - xi[half - k])
        fr, fi = 0.5 * (xi[k] + xi[half - k]), 0.5 * (xr[half - k] - xr[k])
        real[k] = er + cos[k] * fr + sin[k] * fi
        imaginary[k] = ei + cos[k] * fi - sin[k] * fr
    if len(real) > half:
        real[half], imaginary[half] = xr[0] - xi[0], 0.0
