# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# timeout: 1200
"""scripts/simulate on up to 1000 ranks under SimGrid: no deadlock, mismatch or leak, exactly the messages and reductions that the
algorithms have, the same virtual time twice; and what it says when a rank dies.  Needs the simulated build (scripts/test
simulated), and is skipped without it."""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BINARY = os.environ.get("SHOCKLET_SIMULATED") or os.path.join(SOURCE, "build", "simulated", "bin", "shocklet")
DECK = [os.path.join(SOURCE, "inputs", "weak-scaling.yaml"), "time.integrator=rk2avg", "time.max_steps=0"]
STAGES, ITERATIONS, CHEBYSHEV, ZONES = 2, 22, 37, 11  # of rk2avg; of solvers/cuda/model.c


def simulate(*words, zones=27, status=0):
    """The rows of the table, and what was said on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        command = [sys.executable, os.path.join(SOURCE, "scripts", "simulate"), "--binary", BINARY, "--csv", path, *DECK,
                   f"mesh.zones_per_rank={zones}", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        if not os.path.exists(path):  # no rows
            return [], done.stderr
        with open(path) as file:
            return list(csv.DictReader(file)), done.stderr


def pairs(side):
    """Ordered pairs of neighbours in a lattice of side^3 boxes."""
    return (3 * side - 2) ** 3 - side**3


def counts_are_those_of_the_algorithms():
    """Sums over neighbours: one an iteration, with zone inverses two and one before, and one of the force, whose first one overlaps with
    what is before the step."""
    reductions = {}
    for scheme, side, sums in (("auto", 4, STAGES * (ITERATIONS + 1) - 1), ("auto", 3, STAGES * (ITERATIONS + 1) - 1),
                               ("chebyshev", 3, STAGES * (CHEBYSHEV + 1) - 1), ("zones", 3, STAGES * (2 * ZONES + 2) - 1),
                               ("blocking", 3, STAGES * (ITERATIONS + 1))):
        (row,), _ = simulate("--ranks", str(side**3), "--scheme", scheme)
        assert float(row["messages"]) == pairs(side) * sums, row
        assert int(row["neighbours"]) == 26, row
        reductions[scheme] = float(row["reductions"])
    assert reductions["auto"] - reductions["chebyshev"] == STAGES * (ITERATIONS - 1), reductions
    # A check a solve; the time step, the energies, the wait for cores, requests from outside; and five for the report.
    assert reductions["zones"] == reductions["chebyshev"] == STAGES + 4 + 5, reductions
    assert reductions["blocking"] - reductions["auto"] == STAGES * (ITERATIONS + 1), reductions


def crossbar_carries_the_same_messages():
    rows = [simulate("--ranks", "8", "--network", network)[0][0] for network in ("fat-tree", "crossbar")]
    for column in ("messages", "bytes", "reductions", "neighbours"):
        assert rows[0][column] == rows[1][column], rows
    assert float(rows[0]["step"]) != float(rows[1]["step"]), rows


def many_ranks_send_as_few_messages():
    """Per rank, as 64 do."""
    (row,), _ = simulate("--ranks", "512", "--network", "crossbar", "--scheme", "zones")
    assert float(row["messages"]) == pairs(8) * (STAGES * (2 * ZONES + 2) - 1) and int(row["neighbours"]) == 26, row
    assert float(row["reductions"]) == STAGES + 4 + 5, row


def time_is_the_same_twice():
    rows = [simulate("--ranks", "12", "--network", "torus")[0] for _ in range(2)]
    assert rows[0] == rows[1], rows
    assert float(rows[0][0]["step"]) > 0


def host_computes():
    (row,), _ = simulate("--ranks", "8", "--node", "host", zones=8)
    assert float(row["messages"]) > pairs(2), row


def death_is_told():
    for network in ("fat-tree", "crossbar"):
        rows, said = simulate("--ranks", "8", "--network", network, "--kill", "3@0.001", status=1)
        assert not rows and "node 3 having died at 0.001 s" in said and "a rank has died" in said, said
    rows, said = simulate("--ranks", "1000", "--network", "crossbar", "--kill", "500@0.003", status=1)
    assert not rows and "1000 ranks, node 500 having died at 0.003 s: a rank has died" in said, said


if __name__ == "__main__":
    if not shutil.which("smpirun") or not os.access(BINARY, os.X_OK):
        print(f"no smpirun, or no {BINARY}")
        sys.exit(77)
    counts_are_those_of_the_algorithms()
    crossbar_carries_the_same_messages()
    many_ranks_send_as_few_messages()
    time_is_the_same_twice()
    host_computes()
    death_is_told()
