# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""Orders of all kinds run a few steps and keep the energy: kinematic 1 to 8; thermodynamic 0, and around the kinematic one;
more points than usual."""
import program


def deck(dim, k, t, quadrature):
    """Two zones along each axis, so that the jumps of the problems lie between them; in 3D one along z."""
    return {"problem.name": "riemann-6" if dim > 1 else "sod", "mesh.dim": dim, "mesh.zones": [2, 2, 1][:dim],
            "mesh.refine": 0, "mesh.lower": [0] * dim, "mesh.upper": [1] * dim, "discretization.kinematic_order": k,
            "discretization.thermodynamic_order": t, "discretization.quadrature_order": quadrature,
            "time.integrator": "rk2avg", "time.max_steps": 20, "solvers.velocity.tolerance": 1e-14,
            "solvers.energy.tolerance": 1e-14}


def run(dim, k, t, quadrature=-1):
    report = program.run(deck(dim, k, t, quadrature), ranks=0)
    program.check_energy(f"{dim}D, orders {k} {t}, quadrature {quadrature}", report, True, 1e-11)


def orders_in_a_line_and_a_plane():
    for dim in 1, 2:
        for k in range(1, 9):
            for t in sorted({0, max(k - 2, 0), k - 1, k, min(k + 1, 8)}):
                run(dim, k, t)


def other_quadratures():
    for dim in 1, 2:
        for k in 1, 2, 4:
            for quadrature in 2 * k, 2 * k + 3, 4 * k + 4:
                run(dim, k, k - 1, quadrature)


def orders_in_space():
    for k, t in (1, 1), (2, 0), (2, 2), (3, 1), (3, 3), (5, 4), (6, 5):
        run(3, k, t)


program.main([orders_in_a_line_and_a_plane, other_quadratures, orders_in_space])
