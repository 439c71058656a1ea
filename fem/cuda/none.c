/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "fem/tables.h"

const batched_variant fem_cuda_force[] = {{0}};
const batched_variant fem_cuda_velocity_mass[] = {{0}};
const batched_variant fem_cuda_precondition[] = {{0}};
const batched_variant fem_cuda_energy_mass[] = {{0}};
const batched_variant fem_cuda_constrain[] = {{0}};
const batched_variant fem_cuda_source[] = {{0}};
const batched_variant fem_cuda_energies[] = {{0}};
