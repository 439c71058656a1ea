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
