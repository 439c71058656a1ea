/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvectors of a symmetric tridiagonal matrix by divide and conquer (Cuppen, Numer. Math. 36, 1981), with vectors
 * from recomputed z (Gu, Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995), as LAPACK's stedc.
 */
#include "batched/tridiagonal/host/ql_ref.h"
#include "batched/tridiagonal/host/secular_ref.h"

enum { NAME(LEAF) = 24 };

/* Memory for all merges: matrices of the whole order (v with leading dimension n), and vectors. */
typedef struct NAME(conquest) {
  int n;
  R *v, *s, *t, *z, *poles, *weights, *values;
  int *order, *kept;
} NAME(conquest);

/* Positions of the ascending values of two ascending runs, the first one n1 long. */
static void NAME(merge_runs)(int n1, int n, const R *d, int *order)
{
  for (int i = 0, x = 0, y = n1; i < n; i++) order[i] = y == n || (x < n1 && !(d[y] < d[x])) ? x++ : y++;
}

/* Puts the values in ascending order, and their vectors. */
static void NAME(sort_columns)(NAME(conquest) * c, int n, R *d, R *v)
{
  for (int i = 0; i < n; i++) c->order[i] = i;
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && d[c->order[j]] < d[c->order[j - 1]]; j--) {
      const int t = c->order[j];
      c->order[j] = c->order[j - 1];
      c->order[j - 1] = t;
    }
  for (int j = 0; j < n; j++) {
    c->values[j] = d[c->order[j]];
    for (int i = 0; i < n; i++) c->t[i + (int64_t)j * n] = v[i + (int64_t)c->order[j] * c->n];
  }
  for (int j = 0; j < n; j++) {
    d[j] = c->values[j];
    for (int i = 0; i < n; i++) v[i + (int64_t)j * c->n] = c->t[i + (int64_t)j * n];
  }
}

/* Columns with a small part in z, or beside an equal value, stay eigenvectors (these after a rotation); the others'
 * numbers are in c->kept.  Their number. */
static int NAME(deflate)(NAME(conquest) * c, int n1, int n, R *d, R *v, R rho)
{
  R largest = 0, part = 0;
  for (int i = 0; i < n; i++) {
    largest = (R)__builtin_fmax(largest, __builtin_fabs(d[i]));
    part = (R)__builtin_fmax(part, __builtin_fabs(c->z[i]));
  }
  const R tol = 4 * EPS * (largest > part ? largest : part);
  int k = 0, before = -1;
  if (rho * part <= tol) return 0;
  NAME(merge_runs)(n1, n, d, c->order);
  for (int i = 0; i < n; i++) {
    const int j = c->order[i];
    if (rho * (R)__builtin_fabs(c->z[j]) <= tol) continue;
    if (before >= 0) {
      const R tau = SQRT(c->z[j] * c->z[j] + c->z[before] * c->z[before]), gap = d[j] - d[before];
      const R cosine = c->z[j] / tau, sine = -c->z[before] / tau;
      if (__builtin_fabs(gap * cosine * sine) <= tol) {
        c->z[j] = tau;
        c->z[before] = 0;
        NAME(rotate_real)(n, v + (int64_t)before * c->n, v + (int64_t)j * c->n, cosine, sine);
        const R x = d[before] * cosine * cosine + d[j] * sine * sine;
        d[j] = d[before] * sine * sine + d[j] * cosine * cosine;
        d[before] = x;
      } else {
        c->kept[k++] = before;
      }
    }
    before = j;
  }
  c->kept[k++] = before;
  return k;
}

/* c->s = the eigenvectors of diag(poles) + rho z z^T, of order k, whose values go to c->values. */
static void NAME(solve_rank_one)(NAME(conquest) * c, int k, R rho)
{
  const NAME(secular) f = {k, c->poles, c->weights, rho};
  for (int j = 0; j < k; j++) {
    R origin;
    const R x = NAME(find_root)(&f, j, &origin);
    c->values[j] = origin + x;
    for (int i = 0; i < k; i++) c->s[i + (int64_t)j * k] = c->poles[i] - origin - x;
  }
  for (int i = 0; i < k; i++) {
    R product = c->s[i + (int64_t)i * k];
    for (int j = 0; j < k; j++)
      if (j != i) product *= c->s[i + (int64_t)j * k] / (c->poles[i] - c->poles[j]);
    c->z[i] = (R)__builtin_copysign(SQRT(product < 0 ? -product : product), c->weights[i]);
  }
  for (int j = 0; j < k; j++) {
    R *column = c->s + (int64_t)j * k, sum = 0;
    for (int i = 0; i < k; i++) {
      column[i] = c->z[i] / column[i];
      sum += column[i] * column[i];
    }
    for (int i = 0; i < k; i++) column[i] /= SQRT(sum);
  }
}

/* diag(d) + rho z z^T in the basis v, with z = the last row of the first part and the first one of the second. */
static void NAME(merge)(NAME(conquest) * c, int n1, int n, R *d, R *v, R rho)
{
  const R half = SQRT((R)0.5);
  for (int j = 0; j < n; j++)
    c->z[j] = half * (j < n1 ? v[n1 - 1 + (int64_t)j * c->n] : (rho < 0 ? -1 : 1) * v[n1 + (int64_t)j * c->n]);
  rho = 2 * (R)__builtin_fabs(rho);
  const int k = NAME(deflate)(c, n1, n, d, v, rho);
  for (int i = 0; i < k; i++) {
    c->poles[i] = d[c->kept[i]];
    c->weights[i] = c->z[c->kept[i]];
  }
  NAME(solve_rank_one)(c, k, rho);
  for (int64_t x = 0; x < (int64_t)n * k; x++) c->t[x] = 0;
  for (int j = 0; j < k; j++)
    for (int p = 0; p < k; p++)
      for (int i = 0; i < n; i++)
        c->t[i + (int64_t)j * n] += v[i + (int64_t)c->kept[p] * c->n] * c->s[p + (int64_t)j * k];
  for (int j = 0; j < k; j++) {
    d[c->kept[j]] = c->values[j];
    for (int i = 0; i < n; i++) v[i + (int64_t)c->kept[j] * c->n] = c->t[i + (int64_t)j * n];
  }
  NAME(sort_columns)(c, n, d, v);
}

/* The eigenvalues of a part of order n, and its vectors into the diagonal block of v; false if a leaf failed. */
static bool NAME(conquer)(NAME(conquest) * c, int n, R *d, R *e, R *v)
{
  if (n <= NAME(LEAF)) {
    for (int i = 0; i < n; i++) v[i + (int64_t)i * c->n] = 1;
    if (!NAME(diagonalise)(n, d, e, n, v, c->n)) return false;
    NAME(sort_columns)(c, n, d, v);
    return true;
  }
  const int n1 = n / 2;
  const R rho = e[n1 - 1], size = (R)__builtin_fabs(rho);
  d[n1 - 1] -= size;
  d[n1] -= size;
  if (!NAME(conquer)(c, n1, d, e, v) || !NAME(conquer)(c, n - n1, d + n1, e + n1, v + n1 + (int64_t)n1 * c->n))
    return false;
  NAME(merge)(c, n1, n, d, v, rho);
  e[n1 - 1] = 0;
  return true;
}

/* z = z v for a row of z. */
static void NAME(multiply_row)(int n, const R *v, T *z, int64_t ld, T *row)
{
  for (int j = 0; j < n; j++) {
    row[j] = 0;
    for (int p = 0; p < n; p++) row[j] += z[p * ld] * v[p + (int64_t)j * n];
  }
  for (int j = 0; j < n; j++) z[j * ld] = row[j];
}

static int NAME(stedc_one)(const batched_stedc_args *g, int64_t b, int n, NAME(conquest) * c, R *w, T *row)
{
  R *d = batched_at(&g->d, b), *e = batched_at(&g->e, b);
  const int64_t incd = batched_increment(&g->d, b), ince = n > 1 ? batched_increment(&g->e, b) : 1;
  const bool vectors = g->job != BATCHED_VALUES;
  const int rows = vectors ? batched_rows(&g->z, b) : 0;
  const int64_t ld = vectors ? batched_ld(&g->z, b) : 1;
  T *z = rows > 0 ? batched_at(&g->z, b) : NULL;
  const R scale = NAME(scale_of)(n, d, incd, e, ince);
  if (scale == 0) {
    NAME(fill_vector)(n, d, incd, (R)__builtin_nan(""));
    NAME(fill_vector)(n - 1, e, ince, (R)__builtin_nan(""));
    if (z) NAME(fill_with)(rows, n, z, ld, NAME(nan)());
    return n;
  }
  c->n = n;
  for (int i = 0; i < n; i++) w[i] = scale * d[i * incd];
  for (int i = 0; i < n - 1; i++) w[n + i] = scale * e[i * ince];
  const R more = NAME(scale_of)(n, w, 1, w + n, 1); /* denormal numbers are not near 1 yet */
  for (int i = 0; i < 2 * n - 1; i++) w[i] *= more;
  for (int64_t i = 0; i < (int64_t)n * n; i++) c->v[i] = 0;
  const bool good = NAME(conquer)(c, n, w, w + n, c->v);
  int info = 0;
  for (int i = 0; i < n; i++) d[i * incd] = w[i] / more / scale;
  for (int i = 0; i < n - 1; i++) {
    e[i * ince] = w[n + i] / more / scale;
    info += !good && e[i * ince] != 0;
  }
  for (int j = 0; g->job == BATCHED_VECTORS && j < n; j++)
    for (int i = 0; i < n; i++) z[i + j * ld] = c->v[i + (int64_t)j * n];
  for (int i = 0; g->job == BATCHED_MULTIPLY && i < rows; i++) NAME(multiply_row)(n, c->v, z + i, ld, row);
  return info;
}

static int NAME(stedc_ref)(batched_ctx *ctx, const batched_stedc_args *g)
{
  const size_t n = (size_t)batched_vector_bound(&g->d);
  T *row = batched_scratch_push(ctx, (n + 1) * sizeof(T) + (3 * n * n + 6 * n) * sizeof(R) + 2 * n * sizeof(int));
  if (!row) return BATCHED_NO_MEMORY;
  NAME(conquest) c = {.v = (R *)(row + n)};
  c.s = c.v + n * n;
  c.t = c.s + n * n;
  c.z = c.t + n * n;
  c.poles = c.z + n;
  c.weights = c.poles + n;
  c.values = c.weights + n;
  R *w = c.values + n;
  c.order = (void *)(w + 2 * n);
  c.kept = c.order + n;
  for (int64_t b = 0; b < g->d.count; b++) {
    const int order = batched_vector_length(&g->d, b);
    g->info[b] = order > 0 ? NAME(stedc_one)(g, b, order, &c, w, row) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
