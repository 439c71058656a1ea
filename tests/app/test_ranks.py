# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
# timeout: 1500
"""The number of ranks and the partition change results by rounding errors only, also with more ranks than zones; and a
run repeated is the same run, to the last bit."""
import os
import tempfile

import program

MESH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "laghos", "unstructured-square.mesh")
TIGHT = {"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14}
DECKS = {
    "sedov-1d": {"problem.name": "sedov", "mesh.dim": 1, "mesh.zones": [11], "time.max_steps": 40},
    "triple-point-2d": {"problem.name": "triple-point", "mesh.refine": 0, "time.max_steps": 40},
    "sedov-3d": {"problem.name": "sedov", "mesh.dim": 3, "mesh.zones": [3, 2, 2], "time.max_steps": 20,
                 "time.integrator": "rk2avg"},
    "zone-inverse": {"problem.name": "triple-point", "mesh.dim": 2, "mesh.refine": 0, "time.max_steps": 20,
                     "solvers.velocity.preconditioner": "zone_inverse"},
    "unstructured": {"problem.name": "sedov", "mesh.file": MESH, "mesh.dim": 2, "time.max_steps": 20},
    "periodic": {"problem.name": "taylor-green", "mesh.zones": [4, 5], "mesh.upper": [2.0, 2.0], "mesh.periodic": "xy", "time.max_steps": 10},
    "periodic-tets": {"problem.name": "taylor-green", "mesh.dim": 3, "mesh.zone": "tet", "mesh.zones": [2, 3, 2], "mesh.upper": [2.0, 1.0, 2.0],
                      "mesh.periodic": "xz", "time.max_steps": 6},
    "jumps-at-nodes": {"problem.name": "riemann-12", "mesh.zones": [3, 4], "discretization.kinematic_order": 6, "time.max_steps": 3},
    "few-zones": {"problem.name": "taylor-green", "mesh.dim": 3, "mesh.zones": [2, 1, 1], "time.max_steps": 10},
}


def figures(report):
    """What has to agree."""
    values = {f"norm.{name}": report["norm"][name] for name in "evx"}
    values.update({f"energy.{name}": report["energy"][name] for name in ("initial", "final", "internal")})
    values.update({name: report[name] for name in ("time", "dt")})
    return values


def compare(title, one, other):
    assert one["steps"] == other["steps"] and one["attempts"] == other["attempts"], f"{title}: other steps"
    a, b = figures(one), figures(other)
    worst = max(program.relative(b[name], a[name]) for name in a)
    print(f"{title:40} {worst:.1e}", flush=True)
    assert worst <= 1e-12, f"{title}: {worst}"


def ranks_agree():
    for name, deck in DECKS.items():
        alone = program.run({**deck, **TIGHT})
        for ranks in 2, 3, 4, 7:
            compare(f"{name} on {ranks} ranks", alone, program.run({**deck, **TIGHT}, ranks))


def partitions_agree():
    deck = {**DECKS["unstructured"], **TIGHT}
    alone = program.run(deck)
    for partition in "hilbert", "rcb", "metis":
        compare(f"unstructured by {partition}", alone, program.run({**deck, "mesh.partition": partition}, 3))


def simplices_grow_with_ranks():
    for ranks in 1, 3:
        report = program.run({"problem.name": "sedov", "mesh.dim": 3, "mesh.zone": "tet", "mesh.zones_per_rank": 12, "time.max_steps": 2}, ranks)
        assert report["zones"] == 12 * ranks, report["zones"]


def written(folder):
    """{file name: its bytes}, and away with them."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[name] = file.read()
            os.remove(path)
    return found


def repeats_are_the_same():
    for name in "triple-point-2d", "sedov-3d":
        for ranks in 1, 3:
            results = []
            with tempfile.TemporaryDirectory() as folder:  # the files hold the deck, and so the folder's name
                for _ in range(2):
                    report = program.run({**DECKS[name], "output.fields_every": 10}, ranks, folder)
                    results.append(({**figures(report), **report["iterations"]}, written(folder)))
            assert results[0][1], "no files"
            assert results[0] == results[1], f"{name} on {ranks} ranks differs from itself"


program.main([ranks_agree, partitions_agree, simplices_grow_with_ranks, repeats_are_the_same])
