# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""VTK itself reads the field files that app_test_output writes on 1, 2 and 3 ranks (the third without zones).

At random points of every cell VTK's own interpolation of positions and fields is compared with the polynomials that the
writer sampled, which pins the node order; the volume follows from VTK's own derivatives.  And a run of two gases is read: the
numbers of its materials, its ranks.  Where there is xvfb-run, VTK draws some of the files, and the pictures are not blank.
Skipped without VTK.
"""
import glob
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import program

try:
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-vtk9 python3-numpy)")
    sys.exit(77)

LATTICE = {1: (5, 1, 1), 2: (3, 2, 1), 3: (2, 2, 3)}
TOLERANCE = 1e-13


def position(dim, order, X):
    x = np.zeros(3)
    x[0] = X[0] + 0.3 * X[0] * X[1]
    if dim > 1:
        x[1] = X[1] + (0.2 * X[0] ** 2 if order > 1 else 0)
    if dim > 2:
        x[2] = X[2] + 0.1 * X[0] * X[1] * X[2]
    return x


def jacobian(dim, order, X):
    J = np.eye(3)
    J[0] += [0.3 * X[1], 0.3 * X[0], 0]
    J[1, 0] = 0.4 * X[0] if order > 1 else 0
    if dim > 2:
        J[2] += [0.1 * X[1] * X[2], 0.1 * X[0] * X[2], 0.1 * X[0] * X[1]]
    return np.linalg.det(J[:dim, :dim])


def fields(order, zone, xi):
    a, b, c = xi
    scalar = zone + a**order + 2 * a * b**order + 3 * b * c**order
    vector = [(i + 1) * xi[i] ** order - xi[(i + 1) % 3] * xi[i] for i in range(3)]
    return scalar, np.array(vector)


def gauss(dim, n=6):
    points, weights = np.polynomial.legendre.leggauss(n)
    points, weights = (points + 1) / 2, weights / 2
    for index in itertools.product(range(n), repeat=dim):
        xi = np.zeros(3)
        xi[:dim] = points[list(index)]
        yield xi, np.prod(weights[list(index)])


def read(path):
    errors = []
    reader = vtk.vtkHDFReader()
    reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
    reader.AddObserver("WarningEvent", lambda *_: errors.append("warning"))
    reader.SetFileName(path)
    reader.Update()
    assert not errors, f"{path}: VTK reports {errors}"
    return reader.GetOutput()


def interpolate(cell, xi, values):
    weights = [0.0] * cell.GetNumberOfPoints()
    cell.InterpolateFunctions(list(xi), weights)
    ids = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
    return np.tensordot(weights, values[ids], 1)


def volume(cell, dim, points):
    total = 0
    for xi, weight in gauss(dim):
        n = cell.GetNumberOfPoints()
        slopes = [0.0] * (n * dim)
        cell.InterpolateDerivs(list(xi), slopes)
        # vtkQuad and vtkHexahedron list the slopes by direction, Lagrange cells by node.
        straight = cell.GetCellType() in (9, 12)
        slopes = np.array(slopes).reshape(dim, n) if straight else np.array(slopes).reshape(n, dim).T
        ids = [cell.GetPointId(i) for i in range(n)]
        total += weight * np.linalg.det(slopes @ points[ids][:, :dim])
    return total


def check(path, dim, order, rng):
    grid = read(path)
    n = LATTICE[dim]
    zones = n[0] * n[1] * n[2]
    assert grid.GetNumberOfCells() == zones, f"{path}: {grid.GetNumberOfCells()} cells"
    assert grid.GetNumberOfPoints() == zones * (order + 1) ** dim
    expected = {1: 3, 2: 9, 3: 12} if order == 1 else {1: 68, 2: 70, 3: 72}
    points = vtk_to_numpy(grid.GetPoints().GetData())
    scalar = vtk_to_numpy(grid.GetPointData().GetArray("scalar"))
    vector = vtk_to_numpy(grid.GetPointData().GetArray("vector"))
    ids = vtk_to_numpy(grid.GetCellData().GetArray("zone"))
    mean = vtk_to_numpy(grid.GetCellData().GetArray("mean"))
    time = grid.GetFieldData().GetArray("TimeValue").GetValue(0)
    assert abs(time - 0.3) < 1e-15, time
    assert np.array_equal(ids, np.arange(zones)) and np.array_equal(mean, ids + 0.5)
    total = worst = 0
    for z in range(zones):
        cell = grid.GetCell(z)
        assert cell.GetCellType() == expected[dim], cell.GetCellType()
        corner = np.array([z % n[0], z // n[0] % n[1], z // n[0] // n[1]])
        for _ in range(10):
            xi = np.zeros(3)
            xi[:dim] = rng.random(dim)
            X = np.where(np.arange(3) < dim, (corner + xi) / n, 0)
            s, v = fields(order, z, xi)
            worst = max(worst, np.abs(interpolate(cell, xi, points) - position(dim, order, X)).max(),
                        abs(interpolate(cell, xi, scalar) - s) / (1 + z), np.abs(interpolate(cell, xi, vector) - v).max())
        if dim > 1:
            total += volume(cell, dim, points)
    assert worst < TOLERANCE, f"{path}: VTK's interpolation is off by {worst}"
    if dim > 1:
        exact = sum(weight * jacobian(dim, order, xi) for xi, weight in gauss(dim))
        assert abs(total - exact) < TOLERANCE * 10, f"{path}: volume {total}, not {exact}"
    return worst


def check_materials(folder, ranks):
    """Gamma is 1.4 in the triple point's right lower part and 1.5 elsewhere: materials 0 and 1, whatever the ranks."""
    keys = {"problem.name": "triple-point", "mesh.dim": 2, "mesh.zones": [7, 6], "mesh.upper": [7.0, 3.0], "mesh.refine": 0,
            "time.max_steps": 0, "output.fields_every": 1}
    program.run(keys, ranks, folder)
    grid = read(sorted(glob.glob(os.path.join(folder, "*.vtkhdf")))[0])
    material, rank, gamma = (vtk_to_numpy(grid.GetCellData().GetArray(name)) for name in ("material", "rank", "gamma"))
    bounds = [grid.GetCell(i).GetBounds() for i in range(grid.GetNumberOfCells())]
    light = np.array([b[0] + b[1] > 2 and b[2] + b[3] < 3 for b in bounds])
    assert len(material) == 42 and light.sum() == 18
    assert (material == np.where(light, 0, 1)).all() and (gamma == np.where(light, 1.4, 1.5)).all()
    assert sorted(set(rank)) == list(range(ranks))


def check_picture(fields, folder):
    """The cells cover a part of it, in many colours."""
    path = os.path.join(folder, "picture.png")
    render = os.path.join(os.path.dirname(os.path.abspath(__file__)), "render.py")
    subprocess.run(["xvfb-run", "-a", sys.executable, render, fields, path], check=True)
    reader = vtk.vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())
    covered = (pixels != 0).any(axis=1).mean()
    colours = len(np.unique(pixels, axis=0))
    assert 0.1 < covered < 0.9 and colours > 100, f"{fields}: {covered:.0%} of the picture is covered, in {colours} colours"


def main():
    writer = os.path.join(os.environ["SHOCKLET_BUILD"], "bin", "app_test_output")
    rng = np.random.default_rng(1)
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        # 3 ranks, 2 a file: one file refers to two others
        for ranks, each in ((1, 0), (2, 0), (3, 0), (2, 1), (3, 2)):
            out = os.path.join(folder, f"{ranks}_{each}")
            subprocess.run([os.environ["SHOCKLET_MPIEXEC"], "-n", str(ranks), writer, "write", out, str(each)], check=True)
            for dim in (1, 2, 3):
                for order in (1, 2, 3, 4):
                    name = f"d{dim}_p{order}"
                    with open(os.path.join(out, name + ".vtkhdf.series")) as file:
                        listed = json.load(file)["files"]
                    assert [f["name"] for f in listed] == [name + "_000003.vtkhdf"], listed
                    worst = max(worst, check(os.path.join(out, listed[0]["name"]), dim, order, rng))
        for name in ("d2_p2", "d2_p4", "d3_p1", "d3_p3") if shutil.which("xvfb-run") else ():
            check_picture(os.path.join(folder, "2_0", name + "_000003.vtkhdf"), folder)
        for ranks in (1, 2):
            check_materials(os.path.join(folder, f"materials{ranks}"), ranks)
    print(f"VTK {vtk.vtkVersion.GetVTKVersion()}: largest difference {worst:.2g}")


main()
