/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_combine_args *a = p;
  for (int64_t i = 0; i < a->n; i++) {
    double sum = 0.0;
    for (int t = 0; t < a->nterms; t++) sum += a->c[t] * a->x[t][i];
    a->y[i] = sum;
  }
  return BATCHED_SUCCESS;
}

/* The same sums in the same order, a block of the vector at a time in registers and cache. */
static int run_blocked(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_combine_args *a = p;
  enum { BLOCK = 512 };
  double sum[BLOCK];
  for (int64_t first = 0; first < a->n; first += BLOCK) {
    int64_t n = a->n - first < BLOCK ? a->n - first : BLOCK;
    for (int64_t i = 0; i < n; i++) sum[i] = 0.0;
    for (int t = 0; t < a->nterms; t++) {
      const double c = a->c[t], *x = a->x[t] + first;
      for (int64_t i = 0; i < n; i++) sum[i] += c * x[i];
    }
    for (int64_t i = 0; i < n; i++) a->y[first + i] = sum[i];
  }
  return BATCHED_SUCCESS;
}

const batched_variant solver_host_combine[] = {
  {.name = "host.blocked", .run = run_blocked},
  {.name = "host.ref", .run = run_ref},
  {0},
};
