# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""Orders of convergence where the solution is smooth: in space with a vortex and a sound wave, in time with a collapse
that has no error in space; and exact states that have to stay exact."""
import math

import program

TIGHT = {"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14}
SIZES = {1: (8, 16, 32), 2: (8, 16, 32), 3: (4, 8, 16), 4: (4, 8, 16)}


def box(dim, zones, order):
    return {**TIGHT, "mesh.dim": dim, "mesh.zones": zones, "discretization.kinematic_order": order}


def taylor_green():
    """The vortex in 2D: the velocity's error in L2 falls as h^k and, for odd k, better."""
    for k, sizes in SIZES.items():
        program.converge(f"taylor-green, k = {k}, velocity in L2",
                         lambda n: {"problem.name": "taylor-green", **box(2, [n, n], k), "time.final": 0.1},
                         lambda r: r["error"]["velocity"]["l2"], sizes, k - 0.4 if k == 4 else k - 0.05)


def taylor_green_on_triangles():
    """The same on triangles."""
    for k, sizes in {1: (8, 16), 2: (8, 16), 3: (4, 8), 4: (4, 8)}.items():
        program.converge(f"taylor-green on triangles, k = {k}, velocity in L2",
                         lambda n: {"problem.name": "taylor-green", **box(2, [n, n], k), "mesh.zone": "triangle", "time.final": 0.05},
                         lambda r: r["error"]["velocity"]["l2"], sizes, k - 0.1)


def standing_wave():
    """The sound wave: velocity and density as h^(k+1), until rk4 shows its own order; in 2D the same."""
    for k, sizes in {**SIZES, 4: (5, 10, 20)}.items():
        for field in "velocity", "density":
            program.converge(f"standing-wave, k = {k}, {field} in L2",
                             lambda n: {"problem.name": "standing-wave", **box(1, [n], k), "time.final": 0.5},
                             lambda r: r["error"][field]["l2"], sizes, 4.2 if k == 4 else k + 0.9)
    program.converge("standing-wave in 2D, k = 2, velocity in L2",
                     lambda n: {"problem.name": "standing-wave", **box(2, [n, 2], 2), "mesh.upper": [1, 0.1]},
                     lambda r: r["error"]["velocity"]["l2"], (8, 16), 2.9)


def collapse(dim, integrator, cfl, final=0.5):
    return {"problem.name": "noh2", **box(dim, [2] * dim, 2), "time.integrator": integrator, "time.cfl": cfl,
            "time.final": final}


def collapse_in_time():
    """The uniform collapse: internal energy (1 - t)^(-2d/3) to the order of the integrator."""
    for integrator, order in ("euler", 1), ("rk2", 2), ("rk3", 3), ("rk4", 4), ("rk2avg", 2):
        for dim in 1, 2:
            program.converge(f"noh2 in {dim}D, {integrator}, energy", lambda n: collapse(dim, integrator, 1 / n),
                             lambda r: abs(r["energy"]["internal"] - 2 ** (2 * dim / 3)), (2, 4, 8, 16), order - 0.15)


def sixth_order():
    """Verner's method reaches rounding errors too soon for a series: it is 1000 times better than rk4."""
    error = {}
    for integrator in "rk4", "rk6":
        report = program.run(collapse(1, integrator, 0.5))
        error[integrator] = abs(report["energy"]["internal"] - 2 ** (2 / 3))
    assert error["rk6"] < 1e-3 * error["rk4"], error


def collapse_in_space():
    """Positions and velocities are linear, so density and velocity stay exact."""
    for dim in 1, 2, 3:
        for k in 1, 2, 3:
            for zone in ["auto"] if dim == 1 else ["auto", "triangle" if dim == 2 else "tet"]:
                keys = {**collapse(dim, "rk4", 0.5), "discretization.kinematic_order": k, "mesh.zone": zone}
                error = program.run(keys)["error"]
                for field in "density", "velocity":
                    assert error[field]["l2"] < 1e-11, f"{dim}D, {zone}, k = {k}: {field} is off by {error[field]['l2']}"


def work_of_the_piston():
    """Saltzman in 1D, which is also Noh seen by a moving observer: the piston's work is pressure times its way."""
    report = program.run({"problem.name": "saltzman", **box(1, [50], 2), "time.integrator": "rk2avg", "time.final": 0.6})
    work = report["energy"]["final"] - report["energy"]["initial"]
    assert math.isclose(work, 4 / 3 * 0.6, rel_tol=0.03), work


program.main([taylor_green, taylor_green_on_triangles, standing_wave, collapse_in_time, sixth_order, collapse_in_space, work_of_the_piston])
