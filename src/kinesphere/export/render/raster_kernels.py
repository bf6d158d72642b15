"""Compiled loops of the rasteriser: posing, visibility, shadow maps, shading.

Arrays that several loops share:

``lens [8, 3]`` right, up and forward of the picture, the camera's position, then focal length and
half the width and height of the picture in samples (two a pixel and axis), then three rows a, b, c
such that ``a + x b + y c`` is the ray through sample x, y, one metre deep.
``sun [4, 3]`` two axes of the key light's map, in texels a metre, the direction to the light, then
u and v of the map's first texel and 0. The map holds the place along the light of the nearest
surface, very negative where there is none.
``lights [9, 3]`` direction and colour of key, fill and rim, the light from all around, what is
added to it above and taken from it below, (specular, 0, 0).
``floor [n, m]`` how much light arrives at the floor, ``place`` its first x and z and its texel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.arrays import Bytes, Floats, Ints
from kinesphere.maths.compiled import compiled, reads

Singles = NDArray[np.float32]
Marks = NDArray[np.int32]

_ROWS, _INDICES = reads("float64", 2), reads("int64", 2)
_MAP, _MARKS = reads("float32", 2), reads("int32", 1)
_NEAR = 0.02  # metres; what is closer to the camera is not drawn
_STEPS = float(1 << 25)  # of 1 / depth: half a micrometre at four metres
_NUMBER = (1 << 22) - 1
_NUMBERS = float(1 << 22)  # more than the triangles of a picture
_EMPTY = -1e9
_OFF, _UP = 0.012, 0.006  # metres along the normal and to the light


@compiled(
    f"void({reads('float64', 3)}, {_INDICES}, {_ROWS}, {_ROWS}, {_ROWS}, f8[:, ::1], f8[:, ::1])"
)
def pose_vertices(
    moves: Floats,
    joints: Ints,
    weights: Floats,
    points: Floats,
    normals: Floats,
    out_points: Floats,
    out_normals: Floats,
) -> None:
    """Linear blend skinning; `moves` ``[joints, 3, 4]`` carries rest to pose."""
    for v in range(len(points)):
        px, py, pz = points[v, 0], points[v, 1], points[v, 2]
        nx, ny, nz = normals[v, 0], normals[v, 1], normals[v, 2]
        for row in range(3):
            place = 0.0
            turned = 0.0
            for k in range(joints.shape[1]):
                weight = weights[v, k]
                if weight != 0.0:
                    m = moves[joints[v, k], row]
                    place += weight * (m[0] * px + m[1] * py + m[2] * pz + m[3])
                    turned += weight * (m[0] * nx + m[1] * ny + m[2] * nz)
            out_points[v, row] = place
            out_normals[v, row] = turned
        x, y, z = out_normals[v, 0], out_normals[v, 1], out_normals[v, 2]
        scale = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-12)
        for row in range(3):
            out_normals[v, row] *= scale


@compiled(f"void({_ROWS}, {_ROWS}, {reads('int64', 1)}, f8[:, ::1], i8[::1])")
def project_vertices(lens: Floats, points: Floats, size: Ints, seen: Floats, area: Ints) -> None:
    """Fill homogeneous places ``x w, y w, w`` and the samples x0, y0, x1, y1 that hold them all.

    `size` is the width and height of the picture in samples. Whole pixels are counted.
    """
    focal, middle_x, middle_y = lens[4, 0], lens[4, 1], lens[4, 2]
    x0, y0, x1, y1 = 1e9, 1e9, -1e9, -1e9
    for v in range(len(points)):
        dx, dy, dz = points[v, 0] - lens[3, 0], points[v, 1] - lens[3, 1], points[v, 2] - lens[3, 2]
        w = lens[2, 0] * dx + lens[2, 1] * dy + lens[2, 2] * dz
        x = middle_x * w + focal * (lens[0, 0] * dx + lens[0, 1] * dy + lens[0, 2] * dz)
        y = middle_y * w - focal * (lens[1, 0] * dx + lens[1, 1] * dy + lens[1, 2] * dz)
        seen[v, 0], seen[v, 1], seen[v, 2] = x, y, w
        if w < _NEAR:
            x0, y0, x1, y1 = 0.0, 0.0, float(size[0]), float(size[1])
        else:
            x, y = x / w, y / w
            x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
    area[0], area[1] = 2 * int(max(x0, 0.0) / 2.0), 2 * int(max(y0, 0.0) / 2.0)
    area[2] = min(2 * int(min(max(x1, -2.0), 1e9) / 2.0 + 1.0), size[0])
    area[3] = min(2 * int(min(max(y1, -2.0), 1e9) / 2.0 + 1.0), size[1])
    area[2], area[3] = max(area[0], area[2]), max(area[1], area[3])


@compiled(f"void({_ROWS}, {_INDICES}, {reads('int64', 1)}, b1, f8[:, ::1], f8[:, ::1])")
def find_visible(
    seen: Floats, triangles: Ints, area: Ints, two_sided: bool, samples: Floats, edges: Floats
) -> None:
    """Find the nearest triangle of every sample; the larger number is nearer, 0 is none.

    A sample is 1 / depth in whole steps, times 2**22, plus the number of the triangle plus 1.

    Triangles stay homogeneous, so that those which cross the plane of the camera need no cutting:
    an edge function divided by the sum of all three is the barycentric weight, correct in
    perspective. Neighbours get exactly opposite edge functions: no pinholes. The four samples of
    a pixel lie on a turned grid, which gives upright edges more steps. `samples` covers `area`,
    its columns rounded up to four; `edges` gets nine coefficients, positive inside, and the
    determinant, negative for what is seen from behind.
    """
    left, above, right, below = area[0], area[1], area[2], area[3]
    samples[:] = 0.0
    for t in range(len(triangles)):
        ax, ay, aw = seen[triangles[t, 0], 0], seen[triangles[t, 0], 1], seen[triangles[t, 0], 2]
        bx, by, bw = seen[triangles[t, 1], 0], seen[triangles[t, 1], 1], seen[triangles[t, 1], 2]
        cx, cy, cw = seen[triangles[t, 2], 0], seen[triangles[t, 2], 1], seen[triangles[t, 2], 2]
        a0, a1, a2 = by * cw - bw * cy, bw * cx - bx * cw, bx * cy - by * cx
        determinant = ax * a0 + ay * a1 + aw * a2
        if determinant == 0.0 or (determinant > 0.0 and not two_sided):
            continue
        x0, y0, x1, y1 = left, above, right, below
        if aw >= _NEAR and bw >= _NEAR and cw >= _NEAR:
            u, v, w = 1.0 / aw, 1.0 / bw, 1.0 / cw
            x0 = int(max(min(ax * u, bx * v, cx * w) + 0.249, float(left)))
            y0 = int(max(min(ay * u, by * v, cy * w) + 0.249, float(above)))
            x1 = int(max(min(max(ax * u, bx * v, cx * w) + 0.751, float(right)), 0.0))
            y1 = int(max(min(max(ay * u, by * v, cy * w) + 0.751, float(below)), 0.0))
        elif aw < _NEAR and bw < _NEAR and cw < _NEAR:
            continue
        b0, b1, b2 = cy * aw - cw * ay, cw * ax - cx * aw, cx * ay - cy * ax
        c0, c1, c2 = ay * bw - aw * by, aw * bx - ax * bw, ax * by - ay * bx
        scale = _STEPS / determinant
        d0, d1, d2 = (a0 + b0 + c0) * scale, (a1 + b1 + c1) * scale, (a2 + b2 + c2) * scale
        if determinant < 0.0:
            a0, a1, a2, b0, b1, b2, c0, c1, c2 = -a0, -a1, -a2, -b0, -b1, -b2, -c0, -c1, -c2
        edges[t, 0], edges[t, 1], edges[t, 2] = a0, a1, a2
        edges[t, 3], edges[t, 4], edges[t, 5] = b0, b1, b2
        edges[t, 6], edges[t, 7], edges[t, 8], edges[t, 9] = c0, c1, c2, -determinant
        x0 = left + ((x0 - left) & -4)
        for row in range(y0, y1):
            x_first = 0.75 if row & 1 == 0 else 0.25
            y = row + 0.25
            a3, b3, c3, d3 = a1 * y + a2, b1 * y + b2, c1 * y + c2, d1 * y + d2
            y = row + 0.75
            a4, b4, c4, d4 = a1 * y + a2, b1 * y + b2, c1 * y + c2, d1 * y + d2
            line = np.uintp(row - above)
            # Four samples at once, without a branch: the compiler makes vectors of it.
            for column in range(x0, x1, 4):
                for k in range(4):
                    at = np.uintp(column - left) + np.uintp(k)
                    x = column + x_first + k
                    a = a0 * x + (a3 if k & 1 == 0 else a4)
                    b = b0 * x + (b3 if k & 1 == 0 else b4)
                    c = c0 * x + (c3 if k & 1 == 0 else c4)
                    near = d0 * x + (d3 if k & 1 == 0 else d4)
                    inside = (a >= 0.0) & (b >= 0.0) & (c >= 0.0) & (near <= _STEPS / _NEAR)
                    packed = np.floor(near) * _NUMBERS + (t + 1.0) if inside else 0.0
                    samples[line, at] = max(packed, samples[line, at])


@compiled(f"void({_ROWS}, {_ROWS}, f8[::1], f8[::1])")
def extent(points: Floats, axes: Floats, low: Floats, high: Floats) -> None:
    """Fill least and largest dot product of all points with each of the axes ``[n, 3]``."""
    for n in range(len(axes)):
        least, most = math.inf, -math.inf
        x, y, z = axes[n, 0], axes[n, 1], axes[n, 2]
        for v in range(len(points)):
            along = x * points[v, 0] + y * points[v, 1] + z * points[v, 2]
            least, most = min(least, along), max(most, along)
        low[n], high[n] = least, most


@compiled(f"void({_ROWS}, {_ROWS}, {_INDICES}, f4[:, ::1])")
def fill_light_map(sun: Floats, points: Floats, triangles: Ints, out: Singles) -> None:
    """Fill the map of what the key light sees."""
    rows, columns = out.shape
    out[:] = _EMPTY
    seen = np.empty((len(points), 3))
    for v in range(len(points)):
        for k in range(3):
            s = sun[k, 0] * points[v, 0] + sun[k, 1] * points[v, 1] + sun[k, 2] * points[v, 2]
            seen[v, k] = s - sun[3, k]
    for t in range(len(triangles)):
        au, av, ad = seen[triangles[t, 0], 0], seen[triangles[t, 0], 1], seen[triangles[t, 0], 2]
        bu, bv, bd = seen[triangles[t, 1], 0], seen[triangles[t, 1], 1], seen[triangles[t, 1], 2]
        cu, cv, cd = seen[triangles[t, 2], 0], seen[triangles[t, 2], 1], seen[triangles[t, 2], 2]
        double = (bu - au) * (cv - av) - (cu - au) * (bv - av)
        # The texel of the middle is always marked: triangles may be smaller than texels.
        column, row = int((au + bu + cu) / 3.0), int((av + bv + cv) / 3.0)
        if 0 <= row < rows and 0 <= column < columns:
            out[row, column] = max(out[row, column], np.float32((ad + bd + cd) / 3.0))
        if abs(double) < 1e-12:
            continue
        inverse = 1.0 / double
        for row in range(max(int(min(av, bv, cv)), 0), min(int(max(av, bv, cv)) + 1, rows)):
            v_ = row + 0.5
            for column in range(
                max(int(min(au, bu, cu)), 0), min(int(max(au, bu, cu)) + 1, columns)
            ):
                u_ = column + 0.5
                second = ((u_ - au) * (cv - av) - (cu - au) * (v_ - av)) * inverse
                third = ((bu - au) * (v_ - av) - (u_ - au) * (bv - av)) * inverse
                if second >= 0.0 and third >= 0.0 and second + third <= 1.0:
                    d = np.float32(ad + second * (bd - ad) + third * (cd - ad))
                    if d > out[row, column]:
                        out[row, column] = d


@compiled(
    f"void({_ROWS}, {_MAP}, {_ROWS}, {_INDICES}, {reads('float64', 1)}, f8, f8, f4[:, :, ::1])"
)
def cover_floor(
    sun: Floats,
    light_map: Singles,
    points: Floats,
    triangles: Ints,
    place: Floats,
    low: float,
    touching: float,
    out: Singles,
) -> None:
    """Cover of the floor in four layers, each in [0, 1].

    Key shadow of what is lower than `low`, fading upwards; key shadow of everything; what is above
    a texel and lower than `touching`; what is above it at all.
    """
    _, rows, columns = out.shape
    out[:] = 0.0
    for i in range(rows):
        z = place[1] + (i + 0.5) * place[2]
        for j in range(columns):
            x = place[0] + (j + 0.5) * place[2]
            column = int(math.floor(sun[0, 0] * x + sun[0, 2] * z - sun[3, 0]))
            row = int(math.floor(sun[1, 0] * x + sun[1, 2] * z - sun[3, 1]))
            if 0 <= row < light_map.shape[0] and 0 <= column < light_map.shape[1]:
                along = light_map[row, column]
                if along > _EMPTY:
                    height = (along - sun[2, 0] * x - sun[2, 2] * z) * sun[2, 1]
                    out[0, i, j] = min(max(1.0 - height / low, 0.0), 1.0)
                    out[1, i, j] = 1.0
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        y = (points[a, 1] + points[b, 1] + points[c, 1]) / 3.0
        j = int(((points[a, 0] + points[b, 0] + points[c, 0]) / 3.0 - place[0]) / place[2])
        i = int(((points[a, 2] + points[b, 2] + points[c, 2]) / 3.0 - place[1]) / place[2])
        if 0 <= i < rows and 0 <= j < columns:
            close = min(max(1.0 - y / touching, 0.0), 1.0)
            out[2, i, j] = max(out[2, i, j], np.float32(close))
            out[3, i, j] = max(out[3, i, j], np.float32(1.0 / (1.0 + 2.0 * max(y, 0.0))))


@compiled("void(f4[:, ::1], i8)")
def blur(values: Singles, radius: int) -> None:
    """Three box blurs both ways, in place: close to a Gaussian; outside counts as 0."""
    rows, columns = values.shape
    scale = np.float32(1.0 / (2 * radius + 1))
    line = np.empty(max(rows, columns), np.float32)
    total = np.empty(columns, np.float32)
    copy = np.empty_like(values)
    for _ in range(3):
        for i in range(rows):
            run = np.float32(0.0)
            for j in range(min(radius, columns)):
                run += values[i, j]
            for j in range(columns):
                if j + radius < columns:
                    run += values[i, j + radius]
                if j - radius - 1 >= 0:
                    run -= values[i, j - radius - 1]
                line[j] = run
            for j in range(columns):
                copy[i, j] = line[j] * scale
        total[:] = 0.0
        for i in range(min(radius, rows)):
            total += copy[i]
        for i in range(rows):
            for j in range(columns):
                if i + radius < rows:
                    total[j] += copy[i + radius, j]
                if i - radius - 1 >= 0:
                    total[j] -= copy[i - radius - 1, j]
                values[i, j] = total[j] * scale


@compiled(
    f"void({_ROWS}, {reads('float32', 3)}, {_MAP}, {reads('float64', 1)}, "
    f"{reads('float32', 1)}, {_MAP}, {reads('int64', 1)}, u1[:, :, ::1])"
)
def darken_floor(
    lens: Floats,
    backdrop: Singles,
    floor: Singles,
    place: Floats,
    levels: Singles,
    dither: Singles,
    area: Ints,
    image: Bytes,
) -> None:
    """Darken the floor in the pixels x0, y0, x1, y1 of `area`; pixels in full light stay.

    The camera does not roll, so a row of pixels is a straight, even row on the floor.
    """
    top = len(levels) - 1
    rows, columns = floor.shape
    for y in range(area[1], area[3]):
        across = 2.0 * y + 1.0
        fall = lens[5, 1] + across * lens[7, 1]
        if fall >= -1e-6 or lens[3, 1] <= 0.0:
            continue
        far = -lens[3, 1] / fall / place[2]
        s0 = far * (lens[5, 0] + lens[6, 0] + across * lens[7, 0])
        t0 = far * (lens[5, 2] + lens[6, 2] + across * lens[7, 2])
        s0 += (lens[3, 0] - place[0]) / place[2] - 0.5
        t0 += (lens[3, 2] - place[1]) / place[2] - 0.5
        s_step, t_step = 2.0 * far * lens[6, 0], 2.0 * far * lens[6, 2]
        for x in range(area[0], area[2]):
            s, t = s0 + x * s_step, t0 + x * t_step
            if not (0.0 <= s < columns - 1 and 0.0 <= t < rows - 1):
                continue
            j, i = int(s), int(t)
            s, t = s - j, t - i
            upper = floor[i, j] + s * (floor[i, j + 1] - floor[i, j])
            lower = floor[i + 1, j] + s * (floor[i + 1, j + 1] - floor[i + 1, j])
            light = upper + t * (lower - upper)
            if light < 0.9999:
                for k in range(3):
                    level = min(int(light * backdrop[y, x, k] * 8192.0), top)
                    image[y, x, k] = np.uint8(levels[level] + dither[y, x])


@compiled(f"i8({_ROWS}, {reads('int64', 1)}, i4[::1], i4[::1], i4[::1], f4[:, ::1])")
def collect_fragments(
    samples: Floats, area: Ints, pixels: Marks, owners: Marks, counts: Marks, places: Singles
) -> int:
    """List what has to be lit: every triangle of every pixel once; returns how many there are.

    `samples` of `area` is what `find_visible` left. A fragment has its pixel (counted in `area`,
    row by row), its triangle, how many of the four samples it owns, and their middle.
    """
    n = 0
    width = (area[2] - area[0]) >> 1
    for y in range((area[3] - area[1]) >> 1):
        for x in range(width):
            ids = (
                int(samples[2 * y, 2 * x]) & _NUMBER,
                int(samples[2 * y, 2 * x + 1]) & _NUMBER,
                int(samples[2 * y + 1, 2 * x]) & _NUMBER,
                int(samples[2 * y + 1, 2 * x + 1]) & _NUMBER,
            )
            if ids[0] | ids[1] | ids[2] | ids[3] == 0:
                continue
            for s in range(4):
                if ids[s] == 0:
                    continue
                px, py, count = 0.0, 0.0, 0
                for r in range(4):
                    if ids[r] == ids[s]:
                        if r < s:
                            break  # listed with an earlier sample
                        px += (r & 1) + (0.75 if r < 2 else 0.25)
                        py += (r >> 1) + (0.25 if r & 1 == 0 else 0.75)
                        count += 1
                if count > 0:
                    pixels[n], owners[n], counts[n] = y * width + x, ids[s] - 1, count
                    places[n, 0] = area[0] + 2 * x + px / count
                    places[n, 1] = area[1] + 2 * y + py / count
                    n += 1
    return n


@compiled(
    f"void({_MARKS}, {_MAP}, {_ROWS}, {_INDICES}, {_ROWS}, {_ROWS}, {_ROWS}, {_ROWS}, {_ROWS}, "
    f"{_MAP}, f4[:, ::1])"
)
def light_fragments(
    owners: Marks,
    places: Singles,
    edges: Floats,
    triangles: Ints,
    normals: Floats,
    colours: Floats,
    lens: Floats,
    lights: Floats,
    sun: Floats,
    light_map: Singles,
    out: Singles,
) -> None:
    """Fill the linear light that leaves every fragment for the camera."""
    # One loop without calls: arrays handed to another function cost more than the light.
    rows, columns = light_map.shape
    for n in range(len(owners)):
        t, x, y = owners[n], float(places[n, 0]), float(places[n, 1])
        a = edges[t, 0] * x + (edges[t, 1] * y + edges[t, 2])
        b = edges[t, 3] * x + (edges[t, 4] * y + edges[t, 5])
        c = edges[t, 6] * x + (edges[t, 7] * y + edges[t, 8])
        share = 1.0 / (a + b + c)
        far = share * abs(edges[t, 9])
        a, b, c = a * share, b * share, c * share
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        nx = a * normals[i, 0] + b * normals[j, 0] + c * normals[k, 0]
        ny = a * normals[i, 1] + b * normals[j, 1] + c * normals[k, 1]
        nz = a * normals[i, 2] + b * normals[j, 2] + c * normals[k, 2]
        # Seen from behind, edges[t, 9] is negative and turns the normal round.
        scale = math.copysign(1.0 / max(math.sqrt(nx * nx + ny * ny + nz * nz), 1e-12), edges[t, 9])
        nx, ny, nz = nx * scale, ny * scale, nz * scale
        vx = lens[5, 0] + x * lens[6, 0] + y * lens[7, 0]
        vy = lens[5, 1] + x * lens[6, 1] + y * lens[7, 1]
        vz = lens[5, 2] + x * lens[6, 2] + y * lens[7, 2]
        # Where the key light's map is asked: a little off the surface, or it would shade itself.
        px = lens[3, 0] + far * vx + _OFF * nx + _UP * lights[0, 0]
        py = lens[3, 1] + far * vy + _OFF * ny + _UP * lights[0, 1]
        pz = lens[3, 2] + far * vz + _OFF * nz + _UP * lights[0, 2]
        scale = -1.0 / math.sqrt(vx * vx + vy * vy + vz * vz)
        vx, vy, vz = vx * scale, vy * scale, vz * scale

        key = nx * lights[0, 0] + ny * lights[0, 1] + nz * lights[0, 2]
        fill = max(0.3 + 0.7 * (nx * lights[2, 0] + ny * lights[2, 1] + nz * lights[2, 2]), 0.0)
        back = max(nx * lights[4, 0] + ny * lights[4, 1] + nz * lights[4, 2], 0.0)
        facing = nx * vx + ny * vy + nz * vz
        grazing = 1.0 - max(facing, 0.0)
        grazing *= grazing * grazing
        gloss = 2.0 * key * facing - (lights[0, 0] * vx + lights[0, 1] * vy + lights[0, 2] * vz)
        gloss = max(gloss, 0.0)
        gloss *= gloss
        gloss *= gloss
        gloss *= gloss
        gloss *= gloss * lights[8, 0]
        if key <= 0.0:
            key, gloss = 0.0, 0.0
        else:
            # Part of the key light that arrives: 3 x 3 texels, softly weighted.
            u = sun[0, 0] * px + sun[0, 1] * py + sun[0, 2] * pz - (sun[3, 0] + 1.0)
            v = sun[1, 0] * px + sun[1, 1] * py + sun[1, 2] * pz - (sun[3, 1] + 1.0)
            along = sun[2, 0] * px + sun[2, 1] * py + sun[2, 2] * pz
            column, row = int(u), int(v)
            if u >= 0.0 and v >= 0.0 and row + 2 < rows and column + 2 < columns:
                u, v = u - column, v - row
                lit = 0.0
                for m in range(3):
                    line = (1.0 - u) * (1.0 if light_map[row + m, column] < along else 0.0)
                    line += 1.0 if light_map[row + m, column + 1] < along else 0.0
                    line += u * (1.0 if light_map[row + m, column + 2] < along else 0.0)
                    lit += line * (1.0 - v if m == 0 else (v if m == 2 else 1.0))
                key, gloss = key * 0.25 * lit, gloss * 0.25 * lit
        rim = back * (0.35 + grazing)
        shine = rim * (0.04 + 0.2 * grazing)
        for m in range(3):
            light = lights[1, m] * key + lights[3, m] * fill + lights[5, m] * rim
            light += lights[6, m] + lights[7, m] * ny
            light *= a * colours[i, m] + b * colours[j, m] + c * colours[k, m]
            out[n, m] = light + (lights[5, m] * shine + lights[1, m] * gloss)


@compiled(
    f"void({_ROWS}, {_MARKS}, {_MARKS}, {_MAP}, {reads('float32', 3)}, {_MAP}, "
    f"{reads('float64', 1)}, {reads('float32', 1)}, {_MAP}, {reads('int64', 1)}, u1[:, :, ::1])"
)
def mix_fragments(
    lens: Floats,
    pixels: Marks,
    counts: Marks,
    light: Singles,
    backdrop: Singles,
    floor: Singles,
    place: Floats,
    levels: Singles,
    dither: Singles,
    area: Ints,
    image: Bytes,
) -> None:
    """Mix the fragments of every pixel and what is behind them, in linear light, into the image."""
    top = len(levels) - 1
    rows, columns = floor.shape
    width = (area[2] - area[0]) >> 1
    n = 0
    while n < len(pixels):
        pixel, owned = pixels[n], 0
        red, green, blue = 0.0, 0.0, 0.0
        while n < len(pixels) and pixels[n] == pixel:
            red += counts[n] * light[n, 0]
            green += counts[n] * light[n, 1]
            blue += counts[n] * light[n, 2]
            owned += counts[n]
            n += 1
        y = pixel // width
        x = (area[0] >> 1) + pixel - y * width
        y += area[1] >> 1
        if owned < 4:
            behind = 1.0
            across, down = 2.0 * x + 1.0, 2.0 * y + 1.0
            fall = lens[5, 1] + across * lens[6, 1] + down * lens[7, 1]
            if fall < -1e-6 and lens[3, 1] > 0.0:
                far = -lens[3, 1] / fall
                s = lens[3, 0] + far * (lens[5, 0] + across * lens[6, 0] + down * lens[7, 0])
                t = lens[3, 2] + far * (lens[5, 2] + across * lens[6, 2] + down * lens[7, 2])
                s, t = (s - place[0]) / place[2] - 0.5, (t - place[1]) / place[2] - 0.5
                if 0.0 <= s < columns - 1 and 0.0 <= t < rows - 1:
                    behind = floor[int(t + 0.5), int(s + 0.5)]
            behind *= 4 - owned
            red += behind * backdrop[y, x, 0]
            green += behind * backdrop[y, x, 1]
            blue += behind * backdrop[y, x, 2]
        image[y, x, 0] = np.uint8(levels[min(int(red * 2048.0), top)] + dither[y, x])
        image[y, x, 1] = np.uint8(levels[min(int(green * 2048.0), top)] + dither[y, x])
        image[y, x, 2] = np.uint8(levels[min(int(blue * 2048.0), top)] + dither[y, x])
