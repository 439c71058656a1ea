/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"

const batched_op *const solver_operations[] = {&solver_combine_op, &solver_dot_op, &solver_checksum_op,
                                               &solver_spmv_op,    &solver_pcg_op, NULL};
