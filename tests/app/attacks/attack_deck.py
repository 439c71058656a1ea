# SPDX-License-Identifier: BSD-3-Clause
"""Attacks on decks: keys and values drawn at random, sensible ones, odd ones and nonsense; the run ends in a result or in a sentence."""
import json
import math
import os

from attack_folder import end
from restarts import content, prepare, shocklet

PROBLEMS = {1: ["sedov", "sod", "noh", "shock-tube", "noh2"],
            2: ["taylor-green", "sedov", "triple-point", "gresho", "riemann-12", "riemann-6", "rayleigh-taylor", "noh", "saltzman", "standing-wave"],
            3: ["taylor-green", "sedov", "triple-point", "rayleigh-taylor", "sod", "noh"]}
SENSIBLE = {
    "mesh.refine": [0, 0, 1],
    "mesh.partition": ["auto", "block", "hilbert", "rcb", "metis"],
    "discretization.kinematic_order": [1, 2, 3],
    "discretization.thermodynamic_order": [0, 1, 2],
    "discretization.quadrature_order": [-1, 9, 12],
    "time.integrator": ["euler", "rk2", "rk3", "rk4", "rk6", "rk2avg"],
    "time.cfl": [0.05, 0.3, 1, 5],
    "time.final": [1e-6, 0.1, 1],
    "time.max_cuts": [0, 3, 50],
    "solvers.velocity.tolerance": [1e-4, 1e-12],
    "solvers.velocity.max_iterations": [1, 20, 300],
    "solvers.velocity.preconditioner": ["jacobi", "zone_inverse", "zone_inverse"],
    "solvers.energy.tolerance": [1e-4, 1e-12],
    "solvers.energy.max_iterations": [1, 20, 300],
    "kernels.corner_force": ["host.sumfact", "host.dense", "host.batched", "host.ref"],
    "kernels.velocity_mass": ["host.sumfact", "host.csr", "host.ref", "host.tensor"],
    "kernels.zone_inverse": ["host.sumfact", "host.ref"],
    "kernels.source": ["host.sumfact", "host.ref"],
    "kernels.energy_mass": ["host.pcg", "host.potrs", "host.spmv", "host.ref"],
    "kernels.pcg": ["host.fused", "host.mixed", "host.chebyshev", "host.ref"],
    "kernels.potrf": ["host.simd", "vendor.lapacke", "host.ref"],
    "output.fields_every": [0, 1, 2],
    "output.history_every": [0, 1, 3],
    "output.checkpoint_every": [0, 1, 2],
    "output.keep": [1, 3],
    "run.overlap": ["true", "false"],
    "run.messages": ["mpi", "nccl"],
    "problem.impose_viscosity": ["true", "false"],
    "problem.blast_energy": [1e-3, 1],
}
ODD = {
    "mesh.zones": ["[0]", "[-1, 2]", "[1.5, 2]", "[16777216, 16777216, 16777216]", "[100000, 100000]", "[2, 2, 2, 2]", "[]", "[nan]", "[1e3]"],
    "mesh.lower": ["[1, 1]", "[0, nan]", "[1e100, 0]", "[.inf]"],
    "mesh.upper": ["[0, 0]", "[-1, -1]", "[1e-300, 1e-300]", "[1e100, 1e100]"],
    "mesh.dim": [0, 1, 2, 3, 4, "two"],
    "mesh.zone": ["triangle", "tet", "hex"],
    "mesh.refine": [12, 13, -1],
    "mesh.zones_per_rank": [1, 7, 1000000000],
    "mesh.periodic": ["w", "zyx", "xx", "[x, y]", "z", "xyz"],
    "mesh.file": ["none.mesh", "/dev/null", ".", "deck.yaml", "/dev/zero"],
    "discretization.kinematic_order": [8, 9, 0],
    "discretization.thermodynamic_order": [8, -1],
    "discretization.quadrature_order": [64, 65, 1000000],
    "time.cfl": [10, 0, 1e-300, "nan", 1e308],
    "time.final": [1e100, 1e-320, 0, "inf"],
    "time.wall_limit": [1e-9, 1, -1],
    "solvers.velocity.tolerance": [0.999, 1e-30, 1e-31, 0, "nan"],
    "solvers.velocity.preconditioner": ["amg", "", "none"],
    "solvers.velocity.max_iterations": [0, 1000000000],
    "solvers.energy.max_iterations": [0, 1000000000],
    "problem.blast_energy": [1e100, 1e-300, 0, -1],
    "problem.name": ["sedv", "noh2", "shock-tube", "", "[]"],
    "kernels.backend": ["cuda", "gpu"],
    "kernels.corner_force": ["vendor.blas", "host"],
    "output.probes": ["[1, 2, 3, 4, 5]", "[nan, 0]", "[1e100, 1e100]"],
    "output.directory": ["deck.yaml", "/proc", "a/b/c", "''", "."],
    "output.keep": [0, 1000001],
    "run.silence": [1e-3, "nan", -1],
    "nothing.here": [1],
    "mesh": ["[1, 2]", "5"],
}
NONSENSE = ["nan", "-1", "1e999", "[", "{a: 1}", "&a [*a]", "true", "''", "x" * 5000, "\x01", "0x10", "1_000", "!!binary aGk=", "~", "[[1]]"]


def draw(chance):
    """{key: value}: a small run, some of whose keys may be wrong."""
    dim = chance.choice([1, 2, 2, 2, 3, 3])
    zones = [chance.randint(1, 4) for _ in range(dim)]
    keys = {"problem.name": chance.choice(PROBLEMS[dim]), "mesh.dim": dim, "mesh.zones": str(zones)}
    if chance.random() < 0.6:
        keys["mesh.periodic"] = "".join(axis for axis, n in zip("xyz", zones) if n > 1 and chance.random() < 0.6) or "none"
    if chance.random() < 0.6:
        keys["mesh.zone"] = ["auto", "triangle", "tet"][dim - 1]
    if chance.random() < 0.3:
        keys["output.probes"] = str([chance.choice([0.2, 0.5, 7]) for _ in range(dim)])
    for key in chance.sample(sorted(SENSIBLE), chance.choice([1, 3, 6, 10])):
        keys[key] = chance.choice(SENSIBLE[key])
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        key = chance.choice(sorted(ODD))
        keys[key] = chance.choice(ODD[key] if chance.random() < 0.7 else NONSENSE)
    return keys


def nested(keys):
    """The same as the text of a deck."""
    tree = {}
    for key, value in keys.items():
        at, parts = tree, key.split(".")
        for part in parts[:-1]:
            at = at.setdefault(part, {}) if isinstance(at.get(part, {}), dict) else {}
        at[parts[-1]] = value
    lines = []

    def put(at, indent):
        for key, value in at.items():
            lines.append(f"{indent}{key}:" + ("" if isinstance(value, dict) else f" {value}"))
            if isinstance(value, dict):
                put(value, indent + "  ")
    put(tree, "")
    return "\n".join(lines) + "\n"


def deck(chance, folder):
    where, keys, ranks = os.path.join(folder, "a"), draw(chance), chance.choice([0, 0, 0, 1, 2])
    whole = chance.random() < 0.5
    prepare(where, nested(keys) + "# %s" if whole else "{problem: {name: sedov}, output: {%s}}")
    words = [] if whole else [f"{key}={value}" for key, value in keys.items()]
    words = ["deck.yaml", *words, f"time.max_steps={chance.choice([0, 2, 5])}", "--report", "r.json"]
    limited = ["sh", "-c", 'ulimit -v 8000000; exec "$@"', "sh"] if b"__asan_init" not in content(os.environ["SHOCKLET"]) else []
    status, said = end(shocklet(where, words, ranks, wait=False, before=limited))
    what = f"{keys} on {ranks} ranks: {status}: {said}"
    wrong = [line for line in said.splitlines() if "shocklet: warning: " not in line and "no progress on" not in line]
    assert status in (0, 1, 2, 3), what
    assert len(wrong) == (status > 0), what
    if status == 0:
        report = json.loads(content(os.path.join(where, "r.json")))
        assert report["status"] in ("done", "stopped", "unconverged"), what
        assert all(value is not None and math.isfinite(value) for value in report["norm"].values()), what
    return ["fine", "the run failed", "refused", "the machine failed"][status]
