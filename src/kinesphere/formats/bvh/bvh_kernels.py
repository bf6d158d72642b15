"""Compiled loops for BVH: numbers from text and to text, channels to rotations and back.

References in the tests: Python's ``float`` and ``repr``, and `kinesphere.maths.euler`.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.maths.arrays import Bytes, Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import product

_TEN = 10.0 ** np.arange(23)
_BYTES = reads("uint8", 1)

DONE, FULL, SLOW_FULL, BAD_LINE = 0, 1, 2, 3


@compiled(f"UniTuple(i8, 6)({_BYTES}, i8, i8, i8, i8, f8[::1], i8, i8[:, ::1])")
def parse_numbers(
    text: Bytes,
    position: int,
    on_line: int,
    line: int,
    width: int,
    out: Floats,
    filled: int,
    slow: Ints,
) -> tuple[int, int, int, int, int, int]:
    """Read white-space separated numbers from `position` on into ``out[filled:]``.

    A decimal of at most 15 digits, which fit 53 bits, and a power of ten of at most 22 is one exact
    integer divided or multiplied by one exact power: correctly rounded. Any other token is listed
    in `slow` (index, start, end) for Python to read. With ``width > 0`` every line must hold that
    many.

    Returns
    -------
    why it stopped (DONE, FULL, SLOW_FULL, BAD_LINE), position, numbers on this line so far, lines
    passed, numbers in `out`, tokens in `slow`.
    """
    end = len(text)
    slow_count = 0
    while True:
        while position < end and text[position] <= 32:
            if text[position] == 10:
                if width > 0 and on_line != 0 and on_line != width:
                    return BAD_LINE, position, on_line, line, filled, slow_count
                on_line = 0
                line += 1
            position += 1
        if position >= end:
            if width > 0 and on_line != 0 and on_line != width:
                return BAD_LINE, position, on_line, line, filled, slow_count
            return DONE, position, on_line, line, filled, slow_count
        if filled == len(out):
            return FULL, position, on_line, line, filled, slow_count
        if slow_count == len(slow):
            return SLOW_FULL, position, on_line, line, filled, slow_count
        start = position
        negative = text[position] == 45
        if negative or text[position] == 43:
            position += 1
        mantissa = 0
        digits = position
        while position < end:
            d = np.int64(text[position]) - 48
            if d < 0 or d > 9:
                break
            mantissa = mantissa * 10 + d
            position += 1
        digits = position - digits
        fraction = 0
        if position < end and text[position] == 46:
            position += 1
            fraction = position
            while position < end:
                d = np.int64(text[position]) - 48
                if d < 0 or d > 9:
                    break
                mantissa = mantissa * 10 + d
                position += 1
            fraction = position - fraction
            digits += fraction
        exponent = 0
        if digits > 0 and position < end and (text[position] == 101 or text[position] == 69):
            position += 1
            minus = position < end and text[position] == 45
            if position < end and (minus or text[position] == 43):
                position += 1
            first = position
            while position < end:
                d = text[position] - 48
                if d < 0 or d > 9:
                    break
                if exponent < 10000:
                    exponent = exponent * 10 + d
                position += 1
            if position == first:
                digits = 0
            if minus:
                exponent = -exponent
        exponent -= fraction
        ended = position >= end or text[position] <= 32
        if not ended or digits == 0 or digits > 15 or exponent < -22 or exponent > 22:
            while position < end and text[position] > 32:
                position += 1
            slow[slow_count, 0] = filled
            slow[slow_count, 1] = start
            slow[slow_count, 2] = position
            slow_count += 1
            value = math.nan
        else:
            value = float(mantissa)
            if exponent < 0:
                value = value / _TEN[-exponent]
            elif exponent > 0:
                value = value * _TEN[exponent]
            if negative:
                value = -value
        out[filled] = value
        filled += 1
        on_line += 1


@compiled(f"UniTuple(i8, 2)({reads('float64', 1)}, i8, i8, i8, u1[::1])")
def format_numbers(
    values: Floats, first: int, width: int, position: int, out: Bytes
) -> tuple[int, int]:
    """Write numbers as text, a space between them and a line break after every `width`.

    A number with at most nine decimals is written so that it reads back bit for bit. Stops before
    one that is not, for Python to write, and before `out` is full.

    Returns
    -------
    index of the first number not written, and the position in `out`.
    """
    digits = np.empty(20, np.uint8)
    for index in range(first, len(values)):
        if position + 40 > len(out):
            return index, position
        value = values[index]
        size = abs(value)
        if not size < 9.0e6:
            return index, position
        places = 6
        whole = np.int64(np.rint(size * 1e6))
        if whole / 1e6 != size:
            places = 9
            whole = np.int64(np.rint(size * 1e9))
            if whole / 1e9 != size:
                return index, position
        while places > 0 and whole % 10 == 0:
            whole //= 10
            places -= 1
        if value < 0.0:
            out[position] = 45
            position += 1
        count = 0
        while whole > 0 or count <= places:
            digits[count] = 48 + whole % 10
            whole //= 10
            count += 1
        while count > 0:
            count -= 1
            out[position] = digits[count]
            position += 1
            if count == places and places > 0:
                out[position] = 46
                position += 1
        out[position] = 10 if (index + 1) % width == 0 else 32
        position += 1
    return len(values), position


@numba.njit(error_model="numpy")
def half_angles(degrees: Floats, sines: Floats, cosines: Floats) -> None:
    """Sine and cosine of half of each angle in degrees, without branches, so that it vectorises.

    Half the angle is reduced to within 45 degrees of a multiple of 90, where the Taylor series
    needs nine terms for the last bit.
    """
    for i in range(len(degrees)):
        half = 0.5 * degrees[i]
        quarter = np.floor(half * (1.0 / 90.0) + 0.5)
        x = (half - 90.0 * quarter) * (math.pi / 180.0)
        y = x * x
        s = 1.0 / 355687428096000.0
        s = s * y - 1.0 / 1307674368000.0
        s = s * y + 1.0 / 6227020800.0
        s = s * y - 1.0 / 39916800.0
        s = s * y + 1.0 / 362880.0
        s = s * y - 1.0 / 5040.0
        s = s * y + 1.0 / 120.0
        s = s * y - 1.0 / 6.0
        s = x + x * (s * y)
        c = 1.0 / 20922789888000.0
        c = c * y - 1.0 / 87178291200.0
        c = c * y + 1.0 / 479001600.0
        c = c * y - 1.0 / 3628800.0
        c = c * y + 1.0 / 40320.0
        c = c * y - 1.0 / 720.0
        c = c * y + 1.0 / 24.0
        c = c * y - 0.5
        c = 1.0 + c * y
        turn = quarter - 4.0 * np.floor(quarter * 0.25)
        odd = turn == 1.0 or turn == 3.0
        sine = c if odd else s
        cosine = s if odd else c
        sines[i] = -sine if turn >= 2.0 else sine
        cosines[i] = -cosine if (turn == 1.0 or turn == 2.0) else cosine


@compiled(f"void({reads('float64', 2)}, {reads('int64', 2)}, {reads('int64', 2)}, f8[:, :, ::1])")
def rotations_from_channels(values: Floats, columns: Ints, axes: Ints, out: Floats) -> None:
    """Quaternions of Euler channels in degrees.

    `columns` and `axes` ``[joints, 3]`` list each joint's rotation channels in order: the column
    of `values` (or -1) and the axis (0, 1, 2).
    """
    frames, joints = out.shape[0], out.shape[1]
    width = values.shape[1]
    sines = np.empty(width)
    cosines = np.empty(width)
    for f in range(frames):
        half_angles(values[f], sines, cosines)
        for j in range(joints):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for k in range(columns.shape[1]):
                column = columns[j, k]
                if column >= 0:
                    s, c = sines[column], cosines[column]
                    if axes[j, k] == 0:
                        w, x, y, z = w * c - x * s, w * s + x * c, y * c + z * s, z * c - y * s
                    elif axes[j, k] == 1:
                        w, x, y, z = w * c - y * s, x * c - z * s, w * s + y * c, x * s + z * c
                    else:
                        w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, w * s + z * c
            out[f, j, 0] = w
            out[f, j, 1] = x
            out[f, j, 2] = y
            out[f, j, 3] = z


@compiled(
    f"void({reads('float64', 3)}, {reads('int64', 2)}, {reads('int64', 2)}, "
    f"{reads('float64', 2)}, f8[:, ::1], f8[:, ::1])"
)
def channels_from_rotations(
    rotations: Floats, columns: Ints, axes: Ints, hint: Floats, before: Floats, out: Floats
) -> None:
    """Euler channels in degrees of quaternions, the inverse of `rotations_from_channels`.

    Of the equal triples the one nearest the previous frame is taken, so that curves are continuous.
    Where `hint` has a row for the frame, its angles are used unchanged if they give the same
    rotation. `axes` must give three axes for every joint; columns of -1 are computed and dropped.
    `before` are the angles ``[joints, 3]`` of the frame before the first, radians, and those of the
    last one afterwards, so that clips can come in blocks.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    turn = 2.0 * math.pi
    given = np.zeros(3)
    for j in range(joints):
        near = before[j]
        i0, i1, i2 = axes[j, 0], axes[j, 1], axes[j, 2]
        proper = i0 == i2
        third_axis = 3 - i0 - i1
        sign = 1.0 if (i1 - i0) % 3 == 1 else -1.0
        for f in range(frames):
            q = rotations[f, j]
            hinted = f < len(hint)
            if hinted:
                p = (1.0, 0.0, 0.0, 0.0)
                for k in range(3):
                    given[k] = 0.0
                    if columns[j, k] >= 0:
                        given[k] = math.radians(hint[f, columns[j, k]])
                        s = math.sin(0.5 * given[k])
                        x = s if axes[j, k] == 0 else 0.0
                        y = s if axes[j, k] == 1 else 0.0
                        z = s if axes[j, k] == 2 else 0.0
                        p = product(p, (math.cos(0.5 * given[k]), x, y, z))
                plus = 0.0
                minus = 0.0
                for k in range(4):
                    plus = max(plus, abs(q[k] - p[k]))
                    minus = max(minus, abs(q[k] + p[k]))
                same = min(plus, minus) < 1e-9
                if same:
                    near[:] = given
                    for k in range(3):
                        if columns[j, k] >= 0:
                            out[f, columns[j, k]] = hint[f, columns[j, k]]
                    continue
            w, x, y, z = q[0], q[1 + i0], q[1 + i1], sign * q[1 + third_axis]
            if not proper:
                w, x, y, z = w - y, x - z, y + w, z + x
            middle = 2.0 * math.atan2(math.hypot(y, z), math.hypot(w, x))
            half_sum = math.atan2(x, w)
            half_difference = math.atan2(z, y)
            inner = 1.0 if proper else -sign
            if middle < 1e-7:
                first = near[0]
                third = inner * (2.0 * half_sum - first)
            elif middle > math.pi - 1e-7:
                first = near[0]
                third = inner * (first - 2.0 * half_difference)
            else:
                first = half_sum + half_difference
                third = inner * (half_sum - half_difference)
            if not proper:
                middle -= 0.5 * math.pi
            best = math.inf
            b0, b1, b2 = first, middle, third
            for family in range(2):
                if family == 0:
                    c0, c1, c2 = first, middle, third
                else:
                    c0 = first + math.pi
                    c1 = -middle if proper else math.pi - middle
                    c2 = third + math.pi
                c0 += turn * np.rint((near[0] - c0) / turn)
                c1 += turn * np.rint((near[1] - c1) / turn)
                c2 += turn * np.rint((near[2] - c2) / turn)
                cost = (c0 - near[0]) ** 2 + (c1 - near[1]) ** 2 + (c2 - near[2]) ** 2
                if cost < best - 1e-12:
                    best = cost
                    b0, b1, b2 = c0, c1, c2
            near[0], near[1], near[2] = b0, b1, b2
            for k in range(3):
                if columns[j, k] >= 0:
                    out[f, columns[j, k]] = math.degrees(near[k])
