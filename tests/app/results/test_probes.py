# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 3
"""Probes: what a state is known to be, on faces and in zones, on any number of ranks; nothing outside; a run that goes
on continues probes.csv byte for byte."""
import csv
import os
import tempfile

import program
from restarts import DECKS, checkpoints, content, good, path, prepare, shocklet

# In 2D: in a zone, on a face, on a corner of four zones, on the wall, outside.
PLACES = [0.3, 0.4, 0.5, 0.3, 0.5, 0.5, 1, 0.7, 1.5, 0.5]


def rows(folder):
    with open(os.path.join(folder, "probes.csv")) as file:
        return [{key: float(value) if value else None for key, value in row.items()} for row in csv.DictReader(file)]


def probed(keys, ranks=1, options=()):
    with tempfile.TemporaryDirectory() as folder:
        done = program.start(keys, ranks, directory=folder, options=options)
        assert done.returncode == 0, f"{keys} on {ranks} ranks: {done.stderr}"
        return rows(folder)


def close(got, want, what, allowed=1e-12):
    assert abs(got - want) <= allowed * max(1.0, abs(want)), f"{what}: {got}, not {want}"


def known_states_are_met():
    """noh2 falls in uniformly: density (1 - t)^-dim and v = -x / (1 - t); linear fields stay in the space."""
    for dim in 1, 2, 3:
        places = [[0.3] * dim, [0.5] * dim, [0.25] + [0.6] * (dim - 1), [2.0] * dim]
        keys = {"problem.name": "noh2", "mesh.dim": dim, "mesh.zones": [4] * dim, "mesh.lower": [0] * dim,
                "mesh.upper": [1] * dim, "time.final": 0.2, "time.max_steps": 8, "output.probes": sum(places, []),
                "output.history_every": 3, "solvers.velocity.tolerance": 1e-14,
                "solvers.energy.tolerance": 1e-14}
        found = probed(keys)
        assert [row["probe"] for row in found[:4]] == [0, 1, 2, 3]
        assert len({row["step"] for row in found}) >= 3 and all(row["step"] % 3 == 0 for row in found[:-4])
        for row in found:
            at = places[int(row["probe"])]
            what = f"{dim}D, step {row['step']}, {at}"
            assert [row[axis] for axis in "xyz"[:dim]] == at, what
            values = [row[name] for name in ["density", "pressure", "energy"] + ["vx", "vy", "vz"][:dim]]
            if at[0] > 1:
                assert values == [None] * len(values), what
                continue
            shrunk = 1 - row["time"]
            allowed = 1e-5 if row["step"] else 1e-12  # the first is exact, then time is discrete
            close(row["density"], shrunk ** -dim, what + " density", allowed)
            for axis in "xyz"[:dim]:
                close(row["v" + axis], -row[axis] / shrunk, what + " velocity", allowed)
            close(row["pressure"], (5 / 3 - 1) * row["density"] * row["energy"], what + " pressure", 1e-9)


def other_ranks_say_the_same():
    """Curved zones, a discontinuous energy: what is on a face must not depend on who owns it."""
    for order in 2, 4:
        keys = {"problem.name": "taylor-green", "mesh.dim": 2, "mesh.zones": [4, 4], "mesh.refine": 0,
                "time.max_steps": 12, "discretization.kinematic_order": order, "output.probes": PLACES,
                "solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14}
        want = probed(keys)
        assert all((row["density"] is None) == (row["probe"] == 4) for row in want), "a probe is lost"
        for ranks in 2, 3:
            got = probed(keys, ranks)
            assert len(got) == len(want) >= 5 * 8, f"{ranks} ranks: {len(got)} rows, not {len(want)}"
            for a, b in zip(got, want):
                for name in a:
                    if a[name] is None or b[name] is None:
                        assert a[name] is b[name], f"{ranks} ranks: {a}, not {b}"
                    else:
                        close(a[name], b[name], f"{ranks} ranks, step {b['step']}, probe {b['probe']}, {name}", 1e-11)


def faces_belong_to_the_lowest_zone():
    """The first state of sod jumps at a face: the side with the lower number counts, also where another rank has it."""
    keys = {"problem.name": "sod", "mesh.dim": 1, "mesh.zones": [10], "mesh.refine": 0,
            "time.max_steps": 1, "output.probes": [0.5, 0.45]}
    for ranks in 1, 2, 3:
        on, left = probed(keys, ranks)[:2]
        for name in "density", "pressure", "energy":
            close(on[name], left[name], f"{ranks} ranks, {name}")


def a_cut_run_continues_the_file():
    with tempfile.TemporaryDirectory() as root:
        for ranks in 1, 2:
            whole = os.path.join(root, f"{ranks}")
            prepare(whole, DECKS["sedov"], f"checkpoint_every: 1, keep: 1000, history_every: 2, probes: {PLACES}")
            good(shocklet(whole, ["deck.yaml"], ranks), "whole")
            file, last = os.path.join(whole, "out", "probes.csv"), checkpoints(whole)[-1]
            want = content(file)
            with open(file, "ab") as end:
                end.write(b"7,0.1")  # half a row
            for later in range(12, last + 1):
                os.unlink(path(whole, later))
            good(shocklet(whole, ["--restart", "latest", "deck.yaml"], ranks), "cut")
            assert checkpoints(whole)[-1] == last and content(file) == want, f"{ranks} ranks: probes.csv differs"


def without_a_history_there_are_none():
    with tempfile.TemporaryDirectory() as folder:
        keys = {"problem.name": "sod", "mesh.zones": [10], "time.max_steps": 1, "output.probes": [0.5],
                "output.history_every": 0}
        done = program.start(keys, directory=folder)
        assert done.returncode == 2 and "as often as the history" in done.stderr and os.listdir(folder) == [], done.stderr


program.main([known_states_are_met, other_ranks_say_the_same, faces_belong_to_the_lowest_zone,
              a_cut_run_continues_the_file, without_a_history_there_are_none])
