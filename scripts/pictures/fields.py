# SPDX-License-Identifier: BSD-3-Clause
"""A file of fields, and finer lattices on its curved zones."""
import itertools
import math
import os
import re

from common import need, np

DIMENSION = {3: 1, 9: 2, 12: 3, 68: 1, 70: 2, 72: 3}  # of VTK's cell types
SIMPLEX = {5: 2, 69: 2, 10: 3, 71: 3}  # triangles, tetrahedra


class Fields:
    """Points [zones, nodes.., 3] and values [zones, nodes..] with the first direction last, as our writer orders them.  A value of
    a zone is that of all its nodes.  A triangle is a quad here, and a tetrahedron a hex, one of whose sides has no width."""

    def __init__(self, path):
        h5py = need("h5py", "python3-h5py")
        with h5py.File(path, "r") as file:
            grid = file["VTKHDF"]
            kind, zones = int(grid["Types"][0]), len(grid["Types"])
            self.simplex = kind in SIMPLEX
            self.dim = SIMPLEX[kind] if self.simplex else DIMENSION[kind]
            each = len(grid["Points"]) // zones
            nodes = simplex_order(self.dim, each) + 1 if self.simplex else round(each ** (1 / self.dim))
            self.shape = (zones,) + (nodes,) * self.dim
            spread = collapsed(self.dim, nodes - 1) if self.simplex else None
            lattice = lambda data: (data if spread is None else np.einsum("ln,zn...->zl...", spread, data.reshape((zones, each) + data.shape[1:]))
                                    ).reshape(self.shape + data.shape[1:])
            self.points = lattice(grid["Points"][:])
            self.values, self.of_zones, self.vectors = {}, set(), {}
            for name, data in grid["PointData"].items():
                data = data[:]
                if data.ndim == 2:
                    self.vectors[name] = lattice(data)
                    data, name = np.linalg.norm(data, axis=1), f"|{name}|"
                self.values[name] = lattice(data)
            for name, data in grid.get("CellData", {}).items():
                self.values[name] = np.broadcast_to(data[:].reshape((zones,) + (1,) * self.dim), self.shape)
                self.of_zones.add(name)
            self.time = float(grid["FieldData/TimeValue"][0])
            self.problem = problem_of(file) or re.sub(r"_\d+$", "", os.path.basename(path)[: -len(".vtkhdf")])
        self.order = nodes - 1

    def find(self, name):
        """Values by name: as in the file, without the bars of a vector's length, or velocity_x; None."""
        if name in self.values:
            return self.values[name]
        if f"|{name}|" in self.values:
            return self.values[f"|{name}|"]
        vector, _, axis = name.rpartition("_")
        if vector in self.vectors and axis in tuple("xyz"[: self.dim]):
            return self.vectors[vector][..., "xyz".index(axis)]
        return None

    def names(self):
        """Of the fields that are worth a picture: those that are the same in all zones are not, unless points have them."""
        return [name for name, values in self.values.items() if name not in self.of_zones or np.ptp(values) > 0]


def problem_of(file):
    """The problem's name in the deck that is in the file."""
    if "run/deck" not in file:
        return None
    deck = file["run/deck"][()]
    found = re.search(rb"^problem:\s*\n?\s*\{?\s*name: *[\"']?([\w-]+)", deck if isinstance(deck, bytes) else b"", re.M)
    return found.group(1).decode() if found else None


def simplex_order(dim, nodes):
    """The order of a triangle or tetrahedron with so many nodes."""
    return next(p for p in range(64) if math.comb(p + dim, dim) >= nodes)


def collapsed(dim, order):
    """Row: the polynomials of the equispaced nodes of a simplex at a node of the square or cube that is collapsed to it; along each of its
    directions these are of the simplex's order, too, so nothing is lost."""
    cube = np.array([m[::-1] for m in itertools.product(range(order + 1), repeat=dim)])  # first direction fastest
    lattice, at = cube[cube.sum(1) <= order], cube / order
    for d in range(dim - 1):  # direction d shrinks to nothing at the end of those behind it
        at[:, d] *= np.prod(1 - cube[:, d + 1:] / order, axis=1)
    powers = lambda x: np.stack([np.prod(x**m, axis=1) for m in lattice], 1)
    return np.linalg.solve(powers(lattice / order).T, powers(at).T).T


def lagrange(order, at):
    """Row i: the polynomials of the equispaced nodes at the point at[i]."""
    nodes = np.arange(order + 1) / order
    rows = np.ones((len(at), order + 1))
    for j in range(order + 1):
        for m in range(order + 1):
            if m != j:
                rows[:, j] *= (at - nodes[m]) / (nodes[j] - nodes[m])
    return rows


def refine_surface(values, order, pieces):
    """[surfaces, n, n, ...] at the nodes becomes [surfaces, pieces + 1, pieces + 1, ...] on a finer lattice."""
    fine = lagrange(order, np.linspace(0, 1, pieces + 1))
    return np.einsum("ai,bj,zij...->zab...", fine, fine, values)


def refine_body(values, order, pieces):
    """The same for [zones, n, n, n, ...]."""
    fine = lagrange(order, np.linspace(0, 1, pieces + 1))
    return np.einsum("ai,bj,ck,zijk...->zabc...", fine, fine, fine, values, optimize=True)


def pieces_for(surfaces, order, total):
    return int(np.clip(total / np.sqrt(surfaces), max(2, order), 16))


def curved_edges(lattice):
    """The four sides of every surface, [4 surfaces, points, components]."""
    return np.concatenate([lattice[:, 0], lattice[:, -1], lattice[:, :, 0], lattice[:, :, -1]])


SIDES = [(axis, end) for axis in (1, 2, 3) for end in (0, -1)]


def middles(fields, points):
    """Of faces: the mean of all nodes; where faces are collapsed of the corners, of which two are one."""
    if not fields.simplex:
        return points.reshape(len(points), -1, 3).mean(1)
    corners = np.stack([points[:, 0, 0], points[:, 0, -1], points[:, -1, 0], points[:, -1, -1]], 1)
    pairs = list(itertools.combinations(range(4), 2))
    lengths = np.stack([np.linalg.norm(corners[:, a] - corners[:, b], axis=1) for a, b in pairs], 1)
    twice = np.array([a for a, _ in pairs])[np.argmin(lengths, axis=1)]
    return (corners.sum(1) - corners[np.arange(len(corners)), twice]) / 3


def outer_faces(fields, values):
    """Faces of zones that no other has: points [faces, n, n, 3], values [faces, n, n], normals outwards [faces, 3]."""
    sides = [side for side in SIDES if not fields.simplex or side in ((1, 0), (2, 0), (3, 0), (3, -1))]
    points = np.concatenate([np.take(fields.points, end, axis) for axis, end in sides])
    colours = np.concatenate([np.take(values, end, axis) for axis, end in sides])
    middle = middles(fields, points)
    scale = np.ptp(fields.points.reshape(-1, 3), axis=0).max()
    inside = np.tile(fields.points.reshape(len(fields.points), -1, 3).mean(1), (len(sides), 1))
    normal = np.cross(points[:, -1, -1] - points[:, 0, 0], points[:, -1, 0] - points[:, 0, -1])
    normal *= np.sign(np.sum(normal * (middle - inside), axis=1))[:, None]
    _, first, count = np.unique(np.round(middle / scale * 1e7).astype(np.int64), axis=0, return_index=True, return_counts=True)
    alone = first[count == 1]
    return points[alone], colours[alone], normal[alone]
