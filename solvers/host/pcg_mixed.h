/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_HOST_PCG_MIXED_H
#define SOLVERS_HOST_PCG_MIXED_H

#include "batched/batched.h"

/* Row host.mixed of solver_pcg. */
bool solver_host_pcg_has_single(const void *args);
int solver_host_pcg_mixed(batched_ctx *ctx, const void *args);

#endif
