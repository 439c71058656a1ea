/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's corner forces; each does every task (fem_force_task) of its own store.
 */
#ifndef FEM_HOST_FORCE_H
#define FEM_HOST_FORCE_H

#include <float.h>

#include "fem/fem.h"

int fem_host_force_ref(batched_ctx *ctx, const void *args);     /* force_ref.c: plain loops */
int fem_host_force_batched(batched_ctx *ctx, const void *args); /* force_batched.c: the paper's kernels */
int fem_host_force_sumfact(batched_ctx *ctx, const void *args); /* force_sumfact.c: F never formed */

/* |F 1| below this in a zone counts as zero: the square of the machine's precision */
static inline double fem_flush_tiny(double f)
{
  return f < DBL_EPSILON * DBL_EPSILON && f > -DBL_EPSILON * DBL_EPSILON ? 0.0 : f;
}

#endif
