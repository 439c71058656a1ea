/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What divide and conquer of a tridiagonal and of a bidiagonal matrix share: columns that deflate, the small problem of
 * those that do not, with vectors from recomputed z (Gu, Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995), products: in
 * plain loops, or by batched_gemm.
 */
#include "batched/tridiagonal/host/secular_ref.h"

enum { NAME(LEAF) = 24 };

/* Rows of a part's first and second half in which a column of v or u may not be zero. */
enum { NAME(TOP) = 1, NAME(BOTTOM) = 2 };

/* Memory for all merges: matrices of the whole order (u and v with leading dimension n), and vectors.  The small
 * vectors are w, which go with u, and s.  Of an eigenvalue problem there is no u.  With a context products are gemm's,
 * whose operands are gathered in `gathered`, and `status` is theirs; without one they are plain loops. */
typedef struct NAME(conquest) {
  batched_ctx *ctx;
  int status, n;
  R *v, *s, *u, *w, *t, *gathered, *z, *poles, *weights, *values;
  int *order, *kept, *halves;
} NAME(conquest);

/* Elements of a matrix of order n which begins and ends with a line of the cache: how a product is rounded must not
 * depend on where its operands are. */
static size_t NAME(conquest_square)(size_t n)
{
  return (n * n + 15) / 16 * 16;
}

static size_t NAME(conquest_bytes)(size_t n, bool with_u)
{
  return ((with_u ? 6 : 4) * NAME(conquest_square)(n + 1) + 4 * n) * sizeof(R) + 3 * n * sizeof(int);
}

/* Lays it out in memory of so many bytes. */
static NAME(conquest) NAME(lay_out_conquest)(batched_ctx *ctx, size_t n, bool with_u, R *memory)
{
  const size_t square = NAME(conquest_square)(n + 1); /* products gather n / 2 + 1 rows of 2 n columns */
  NAME(conquest) c = {.ctx = ctx, .v = memory};
  c.s = c.v + square;
  c.t = c.s + square;
  c.gathered = c.t + square;
  c.u = with_u ? c.gathered + square : NULL;
  c.w = with_u ? c.u + square : NULL;
  c.z = (with_u ? c.w : c.gathered) + square;
  c.poles = c.z + n;
  c.weights = c.poles + n;
  c.values = c.weights + n;
  c.order = (void *)(c.values + n);
  c.kept = c.order + n;
  c.halves = c.kept + n;
  return c;
}

/* Positions of the ascending values of two ascending runs, 0 .. end - 1 and from .. n - 1; their number. */
static int NAME(merge_runs)(int end, int from, int n, const R *d, int *order)
{
  int many = 0;
  for (int x = 0, y = from; x < end || y < n; many++) order[many] = y == n || (x < end && !(d[y] < d[x])) ? x++ : y++;
  return many;
}

static void NAME(take_in_order)(NAME(conquest) * c, int rows, int n, R *v)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rows; i++) c->t[i + (int64_t)j * rows] = v[i + (int64_t)c->order[j] * c->n];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rows; i++) v[i + (int64_t)j * c->n] = c->t[i + (int64_t)j * rows];
}

/* Puts n values in ascending order, and their vectors, `rows` long. */
static void NAME(sort_columns)(NAME(conquest) * c, int rows, int n, R *d, R *v, R *u)
{
  for (int i = 0; i < n; i++) c->order[i] = i;
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && d[c->order[j]] < d[c->order[j - 1]]; j--) {
      const int t = c->order[j];
      c->order[j] = c->order[j - 1];
      c->order[j - 1] = t;
    }
  for (int j = 0; j < n; j++) c->values[j] = d[c->order[j]];
  for (int j = 0; j < n; j++) d[j] = c->values[j];
  NAME(take_in_order)(c, rows, n, v);
  if (u) NAME(take_in_order)(c, rows, n, u);
}

/* The largest of d and z, in modulus, for the error that deflation may make. */
static R NAME(largest_part)(int n, const R *x)
{
  R largest = 0;
  for (int i = 0; i < n; i++) largest = (R)__builtin_fmax(largest, __builtin_fabs(x[i]));
  return largest;
}

/* Deflates: of `many` columns in c->order, those with a small part in z, or (after a rotation) beside an equal value,
 * are vectors already; the others are appended to the k in c->kept.  Returns their number with these. */
static int NAME(deflate)(NAME(conquest) * c, int k, int many, int rows, R *d, R *v, R *u, R rho, R tol)
{
  int before = -1;
  for (int i = 0; i < many; i++) {
    const int j = c->order[i];
    if (rho * (R)__builtin_fabs(c->z[j]) <= tol) continue;
    if (before >= 0) {
      const R tau = SQRT(c->z[j] * c->z[j] + c->z[before] * c->z[before]), gap = d[j] - d[before];
      const R cosine = c->z[j] / tau, sine = -c->z[before] / tau;
      if (__builtin_fabs(gap * cosine * sine) <= tol) {
        c->z[j] = tau;
        c->z[before] = 0;
        c->halves[j] = c->halves[before] |= c->halves[j];
        NAME(rotate_real)(rows, v + (int64_t)before * c->n, v + (int64_t)j * c->n, cosine, sine);
        if (u) NAME(rotate_real)(rows, u + (int64_t)before * c->n, u + (int64_t)j * c->n, cosine, sine);
        const R x = d[before] * cosine * cosine + d[j] * sine * sine;
        d[j] = d[before] * sine * sine + d[j] * cosine * cosine;
        d[before] = x;
      } else {
        c->kept[k++] = before;
      }
    }
    before = j;
  }
  if (before >= 0) c->kept[k++] = before;
  return k;
}

/* Columns of length 1. */
static void NAME(normalise_columns)(int k, R *x)
{
  for (int j = 0; j < k; j++) {
    R *column = x + (int64_t)j * k, sum = 0;
    for (int i = 0; i < k; i++) sum += column[i] * column[i];
    for (int i = 0; i < k; i++) column[i] /= SQRT(sum);
  }
}

/* c->s = the vectors of diag(poles) + rho z z^T, of order k, whose values go to c->values; with `squares` the right
 * ones of diag(poles) + e_0 z^T, where pole 0 is 0, and c->w = the left ones. */
static void NAME(solve_secular)(NAME(conquest) * c, int k, R rho, bool squares)
{
  const NAME(secular) f = {k, c->poles, c->weights, rho, squares};
  for (int j = 0; j < k; j++) {
    int origin;
    const R x = NAME(find_root)(&f, j, &origin), pole = c->poles[origin];
    c->values[j] = pole + (squares && x != 0 ? x / (pole + SQRT(pole * pole + x)) : x);
    for (int i = 0; i < k; i++) c->s[i + (int64_t)j * k] = NAME(pole_gap)(&f, i, origin) - x;
  }
  for (int i = 0; i < k; i++) {
    R product = c->s[i + (int64_t)i * k];
    for (int j = 0; j < k; j++)
      if (j != i) product *= c->s[i + (int64_t)j * k] / NAME(pole_gap)(&f, i, j);
    c->z[i] = (R)__builtin_copysign(SQRT(product < 0 ? -product : product), c->weights[i]);
  }
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) {
      R *x = c->s + i + (int64_t)j * k;
      *x = c->z[i] / *x;
      if (squares) c->w[i + (int64_t)j * k] = i == 0 ? -1 : c->poles[i] * *x;
    }
  NAME(normalise_columns)(k, c->s);
  if (squares) NAME(normalise_columns)(k, c->w);
}

/* C = A B for matrices without gaps, m x k and k x n. */
static void NAME(multiply_block)(NAME(conquest) * c, int m, int n, int k, const R *a, const R *b, R *x)
{
  const batched_type type = sizeof(R) == 4 ? BATCHED_S : BATCHED_D;
  if (m == 0 || n == 0 || c->status) return;
  c->status = batched_gemm(c->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1),
                           batched_make_strided(type, a, m, k, m, 0, 1),
                           batched_make_strided(type, b, k, n, batched_max(k, 1), 0, 1), batched_real(0),
                           batched_make_strided(type, x, m, n, m, 0, 1));
}

/* Rows from .. to - 1 of the columns of v that are kept = those of these columns that are not zero there, `half`, times
 * their rows of s. */
static void NAME(multiply_half)(NAME(conquest) * c, int from, int to, int half, int k, R *v, const R *s)
{
  const int rows = to - from;
  int many = 0;
  for (int p = 0; p < k; p++) many += (c->halves[c->kept[p]] & half) != 0;
  R *const a = c->t, *const x = a + (size_t)rows * (size_t)many;
  for (int p = 0, to_p = 0; p < k; p++) {
    if (!(c->halves[c->kept[p]] & half)) continue;
    for (int i = 0; i < rows; i++) a[i + (int64_t)to_p * rows] = v[from + i + (int64_t)c->kept[p] * c->n];
    for (int j = 0; j < k; j++) c->gathered[to_p + (int64_t)j * many] = s[p + (int64_t)j * k];
    to_p++;
  }
  NAME(multiply_block)(c, rows, k, many, a, c->gathered, x);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < rows; i++) v[from + i + (int64_t)c->kept[j] * c->n] = x[i + (int64_t)j * rows];
}

/* The columns of v that are kept = these times the k small vectors s; a part's first half has n1 rows. */
static void NAME(multiply_kept)(NAME(conquest) * c, int n1, int n, int k, R *v, const R *s)
{
  if (c->ctx) {
    NAME(multiply_half)(c, 0, n1, NAME(TOP), k, v, s);
    NAME(multiply_half)(c, n1, n, NAME(BOTTOM), k, v, s);
    return;
  }
  for (int64_t x = 0; x < (int64_t)n * k; x++) c->t[x] = 0;
  for (int j = 0; j < k; j++)
    for (int p = 0; p < k; p++)
      for (int i = 0; i < n; i++) c->t[i + (int64_t)j * n] += v[i + (int64_t)c->kept[p] * c->n] * s[p + (int64_t)j * k];
  for (int j = 0; j < k; j++)
    for (int i = 0; i < n; i++) v[i + (int64_t)c->kept[j] * c->n] = c->t[i + (int64_t)j * n];
}

/* Poles and weights of the columns that are kept. */
static void NAME(take_poles)(NAME(conquest) * c, int k, const R *d)
{
  for (int i = 0; i < k; i++) {
    c->poles[i] = d[c->kept[i]];
    c->weights[i] = c->z[c->kept[i]];
  }
}
