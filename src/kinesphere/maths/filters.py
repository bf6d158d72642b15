"""Zero-phase smoothing along the first axis of ``[n, ...]``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats

_SETTLING = 4.0  # periods of the cut-off after which the effect of the ends is negligible


def butterworth_sections(cutoff_hz: float, fps: float, order: int = 2) -> Floats:
    """Second-order sections ``[n, 5]`` (b0, b1, b2, a1, a2) of a low-pass Butterworth filter.

    The analog poles are warped by the bilinear transform so that the cut-off is exact. An odd
    order has one section of first order.
    """
    if order < 1:
        raise InvalidValueError(f"filter order {order}, allowed is 1 or more")
    if not 0.0 < cutoff_hz < 0.5 * fps:
        raise InvalidValueError(
            f"cut-off {cutoff_hz:g} Hz, allowed is between 0 and half the rate, {0.5 * fps:g} Hz"
        )
    k = np.tan(np.pi * cutoff_hz / fps)
    sections = []
    for i in range(order // 2):
        damping = 2.0 * np.sin(np.pi * (2 * i + 1) / (2 * order))
        norm = 1.0 / (1.0 + damping * k + k * k)
        b = k * k * norm
        sections.append([b, 2 * b, b, 2 * (k * k - 1) * norm, (1 - damping * k + k * k) * norm])
    if order % 2:
        b = k / (1.0 + k)
        sections.append([b, b, 0.0, (k - 1.0) / (1.0 + k), 0.0])
    return np.array(sections)


def low_pass(values: ArrayLike, cutoff_hz: float, fps: float, order: int = 2) -> Floats:
    """Butterworth low-pass run forward and backward: zero phase, twice the attenuation.

    The ends are extended by odd reflection, as is usual, so that a straight line stays
    unchanged. Sequences shorter than the extension use a shorter one.
    """
    from kinesphere.maths.filter_kernels import biquad_in_place

    x = np.asarray(values, dtype=np.float64)
    if len(x) < 2:
        return x.copy()
    sections = butterworth_sections(cutoff_hz, fps, order)
    flat = np.ascontiguousarray(x.reshape(len(x), -1))
    pad = min(int(np.ceil(_SETTLING * fps / cutoff_hz)), len(x) - 1)
    if pad < 1:
        return x.copy()
    head = 2.0 * flat[:1] - flat[pad:0:-1]
    tail = 2.0 * flat[-1:] - flat[-2 : -pad - 2 : -1]
    work = np.concatenate([head, flat, tail])
    for _ in range(2):
        for section in sections:
            biquad_in_place(work, section, _steady_state(section))
        work = np.ascontiguousarray(work[::-1])
    return work[pad : pad + len(x)].reshape(x.shape)


def _steady_state(section: Floats) -> Floats:
    b0, b1, b2, a1, a2 = section
    gain = (b0 + b1 + b2) / (1.0 + a1 + a2)
    return np.array([(b1 + b2) - (a1 + a2) * gain, b2 - a2 * gain])


def gaussian(values: ArrayLike, sigma: float, radius: float = 4.0) -> Floats:
    """Gaussian smoothing, `sigma` in samples; ends extended by odd reflection."""
    x = np.asarray(values, dtype=np.float64)
    reach = min(int(np.ceil(radius * sigma)), len(x) - 1)
    if reach < 1:
        return x.copy()
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    flat = x.reshape(len(x), -1)
    head = 2.0 * flat[:1] - flat[reach:0:-1]
    tail = 2.0 * flat[-1:] - flat[-2 : -reach - 2 : -1]
    padded = np.concatenate([head, flat, tail])
    smooth = sum(w * padded[i : i + len(x)] for i, w in enumerate(kernel))
    return np.asarray(smooth).reshape(x.shape)


def held_gaussian(values: ArrayLike, sigma: float, radius: float = 3.0) -> Floats:
    """Gaussian average of ``[n]``, `sigma` in samples; the end values are held beyond the ends.

    Unlike `gaussian` it never leaves the range of the values.
    """
    x = np.asarray(values, dtype=np.float64)
    reach = max(1, round(radius * sigma))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-6)) ** 2)
    return np.convolve(np.pad(x, reach, mode="edge"), kernel / kernel.sum(), mode="valid")


def moving_minimum(values: ArrayLike, reach: int) -> Floats:
    """Moving minimum of ``[n]`` over `reach` samples to each side; the end values are extended.

    >>> moving_minimum([3.0, 1.0, 2.0, 5.0, 4.0], 1)
    array([1., 1., 1., 2., 4.])
    """
    from kinesphere.maths.filter_kernels import minimum_within

    x = np.ascontiguousarray(values, dtype=np.float64)
    out = np.empty_like(x)
    minimum_within(x, reach, out)
    return out
