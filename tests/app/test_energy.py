# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""Total energy: the averaging integrator keeps it to rounding errors, in runs of hundreds of steps."""
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


program.main([averaging_keeps_the_energy, classical_runge_kutta_does_not])
