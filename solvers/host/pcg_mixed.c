/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host.mixed: conjugate gradients of Hestenes and Stiefel in single precision inside iterative refinement in double
 * (solvers/refine.h).  Vectors of half the bytes and lanes of twice as many numbers; the residual that stops is in
 * double precision, in the norm of the other rows.  Dot products are sums in double precision.
 */
#include "solvers/host/pcg_mixed.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "solvers/pcg.h"
#include "solvers/refine.h"

/* Vectors [ncomp][n], all in the work space: those in single precision lie where w does, which serves between them. */
typedef struct refinement {
  batched_ctx *ctx;
  const solver_pcg_args *args;
  const solver_operator *a;
  double *r, *w;
  float *x, *d, *p, *q, *z; // correction, its residual, direction, A p, P d
  double unit[SOLVER_MAX_COMPONENTS];
  bool left[SOLVER_MAX_COMPONENTS]; // components that go on
} refinement;

static refinement split(batched_ctx *ctx, const solver_pcg_args *args)
{
  const int64_t size = args->matrix->ncomp * args->matrix->n;
  float *single = (void *)(args->work + size);
  return (refinement){.ctx = ctx,
                      .args = args,
                      .a = args->matrix,
                      .r = args->work,
                      .w = args->work + size,
                      .x = single,
                      .d = single + size,
                      .p = single + 2 * size,
                      .q = single + 3 * size,
                      .z = args->matrix->precondition ? single + 4 * size : NULL};
}

/* Numbers far from the shock are subnormal in single precision, where x86 takes a hundred times as long: they become
 * zero while this holds.  Returns what restore_subnormals() wants. */
static unsigned flush_subnormals(void)
{
#if defined(__SSE2__)
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
  return before;
#else
  return 0;
#endif
}

static void restore_subnormals(unsigned before)
{
#if defined(__SSE2__)
  _mm_setcsr(before);
#else
  (void)before;
#endif
}

/* ------------------------------------------------------------------ single precision */

static double dot(int64_t n, const float *restrict x, const float *restrict y)
{
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
  return sum;
}

/* (d, D^-1 d) */
static double dot_diagonal(int64_t n, const double *restrict inverse, const float *restrict d)
{
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += inverse[i] * (double)d[i] * (double)d[i];
  return sum;
}

/* p = D^-1 d + beta p, or z + beta p */
static void turn(int64_t n, const double *restrict inverse, const float *restrict d, float beta, float *restrict p)
{
  if (inverse) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++) p[i] = (float)inverse[i] * d[i] + beta * p[i];
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; i++) p[i] = d[i] + beta * p[i];
  }
}

/* x += alpha p;  d -= alpha q */
static void step(int64_t n, float alpha, const float *restrict p, const float *restrict q, float *restrict x,
                 float *restrict d)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    x[i] += alpha * p[i];
    d[i] -= alpha * q[i];
  }
}

/* (d, P d) of the components that go on, and z = P d. */
static int measure(const refinement *s, double *dz)
{
  const solver_operator *a = s->a;
  const int status = s->z ? a->precondition_single(s->ctx, a->data, s->d, s->z) : BATCHED_SUCCESS;
  for (int c = 0; c < a->ncomp; c++) {
    const float *d = s->d + c * a->n;
    dz[c] = !s->left[c]           ? 0.0
            : s->z                ? dot(a->nowned, d, s->z + c * a->n)
            : a->inverse_diagonal ? dot_diagonal(a->nowned, a->inverse_diagonal, d)
                                  : dot(a->nowned, d, d);
  }
  pcg_reduce(s->args, 1, dz);
  return status;
}

static bool any(const refinement *s)
{
  for (int c = 0; c < s->a->ncomp; c++)
    if (s->left[c]) return true;
  return false;
}

/* x = A^-1 d to (d, P d) <= limit (d0, P d0), dz = (d0, P d0); counts iterations, in all at most max_iterations. */
static int iterate(refinement *s, double *dz, const double *limit)
{
  const solver_pcg_args *args = s->args;
  const solver_operator *a = s->a;
  double pq[SOLVER_MAX_COMPONENTS], next[SOLVER_MAX_COMPONENTS], goal[SOLVER_MAX_COMPONENTS];
  memset(s->x, 0, sizeof *s->x * (size_t)(a->ncomp * a->n));
  memset(s->p, 0, sizeof *s->p * (size_t)(a->ncomp * a->n));
  for (int c = 0; c < a->ncomp; c++) {
    goal[c] = limit[c] * dz[c];
    turn(a->n, s->z ? NULL : a->inverse_diagonal, (s->z ? s->z : s->d) + c * a->n, 0.0f, s->p + c * a->n);
  }
  const unsigned before = flush_subnormals();
  int status = BATCHED_SUCCESS;
  while (any(s) && !status) {
    status = a->apply_single(s->ctx, a->data, s->p, s->q);
    if (status) break;
    for (int c = 0; c < a->ncomp; c++) pq[c] = s->left[c] ? dot(a->nowned, s->p + c * a->n, s->q + c * a->n) : 0.0;
    pcg_reduce(args, 1, pq);
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      if (!s->left[c]) continue;
      step(a->n, (float)(dz[c] / pq[c]), s->p + o, s->q + o, s->x + o, s->d + o);
      args->iterations[c]++;
    }
    status = measure(s, next);
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      if (!s->left[c]) continue;
      turn(a->n, s->z ? NULL : a->inverse_diagonal, (s->z ? s->z : s->d) + o, (float)(next[c] / dz[c]), s->p + o);
      dz[c] = next[c];
      s->left[c] = dz[c] > goal[c] && args->iterations[c] < args->max_iterations; // false for what is no number
    }
  }
  restore_subnormals(before);
  return status;
}

/* ------------------------------------------------------------------ double precision */

/* d = r over its unit, and (r, P r) in rz; dz: over the unit squared. */
static int scale(refinement *s, double *rz, double *dz)
{
  const solver_operator *a = s->a;
  double measured[SOLVER_MAX_COMPONENTS];
  for (int c = 0; c < a->ncomp; c++) {
    const double *restrict r = s->r + c * a->n, *restrict inverse = a->inverse_diagonal;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < a->nowned; i++) sum += (inverse ? inverse[i] : 1.0) * r[i] * r[i];
    measured[c] = sum;
  }
  pcg_reduce(s->args, 1, measured);
  for (int c = 0; c < a->ncomp; c++) {
    const double *restrict r = s->r + c * a->n;
    float *restrict d = s->d + c * a->n;
    s->unit[c] = refine_unit(measured[c]);
    for (int64_t i = 0; i < a->n; i++) d[i] = (float)(r[i] / s->unit[c]);
  }
  const int status = measure(s, dz);
  for (int c = 0; c < a->ncomp; c++) rz[c] = s->z ? dz[c] * s->unit[c] * s->unit[c] : measured[c];
  return status;
}

/* x += unit d^;  r = b - A x */
static int correct(const refinement *s)
{
  const solver_pcg_args *args = s->args;
  const solver_operator *a = s->a;
  for (int c = 0; c < a->ncomp; c++) {
    double *restrict x = args->x + c * a->n;
    const float *restrict d = s->x + c * a->n;
    for (int64_t i = 0; i < a->n; i++) x[i] += s->unit[c] * (double)d[i];
  }
  const int status = a->apply(s->ctx, a->data, args->x, s->w);
  for (int64_t i = 0; i < a->ncomp * a->n && !status; i++) s->r[i] = args->b[i] - s->w[i];
  return status;
}

int solver_host_pcg_mixed(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  const solver_operator *a = args->matrix;
  refinement s = split(ctx, args);
  const size_t bytes = sizeof *s.r * (size_t)(a->ncomp * a->n);
  double rz[SOLVER_MAX_COMPONENTS], dz[SOLVER_MAX_COMPONENTS], limit[SOLVER_MAX_COMPONENTS],
    goal[SOLVER_MAX_COMPONENTS], last[SOLVER_MAX_COMPONENTS];
  if (args->rounds) *args->rounds = 0;
  memcpy(s.r, args->b, bytes);
  memset(args->x, 0, bytes);
  for (int c = 0; c < a->ncomp; c++) args->iterations[c] = 0, args->converged[c] = false, last[c] = INFINITY;
  for (bool first = true;; first = false) {
    for (int c = 0; c < a->ncomp; c++) s.left[c] = !args->converged[c];
    int status = scale(&s, rz, dz);
    if (status) return status;
    for (int c = 0; c < a->ncomp && first; c++) limit[c] = args->tolerance * args->tolerance * rz[c];
    pcg_any_left(args, rz, limit);
    for (int c = 0; c < a->ncomp; c++) {
      s.left[c] = !args->converged[c] && rz[c] < REFINE_LEAST * last[c] && args->iterations[c] < args->max_iterations;
      goal[c] = refine_limit(rz[c], limit[c]);
      last[c] = rz[c];
    }
    if (!any(&s)) return BATCHED_SUCCESS;
    if (args->rounds) ++*args->rounds;
    status = iterate(&s, dz, goal);
    if (!status) status = correct(&s);
    if (status) return status;
  }
}

bool solver_host_pcg_has_single(const void *args)
{
  const solver_operator *a = ((const solver_pcg_args *)args)->matrix;
  return a->apply_single && (!a->precondition || a->precondition_single);
}
