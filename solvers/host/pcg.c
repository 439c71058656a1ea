/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preconditioned conjugate gradients, three ways that agree in exact arithmetic, and an iteration without reductions:
 *   host.ref     Hestenes and Stiefel as in any book: two reductions an iteration
 *   host.fused   one reduction an iteration.  With w = A p and z = D^-1 r, the next (r, z) follows from the step length
 *                alpha before the step is made:  (r', z') = (r, z) - 2 alpha (w, z) + alpha^2 (w, D^-1 w),
 *                so that one pass over the vectors does all dot products and one does all updates.
 *                (Meurant, Parallel Computing 5 (1987), 267-280.)  (r, z) itself is computed afresh each time: the
 *                prediction serves beta and the stopping test only, and its error does not build up.  Where one step
 *                reduces (r, z) so much that the prediction is rounding alone, beta is 0 and the next (r, z) decides.
 *   host.mixed   in single precision, refined in double (pcg_mixed.c); as host.fused where the matrix has no products
 *                in single precision
 *   host.chebyshev  none, for 1.7 times as many iterations (37 for 22 on weak-scaling.yaml): solvers/chebyshev.c; as
 *                host.fused where the bounds of the spectrum promise no end within max_iterations
 * With a preconditioner that is no diagonal host.ref and host.fused are run_preconditioned: Hestenes and Stiefel,
 * z = P r in a vector.
 */
#include <math.h>
#include <string.h>

#include "solvers/host/pcg_chebyshev.h"
#include "solvers/host/pcg_mixed.h"
#include "solvers/pcg.h"
#include "solvers/tables.h"

typedef struct system_vectors {
  double *r, *p, *w; // [ncomp][n]
} system_vectors;

static system_vectors split(const solver_pcg_args *args)
{
  const int64_t size = args->matrix->ncomp * args->matrix->n;
  return (system_vectors){.r = args->work, .p = args->work + size, .w = args->work + 2 * size};
}

/* x = 0, r = b, p = D^-1 r */
static void start(const solver_pcg_args *args, system_vectors s)
{
  const solver_operator *a = args->matrix;
  for (int c = 0; c < a->ncomp; c++) {
    const int64_t o = c * a->n;
    for (int64_t i = 0; i < a->n; i++) {
      args->x[o + i] = 0.0;
      s.r[o + i] = args->b[o + i];
      s.p[o + i] = a->inverse_diagonal ? a->inverse_diagonal[i] * args->b[o + i] : args->b[o + i];
    }
    args->iterations[c] = 0;
    args->converged[c] = false;
  }
}

static double dot(const solver_operator *a, const double *x, const double *y)
{
  double sum = 0.0;
  for (int64_t i = 0; i < a->nowned; i++) sum += x[i] * y[i];
  return sum;
}

/* (x, D^-1 y) */
static double dot_preconditioned(const solver_operator *a, const double *x, const double *y)
{
  if (!a->inverse_diagonal) return dot(a, x, y);
  double sum = 0.0;
  for (int64_t i = 0; i < a->nowned; i++) sum += a->inverse_diagonal[i] * x[i] * y[i];
  return sum;
}

/* ------------------------------------------------------------------ any preconditioner */

/* y = x + beta y */
static void add_scaled(int64_t n, const double *restrict x, double beta, double *restrict y)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) y[i] = x[i] + beta * y[i];
}

/* x += alpha p;  r -= alpha w */
static void step(int64_t n, double alpha, const double *restrict p, const double *restrict w, double *restrict x,
                 double *restrict r)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    x[i] += alpha * p[i];
    r[i] -= alpha * w[i];
  }
}

/* (x, y) of all components, over the ranks. */
static void dots_of(const solver_pcg_args *args, const double *x, const double *y, double *sums)
{
  const solver_operator *a = args->matrix;
  for (int c = 0; c < a->ncomp; c++) {
    const double *restrict xc = x + c * a->n, *restrict yc = y + c * a->n;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < a->nowned; i++) sum += xc[i] * yc[i];
    sums[c] = sum;
  }
  pcg_reduce(args, 1, sums);
}

static int run_preconditioned(batched_ctx *ctx, const solver_pcg_args *args)
{
  const solver_operator *a = args->matrix;
  const int64_t size = a->ncomp * a->n;
  double *r = args->work, *p = r + size, *w = p + size, *z = w + size;
  double rz[SOLVER_MAX_COMPONENTS], last[SOLVER_MAX_COMPONENTS], pw[SOLVER_MAX_COMPONENTS],
    limit[SOLVER_MAX_COMPONENTS];
  memcpy(r, args->b, sizeof *r * (size_t)size);
  memset(args->x, 0, sizeof *r * (size_t)size);
  for (int c = 0; c < a->ncomp; c++) args->iterations[c] = 0, args->converged[c] = false;
  for (int iteration = 1;; iteration++) {
    int status = a->precondition(ctx, a->data, r, z);
    if (status) return status;
    dots_of(args, r, z, rz);
    for (int c = 0; c < a->ncomp && iteration == 1; c++) limit[c] = args->tolerance * args->tolerance * rz[c];
    if (!pcg_any_left(args, rz, limit) || iteration > args->max_iterations) return BATCHED_SUCCESS;
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      if (iteration == 1)
        memcpy(p + o, z + o, sizeof *p * (size_t)a->n);
      else if (!args->converged[c])
        add_scaled(a->n, z + o, rz[c] / last[c], p + o);
      last[c] = rz[c];
    }
    status = a->apply(ctx, a->data, p, w);
    if (status) return status;
    dots_of(args, p, w, pw);
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      if (args->converged[c] || isnan(rz[c])) continue;
      step(a->n, rz[c] / pw[c], p + o, w + o, args->x + o, r + o);
      args->iterations[c] = iteration;
    }
  }
}

/* ------------------------------------------------------------------ the diagonal */

static int run_ref(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  const solver_operator *a = args->matrix;
  if (a->precondition) return run_preconditioned(ctx, args);
  system_vectors s = split(args);
  double rz[SOLVER_MAX_COMPONENTS], pw[SOLVER_MAX_COMPONENTS], limit[SOLVER_MAX_COMPONENTS];
  start(args, s);
  for (int c = 0; c < a->ncomp; c++) rz[c] = dot_preconditioned(a, s.r + c * a->n, s.r + c * a->n);
  pcg_reduce(args, 1, rz);
  for (int c = 0; c < a->ncomp; c++) limit[c] = args->tolerance * args->tolerance * rz[c];

  for (int iteration = 1; pcg_any_left(args, rz, limit) && iteration <= args->max_iterations; iteration++) {
    int status = a->apply(ctx, a->data, s.p, s.w);
    if (status) return status;
    for (int c = 0; c < a->ncomp; c++) pw[c] = dot(a, s.p + c * a->n, s.w + c * a->n);
    pcg_reduce(args, 1, pw);
    double next[SOLVER_MAX_COMPONENTS];
    for (int c = 0; c < a->ncomp; c++) {
      const double alpha = args->converged[c] ? 0.0 : rz[c] / pw[c];
      double *x = args->x + c * a->n, *r = s.r + c * a->n, *w = s.w + c * a->n, *q = s.p + c * a->n;
      for (int64_t i = 0; i < a->n; i++) x[i] += alpha * q[i]; // x = x + alpha p
      for (int64_t i = 0; i < a->n; i++) r[i] -= alpha * w[i]; // r = r - alpha A p
      next[c] = dot_preconditioned(a, r, r);
    }
    pcg_reduce(args, 1, next);
    for (int c = 0; c < a->ncomp; c++) {
      if (args->converged[c]) continue;
      const double beta = next[c] / rz[c];
      double *r = s.r + c * a->n, *q = s.p + c * a->n;
      for (int64_t i = 0; i < a->n; i++) // p = D^-1 r + beta p
        q[i] = (a->inverse_diagonal ? a->inverse_diagonal[i] * r[i] : r[i]) + beta * q[i];
      rz[c] = next[c];
      args->iterations[c] = iteration;
    }
  }
  return BATCHED_SUCCESS;
}

enum { PW, RZ, WZ, WW, NDOTS };

/* The four dot products of a component in one pass. */
static void dots(const solver_operator *a, const double *restrict r, const double *restrict p, const double *restrict w,
                 double *sums)
{
  const double *restrict d = a->inverse_diagonal;
  double pw = 0.0, rz = 0.0, wz = 0.0, ww = 0.0;
#pragma omp simd reduction(+ : pw, rz, wz, ww)
  for (int64_t i = 0; i < a->nowned; i++) {
    const double z = d ? d[i] * r[i] : r[i], dw = d ? d[i] * w[i] : w[i];
    pw += p[i] * w[i];
    rz += r[i] * z;
    wz += w[i] * z;
    ww += w[i] * dw;
  }
  sums[PW] = pw, sums[RZ] = rz, sums[WZ] = wz, sums[WW] = ww;
}

/* x += alpha p;  r -= alpha w;  p = D^-1 r + beta p */
static void update(const solver_operator *a, double alpha, double beta, double *restrict x, double *restrict r,
                   double *restrict p, const double *restrict w)
{
  const double *restrict d = a->inverse_diagonal;
#pragma omp simd
  for (int64_t i = 0; i < a->n; i++) {
    const double next = r[i] - alpha * w[i];
    x[i] += alpha * p[i];
    r[i] = next;
    p[i] = (d ? d[i] * next : next) + beta * p[i];
  }
}

/* A predicted (r, z) below this part of the last one has no digits left. */
static const double ROUNDING = 1e-12;

static int run_fused(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  const solver_operator *a = args->matrix;
  if (a->precondition) return run_preconditioned(ctx, args);
  system_vectors s = split(args);
  double limit[SOLVER_MAX_COMPONENTS], rz[SOLVER_MAX_COMPONENTS], sums[SOLVER_MAX_COMPONENTS][NDOTS];
  start(args, s);
  for (int c = 0; c < a->ncomp; c++) rz[c] = INFINITY, limit[c] = 0.0;

  for (int iteration = 1; pcg_any_left(args, rz, limit) && iteration <= args->max_iterations; iteration++) {
    int status = a->apply(ctx, a->data, s.p, s.w);
    if (status) return status;
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      if (args->converged[c])
        memset(sums[c], 0, sizeof sums[c]);
      else
        dots(a, s.r + o, s.p + o, s.w + o, sums[c]);
    }
    pcg_reduce(args, NDOTS, &sums[0][0]);
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      const double now = sums[c][RZ];
      if (iteration == 1) limit[c] = args->tolerance * args->tolerance * now;
      if (args->converged[c]) continue;
      if (now <= limit[c] || isnan(now)) { // a zero right-hand side, or what the prediction could not tell
        rz[c] = now;
        continue;
      }
      const double alpha = now / sums[c][PW];
      const double next = now - 2.0 * alpha * sums[c][WZ] + alpha * alpha * sums[c][WW];
      const bool known = next > ROUNDING * now;
      rz[c] = known ? next : INFINITY;
      update(a, alpha, known ? next / now : 0.0, args->x + o, s.r + o, s.p + o, s.w + o);
      args->iterations[c] = iteration;
    }
  }
  return BATCHED_SUCCESS;
}

/* The energy's matrix, say, has no products in single precision. */
static int run_mixed(batched_ctx *ctx, const void *args)
{
  return solver_host_pcg_has_single(args) ? solver_host_pcg_mixed(ctx, args) : run_fused(ctx, args);
}

/* The energy's matrix, say, of high order. */
static int run_chebyshev(batched_ctx *ctx, const void *args)
{
  bool enough = true;
  const int status = solver_host_pcg_chebyshev(ctx, args, &enough);
  return status || enough ? status : run_fused(ctx, args);
}

static bool never(const void *args)
{
  (void)args;
  return false;
}

const batched_variant solver_host_pcg[] = {
  {.name = "host.fused", .run = run_fused},
  {.name = "host.mixed", .likes = never, .run = run_mixed},
  {.name = "host.chebyshev", .likes = never, .run = run_chebyshev},
  {.name = "host.ref", .run = run_ref},
  {0},
};
