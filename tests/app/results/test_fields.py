# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""profile.csv: the exact density is a function of its first column, the distance r, or x where nothing changes across it; no file
where it is neither's."""
import csv
import os
import tempfile

import program


def profile(keys):
    with tempfile.TemporaryDirectory() as folder:
        done = program.start({**keys, "output.fields_every": 1000, "output.progress": "none"}, 0, directory=folder)
        assert done.returncode == 0, f"{keys}: {done.stderr}"
        with open(os.path.join(folder, "profile.csv")) as file:
            reader = csv.DictReader(file)
            return sorted(tuple(map(float, row.values())) for row in reader), reader.fieldnames[0]


for name, dim, zones in ("sod", 2, [10, 3]), ("saltzman", 2, [10, 2]), ("standing-wave", 3, [4, 2, 2]), ("sod", 1, [10]), ("noh", 2, [4, 4]):
    rows, over = profile({"problem.name": name, "mesh.dim": dim, "mesh.zones": zones, "time.max_steps": 20})
    assert over == ("r" if name == "noh" else "x"), (name, over)
    assert len(rows) == 3 ** dim * program.math.prod(zones), f"{name}: {len(rows)} rows"
    # a jump is passed once: sorted by the first column, the exact density changes its way no more often than a wave does
    ways = [1 if after[2] > before[2] else -1 for before, after in zip(rows, rows[1:]) if abs(after[2] - before[2]) > 1e-9]
    turns = sum(a != b for a, b in zip(ways, ways[1:]))
    assert turns <= 1, f"{name} in {dim}D: the exact density turns {turns} times"

with tempfile.TemporaryDirectory() as folder:
    done = program.start({"problem.name": "triple-point", "output.fields_every": 1000, "time.max_steps": 1}, 0, directory=folder)
    assert done.returncode == 0 and "triple-point.vtkhdf.series" in os.listdir(folder), done.stderr
    assert "profile.csv" not in os.listdir(folder)

# The exact blast is tabulated once, not for each of the 64 x 64 x 25 nodes, and the last files are no part of the steps.
with tempfile.TemporaryDirectory() as folder:
    report = program.run({"problem.name": "sedov", "mesh.dim": 2, "mesh.zones": [64, 64], "mesh.refine": 0, "discretization.kinematic_order": 4,
                          "output.fields_every": 1000, "time.max_steps": 2}, 1, folder)
    parts, seconds = report["parts"], report["seconds"]
    assert abs(parts["steps"] - seconds["loop"]) < 0.01 * seconds["loop"] + 1e-3, (parts, seconds)
    assert parts["results"] < 30, parts
    assert "profile.csv" in os.listdir(folder) and seconds["output"] < parts["files"] + parts["steps"] + parts["results"], (parts, seconds)
