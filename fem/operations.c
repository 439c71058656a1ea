/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/fem.h"

const batched_op *const fem_operations[] = {
  &fem_stress_op,       &fem_force_op,        &fem_power_op,     &fem_source_op,   &fem_velocity_solve_op,
  &fem_precondition_op, &fem_energy_solve_op, &fem_constrain_op, &fem_energies_op, NULL,
};
