/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chebyshev's iteration, which takes no dot products, hence no reduction over ranks but one per solve, for the check at
 * its end.  (Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1.)
 *
 * With all eigenvalues of P A between a and b, n products reduce (r, P r) by T_n((b + a) / (b - a))^2 at least, so that
 * their number is known before.  The bounds are those of Lanczos's tridiagonal matrix, which conjugate gradients make
 * on the way to a right-hand side of random numbers, once for every matrix.  Should they not hold what they promise,
 * the check finds out, and the iteration goes on.
 */
#include "solvers/chebyshev.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/pcg.h"

enum { STEPS = 80 }; // of Lanczos, at most

static const double WIDER = 0.01;      // than the bounds found: they lie within the true ones
static const double EXHAUSTED = 1e-24; // of (r, P r): no direction is left

typedef struct bounds {
  solver_pcg_cache base; // first, so that a pointer to it is one to this
  double lower, upper;
  int (*precondition)(batched_ctx *, void *, const double *, double *); // P, as the matrix had it: it may get one later
} bounds;

static void destroy(solver_pcg_cache *base)
{
  free(base);
}

/* A solve; vectors [ncomp][n]. */
typedef struct solve {
  batched_ctx *ctx;
  const solver_pcg_args *args;
  const chebyshev_passes *passes;
  solver_operator *a;
  int64_t size;
  double *r, *d, *w, *z; // residual, step, A times the step; P r, where P is no diagonal
} solve;

/* z = P r */
static int precondition(const solve *s, const double *r, double *z)
{
  const solver_operator *a = s->a;
  return a->precondition ? a->precondition(s->ctx, a->data, r, z) : s->passes->divide(s->ctx, a, r, z);
}

/* y = c x + e y */
static int combine(const solve *s, double c, const double *x, double e, double *y)
{
  return solver_combine(s->ctx, &(solver_combine_args){.n = s->size, .nterms = 2, .c = {c, e}, .x = {x, y}, .y = y});
}

/* x = c x */
static int scale(const solve *s, double c, double *x)
{
  return solver_combine(s->ctx, &(solver_combine_args){.n = s->size, .nterms = 1, .c = {c}, .x = {x}, .y = x});
}

static int copy(const solve *s, double *to, const double *from)
{
  return batched_copy_within(s->ctx, to, from, sizeof *to * (size_t)s->size);
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
static double least_above(const lanczos *t, int count, double most)
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

/* (x, y) over all components and ranks; not a number after a failure. */
static double dot(const solve *s, const double *x, const double *y, int *status)
{
  double sums[SOLVER_MAX_COMPONENTS] = {0.0}, sum = 0.0;
  if (!*status) *status = s->passes->dots(s->ctx, s->a, x, y, sums);
  for (int c = 0; c < s->a->ncomp; c++) sum += *status ? NAN : sums[c];
  comm_sum(&sum, 1);
  return sum;
}

/* Any numbers, the same in every run. */
static int fill(const solve *s, double *x)
{
  uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(comm_rank() + 1);
  double *numbers = malloc(sizeof *numbers * ((size_t)s->size + 1));
  for (int64_t i = 0; numbers && i < s->size; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    numbers[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
  }
  const int status =
    numbers ? batched_copy_from_host(s->ctx, x, numbers, sizeof *x * (size_t)s->size) : BATCHED_NO_MEMORY;
  free(numbers);
  return comm_worst(status);
}

/* Conjugate gradients for A x = A u, u random: its right-hand side is the same on all ranks that share an entry, and
 * zero where A is.  Only the scalars are kept; u and then P r are in the memory of the solution. */
static int run_lanczos(const solve *s, lanczos *t)
{
  const solver_operator *a = s->a;
  double *z = s->args->x, *p = s->d, last_alpha = 1.0, beta = 0.0;
  int status = fill(s, z);
  if (!status) status = a->apply(s->ctx, a->data, z, s->r);
  if (!status) status = precondition(s, s->r, z);
  if (!status) status = copy(s, p, z);
  double rz = dot(s, s->r, z, &status);
  const double limit = EXHAUSTED * rz;
  t->n = 0;
  while (!status && t->n < STEPS && rz > limit) {
    status = a->apply(s->ctx, a->data, p, s->w);
    const double pw = dot(s, p, s->w, &status), alpha = rz / pw;
    if (!(pw > 0.0)) break;
    t->diagonal[t->n] = 1.0 / alpha + beta / last_alpha;
    t->square[t->n++] = beta / (last_alpha * last_alpha);
    if (!status) status = combine(s, -alpha, s->w, 1.0, s->r);
    if (!status) status = precondition(s, s->r, z);
    const double next = dot(s, s->r, z, &status);
    beta = next / rz;
    rz = next;
    last_alpha = alpha;
    if (!status) status = combine(s, 1.0, z, beta, p);
  }
  return status;
}

static void take_bounds(const lanczos *t, bounds *b)
{
  double most = 0.0;
  for (int i = 0; i < t->n; i++) {
    const double beside = sqrt(t->square[i]) + (i + 1 < t->n ? sqrt(t->square[i + 1]) : 0.0);
    most = fmax(most, t->diagonal[i] + beside); // Gershgorin
  }
  *b = (bounds){.base = {.destroy = destroy}, .lower = 1.0, .upper = 1.0};
  if (t->n > 0) b->lower = least_above(t, 1, most), b->upper = least_above(t, t->n, most);
  b->lower *= 1.0 - WIDER;
  b->upper *= 1.0 + WIDER;
}

/* Tests whether these are bounds, and with the preconditioner of now. */
static bool are_of(const solver_pcg_cache *cache, const solver_operator *a)
{
  return cache->destroy == destroy && ((const bounds *)cache)->precondition == a->precondition;
}

/* Kept with the matrix; of one without any entry they are anything. */
static int find_bounds(const solve *s, const bounds **result)
{
  solver_operator *a = s->a;
  if (a->cache && !are_of(a->cache, a)) solver_operator_forget(a);
  if (!a->cache) {
    bounds *b = malloc(sizeof *b);
    lanczos t;
    int status = comm_worst(b ? 0 : BATCHED_NO_MEMORY);
    if (!status) status = run_lanczos(s, &t);
    if (status) {
      free(b);
      return status;
    }
    take_bounds(&t, b);
    b->precondition = a->precondition;
    a->cache = &b->base;
  }
  *result = (const bounds *)a->cache;
  return BATCHED_SUCCESS;
}

/* ------------------------------------------------------------------ the iteration */

/* Products until (r, P r) is below tolerance^2 of the first. */
static int iterations_for(const bounds *b, double tolerance)
{
  const double sigma = (b->upper + b->lower) / (b->upper - b->lower);
  return (int)ceil(fmin(acosh(1.0 / tolerance) / acosh(sigma), 1e9));
}

enum { FIRST, NOW, NCHECKS };

typedef struct iteration {
  double theta, delta, sigma, rho;     // rho of the last step
  double first[SOLVER_MAX_COMPONENTS]; // (b, P b), this rank's part
} iteration;

/* x = 0, r = b, d = P r / theta */
static int start(const solve *s, const bounds *b, iteration *i)
{
  *i = (iteration){.theta = 0.5 * (b->upper + b->lower), .delta = 0.5 * (b->upper - b->lower)};
  i->sigma = i->theta / i->delta;
  i->rho = 1.0 / i->sigma;
  int status = batched_fill_zero(s->ctx, s->args->x, sizeof(double) * (size_t)s->size);
  if (!status) status = copy(s, s->r, s->args->b);
  if (!status) status = precondition(s, s->r, s->d);
  if (!status) status = s->passes->dots(s->ctx, s->a, s->r, s->d, i->first);
  return status ? status : scale(s, 1.0 / i->theta, s->d);
}

/* x += d;  r -= w;  d = with_step d + with_residual P r */
static int update(const solve *s, double with_step, double with_residual)
{
  double *x = s->args->x;
  if (!s->a->precondition) return s->passes->update(s->ctx, s->a, with_step, with_residual, x, s->r, s->d, s->w);
  int status = combine(s, 1.0, s->d, 1.0, x);
  if (!status) status = combine(s, -1.0, s->w, 1.0, s->r);
  if (!status) status = precondition(s, s->r, s->z);
  return status ? status : combine(s, with_residual, s->z, with_step, s->d);
}

static int iterate(const solve *s, int n, iteration *i)
{
  int status = BATCHED_SUCCESS;
  for (int k = 0; k < n && !status; k++) {
    status = s->a->apply(s->ctx, s->a->data, s->d, s->w);
    const double rho = 1.0 / (2.0 * i->sigma - i->rho);
    if (!status) status = update(s, rho * i->rho, 2.0 * rho / i->delta);
    i->rho = rho;
  }
  return status;
}

/* After so many products: marks what has converged; `left`: there is more to do. */
static int check(const solve *s, int done, const iteration *i, bool *left)
{
  const solver_pcg_args *args = s->args;
  const int ncomp = s->a->ncomp;
  double *z = s->a->precondition ? s->z : s->w;
  double sums[SOLVER_MAX_COMPONENTS][NCHECKS], now[SOLVER_MAX_COMPONENTS], limit[SOLVER_MAX_COMPONENTS];
  int status = s->a->precondition && done > 0 ? BATCHED_SUCCESS : precondition(s, s->r, z);
  if (!status) status = s->passes->dots(s->ctx, s->a, s->r, z, now);
  if (status) return status;
  for (int c = 0; c < ncomp; c++) sums[c][FIRST] = i->first[c], sums[c][NOW] = now[c];
  pcg_reduce(args, NCHECKS, &sums[0][0]);
  for (int c = 0; c < ncomp; c++) {
    now[c] = sums[c][NOW];
    limit[c] = args->tolerance * args->tolerance * sums[c][FIRST];
    args->converged[c] = false;
    args->iterations[c] = sums[c][FIRST] == 0.0 ? 0 : done; // what is zero was solved before the first
  }
  *left = pcg_any_left(args, now, limit);
  return BATCHED_SUCCESS;
}

static solve make_solve(batched_ctx *ctx, const solver_pcg_args *args, const chebyshev_passes *passes)
{
  const int64_t size = args->matrix->ncomp * args->matrix->n;
  return (solve){.ctx = ctx,
                 .args = args,
                 .passes = passes,
                 .a = args->matrix,
                 .size = size,
                 .r = args->work,
                 .d = args->work + size,
                 .w = args->work + 2 * size,
                 .z = args->matrix->precondition ? args->work + 3 * size : NULL};
}

int solver_chebyshev(batched_ctx *ctx, const solver_pcg_args *args, const chebyshev_passes *passes, bool *enough)
{
  const solve s = make_solve(ctx, args, passes);
  const bounds *b;
  int status = find_bounds(&s, &b);
  if (status) return status;
  const int promised = iterations_for(b, args->tolerance);
  *enough = promised <= args->max_iterations;
  if (!*enough) return BATCHED_SUCCESS;
  iteration i;
  status = start(&s, b, &i);
  int done = 0, next = promised;
  bool left = true;
  while (!status && left) {
    if (next > args->max_iterations - done) next = args->max_iterations - done;
    status = iterate(&s, next, &i);
    done += next;
    if (!status) status = check(&s, done, &i, &left);
    left = left && done < args->max_iterations;
    next = promised / 8 + 1;
  }
  return status;
}
