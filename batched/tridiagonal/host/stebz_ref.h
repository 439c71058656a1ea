/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of stebz: eigenvalues of a symmetric tridiagonal matrix by bisection with Sturm counts (Barth, Martin,
 * Wilkinson, Numer. Math. 9, 1967), as LAPACK's stebz.
 */
#include "batched/tridiagonal/host/rotation_ref.h"

/* The scaled matrix, with squares of its off-diagonals, the least modulus of a pivot, and that of an error. */
typedef struct NAME(sturm) {
  int n;
  const R *d, *e2;
  R least, error;
} NAME(sturm);

/* Number of eigenvalues that are not larger than x. */
static int NAME(count_until)(const NAME(sturm) * s, R x)
{
  R q = 1;
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    q = s->d[i] - x - (i > 0 ? s->e2[i - 1] / q : 0);
    if (__builtin_fabs(q) <= s->least) q = -s->least;
    count += q < 0;
  }
  return count;
}

/* Eigenvalue number k (from 0) between lo and hi: the middle of an interval that rounding lets shrink no more. */
static R NAME(bisect)(const NAME(sturm) * s, int k, R lo, R hi)
{
  for (int step = 0; step < 2000; step++) {
    const R size = (R)__builtin_fabs(lo) > (R)__builtin_fabs(hi) ? (R)__builtin_fabs(lo) : (R)__builtin_fabs(hi);
    const R middle = (lo + hi) / 2;
    if (hi - lo <= EPS * size || hi - lo <= s->error) break;
    if (NAME(count_until)(s, middle) > k)
      hi = middle;
    else
      lo = middle;
  }
  return (lo + hi) / 2;
}

static void NAME(bisect_each)(const NAME(sturm) * s, int first, int count, R lo, R hi, R *out)
{
  for (int k = 0; k < count; k++) out[k] = NAME(bisect)(s, first + k, lo, hi);
}

/* An interval with all eigenvalues (Gershgorin), with something to spare; of a zero matrix it is empty. */
static void NAME(enclose)(int n, const R *d, const R *e, R *lo, R *hi)
{
  *lo = *hi = d[0];
  for (int i = 0; i < n; i++) {
    const R r = (R)(i > 0 ? __builtin_fabs(e[i - 1]) : 0) + (R)(i < n - 1 ? __builtin_fabs(e[i]) : 0);
    if (d[i] - r < *lo) *lo = d[i] - r;
    if (d[i] + r > *hi) *hi = d[i] + r;
  }
  const R spare =
    2 * EPS * n * ((R)__builtin_fabs(*lo) > (R)__builtin_fabs(*hi) ? (R)__builtin_fabs(*lo) : (R)__builtin_fabs(*hi));
  *lo -= spare;
  *hi += spare;
}

static R NAME(next_after)(R x, R towards)
{
  return sizeof(R) == 4 ? (R)__builtin_nextafterf((float)x, (float)towards) : (R)__builtin_nextafter(x, towards);
}

/* The largest number of this precision that is not above x: w <= x where w <= round_down(x). */
static R NAME(round_down)(double x)
{
  const R r = (R)x;
  return r > x ? NAME(next_after)(r, -(R)__builtin_inf()) : r;
}

/* Numbers of the first value in the range and of the one after the last, from 0. */
static void NAME(numbers_of)(const batched_stebz_args *g, const NAME(sturm) * s, R scale, int *first, int *end)
{
  *first = 0;
  *end = s->n;
  if (g->range == BATCHED_INDEX) {
    *first = g->il - 1;
    *end = batched_min(g->iu, s->n);
  } else if (g->range == BATCHED_INTERVAL) {
    *first = NAME(count_until)(s, NAME(round_down)(g->vl * scale));
    *end = NAME(count_until)(s, NAME(round_down)(g->vu * scale));
  }
}

/* w, or, where rounding errors have taken it out of vl < w <= vu, the number inside that is nearest. */
static R NAME(into_range)(const batched_stebz_args *g, R w)
{
  if (g->range != BATCHED_INTERVAL) return w;
  if (!(w > g->vl)) return NAME(next_after)(NAME(round_down)(g->vl), (R)__builtin_inf());
  return w > g->vu ? NAME(round_down)(g->vu) : w;
}

/* The values first .. first + count - 1 between lo and hi. */
typedef void NAME(bisection)(const NAME(sturm) * s, int first, int count, R lo, R hi, R *out);

/* work: 3 n numbers. */
static int NAME(stebz_one)(NAME(bisection) * bisect, const batched_stebz_args *g, int64_t b, int n, R *work)
{
  const R *d = batched_at(&g->d, b), *e = batched_at(&g->e, b);
  R *w = batched_at(&g->w, b), *e2 = work + n, *values = work + 2 * n, lo, hi;
  const int64_t incd = batched_increment(&g->d, b), ince = n > 1 ? batched_increment(&g->e, b) : 1;
  const int room = batched_vector_length(&g->w, b);
  const int64_t incw = room > 0 ? batched_increment(&g->w, b) : 1;
  const R scale = NAME(scale_of)(n, d, incd, e, ince);
  g->found[b] = 0;
  NAME(fill_vector)(scale == 0 ? room : 0, w, incw, (R)__builtin_nan(""));
  if (scale == 0) return n;
  for (int i = 0; i < n; i++) work[i] = scale * d[i * incd];
  for (int i = 0; i < n - 1; i++) e2[i] = scale * e[i * ince];
  NAME(enclose)(n, work, e2, &lo, &hi);
  for (int i = 0; i < n - 1; i++) e2[i] *= e2[i];
  const NAME(sturm) s = {n, work, e2, sizeof(R) == 4 ? (R)0x1p-120f : (R)0x1p-1000, (hi - lo) * EPS / 8};
  int first, end;
  NAME(numbers_of)(g, &s, scale, &first, &end);
  g->found[b] = end > first ? end - first : 0;
  const int count = batched_min(g->found[b], room);
  bisect(&s, first, count, lo, hi, values);
  for (int k = 0; k < count; k++) w[k * incw] = NAME(into_range)(g, values[k] / scale);
  return 0;
}

static int NAME(stebz_by)(NAME(bisection) * bisect, batched_ctx *ctx, const batched_stebz_args *g)
{
  const size_t most = (size_t)batched_vector_bound(&g->d);
  R *work = batched_scratch_push(ctx, (3 * most + 1) * sizeof(R));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->d.count; b++) {
    const int n = batched_vector_length(&g->d, b);
    if (n == 0) g->found[b] = 0;
    g->info[b] = n > 0 ? NAME(stebz_one)(bisect, g, b, n, work) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(stebz_ref)(batched_ctx *ctx, const batched_stebz_args *g)
{
  return NAME(stebz_by)(NAME(bisect_each), ctx, g);
}
