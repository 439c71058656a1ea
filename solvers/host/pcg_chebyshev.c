/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host.chebyshev: the passes of Chebyshev's iteration (solvers/chebyshev.c) on the host.
 */
#include "solvers/host/pcg_chebyshev.h"

#include "solvers/chebyshev.h"

static int divide(batched_ctx *ctx, const solver_operator *a, const double *r, double *z)
{
  (void)ctx;
  const double *restrict inverse = a->inverse_diagonal;
  for (int c = 0; c < a->ncomp; c++)
    for (int64_t i = 0; i < a->n; i++) z[c * a->n + i] = inverse ? inverse[i] * r[c * a->n + i] : r[c * a->n + i];
  return BATCHED_SUCCESS;
}

/* Of one component. */
static void update_one(const solver_operator *a, double with_step, double with_residual, double *restrict x,
                       double *restrict r, double *restrict d, const double *restrict w)
{
  const double *restrict inverse = a->inverse_diagonal;
#pragma omp simd
  for (int64_t i = 0; i < a->n; i++) {
    const double next = r[i] - w[i];
    x[i] += d[i];
    r[i] = next;
    d[i] = with_step * d[i] + with_residual * (inverse ? inverse[i] * next : next);
  }
}

static int update(batched_ctx *ctx, const solver_operator *a, double with_step, double with_residual, double *x,
                  double *r, double *d, const double *w)
{
  (void)ctx;
  for (int c = 0; c < a->ncomp; c++) {
    const int64_t o = c * a->n;
    update_one(a, with_step, with_residual, x + o, r + o, d + o, w + o);
  }
  return BATCHED_SUCCESS;
}

static int dots(batched_ctx *ctx, const solver_operator *a, const double *x, const double *y, double *sums)
{
  (void)ctx;
  for (int c = 0; c < a->ncomp; c++) {
    const double *restrict xc = x + c * a->n, *restrict yc = y + c * a->n;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < a->nowned; i++) sum += xc[i] * yc[i];
    sums[c] = sum;
  }
  return BATCHED_SUCCESS;
}

int solver_host_pcg_chebyshev(batched_ctx *ctx, const void *args, bool *enough)
{
  static const chebyshev_passes passes = {.divide = divide, .update = update, .dots = dots};
  return solver_chebyshev(ctx, args, &passes, enough);
}
