# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""Periodic boxes: a vortex and its mirror images are the vortex between walls; a run goes on from its checkpoint on other ranks; boxes that
cannot be periodic are refused."""
import os
import tempfile

import program

TIGHT = {"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14}
VORTEX = {"problem.name": "taylor-green", "mesh.refine": 0, "time.max_steps": 8, **TIGHT}


def mirror_images_are_walls():
    """[0, 2]^dim, periodic, is 2^dim times the box with walls, mirrored: the same steps, and norms by a factor."""
    for dim, zones in (2, [3, 4]), (3, [2, 1, 2]):
        keys = {**VORTEX, "mesh.dim": dim}
        walls = program.run({**keys, "mesh.zones": zones})
        periodic = program.run({**keys, "mesh.zones": [2 * n for n in zones], "mesh.upper": [2.0] * dim, "mesh.periodic": "xyz"[:dim]})
        assert (walls["steps"], walls["attempts"]) == (periodic["steps"], periodic["attempts"]), "other steps"
        for name, one, other in (("dt", walls["dt"], periodic["dt"]), ("e", 2 ** (dim / 2) * walls["norm"]["e"], periodic["norm"]["e"]),
                                 ("energy", 2 ** dim * walls["energy"]["final"], periodic["energy"]["final"])):
            assert program.relative(other, one) < 1e-11, (dim, name, one, other)


SQUARE = 4  # zones along an axis of the files below


def cells():
    """Corners, around, of the zones of [0, 2]^2 as (i, j), 0 <= i, j <= SQUARE."""
    for j in range(SQUARE):
        for i in range(SQUARE):
            yield (i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)


def zones(triangles):
    for a, b, c, d in cells():
        yield from ([(a, b, c), (a, c, d)] if triangles else [(a, b, c, d)])


def corner_last(corners):
    """MFEM lists the nodes of a quad by rows."""
    return (corners[0], corners[1], corners[3], corners[2]) if len(corners) == 4 else corners


def write_mfem(file, triangles):
    """Vertices are one across the seams; each zone has the places of its own."""
    all_zones = list(zones(triangles))
    kind = 2 if triangles else 3
    file.write(f"MFEM mesh v1.0\ndimension\n2\nelements\n{len(all_zones)}\n")
    for zone in all_zones:
        file.write(f"1 {kind} " + " ".join(str(i % SQUARE + SQUARE * (j % SQUARE)) for i, j in zone) + "\n")
    file.write(f"boundary\n0\nvertices\n{SQUARE * SQUARE}\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_2D_P1\nVDim: 2\nOrdering: 1\n")
    for zone in all_zones:
        for i, j in corner_last(zone):
            file.write(f"{2 * i / SQUARE} {2 * j / SQUARE}\n")


def write_gmsh(file, triangles):
    """Nodes are paired across the seams; a corner has two sides, one after the other."""
    row, all_zones = SQUARE + 1, list(zones(triangles))
    file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{row * row}\n")
    for n in range(row * row):
        file.write(f"{n + 1} {2 * (n % row) / SQUARE} {2 * (n // row) / SQUARE} 0\n")
    file.write(f"$EndNodes\n$Elements\n{len(all_zones)}\n")
    for z, zone in enumerate(all_zones):
        file.write(f"{z + 1} {2 if triangles else 3} 2 1 1 " + " ".join(str(1 + i + row * j) for i, j in zone) + "\n")
    file.write("$EndElements\n$Periodic\n2\n")
    for entity, (step, period) in enumerate(((row, SQUARE), (1, SQUARE * row))):
        file.write(f"1 {entity + 1} {entity + 3}\nAffine" + " 0" * 16 + f"\n{row}\n")
        for n in range(row):
            file.write(f"{1 + n * step + period} {1 + n * step}\n")
    file.write("$EndPeriodic\n")


def files_are_boxes():
    """A periodic square of an MFEM file, whose zones have their own nodes, of a Gmsh file, which pairs nodes, and of a deck."""
    for triangles in False, True:
        reports = []
        for write in None, write_mfem, write_gmsh:
            with tempfile.TemporaryDirectory() as folder:
                keys = {**VORTEX, "mesh.dim": 2, "mesh.zones": [SQUARE] * 2, "mesh.upper": [2.0, 2.0], "mesh.periodic": "xy"}
                if write:
                    path = os.path.join(folder, "square.mesh")
                    with open(path, "w") as file:
                        write(file, triangles)
                    keys = {**VORTEX, "mesh.file": path}
                elif triangles:
                    keys["mesh.zone"] = "triangle"
                reports.append(program.run(keys, 2))
        if triangles:  # in files the diagonal, and so the first corner of each triangle, may be another than in boxes
            reports = reports[1:]
        for report in reports[1:]:
            assert not any(report["boundary"].values()), report["boundary"]
            for name in "evx":
                assert program.relative(report["norm"][name], reports[0]["norm"][name]) < 1e-11, (triangles, name)


def goes_on_on_other_ranks():
    keys = {**VORTEX, "mesh.zones": [4, 4], "mesh.upper": [2.0, 2.0], "mesh.periodic": "xy", "mesh.zone": "triangle"}
    with tempfile.TemporaryDirectory() as folder:
        whole = program.run({**keys, "output.checkpoint_every": 3, "output.keep": 9}, 2, folder)
        first = os.path.join(folder, "checkpoint_000003.h5")
        report = os.path.join(folder, "report.json")
        for ranks in 1, 3:
            done = program.start({**keys, "output.overwrite": True}, ranks, report, folder + "/more", ["--restart", first])
            assert done.returncode == 0, done.stderr
            with open(report) as file:
                again = program.json.load(file)
            for name in "evx":
                assert program.relative(again["norm"][name], whole["norm"][name]) < 1e-12, (ranks, name)


def refuses():
    box = {"problem.name": "gresho", "mesh.zones": [4, 4]}
    for keys, sentence in (({"mesh.zones": [1, 4], "mesh.periodic": "x"}, "its own neighbour"), ({"mesh.periodic": "xz"}, "no axis z"),
                           ({"mesh.periodic": "w"}, "mesh.periodic"), ({"problem.name": "saltzman", "mesh.periodic": "y"}, "bends its box")):
        done = program.start({**box, **keys}, 0)
        assert done.returncode == 2 and sentence in done.stderr, (keys, done.returncode, done.stderr)


def velocity_has_to_fit():
    """A velocity that the box is no period of is refused by the same sentence on any number of ranks, in boxes and in files."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "square.mesh")
        with open(path, "w") as file:
            write_gmsh(file, True)
        for keys, sentence in (({**VORTEX, "mesh.periodic": "xy"}, "mesh.periodic=xy: the initial velocity of taylor-green does not repeat itself: "
                                "v_y is -1 at (0, 0.5) and 1 at (1, 0.5), a difference of 2; "),
                               ({**VORTEX, "mesh.dim": 3, "mesh.zone": "tet", "mesh.zones": [2, 2, 2], "mesh.periodic": "x"}, "v_y is -1 at (0, 0.5, 0) and 1 at"),
                               ({"problem.name": "gresho", "mesh.lower": [0.0, 0.0], "mesh.periodic": "x"}, "of gresho does not repeat itself: v_x is"),
                               ({"problem.name": "noh", "mesh.file": path}, path + ": the initial velocity of noh does not repeat itself")):
            said = set()
            for ranks in 1, 2, 3:
                done = program.start(keys, ranks)
                lines = [line for line in done.stderr.splitlines() if line.startswith("shocklet: ")]
                assert done.returncode == 2 and len(lines) == 1 and sentence in lines[0], (keys, ranks, done.returncode, done.stderr)
                said.add(lines[0])
            assert len(said) == 1, said
            if "mesh.file" not in keys:
                check = program.start(keys, 0, options=["--check"])
                assert check.returncode == 2 and check.stderr.splitlines() == list(said), (said, check.stderr)


def zones_count_refined():
    """One zone that is refined is as good as its parts, of every shape."""
    for keys in {}, {"mesh.zone": "triangle"}, {"mesh.dim": 3, "mesh.zone": "tet"}:
        dim = keys.get("mesh.dim", 2)
        box = {"problem.name": "gresho", "mesh.periodic": "xy", "time.max_steps": 4, **TIGHT, **keys}
        one = program.run({**box, "mesh.zones": [1] * dim, "mesh.refine": 2})
        many = program.run({**box, "mesh.zones": [4] * dim, "mesh.refine": 0}, 2)
        assert one["zones"] == many["zones"], (one["zones"], many["zones"])
        for name in "evx":
            assert program.relative(one["norm"][name], many["norm"][name]) < 1e-10, (keys, name)


def exact_states_hold_or_are_not_there():
    """Errors are those against a state that the periodic box has, too: steady vortices, and what changes along x alone."""
    def errors(name, dim, periodic, **keys):
        return program.run({"problem.name": name, "mesh.dim": dim, "mesh.periodic": periodic, "time.max_steps": 30, **keys}).get("error")

    for name, dim, periodic in (("sod", 1, "x"), ("sod", 2, "xy"), ("standing-wave", 2, "x"), ("sedov", 2, "y")):
        assert errors(name, dim, periodic) is None, (name, dim, periodic)
    for name, dim, periodic in (("sod", 2, "y"), ("sod", 2, "none"), ("standing-wave", 2, "y"), ("gresho", 2, "xy"), ("sedov", 2, "none")):
        assert errors(name, dim, periodic)["density"]["l2"] > 0, (name, dim, periodic)


def blasts_go_on_across_seams():
    """A blast at a corner of a periodic box is the one in its middle: the zones around the point share it.  Walls through it halve it."""
    for keys in {}, {"mesh.zone": "triangle"}, {"mesh.dim": 3}:
        dim = keys.get("mesh.dim", 2)
        box = {"problem.name": "sedov", "mesh.dim": dim, "mesh.zones": [6] * dim, "mesh.refine": 0, "time.max_steps": 6, **TIGHT, **keys}
        middle = program.run({**box, "mesh.lower": [-0.5] * dim, "mesh.upper": [0.5] * dim, "mesh.periodic": "xyz"[:dim]})
        for ranks in 1, 3:
            corner = program.run({**box, "mesh.periodic": "xyz"[:dim]}, ranks)
            assert corner["steps"] == middle["steps"]
            for one, other in (middle["norm"]["e"], corner["norm"]["e"]), (middle["norm"]["v"], corner["norm"]["v"]), (1, corner["energy"]["initial"]):
                assert program.relative(other, one) < 1e-11, (keys, ranks, one, other)
        half = program.run({**box, "mesh.periodic": "y"})
        assert program.relative(half["energy"]["initial"], 0.5 ** (dim - 1)) < 1e-12, half["energy"]


program.main([mirror_images_are_walls, files_are_boxes, goes_on_on_other_ranks, refuses, velocity_has_to_fit, zones_count_refined, exact_states_hold_or_are_not_there,
              blasts_go_on_across_seams])
