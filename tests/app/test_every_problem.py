# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""Every problem in every dimension that it has, with orders 1 to 5, and every integrator: each runs a few steps and
keeps its energy, if nothing drives it."""
import os
import re
import subprocess

import program

TIGHT = {"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14, "time.max_steps": 10, "mesh.refine": 0}
BOX = {"rayleigh-taylor": ([0, -1, 0], [0.5, 1, 0.5]), "gresho": ([-0.5] * 3, [0.5] * 3),
       "triple-point": ([0] * 3, [7, 3, 3]), "saltzman": ([0] * 3, [1, 0.1, 0.1])}
ZONES = {"rayleigh-taylor": [1, 2, 1], "triple-point": [7, 2, 2], "saltzman": [4, 2, 2]}
# Driven by moving walls or by gravity; and the wave's density is no polynomial, so that the mass in the matrices is not
# quite the mass in the energy.
OPEN = {"noh2", "saltzman", "rayleigh-taylor", "standing-wave"}


def problems():
    """The names of all, as the program lists them."""
    keys = subprocess.run([os.environ["SHOCKLET"], "--keys"], check=True, stdout=subprocess.PIPE, text=True).stdout
    part = keys[keys.index("  name "):keys.index("  blast_energy ")]
    return re.findall(r"[a-z0-9-]+", part[part.index("allowed:") + 8:])


def deck_of(name, dim, order=2, **more):
    lower, upper = BOX.get(name, ([0] * 3, [1] * 3))
    return {"problem.name": name, "mesh.dim": dim, "mesh.zones": ZONES.get(name, [2, 2, 2])[:dim],
            "mesh.lower": lower[:dim], "mesh.upper": upper[:dim], "discretization.kinematic_order": order, **TIGHT, **more}


def all_problems():
    """In a dimension that a problem does not have it is refused with exit status 2."""
    done = refused = 0
    for name in problems():
        for dim in 1, 2, 3:
            if program.start(deck_of(name, dim), ranks=0).returncode == 2:
                refused += 1
                continue
            for order in 1, 2, 3, 4, 5:
                report = program.run(deck_of(name, dim, order, **{"time.integrator": "rk2avg"}), ranks=0)
                source = name == "taylor-green" and dim == 2
                program.check_energy(f"{name} in {dim}D, order {order}", report, name not in OPEN and not source)
                done += 1
    print(f"{done} runs, {refused} refused", flush=True)
    assert done > 150 and refused == 6, (done, refused)


def all_integrators():
    for integrator, allowed in ("euler", 0.1), ("rk2", 1e-2), ("rk3", 1e-3), ("rk4", 1e-3), ("rk6", 1e-3), ("rk2avg", 1e-12):
        for name, dim in ("sedov", 1), ("triple-point", 2), ("taylor-green", 3):
            report = program.run(deck_of(name, dim, **{"time.integrator": integrator}), ranks=0)
            program.check_energy(f"{name} with {integrator}", report, True, allowed)


program.main([all_problems, all_integrators])
