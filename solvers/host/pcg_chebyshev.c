/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host.chebyshev: Chebyshev's iteration, which takes no dot products, hence no reduction over ranks but one per solve,
 * for the check at its end.  (Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1.)
 *
 * With all eigenvalues of D^-1 A between a and b, n products reduce (r, D^-1 r) by T_n((b + a) / (b - a))^2 at least,
 * so that their number is known before.  The bounds are those of Lanczos's tridiagonal matrix, which conjugate
 * gradients make on the way to a right-hand side of random numbers, once for every matrix.  Should they not hold what
 * they promise, the check finds out, and the iteration goes on.
 */
#include <math.h>
#include <stdlib.h>

#include "solvers/host/pcg_chebyshev.h"
#include "solvers/pcg.h"

enum { STEPS = 80 }; // of Lanczos, at most

static const double WIDER = 0.01;      // than the bounds found: they lie within the true ones
static const double EXHAUSTED = 1e-24; // of (r, D^-1 r): no direction is left

typedef struct bounds {
  solver_pcg_cache base; // first, so that a pointer to it is one to this
  double lower, upper;
} bounds;

static void destroy(solver_pcg_cache *base)
{
  free(base);
}

/* ------------------------------------------------------------------ the bounds */

/* The tridiagonal matrix: diagonal and squares beside it. */
typedef struct lanczos {
  int n;
  double diagonal[STEPS], square[STEPS]; // square[i]: between i - 1 and i
} lanczos;

/* Eigenvalues below x, by the signs of the pivots. */
static int count_below(const lanczos *t, double x)
{
  int count = 0;
  double pivot = 1.0;
  for (int i = 0; i < t->n; i++) {
    pivot = t->diagonal[i] - x - (i > 0 ? t->square[i] / pivot : 0.0);
    if (pivot == 0.0) pivot = 1e-300;
    count += pivot < 0.0;
  }
  return count;
}

/* Bisects for the point below which `count` eigenvalues lie. */
static double passes(const lanczos *t, int count, double most)
{
  double low = 0.0, high = most;
  for (int i = 0; i < 60; i++) {
    const double x = 0.5 * (low + high);
    if (count_below(t, x) >= count)
      high = x;
    else
      low = x;
  }
  return 0.5 * (low + high);
}

static double value(const solver_operator *a, int64_t i)
{
  return a->inverse_diagonal ? a->inverse_diagonal[i % a->n] : 1.0;
}

/* The sums over all components of (p, w), or of (r, D^-1 r) where w is NULL. */
static double dot(const solver_operator *a, const double *p, const double *w)
{
  double sum = 0.0;
  for (int c = 0; c < a->ncomp; c++)
    for (int64_t j = 0; j < a->nowned; j++) {
      const int64_t i = c * a->n + j;
      sum += w ? p[i] * w[i] : value(a, j) * p[i] * p[i];
    }
  comm_sum(&sum, 1);
  return sum;
}

/* Any numbers, the same in every run. */
static void fill(int64_t n, double *x)
{
  uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(comm_rank() + 1);
  for (int64_t i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
  }
}

/* Conjugate gradients for A x = A u, u random: its right-hand side is the same on all ranks that share an entry, and
 * zero where A is.  Only the scalars are kept; u may be anything's memory. */
static int run_lanczos(batched_ctx *ctx, const solver_operator *a, double *u, double *work, lanczos *t)
{
  const int64_t size = a->ncomp * a->n;
  double *r = work, *p = work + size, *w = work + 2 * size;
  fill(size, u);
  int status = a->apply(ctx, a->data, u, r);
  for (int64_t i = 0; i < size; i++) p[i] = value(a, i) * r[i];
  double rz = dot(a, r, NULL), last_alpha = 1.0, beta = 0.0;
  const double limit = EXHAUSTED * rz;
  t->n = 0;
  while (!status && t->n < STEPS && rz > limit) {
    status = a->apply(ctx, a->data, p, w);
    const double pw = dot(a, p, w), alpha = rz / pw;
    if (!(pw > 0.0)) break;
    t->diagonal[t->n] = 1.0 / alpha + beta / last_alpha;
    t->square[t->n++] = beta / (last_alpha * last_alpha);
    for (int64_t i = 0; i < size; i++) r[i] -= alpha * w[i];
    const double next = dot(a, r, NULL);
    beta = next / rz;
    rz = next;
    last_alpha = alpha;
    for (int64_t i = 0; i < size; i++) p[i] = value(a, i) * r[i] + beta * p[i];
  }
  return status;
}

/* Kept with the matrix; of one without any entry they are anything. */
static int find_bounds(batched_ctx *ctx, const solver_pcg_args *args, const bounds **result)
{
  solver_operator *a = args->matrix;
  if (a->cache && a->cache->destroy != destroy) solver_operator_forget(a);
  if (!a->cache) {
    bounds *b = malloc(sizeof *b);
    if (comm_worst(b ? 0 : BATCHED_NO_MEMORY)) {
      free(b);
      return BATCHED_NO_MEMORY;
    }
    lanczos t;
    double most = 0.0;
    const int status = run_lanczos(ctx, a, args->x, args->work, &t);
    for (int i = 0; i < t.n; i++) {
      const double beside = sqrt(t.square[i]) + (i + 1 < t.n ? sqrt(t.square[i + 1]) : 0.0);
      most = fmax(most, t.diagonal[i] + beside); // Gershgorin
    }
    *b = (bounds){.base = {.destroy = destroy}, .lower = 1.0, .upper = 1.0};
    if (t.n > 0) b->lower = passes(&t, 1, most), b->upper = passes(&t, t.n, most);
    b->lower *= 1.0 - WIDER;
    b->upper *= 1.0 + WIDER;
    a->cache = &b->base;
    if (status) return status;
  }
  *result = (const bounds *)a->cache;
  return BATCHED_SUCCESS;
}

/* ------------------------------------------------------------------ the iteration */

/* Products until (r, D^-1 r) is below tolerance^2 of the first. */
static int iterations_for(const bounds *b, double tolerance)
{
  const double sigma = (b->upper + b->lower) / (b->upper - b->lower);
  return (int)ceil(fmin(acosh(1.0 / tolerance) / acosh(sigma), 1e9));
}

typedef struct iteration {
  double theta, delta, sigma, rho; // rho of the last step
  double *r, *d, *w;               // [ncomp][n]: residual, step, A times the step
} iteration;

/* x = 0, r = b, d = D^-1 r / theta */
static iteration start(const solver_pcg_args *args, const bounds *b)
{
  const solver_operator *a = args->matrix;
  const int64_t size = a->ncomp * a->n;
  iteration s = {.theta = 0.5 * (b->upper + b->lower), .delta = 0.5 * (b->upper - b->lower)};
  s.sigma = s.theta / s.delta;
  s.rho = 1.0 / s.sigma;
  s.r = args->work, s.d = args->work + size, s.w = args->work + 2 * size;
  for (int c = 0; c < a->ncomp; c++)
    for (int64_t j = 0; j < a->n; j++) {
      const int64_t i = c * a->n + j;
      args->x[i] = 0.0;
      s.r[i] = args->b[i];
      s.d[i] = value(a, j) * args->b[i] / s.theta;
    }
  return s;
}

/* x += d;  r -= w;  d = with_step d + with_residual D^-1 r */
static void update(const solver_operator *a, double with_step, double with_residual, double *restrict x,
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

static int iterate(batched_ctx *ctx, const solver_pcg_args *args, int n, iteration *s)
{
  const solver_operator *a = args->matrix;
  for (int i = 0; i < n; i++) {
    const int status = a->apply(ctx, a->data, s->d, s->w);
    if (status) return status;
    const double rho = 1.0 / (2.0 * s->sigma - s->rho);
    for (int c = 0; c < a->ncomp; c++) {
      const int64_t o = c * a->n;
      update(a, rho * s->rho, 2.0 * rho / s->delta, args->x + o, s->r + o, s->d + o, s->w + o);
    }
    s->rho = rho;
  }
  return BATCHED_SUCCESS;
}

enum { FIRST, NOW, NCHECKS };

static double weighted_square(const solver_operator *a, const double *x)
{
  double sum = 0.0;
  for (int64_t i = 0; i < a->nowned; i++) sum += value(a, i) * x[i] * x[i];
  return sum;
}

/* After so many products: marks what has converged; returns whether anything is left to do. */
static bool check(const solver_pcg_args *args, int done, const double *residual)
{
  const solver_operator *a = args->matrix;
  double sums[SOLVER_MAX_COMPONENTS][NCHECKS], rz[SOLVER_MAX_COMPONENTS], limit[SOLVER_MAX_COMPONENTS];
  for (int c = 0; c < a->ncomp; c++) {
    sums[c][FIRST] = weighted_square(a, args->b + c * a->n);
    sums[c][NOW] = weighted_square(a, residual + c * a->n);
  }
  pcg_reduce(args, NCHECKS, &sums[0][0]);
  for (int c = 0; c < a->ncomp; c++) {
    rz[c] = sums[c][NOW];
    limit[c] = args->tolerance * args->tolerance * sums[c][FIRST];
    args->converged[c] = false;
    args->iterations[c] = sums[c][FIRST] == 0.0 ? 0 : done; // what is zero was solved before the first
  }
  return pcg_any_left(args, rz, limit);
}

int solver_host_pcg_chebyshev(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  const bounds *b;
  int status = find_bounds(ctx, args, &b);
  if (status) return status;
  const int promised = iterations_for(b, args->tolerance);
  iteration s = start(args, b);
  int done = 0, next = promised;
  do {
    if (next > args->max_iterations - done) next = args->max_iterations - done;
    status = iterate(ctx, args, next, &s);
    if (status) return status;
    done += next;
    next = promised / 8 + 1;
  } while (check(args, done, s.r) && done < args->max_iterations);
  return BATCHED_SUCCESS;
}
