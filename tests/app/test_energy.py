# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""Total energy: the averaging integrator keeps it to rounding errors, in runs of hundreds of steps; and the work of gravity, pistons
and sources is what it changes by."""
import program

DECKS = {
    "sedov-1d": {"problem.name": "sedov", "mesh.dim": 1, "mesh.zones": [40], "time.final": 0.3},
    "sedov-2d": {"problem.name": "sedov", "mesh.dim": 2, "mesh.zones": [8, 8], "time.final": 0.5},
    "sedov-3d": {"problem.name": "sedov", "mesh.dim": 3, "mesh.zones": [3, 3, 3], "time.final": 0.3},
    "triple-point-2d": {"problem.name": "triple-point", "mesh.refine": 1, "time.final": 0.6},
    "noh-2d": {"problem.name": "noh", "mesh.dim": 2, "mesh.zones": [8, 8], "time.final": 0.4},
    "gresho-2d": {"problem.name": "gresho", "mesh.dim": 2, "mesh.zones": [6, 6], "mesh.lower": [-0.5, -0.5],
                  "mesh.upper": [0.5, 0.5], "time.final": 0.2, "discretization.kinematic_order": 3},
}


def drift(deck):
    energy = program.run({"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14, **deck})
    steps, energy = energy["steps"], energy["energy"]
    return steps, abs(energy["final"] - energy["initial"]) / energy["initial"]


def averaging_keeps_the_energy():
    for name, deck in DECKS.items():
        steps, change = drift({**deck, "time.integrator": "rk2avg"})
        print(f"{name:20} {steps:6d} steps {change:.1e}", flush=True)
        assert change <= 1e-12, f"{name}: {change}"


def classical_runge_kutta_does_not():
    """So the test above can fail."""
    steps, change = drift({**DECKS["sedov-2d"], "time.integrator": "rk4"})
    print(f"{'sedov-2d with rk4':20} {steps:6d} steps {change:.1e}", flush=True)
    assert change > 1e-9, change


DRIVEN = {
    "saltzman": {"problem.name": "saltzman", "mesh.zones": [16, 3], "mesh.refine": 0, "time.max_steps": 60},
    "noh2": {"problem.name": "noh2", "mesh.zones": [5, 5], "mesh.refine": 0},
    "rayleigh-taylor": {"problem.name": "rayleigh-taylor", "mesh.refine": 0, "time.max_steps": 60},
}


def balance(deck, ranks):
    energy = program.run({"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14, **deck}, ranks)["energy"]
    return abs(energy["change"] - energy["work"]) / max(energy["initial"], energy["final"]), energy


def work_is_what_the_energy_changes_by():
    for name, deck in DRIVEN.items():
        for ranks in 0, 2:
            left, energy = balance({**deck, "time.integrator": "rk2avg"}, ranks)
            print(f"{name:20} {ranks} ranks, change {energy['change']:.3e}, imbalance {left:.1e}", flush=True)
            assert abs(energy["work"]) > 1e-7 * energy["initial"] and left <= 1e-12, f"{name} on {ranks} ranks: {energy}"
            assert abs(energy["imbalance"]) <= left + 1e-15, f"{name}: {energy}"
    for integrator in "rk2", "rk3", "rk4", "rk6":
        errors = [balance({**DRIVEN["saltzman"], "time.integrator": integrator, "time.cfl": cfl, "time.final": 0.004}, 0)[0] for cfl in (0.4, 0.2)]
        print(f"saltzman with {integrator}: imbalance {errors[0]:.1e} {errors[1]:.1e}", flush=True)
        assert errors[1] < errors[0] / 2 < 1e-3, f"{integrator}: {errors}"
    left, energy = balance({"problem.name": "taylor-green", "mesh.dim": 2, "mesh.refine": 0, "time.cfl": 0.1}, 0)
    assert left < 1e-3 * abs(energy["change"]), energy


program.main([averaging_keeps_the_energy, classical_runge_kutta_does_not, work_is_what_the_energy_changes_by])
