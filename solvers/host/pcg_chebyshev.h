/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_HOST_PCG_CHEBYSHEV_H
#define SOLVERS_HOST_PCG_CHEBYSHEV_H

#include "batched/batched.h"

/* Row host.chebyshev of solver_pcg; *enough as of solver_chebyshev. */
int solver_host_pcg_chebyshev(batched_ctx *ctx, const void *args, bool *enough);

#endif
