/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_dot_args *a = p;
  double sum = 0.0;
  for (int64_t i = 0; i < a->n; i++) sum += a->x[i] * a->y[i];
  *a->dot = sum;
  return BATCHED_SUCCESS;
}

/* Several sums side by side. */
static int run_blocked(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_dot_args *a = p;
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < a->n; i++) sum += a->x[i] * a->y[i];
  *a->dot = sum;
  return BATCHED_SUCCESS;
}

const batched_variant solver_host_dot[] = {
  {.name = "host.blocked", .run = run_blocked},
  {.name = "host.ref", .run = run_ref},
  {0},
};
