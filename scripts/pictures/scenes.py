# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of one field: a line in 1D, a plane in 2D, the outside of a body and cuts through it in 3D.

A view draws onto a figure of its own size.  `bounds` [2, 3] are the lowest and highest positions that shall be seen, so that all
pictures of a series have one size; `norm` gives colours to values."""
from common import BLUE, np, plt
from fields import curved_edges, lagrange, outer_faces, pieces_for, refine_surface
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
import slices

EYE = np.array([-0.62, -0.62, -0.47])  # towards the eye of Body


def line_width(surfaces):
    return float(np.clip(12 / np.sqrt(surfaces), 0.15, 0.8))


def figure_of(width, height):
    """With an even number of pixels, as films need; nothing is cut off when it is saved."""
    dpi = plt.rcParams["figure.dpi"]
    return plt.figure(figsize=[2 * round(side * dpi / 2) / dpi for side in (width, height)], layout="constrained")


class Line:
    """A field over x."""
    suffix = title = ""

    def draw(self, fields, values, look):
        fine = lagrange(fields.order, np.linspace(0, 1, 21))
        figure = figure_of(8, 5)
        axis = figure.add_subplot()
        x, v = fields.points[..., 0] @ fine.T, values @ fine.T
        axis.add_collection(LineCollection(np.stack([x, v], 2), colors=BLUE, linewidths=1.8))
        low, high = look.bounds[:, 0]
        axis.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
        if look.log:
            axis.set_yscale("log")
        low, high = look.norm.vmin, look.norm.vmax
        pad = 0.05 * (high - low) or 1
        axis.set_ylim(low / 1.2 if look.log else low - pad, high * 1.2 if look.log else high + pad)
        axis.set(xlabel="x (dimensionless)", ylabel=look.label, title=look.title)
        axis.grid(alpha=0.3)
        return figure


class Flat:
    """What is seen in a plane: triangles with values at their corners, and the edges of zones."""

    def paint(self, corners, triangles, values, edges, zones, look, across, title):
        low, high = look.bounds[:, across]
        size = (high - low) / max(high - low)
        flat = size[1] < 0.45
        stretch = max(1, 0.25 / size[1])  # a long thin box is drawn higher than it is
        width, height = (9, 9 * min(1, size[1] * stretch) + 1.8) if flat else (max(5, 6.1 * size[0] + 1.9), 6.1 * size[1] + 1)
        figure = figure_of(width, height)
        axis = figure.add_subplot()
        picture = axis.tripcolor(corners[:, 0], corners[:, 1], triangles, values, shading="gouraud", cmap=look.colours, norm=look.norm,
                                 rasterized=True)
        axis.add_collection(LineCollection(edges, colors="white", linewidths=line_width(zones), alpha=0.7))
        axis.set_aspect(stretch)
        names = ["xyz"[d] for d in across]
        axis.set(xlabel=f"{names[0]} (dimensionless)", ylabel=f"{names[1]} (dimensionless)",
                 title=title if width > 7.5 else title.replace(", ", "\n", 1))
        axis.set_xlim(low[0], high[0])
        axis.set_ylim(low[1], high[1])
        bar = dict(orientation="horizontal", fraction=0.08, aspect=40) if flat else dict(fraction=0.05)
        figure.colorbar(picture, ax=axis, label=look.label, ticks=look.ticks, **bar)
        return figure


class Plane(Flat):
    """A mesh in 2D."""
    suffix = title = ""

    def draw(self, fields, values, look):
        pieces = pieces_for(len(values), fields.order, 500)
        x = refine_surface(fields.points[..., :2], fields.order, pieces)
        v = refine_surface(values, fields.order, pieces)
        n = pieces + 1
        corner = (np.arange(len(x))[:, None, None] * n * n + np.arange(pieces)[:, None] * n + np.arange(pieces)).reshape(-1, 1)
        triangles = np.concatenate([corner + [0, 1, n + 1], corner + [0, n + 1, n]])
        return self.paint(x.reshape(-1, 2), triangles, v.ravel(), curved_edges(x), len(values), look, [0, 1], look.title)


class Slice(Flat):
    """The plane where x[axis] = at, through a mesh in 3D; at=None: the lowest that there is."""

    def __init__(self, axis, at):
        self.axis, self.at = axis, at
        self.suffix = "_floor" if at is None else f"_{'xyz'[axis]}{at:g}"

    def draw(self, fields, values, look):
        at = fields.points[..., self.axis].min() if self.at is None else self.at
        found = slices.cut(fields, values, self.axis, at)
        if found is None:
            low, high = fields.points[..., self.axis].min(), fields.points[..., self.axis].max()
            raise ValueError(f"there is no gas in the plane {'xyz'[self.axis]} = {at:g}, only from {low:g} to {high:g}")
        triangles, colours, edges = found
        across = [d for d in range(3) if d != self.axis]
        title = f"{look.title}, {'xyz'[self.axis]} = {at:.3g}"
        return self.paint(triangles.reshape(-1, 2), np.arange(3 * len(triangles)).reshape(-1, 3), colours.ravel(), edges,
                          np.cbrt(len(values)) ** 2, look, across, title)


class Body:
    """The outside of a mesh in 3D, seen from the side of the lower faces: where blasts are."""
    suffix = title = ""

    def draw(self, fields, values, look):
        points, colours, normal = outer_faces(fields, values)
        seen = normal @ EYE > 0
        points, colours, order = points[seen], colours[seen], fields.order
        pieces = max(order, min(6, pieces_for(len(points), order, 100)))
        x, v = refine_surface(points, order, pieces), refine_surface(colours, order, pieces)
        quads = np.stack([x[:, :-1, :-1], x[:, :-1, 1:], x[:, 1:, 1:], x[:, 1:, :-1]], 3).reshape(-1, 4, 3)
        mean = ((v[:, :-1, :-1] + v[:, :-1, 1:] + v[:, 1:, 1:] + v[:, 1:, :-1]) / 4).ravel()
        figure = figure_of(8.5, 7)
        axis = figure.add_subplot(projection="3d")
        paint = plt.get_cmap(look.colours)(look.norm(np.clip(mean, look.norm.vmin, look.norm.vmax)))
        axis.add_collection3d(Poly3DCollection(quads, facecolors=paint, edgecolors=paint, linewidths=0.3))
        low, high = look.bounds
        lines = curved_edges(x) + 0.002 * EYE * (high - low)  # a little nearer than what they lie on
        axis.add_collection3d(Line3DCollection(lines, colors="white", linewidths=2 / 3 * line_width(len(points)), alpha=0.6))
        axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(high[2], low[2]), xlabel="x", ylabel="y")
        axis.set_zlabel("z", labelpad=8)
        axis.set_box_aspect(high - low)
        axis.view_init(elev=28, azim=-135)
        axis.set_title(look.title)
        figure.colorbar(ScalarMappable(look.norm, look.colours), ax=axis, label=look.label, ticks=look.ticks, shrink=0.7, pad=0.08)
        return figure
