/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of variants: one per operation and backend, best first, ended by a row of zeros.
 */
#ifndef SOLVERS_TABLES_H
#define SOLVERS_TABLES_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const batched_variant solver_host_combine[], solver_cuda_combine[];
extern const batched_variant solver_host_dot[], solver_cuda_dot[];
extern const batched_variant solver_host_checksum[], solver_cuda_checksum[];
extern const batched_variant solver_host_spmv[], solver_cuda_spmv[];
extern const batched_variant solver_host_pcg[], solver_cuda_pcg[];

#ifdef __cplusplus
}
#endif

#endif
