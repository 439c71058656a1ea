/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of variants: one per operation and backend, best first, ended by a row of zeros.
 */
#ifndef FEM_TABLES_H
#define FEM_TABLES_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const batched_variant fem_host_force[], fem_cuda_force[];
extern const batched_variant fem_host_velocity_mass[], fem_cuda_velocity_mass[];
extern const batched_variant fem_host_precondition[], fem_cuda_precondition[];
extern const batched_variant fem_host_energy_mass[], fem_cuda_energy_mass[];

extern const batched_variant fem_host_constrain[], fem_cuda_constrain[];
extern const batched_variant fem_host_source[], fem_cuda_source[];
extern const batched_variant fem_host_energies[], fem_cuda_energies[];

#ifdef __cplusplus
}
#endif

#endif
