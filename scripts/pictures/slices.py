# SPDX-License-Identifier: BSD-3-Clause
"""Plane cuts through curved hexes: each zone becomes a lattice of small hexes, those six tetrahedra each, and a plane cuts these in
triangles or quads."""
import itertools

from common import np
from fields import SIDES, refine_body, refine_surface

# The six tetrahedra around the diagonal of a cube from corner 0 to corner 7 (Kuhn): corner bits 0, 1, 2 are k, j, i.
TETRAHEDRA = [[0, 1 << a, 1 << a | 1 << b, 7] for a, b, _ in itertools.permutations(range(3))]
CORNERS = [(slice(c >> 2 & 1, None if c >> 2 & 1 else -1), slice(c >> 1 & 1, None if c >> 1 & 1 else -1),
            slice(c & 1, None if c & 1 else -1)) for c in range(8)]


def cells_of(lattice):
    """[zones, p + 1, p + 1, p + 1, ...] becomes [cells, 8, ...]."""
    corners = [lattice[(slice(None),) + corner] for corner in CORNERS]
    return np.stack(corners, 4).reshape((-1, 8) + lattice.shape[4:])


def crossing(height, points, values, one, two):
    """Where the edges from corners `one` to `two` meet the plane: [n] of each array's rows."""
    rows = np.arange(len(height))
    a, b = height[rows, one], height[rows, two]
    t = a / (a - b)
    between = lambda data, t: data[rows, one] + t * (data[rows, two] - data[rows, one])
    return between(points, t[:, None]), between(values, t)


def cut_tetrahedra(height, points, values):
    """Triangles [n, 3, 3] and their values [n, 3] where the linear function `height` [m, 4] is 0."""
    order = np.argsort(height, axis=1)
    take = lambda data: np.take_along_axis(data, order.reshape(order.shape + (1,) * (data.ndim - 2)), 1)
    height, points, values = take(height), take(points), take(values)
    below = np.sum(height < 0, axis=1)
    triangles, colours = [], []

    def add(some, edges):
        ends = [crossing(height[some], points[some], values[some], one, two) for one, two in edges]
        triangles.append(np.stack([x for x, _ in ends], 1))
        colours.append(np.stack([v for _, v in ends], 1))

    add(below == 1, [(0, 1), (0, 2), (0, 3)])
    add(below == 3, [(3, 0), (3, 1), (3, 2)])
    add(below == 2, [(0, 2), (0, 3), (1, 3)])
    add(below == 2, [(0, 2), (1, 3), (1, 2)])
    return np.concatenate(triangles), np.concatenate(colours)


def near(fields, axis, at):
    """The zones that may meet the plane, a little more than their nodes do; a plane on a side of the mesh moves inside a little."""
    x = fields.points[..., axis].reshape(len(fields.points), -1)
    low, high = x.min(), x.max()
    if not low <= at <= high:
        return None, at
    at = float(np.clip(at, low + 1e-6 * (high - low), high - 1e-6 * (high - low)))
    margin = 0.25 * (x.max(1) - x.min(1))
    return (x.min(1) - margin <= at) & (x.max(1) + margin >= at), at


def cut(fields, values, axis, at):
    """(triangles [n, 3, 2], values [n, 3], edges of zones [m, 2, 2]) in the plane where x[axis] = at; None beyond the mesh."""
    some, at = near(fields, axis, at)
    if some is None or not some.any():
        return None
    points, values = fields.points[some], np.ascontiguousarray(values[some])
    pieces = int(np.clip(60 / np.cbrt(len(points)), max(2, fields.order), 8))
    across = [d for d in range(3) if d != axis]
    cells, colours = cells_of(refine_body(points, fields.order, pieces)), cells_of(refine_body(values, fields.order, pieces))
    height = cells[..., axis] - at
    met = (height.min(1) < 0) & (height.max(1) >= 0)
    cells, colours, height = cells[met], colours[met], height[met]
    pieces_of = lambda data: np.concatenate([data[:, corners] for corners in TETRAHEDRA])
    triangles, colours = cut_tetrahedra(pieces_of(height), pieces_of(cells), pieces_of(colours))
    return triangles[..., across], colours, edges_in_plane(points, fields.order, pieces, axis, at)[..., across]


def edges_in_plane(points, order, pieces, axis, at):
    """Where the faces of zones meet the plane: segments [m, 2, 3]."""
    faces = refine_surface(np.concatenate([np.take(points, end, side) for side, end in SIDES]), order, 2 * pieces)
    a, b, c, d = faces[:, :-1, :-1], faces[:, 1:, :-1], faces[:, :-1, 1:], faces[:, 1:, 1:]
    corners = np.concatenate([np.stack([a, b, c], 3).reshape(-1, 3, 3), np.stack([d, c, b], 3).reshape(-1, 3, 3)])
    height = corners[..., axis] - at
    order_ = np.argsort(height, axis=1)
    height, corners = np.take_along_axis(height, order_, 1), np.take_along_axis(corners, order_[..., None], 1)
    segments = []
    for below, edges in ((1, ((0, 1), (0, 2))), (2, ((0, 2), (1, 2)))):
        some = np.sum(height < 0, axis=1) == below
        ends = [crossing(height[some], corners[some], height[some], one, two)[0] for one, two in edges]
        segments.append(np.stack(ends, 1))
    return np.concatenate(segments)
