/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvectors of a symmetric tridiagonal matrix by divide and conquer (Cuppen, Numer. Math. 36, 1981), with vectors
 * from recomputed z (Gu, Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995), as LAPACK's stedc.
 */
#include "batched/tridiagonal/host/ql_ref.h"
#include "batched/tridiagonal/host/conquest_ref.h"

/* diag(d) + rho z z^T in the basis v, with z = the last row of the first part and the first one of the second. */
static void NAME(merge)(NAME(conquest) * c, int n1, int n, R *d, R *v, R rho)
{
  const R half = SQRT((R)0.5);
  for (int j = 0; j < n; j++)
    c->z[j] = half * (j < n1 ? v[n1 - 1 + (int64_t)j * c->n] : (rho < 0 ? -1 : 1) * v[n1 + (int64_t)j * c->n]);
  rho = 2 * (R)__builtin_fabs(rho);
  const R largest = NAME(largest_part)(n, d), part = NAME(largest_part)(n, c->z);
  const R tol = 4 * EPS * (largest > part ? largest : part);
  const int many = NAME(merge_runs)(n1, n1, n, d, c->order);
  for (int j = 0; j < n; j++) c->halves[j] = j < n1 ? NAME(TOP) : NAME(BOTTOM);
  const int k = rho * part <= tol ? 0 : NAME(deflate)(c, 0, many, n, d, v, NULL, rho, tol);
  NAME(take_poles)(c, k, d);
  NAME(solve_secular)(c, k, rho, false);
  NAME(multiply_kept)(c, n1, n, k, v, c->s);
  for (int j = 0; j < k; j++) d[c->kept[j]] = c->values[j];
  NAME(sort_columns)(c, n, n, d, v, NULL);
}

/* The eigenvalues of a part of order n, and its vectors into the diagonal block of v; false if a leaf failed. */
static bool NAME(conquer)(NAME(conquest) * c, int n, R *d, R *e, R *v)
{
  if (n <= NAME(LEAF)) {
    for (int i = 0; i < n; i++) v[i + (int64_t)i * c->n] = 1;
    if (!NAME(diagonalise)(n, d, e, n, v, c->n)) return false;
    NAME(sort_columns)(c, n, n, d, v, NULL);
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

/* z = z v, of at most n rows of real numbers at a time, which complex ones are two of. */
static void NAME(multiply_rows)(NAME(conquest) * c, int rows, R *z, int64_t ld)
{
  const int n = c->n;
  for (int first = 0; first < rows; first += n) {
    const int some = batched_min(n, rows - first);
    R *const part = z + first;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < some; i++) c->s[i + (int64_t)j * some] = part[i + j * ld];
    NAME(multiply_block)(c, some, n, n, c->s, c->v, c->t);
    for (int j = 0; c->status == 0 && j < n; j++)
      for (int i = 0; i < some; i++) part[i + j * ld] = c->t[i + (int64_t)j * some];
  }
}

static void NAME(store_eigenvectors)(bool multiply, NAME(conquest) * c, int rows, T *z, int64_t ld, T *row)
{
  const int n = c->n, parts = sizeof(T) / sizeof(R);
  for (int j = 0; !multiply && j < n; j++)
    for (int i = 0; i < n; i++) z[i + j * ld] = c->v[i + (int64_t)j * n];
  if (multiply && c->ctx) NAME(multiply_rows)(c, parts * rows, (R *)z, parts * ld);
  for (int i = 0; multiply && !c->ctx && i < rows; i++) NAME(multiply_row)(n, c->v, z + i, ld, row);
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
  if (c->status) return n;
  for (int i = 0; i < n; i++) d[i * incd] = w[i] / more / scale;
  for (int i = 0; i < n - 1; i++) {
    e[i * ince] = w[n + i] / more / scale;
    info += !good && e[i * ince] != 0;
  }
  if (z) NAME(store_eigenvectors)(g->job == BATCHED_MULTIPLY, c, rows, z, ld, row);
  return info;
}

/* Products by gemm: `composed`; else in plain loops. */
static int NAME(stedc)(batched_ctx *ctx, const batched_stedc_args *g, bool composed)
{
  const size_t n = (size_t)batched_vector_bound(&g->d), shared = (NAME(conquest_bytes)(n, false) + 15) / 16 * 16;
  char *const memory = batched_scratch_push(ctx, shared + n * sizeof(T) + (2 * n + 1) * sizeof(R));
  if (!memory) return BATCHED_NO_MEMORY;
  NAME(conquest) c = NAME(lay_out_conquest)(composed ? ctx : NULL, n, false, (void *)memory);
  T *const row = (void *)(memory + shared);
  for (int64_t b = 0; b < g->d.count && c.status == 0; b++) {
    const int order = batched_vector_length(&g->d, b);
    g->info[b] = order > 0 ? NAME(stedc_one)(g, b, order, &c, (R *)(row + n), row) : 0;
  }
  batched_scratch_pop(ctx);
  return c.status;
}
