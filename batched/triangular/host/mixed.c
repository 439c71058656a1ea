/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.mixed of posv and gesv: factors in single precision, the solution refined in double; a matrix that does not
 * converge is factored in double.
 */
#include "batched/check.h"
#include "batched/triangular/host/mixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "batched/batched_refine.h"
#include "batched/host/rows.h"

/* Steps before a matrix is given up, as in LAPACK; orders above which no table of rows takes lanes. */
enum { MOST_REFINEMENTS = 30, LEAST_REFINED = 129, MOST_IN_LANES = 512 };

/* One matrix: complex numbers are pairs of `reals`. */
typedef struct problem {
  int n, nrhs, reals;
  batched_refined part;
  const double *a, *b;
  int64_t lda, ldb; /* in reals */
  float *low_a, *low_x;
  double *x, *r;
} problem;

bool batched_can_refine(const batched_matrix *a, const batched_matrix *b)
{
  return batched_accept(a->type == BATCHED_D || a->type == BATCHED_Z, "mixed takes d and z alone") &&
         batched_accept(a->n >= LEAST_REFINED, "mixed takes orders from %d on, not %d", LEAST_REFINED, a->n) &&
         batched_accept(b->n > 0, "mixed takes at least one right-hand side") &&
         batched_accept(!batched_is_variable(a) && !batched_is_variable(b), "mixed takes no batch of variable size");
}

/* Reals in half of the precision; the sum of their squares. */
static double narrow(const double *from, int count, float *to)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    to[i] = (float)from[i];
    sum += from[i] * from[i];
  }
  return sum;
}

/* A in half of the precision; its norm (Frobenius).  Imaginary parts on the diagonal of a triangle count as 0. */
static double narrow_matrix(const problem *p)
{
  const int reals = p->reals;
  double sum = 0;
  for (int j = 0; j < p->n; j++) {
    const double *from = p->a + j * p->lda;
    float *to = p->low_a + (int64_t)j * p->n * reals;
    if (p->part == BATCHED_REFINE_WHOLE) {
      sum += narrow(from, p->n * reals, to);
      continue;
    }
    const int begin = reals * (p->part == BATCHED_REFINE_LOWER ? j + 1 : 0);
    const int end = reals * (p->part == BATCHED_REFINE_UPPER ? j : p->n);
    sum += 2 * narrow(from + begin, end - begin, to + begin) + narrow(from + reals * j, 1, to + reals * j);
    if (reals == 2) to[2 * j + 1] = 0;
  }
  return sqrt(sum);
}

/* Column j of the residual in half of the precision, scaled by a power of two to about 1; the exponent. */
static int narrow_residual(const problem *p, int j)
{
  const int length = p->n * p->reals;
  const double *r = p->r + (int64_t)j * length;
  double most = 0;
  for (int i = 0; i < length; i++) most = fmax(most, fabs(r[i]));
  const int exponent = most > 0 && most <= DBL_MAX ? ilogb(most) : 0;
  for (int i = 0; i < length; i++) p->low_x[(int64_t)j * length + i] = (float)scalbn(r[i], -exponent);
  return exponent;
}

static void reset_residual(const problem *p)
{
  for (int j = 0; j < p->nrhs; j++)
    memcpy(p->r + (int64_t)j * p->n * p->reals, p->b + j * p->ldb, (size_t)(p->n * p->reals) * sizeof(double));
}

/* Numbers whose squares would over- or underflow are multiplied by a power of two. */
static double norm_of(const double *x, int length)
{
  double most = 0, sum = 0;
  for (int i = 0; i < length; i++) most = fmax(most, fabs(x[i]));
  const double scale = most < 0x1p-400 ? 0x1p600 : most > 0x1p400 ? 0x1p-600 : 1;
  for (int i = 0; i < length; i++) sum += (scale * x[i]) * (scale * x[i]);
  return sqrt(sum) / scale;
}

static bool has_converged(const problem *p, double norm)
{
  const int length = p->n * p->reals;
  for (int j = 0; j < p->nrhs; j++) {
    const double allowed = sqrt(p->n) * (DBL_EPSILON / 2) * norm * norm_of(p->x + (int64_t)j * length, length);
    if (!(norm_of(p->r + (int64_t)j * length, length) <= allowed && allowed <= DBL_MAX)) return false;
  }
  return true;
}

/* *steps: the corrections, or -1. */
static int refine(batched_ctx *ctx, const batched_refiner *refiner, const problem *p, const batched_matrix *a,
                  int *ipiv, int *steps)
{
  const int n = p->n, length = n * p->reals;
  const int64_t square = (int64_t)n * n, side = (int64_t)n * p->nrhs;
  const batched_type low = p->reals == 1 ? BATCHED_S : BATCHED_C;
  const batched_matrix low_a = batched_make_strided(low, p->low_a, n, n, n, square, 1),
                       low_x = batched_make_strided(low, p->low_x, n, p->nrhs, n, side, 1),
                       x = batched_make_strided(a->type, p->x, n, p->nrhs, n, side, 1),
                       r = batched_make_strided(a->type, p->r, n, p->nrhs, n, side, 1);
  int info = 0;
  const double norm = narrow_matrix(p);
  *steps = -1;
  int status = refiner->factor(ctx, refiner, &low_a, ipiv, &info);
  if (status || info != 0 || !(norm <= DBL_MAX)) return status;
  memset(p->x, 0, (size_t)side * (size_t)p->reals * sizeof *p->x);
  reset_residual(p);
  for (int step = 0; step <= MOST_REFINEMENTS && !status; step++) {
    double before = 0, after = 0;
    for (int j = 0; j < p->nrhs; j++) {
      before = fmax(before, norm_of(p->r + (int64_t)j * length, length));
      const int exponent = narrow_residual(p, j);
      const batched_matrix column = batched_make_strided(low, p->low_x + (int64_t)j * length, n, 1, n, n, 1);
      status = refiner->solve(ctx, refiner, &low_a, ipiv, p->nrhs == 1 ? &low_x : &column);
      if (status) return status;
      for (int i = 0; i < length; i++)
        p->x[(int64_t)j * length + i] += scalbn((double)p->low_x[(int64_t)j * length + i], exponent);
    }
    reset_residual(p);
    status = refiner->subtract(ctx, refiner, a, &x, &r);
    if (status) return status;
    if (has_converged(p, norm)) {
      *steps = step;
      return BATCHED_SUCCESS;
    }
    for (int j = 0; j < p->nrhs; j++) after = fmax(after, norm_of(p->r + (int64_t)j * length, length));
    if (step > 0 && !(after < before / 2)) return status; /* it does not get there */
  }
  return status;
}

static size_t rounded(size_t bytes)
{
  return (bytes + 63) / 64 * 64;
}

int batched_solve_mixed(batched_ctx *ctx, const batched_refiner *refiner, batched_matrix a, batched_matrix b, int *ipiv,
                        int *info)
{
  const int n = a.n, reals = batched_is_complex(a.type) ? 2 : 1;
  const size_t square = (size_t)n * (size_t)n * (size_t)reals, side = (size_t)n * (size_t)b.n * (size_t)reals;
  const size_t low_a = rounded(square * sizeof(float)), low_x = rounded(side * sizeof(float)),
               x = rounded(side * sizeof(double));
  char *memory = batched_scratch_push(ctx, low_a + low_x + 2 * x);
  if (!memory) return BATCHED_NO_MEMORY;
  if (!batched_has_lane_scratch(ctx, n < MOST_IN_LANES ? n : MOST_IN_LANES, 1)) {
    batched_scratch_pop(ctx);
    return BATCHED_NO_MEMORY;
  }
  int *const report = batched_refinements_of(ctx, info);
  int status = BATCHED_SUCCESS;
  for (int64_t i = 0; i < a.count && !status; i++) {
    const batched_matrix one = batched_part(a, i, 1), right = batched_part(b, i, 1);
    int *const pivots = ipiv ? ipiv + i * n : NULL;
    const problem p = {.n = n,
                       .nrhs = b.n,
                       .reals = reals,
                       .part = refiner->part,
                       .a = batched_at(&a, i),
                       .b = batched_at(&b, i),
                       .lda = (int64_t)a.ld * reals,
                       .ldb = (int64_t)b.ld * reals,
                       .low_a = (void *)memory,
                       .low_x = (void *)(memory + low_a),
                       .x = (void *)(memory + low_a + low_x),
                       .r = (void *)(memory + low_a + low_x + x)};
    int steps = -1;
    status = refine(ctx, refiner, &p, &one, pivots, &steps);
    if (report) report[i] = steps;
    info[i] = 0;
    if (status) break;
    if (steps < 0) {
      status = refiner->factor(ctx, refiner, &one, pivots, info + i);
      if (!status && info[i] == 0) status = refiner->solve(ctx, refiner, &one, pivots, &right);
      continue;
    }
    for (int j = 0; j < b.n; j++)
      memcpy((double *)batched_at(&b, i) + j * p.ldb, p.x + (int64_t)j * n * reals,
             (size_t)(n * reals) * sizeof(double));
  }
  batched_scratch_pop(ctx);
  return status;
}
