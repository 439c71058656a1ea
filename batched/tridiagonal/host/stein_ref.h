/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvectors of a symmetric tridiagonal matrix by inverse iteration, as LAPACK's stein: from random numbers, until
 * the solution grows, and twice more; orthogonal to those of close eigenvalues before.  Near an eigenvalue that is
 * repeated to the last digit a solution may have one vector of it alone, so that nothing but rounding errors is left
 * when that is removed: if the residual then is large, shifts a few eps |T| away, from which all vectors of the
 * eigenvalue grow alike, are tried, first with the same random numbers and then with others.
 */
#include "batched/tridiagonal/host/rotation_ref.h"

/* T - w I = P L U by partial pivoting: the three diagonals of U, multipliers, and whether rows i, i + 1 changed. */
typedef struct NAME(factors) {
  int n;
  R *u0, *u1, *u2, *l;
  bool *swapped;
  R least; /* modulus of a pivot: eps / 2 |T| */
} NAME(factors);

static void NAME(factor_shifted)(NAME(factors) * f, const R *d, const R *e, R w)
{
  for (int i = 0; i < f->n; i++) {
    f->u0[i] = d[i] - w;
    f->u1[i] = i < f->n - 1 ? e[i] : 0;
    f->u2[i] = 0;
  }
  for (int i = 0; i < f->n - 1; i++) {
    f->swapped[i] = __builtin_fabs(e[i]) > __builtin_fabs(f->u0[i]);
    if (f->swapped[i]) {
      const R pivot = e[i], next = f->u0[i + 1], above = f->u1[i];
      f->l[i] = f->u0[i] / pivot;
      f->u0[i] = pivot;
      f->u1[i] = next;
      f->u2[i] = f->u1[i + 1];
      f->u0[i + 1] = above - f->l[i] * next;
      f->u1[i + 1] = -f->l[i] * f->u2[i];
    } else {
      f->l[i] = f->u0[i] == 0 ? 0 : e[i] / f->u0[i];
      f->u0[i + 1] -= f->l[i] * f->u1[i];
    }
  }
  for (int i = 0; i < f->n; i++)
    if (__builtin_fabs(f->u0[i]) < f->least) f->u0[i] = f->u0[i] < 0 ? -f->least : f->least;
}

static void NAME(solve_shifted)(const NAME(factors) * f, R *x)
{
  for (int i = 0; i < f->n - 1; i++) {
    if (f->swapped[i]) {
      const R t = x[i];
      x[i] = x[i + 1];
      x[i + 1] = t;
    }
    x[i + 1] -= f->l[i] * x[i];
  }
  for (int i = f->n - 1; i >= 0; i--) {
    if (i + 1 < f->n) x[i] -= f->u1[i] * x[i + 1];
    if (i + 2 < f->n) x[i] -= f->u2[i] * x[i + 2];
    x[i] /= f->u0[i];
  }
}

static R NAME(largest_of)(int n, const R *x)
{
  R most = 0;
  for (int i = 0; i < n; i++)
    if (__builtin_fabs(x[i]) > most) most = (R)__builtin_fabs(x[i]);
  return most;
}

/* x /= |x|, by way of its largest element. */
static void NAME(normalise)(int n, R *x)
{
  const R most = NAME(largest_of)(n, x);
  R sum = 0;
  for (int i = 0; i < n; i++) {
    x[i] /= most;
    sum += x[i] * x[i];
  }
  for (int i = 0; i < n; i++) x[i] /= SQRT(sum);
}

static void NAME(remove_from)(int n, const T *z, R *x)
{
  R dot = 0;
  for (int i = 0; i < n; i++) dot += REAL(z[i]) * x[i];
  for (int i = 0; i < n; i++) x[i] -= dot * REAL(z[i]);
}

/* Random numbers for vector j, the same for every matrix. */
static void NAME(start_vector)(int n, int j, int64_t incx, R *x)
{
  uint32_t state = 2654435761u * (uint32_t)(j + 1);
  for (int i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i * incx] = (R)((int)(state >> 9) - (1 << 22)) * (R)0x1p-22 + (R)0x1p-23;
  }
}

/* Element i of T x. */
static R NAME(product_at)(int n, const R *d, const R *e, const R *x, int i)
{
  return d[i] * x[i] + (i > 0 ? e[i - 1] * x[i - 1] : 0) + (i < n - 1 ? e[i] * x[i + 1] : 0);
}

/* True where x, of norm 1, is an eigenvector: all elements of T x - (x^T T x) x are within 8 n eps |T|. */
static bool NAME(is_eigenvector)(const NAME(factors) * f, const R *d, const R *e, const R *x)
{
  const int n = f->n;
  R quotient = 0, most = 0;
  for (int i = 0; i < n; i++) quotient += x[i] * NAME(product_at)(n, d, e, x, i);
  for (int i = 0; i < n; i++) {
    const R r = (R)__builtin_fabs(NAME(product_at)(n, d, e, x, i) - quotient * x[i]);
    if (!(r <= most)) most = r;
  }
  return most <= 16 * n * f->least;
}

/* Column j of z, from random vector `start`, to be orthogonal to columns first .. j - 1; false if it did not
 * converge. */
static bool NAME(iterate_inverse)(const NAME(factors) * f, const R *d, const R *e, int first, int j, int start, T *z,
                                  int64_t ld, R *x)
{
  const int n = f->n;
  const R enough = SQRT((R)0.1 / n), last = (R)__builtin_fabs(f->u0[n - 1]);
  NAME(start_vector)(n, start, 1, x);
  for (int turn = 0, more = 2; turn < 5 && more >= 0; turn++) {
    const R most = NAME(largest_of)(n, x);
    for (int i = 0; i < n; i++) x[i] *= n * (last > f->least ? last : f->least) / most;
    NAME(solve_shifted)(f, x);
    for (int c = first; c < j; c++) NAME(remove_from)(n, z + c * ld, x);
    if (NAME(largest_of)(n, x) >= enough) more--;
  }
  NAME(normalise)(n, x);
  for (int c = first; c < j; c++) NAME(remove_from)(n, z + c * ld, x);
  NAME(normalise)(n, x);
  for (int i = 0; i < n; i++) z[i + j * ld] = x[i];
  return NAME(is_eigenvector)(f, d, e, x);
}

/* The 1-norm. */
static R NAME(norm_of)(int n, const R *d, const R *e)
{
  R norm = 0;
  for (int i = 0; i < n; i++) {
    const R sum =
      (R)__builtin_fabs(d[i]) + (R)(i > 0 ? __builtin_fabs(e[i - 1]) : 0) + (R)(i < n - 1 ? __builtin_fabs(e[i]) : 0);
    if (sum > norm) norm = sum;
  }
  return norm > 0 ? norm : 1;
}

/* Attempts at column j, whose value is near w; false if none converged. */
static bool NAME(find_vector)(NAME(factors) * f, const R *d, const R *e, R w, R norm, int first, int j, T *z,
                              int64_t ld, R *x)
{
  static const R shifts[] = {0, 4, 8, -4, -8, 0};
  bool good = false;
  for (int attempt = 0; attempt < 6 && !good; attempt++) {
    NAME(factor_shifted)(f, d, e, w + shifts[attempt] * EPS * norm);
    good = NAME(iterate_inverse)(f, d, e, first, j, attempt < 3 ? j : j + attempt * f->n, z, ld, x);
  }
  return good;
}

/* A matrix near 1, its values w (with their increment, and a scale), and the distance below which two are close: the
 * overlap of their vectors is about eps |T| / distance. */
typedef struct NAME(stein_task) {
  int n, k;
  const R *d, *e, *w;
  int64_t incw, ld;
  T *z;
  R scale, norm, close;
} NAME(stein_task);

/* Those vectors that are not close to others' values, or some of them: done[j] is true then.  Or none: NULL. */
typedef void NAME(isolated_vectors)(const NAME(stein_task) * t, R *work, bool *done);

static int NAME(stein_one)(NAME(isolated_vectors) * find_isolated, const batched_stein_args *g, int64_t b, int n, int k,
                           R *work, bool *flags)
{
  const R *from = batched_at(&g->d, b), *beside = batched_at(&g->e, b);
  const int64_t incd = batched_increment(&g->d, b), ince = n > 1 ? batched_increment(&g->e, b) : 1;
  R *d = work, *e = d + n, *x = e + n, before = 0;
  NAME(stein_task)
  t = {.n = n, .k = k, .d = d, .e = e, .w = batched_at(&g->w, b), .incw = batched_increment(&g->w, b)};
  t.ld = batched_ld(&g->z, b), t.z = batched_at(&g->z, b);
  t.scale = NAME(scale_of)(n, from, incd, beside, ince);
  NAME(factors) f = {.n = n, .u0 = x + n, .u1 = x + 2 * n, .u2 = x + 3 * n, .l = x + 4 * n, .swapped = flags};
  bool *const done = flags + n, finite = t.scale != 0;
  int failed = 0, first = 0;
  for (int j = 0; j < k; j++) finite = finite && t.w[j * t.incw] - t.w[j * t.incw] == 0;
  if (!finite) {
    NAME(fill_with)(n, k, t.z, t.ld, NAME(nan)());
    return n;
  }
  for (int i = 0; i < n; i++) d[i] = t.scale * from[i * incd];
  for (int i = 0; i < n - 1; i++) e[i] = t.scale * beside[i * ince];
  t.norm = NAME(norm_of)(n, d, e);
  t.close = t.norm * (n < 200 ? (R)0.2 / n : (R)1e-3);
  f.least = t.norm * EPS / 2;
  for (int j = 0; j < k; j++) done[j] = false;
  if (find_isolated) find_isolated(&t, x + 5 * n, done);
  for (int j = 0; j < k; j++) {
    R at = t.scale * t.w[j * t.incw];
    if (j == 0 || at - before > t.close) first = j;
    if (j > first && at - before < 10 * EPS * (R)__builtin_fabs(at)) at = before + 10 * EPS * (R)__builtin_fabs(at);
    if (!done[j]) failed += !NAME(find_vector)(&f, d, e, at, t.norm, first, j, t.z, t.ld, x);
    before = at;
  }
  return failed;
}

/* `more`: numbers of each row of a matrix that find_isolated needs. */
static int NAME(stein_by)(NAME(isolated_vectors) * find_isolated, int more, batched_ctx *ctx,
                          const batched_stein_args *g)
{
  const size_t numbers = (size_t)g->z.m * (size_t)(7 + more), flags = (size_t)g->z.m + (size_t)g->z.n;
  R *work = batched_scratch_push(ctx, numbers * sizeof(R) + flags * sizeof(bool) + sizeof(R));
  if (!work) return BATCHED_NO_MEMORY;
  void *const behind = work + numbers;
  for (int64_t b = 0; b < g->z.count; b++) {
    const int n = batched_rows(&g->z, b), cols = batched_cols(&g->z, b), k = g->found ? g->found[b] : cols;
    g->info[b] =
      n > 0 && k > 0 ? NAME(stein_one)(find_isolated, g, b, n, batched_min(k, cols), work, (bool *)behind) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(stein_ref)(batched_ctx *ctx, const batched_stein_args *g)
{
  return NAME(stein_by)(NULL, 0, ctx, g);
}
