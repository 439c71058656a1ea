/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What this machine gives the threads of a context: the triad's memory traffic, and the rate of fused multiply-adds.
 */
#include <stdlib.h>

#include "batched/threads.h"

enum { LANES = 8, CHAINS = 12, TRIAD_DOUBLES = 1 << 20 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static double triad_seconds(double *restrict x, const double *restrict y, const double *restrict z)
{
  double start = batched_seconds();
  for (int i = 0; i < TRIAD_DOUBLES; i++) x[i] = y[i] + 0.5 * z[i];
  return batched_seconds() - start;
}

static double fma_seconds(int64_t rounds, double *sink)
{
  lanes acc[CHAINS];
  double start = batched_seconds();
  for (int c = 0; c < CHAINS; c++) acc[c] = (lanes){0} + c;
  const lanes x = (lanes){0} + 0.999, y = (lanes){0} + 1e-3;
  for (int64_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; c++) acc[c] = acc[c] * x + y;
  }
  for (int c = 1; c < CHAINS; c++) acc[0] += acc[c];
  *sink += acc[0][0];
  return batched_seconds() - start;
}

static int measure(batched_ctx *ctx, int thread, void *limits)
{
  const int64_t rounds = 100000;
  batched_limits *l = (batched_limits *)limits + thread;
  double *x = batched_scratch_push(ctx, 3 * TRIAD_DOUBLES * sizeof *x);
  if (!x) return BATCHED_NO_MEMORY;
  double triad = 1e30, fma = 1e30;
  for (int i = 0; i < 3 * TRIAD_DOUBLES; i++) x[i] = i;
  for (int run = 0; run < 5; run++) {
    double t = triad_seconds(x, x + TRIAD_DOUBLES, x + 2 * TRIAD_DOUBLES), f = fma_seconds(rounds, x);
    if (t < triad) triad = t;
    if (f < fma) fma = f;
  }
  batched_scratch_pop(ctx);
  l->triad = 3.0 * TRIAD_DOUBLES * sizeof *x / triad;
  l->vector = 2.0 * LANES * CHAINS * (double)rounds / fma;
  return BATCHED_SUCCESS;
}

/* Joint rate of the context's threads. */
int batched_host_measure_limits(batched_ctx *ctx, batched_limits *limits)
{
  const int threads = batched_team_size(ctx);
  batched_limits *each = malloc((size_t)threads * sizeof *each); // scratch is for what is measured
  int status = each ? batched_team_do(ctx, threads, measure, each) : BATCHED_NO_MEMORY;
  *limits = (batched_limits){0};
  for (int i = 0; i < threads && !status; i++) limits->triad += each[i].triad, limits->vector += each[i].vector;
  limits->copy = limits->triad;
  limits->matrix = limits->vector;
  free(each);
  return status;
}
