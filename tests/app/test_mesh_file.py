# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""A mesh of one's own: how many faces are walls stands at the start and in the report, and what was probably not meant is
warned of, with exit status 0."""
import json
import os
import subprocess
import tempfile

import program

SOURCE = os.environ["SHOCKLET_SOURCE"]


def square(n, sides=(1, 1, 2, 2), moved=0, doubled=False):
    """MFEM's unit square of n x n zones: boundary attributes of the sides x = 0, x = 1, y = 0, y = 1 (0: not listed); the upper
    half with vertices of its own (doubled), moved down by `moved`."""
    rows = [j / n for j in range(n // 2 + 1)] + [j / n - moved for j in range(n // 2 if doubled else n // 2 + 1, n + 1)]
    vertices = [(i / n, y) for y in rows for i in range(n + 1)]
    low = [j for j in range(len(rows) - 1) if not (doubled and j == n // 2)]
    at = lambda i, j: j * (n + 1) + i
    zones = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for j in low for i in range(n)]
    top = len(rows) - 1
    faces = [(sides[0], at(0, j), at(0, j + 1)) for j in low] + [(sides[1], at(n, j), at(n, j + 1)) for j in low]
    faces += [(sides[2], at(i, 0), at(i + 1, 0)) for i in range(n)] + [(sides[3], at(i, top), at(i + 1, top)) for i in range(n)]
    faces = [face for face in faces if face[0]]
    return "\n".join(["MFEM mesh v1.0", "dimension", "2", "elements", str(len(zones)),
                      *("1 3 %d %d %d %d" % zone for zone in zones), "boundary", str(len(faces)),
                      *("%d 1 %d %d" % face for face in faces), "vertices", str(len(vertices)), "2",
                      *("%.17g %.17g" % vertex for vertex in vertices), ""])


def gmsh(groups):
    """Four quads on the unit square, the sides in the physical groups {side: (number, name)}."""
    nodes = [(i / 2, j / 2) for j in range(3) for i in range(3)]
    at = lambda i, j: j * 3 + i + 1
    sides = {"left": [(at(0, 0), at(0, 1)), (at(0, 1), at(0, 2))], "right": [(at(2, 0), at(2, 1)), (at(2, 1), at(2, 2))],
             "low": [(at(0, 0), at(1, 0)), (at(1, 0), at(2, 0))], "high": [(at(0, 2), at(1, 2)), (at(1, 2), at(2, 2))]}
    lines = [f"1 2 {groups[side][0]} 1 {a} {b}" for side in groups for a, b in sides[side]]
    lines += [f"3 2 9 1 {at(i, j)} {at(i + 1, j)} {at(i + 1, j + 1)} {at(i, j + 1)}" for j in range(2) for i in range(2)]
    names = sorted(set(groups.values()))
    return "\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names)),
                      *(f'1 {number} "{name}"' for number, name in names), "$EndPhysicalNames", "$Nodes", "9",
                      *(f"{i + 1} {x} {y} 0" for i, (x, y) in enumerate(nodes)), "$EndNodes", "$Elements", str(len(lines)),
                      *(f"{i + 1} {line}" for i, line in enumerate(lines)), "$EndElements", ""])


def run(text, problem="noh", ranks=0, keys=()):
    """(lines printed before the steps, warnings, the report's boundary) of two steps on this mesh."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("deck.yaml", f"{{problem: {{name: {problem}}}, mesh: {{file: a.mesh}}, time: {{max_steps: 1}}}}"), ("a.mesh", text)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(content)
        command = [os.environ["SHOCKLET_MPIEXEC"], "-n", str(ranks)] if ranks else []
        command += [os.environ["SHOCKLET"], "--report", "r.json", "deck.yaml", *keys]
        done = subprocess.run(command, cwd=folder, env=program.apart() if ranks else program.alone(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done
        with open(os.path.join(folder, "r.json")) as file:
            report = json.load(file)
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert all(line.count("a.mesh: ") == 1 for line in warnings), warnings
    return done.stdout.splitlines(), warnings, report["boundary"]


def expect(text, boundary, *words, **more):
    """The boundary is (walls of x, of y, free), and there is a warning for each of the words, in order."""
    lines, warnings, found = run(text, **more)
    assert found == {"wall_x": boundary[0], "wall_y": boundary[1], "wall_z": 0, "free": boundary[2]}, found
    line = f"faces on the boundary: {boundary[0]} walls of x, {boundary[1]} walls of y, {boundary[2]} free"
    assert any(line in printed for printed in lines), lines
    assert len(warnings) == len(words) and all(w in line for w, line in zip(words, warnings)), (words, warnings)


def sound_meshes():
    expect(square(4), (8, 8, 0))
    expect(square(4, (1, 0, 2, 0)), (4, 4, 8), ranks=2)
    expect(square(4), (16, 16, 0), keys=["mesh.refine=1"], ranks=2)
    expect(gmsh({"left": (5, "wall_x"), "low": (7, "wall_y"), "right": (6, "free")}), (2, 2, 4))
    expect(gmsh({"left": (2, "wall_x"), "right": (2, "wall_x"), "low": (1, "wall_y"), "high": (1, "wall_y")}), (4, 4, 0), problem="sod")


def no_walls():
    expect(square(4, (0, 0, 0, 0)), (0, 0, 16), "16 of the 16 free faces are on sides where the problem has walls", problem="sod")
    expect(square(4, (0, 0, 0, 0)), (0, 0, 16), "8 of the 16 free faces are on sides where the problem has walls (of low x, of low y)", ranks=2)
    expect(gmsh({}), (0, 0, 8), "8 of the 8 free faces", problem="taylor-green")


def one_group_for_all():
    groups = {side: (2, "walls") for side in ("left", "right", "low", "high")}
    expect(gmsh(groups), (0, 8, 0), "4 of the 8 walls of y (boundary attribute 2, or wall_y) lie in no line y = const", problem="taylor-green")


def unknown_attributes():
    expect(square(4, (11, 12, 2, 2)), (0, 8, 8), "8 boundary faces are free, as their attribute is no wall's, the first around (0, 0.125) with attribute 11",
           "8 of the 8 free faces are on sides", problem="sod")
    expect(square(4, (3, 1, 2, 2)), (4, 8, 4), "4 boundary faces are free", "4 of the 4 free faces", problem="sod", ranks=2)


def cracks_and_overlaps():
    expect(square(4, doubled=True), (8, 8, 8), "8 of the 8 free faces", "10 vertices lie at the same place", "8 faces of the boundary have a zone behind them", problem="sod")
    expect(square(4, doubled=True, moved=0.1), (8, 8, 8), "8 of the 8 free faces", "8 faces of the boundary have a zone behind them", problem="sod")


def the_page():
    """docs/meshes.md shows the ten lines that made the mesh of the deck, and what it prints."""
    with open(os.path.join(SOURCE, "docs", "meshes.md")) as file:
        page = file.read()
    with open(os.path.join(SOURCE, "inputs", "meshes", "quarter-disc.geo")) as file:
        lines = file.read()
    assert lines in page and len(lines.splitlines()) == 10
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.environ["SHOCKLET"], os.path.join(SOURCE, "inputs", "own-mesh.yaml"), "time.max_steps=1", f"output.directory={folder}"],
                              env=program.alone(), capture_output=True, text=True)
    assert done.returncode == 0 and "warning" not in done.stderr, done
    assert done.stdout.splitlines()[0] in page, done.stdout


def curved_zones_that_fold():
    """A triangle of order 2 whose middle of a side is drawn through the zone: the corners don't show it, the points do."""
    zone = ("MFEM mesh v1.0\ndimension\n2\nelements\n1\n1 2 0 1 2\nboundary\n0\nvertices\n3\nnodes\nFiniteElementSpace\n"
            "FiniteElementCollection: H1_2D_P2\nVDim: 2\nOrdering: 1\n0 0\n1 0\n0 1\n0.5 0\n0.1 0.1\n0 0.5\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "zone.mesh")
        with open(path, "w") as file:
            file.write(zone)
        for ranks in 1, 2:
            done = program.start({"problem.name": "noh", "mesh.file": path}, ranks)
            assert done.returncode == 2 and "zone 0 has no positive volume around (" in done.stderr, done


program.main([sound_meshes, no_walls, one_group_for_all, unknown_attributes, cracks_and_overlaps, the_page, curved_zones_that_fold])
