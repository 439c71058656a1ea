/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values and vectors of a bidiagonal matrix by divide and conquer (Gu, Eisenstat, "A divide-and-conquer
 * algorithm for the bidiagonal SVD", SIAM J. Matrix Anal. Appl. 16, 1995), as LAPACK's bdsdc.
 *
 * A part is rows and columns begin .. end - 1 of the upper bidiagonal B, with the last row, which couples it to what
 * follows, put to zero where something follows: then its last value is 0, with the unit vector of that row on the left.
 * With that row (alpha in the first part, beta in the second) two parts are U (diag(d) + e_root z^T) V^T, where d_root
 * = 0 is the first part's last value and z = alpha times V's last row of the first, beta times the first one of the
 * second.
 */
#include "batched/tridiagonal/host/qr_ref.h"
#include "batched/tridiagonal/host/conquest_ref.h"

/* Near it is the largest number of a matrix after scaling: squares of what is left of it in s are normal numbers. */
static const R NAME(UNIT) = sizeof(R) == 4 ? 0x1p20f : 1;

/* z's parts of the columns of value 0 at `root` and `last` go to the first of them. */
static void NAME(join_null_columns)(NAME(conquest) * c, int n, int root, R *v, R tol)
{
  const int last = n - 1;
  R cosine, sine, length;
  NAME(make_rotation)(c->z[root], c->z[last], &cosine, &sine, &length);
  if (__builtin_fabs(length) > tol)
    NAME(rotate_real)(n, v + (int64_t)root * c->n, v + (int64_t)last * c->n, cosine, sine);
  c->halves[root] |= c->halves[last];
  c->z[root] = length;
  c->z[last] = 0;
}

static void NAME(merge_bidiagonal)(NAME(conquest) * c, int n1, int n, bool followed, R *d, R *v, R *u, R alpha, R beta)
{
  const int root = n1 - 1, many = followed ? n - 1 : n;
  if (alpha == 0 && beta == 0) {
    NAME(sort_columns)(c, n, many, d, v, u);
    return;
  }
  for (int j = 0; j < n; j++) c->z[j] = j < n1 ? alpha * v[root + (int64_t)j * c->n] : beta * v[n1 + (int64_t)j * c->n];
  const R tol = 4 * EPS * (R)__builtin_fmax(NAME(UNIT), NAME(largest_part)(n, d)); /* of the whole matrix */
  for (int j = 0; j < n; j++) c->halves[j] = j < n1 ? NAME(TOP) : NAME(BOTTOM);
  if (followed) NAME(join_null_columns)(c, n, root, v, tol);
  if (__builtin_fabs(c->z[root]) <= tol) c->z[root] = tol;
  c->kept[0] = root;
  const int live = NAME(merge_runs)(root, n1, many, d, c->order);
  const int k = NAME(deflate)(c, 1, live, n, d, v, u, 1, tol);
  NAME(take_poles)(c, k, d);
  if (k > 1 && c->poles[1] < tol / 2) c->poles[1] = tol / 2;
  NAME(solve_secular)(c, k, 1, true);
  NAME(multiply_kept)(c, n1, n, k, v, c->s);
  NAME(multiply_kept)(c, n1, n, k, u, c->w);
  for (int j = 0; j < k; j++) d[c->kept[j]] = c->values[j];
  NAME(sort_columns)(c, n, many, d, v, u);
}

/* A leaf by QR.  Where something follows, rotations from the right put the last column to zero first, so that the leaf
 * without its last row and column, lower bidiagonal, is left. */
static bool NAME(solve_leaf)(NAME(conquest) * c, int n, bool followed, R *d, R *e, R *v, R *u)
{
  T right[NAME(LEAF) * NAME(LEAF)] = {0}, left[NAME(LEAF) * NAME(LEAF)] = {0};
  for (int i = 0; i < n; i++) right[i + i * n] = left[i + i * n] = 1;
  NAME(qr_state) s = {.n = n, .d = d, .e = e, .cols_vt = n, .rows_u = n, .vt = right, .u = left, .ldvt = n, .ldu = n};
  if (followed) {
    d[n - 1] = 0;
    for (int i = 0; i < n - 1; i++) {
      R cosine, sine, r;
      NAME(make_rotation)(d[i], e[i], &cosine, &sine, &r);
      d[i] = r;
      e[i] = sine * d[i + 1];
      d[i + 1] = cosine * d[i + 1];
      NAME(rotate_right)(&s, i, i + 1, cosine, sine);
    }
    s.n = n - 1;
  }
  if (s.n > 0 && NAME(solve_bidiagonal)(&s, followed) > 0) return false;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      v[i + (int64_t)j * c->n] = REAL(right[j + i * n]);
      u[i + (int64_t)j * c->n] = REAL(left[i + j * n]);
    }
  NAME(sort_columns)(c, n, s.n, d, v, u);
  return true;
}

/* The singular values of a part of order n, ascending but for the zero of one that something follows, and the vectors
 * into the diagonal blocks of v and u; false if a leaf failed. */
static bool NAME(conquer_bidiagonal)(NAME(conquest) * c, int n, bool followed, R *d, R *e, R *v, R *u)
{
  if (n <= NAME(LEAF)) return NAME(solve_leaf)(c, n, followed, d, e, v, u);
  const int n1 = n / 2;
  const R alpha = d[n1 - 1], beta = e[n1 - 1];
  const int64_t second = n1 + (int64_t)n1 * c->n;
  if (!NAME(conquer_bidiagonal)(c, n1, true, d, e, v, u) ||
      !NAME(conquer_bidiagonal)(c, n - n1, followed, d + n1, e + n1, v + second, u + second))
    return false;
  NAME(merge_bidiagonal)(c, n1, n, followed, d, v, u, alpha, beta);
  e[n1 - 1] = 0;
  return true;
}

/* x = the vectors in descending order, in columns, or in rows of the transpose. */
static void NAME(store_vectors)(int n, const R *v, bool in_rows, T *x, int64_t ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const int64_t to = n - 1 - j;
      x[in_rows ? to + i * ld : i + to * ld] = v[i + (int64_t)j * n];
    }
}

static int NAME(bdsdc_one)(const batched_bdsdc_args *g, int64_t b, int n, NAME(conquest) * c, R *w)
{
  R *d = batched_at(&g->d, b), *e = batched_at(&g->e, b);
  const int64_t incd = batched_increment(&g->d, b), ince = n > 1 ? batched_increment(&g->e, b) : 1;
  T *const u = batched_is_absent(&g->u) ? NULL : batched_at(&g->u, b);
  T *const vt = batched_is_absent(&g->vt) ? NULL : batched_at(&g->vt, b);
  const int64_t ldu = u ? batched_ld(&g->u, b) : 1, ldvt = vt ? batched_ld(&g->vt, b) : 1;
  const R scale = NAME(scale_of)(n, d, incd, e, ince);
  if (scale == 0) {
    NAME(fill_vector)(n, d, incd, (R)__builtin_nan(""));
    NAME(fill_vector)(n - 1, e, ince, (R)__builtin_nan(""));
    if (u) NAME(fill_with)(n, n, u, ldu, NAME(nan)());
    if (vt) NAME(fill_with)(n, n, vt, ldvt, NAME(nan)());
    return n;
  }
  c->n = n;
  for (int i = 0; i < n; i++) w[i] = scale * d[i * incd];
  for (int i = 0; i < n - 1; i++) w[n + i] = scale * e[i * ince];
  const R more = NAME(UNIT) * NAME(scale_of)(n, w, 1, w + n, 1); /* denormal numbers are not near 1 yet */
  for (int i = 0; i < 2 * n - 1; i++) w[i] *= more;
  for (int64_t i = 0; i < (int64_t)n * n; i++) c->v[i] = c->u[i] = 0;
  const bool good = NAME(conquer_bidiagonal)(c, n, false, w, w + n, c->v, c->u);
  int info = 0;
  if (c->status) return n;
  for (int i = 0; i < n; i++) d[i * incd] = w[n - 1 - i] / more / scale;
  for (int i = 0; i < n - 1; i++) {
    e[i * ince] = good ? 0 : w[n + i] / more / scale;
    info += e[i * ince] != 0;
  }
  /* A lower bidiagonal matrix is the transpose of what was taken. */
  const bool lower = g->uplo == BATCHED_LOWER;
  if (u) NAME(store_vectors)(n, lower ? c->v : c->u, false, u, ldu);
  if (vt) NAME(store_vectors)(n, lower ? c->u : c->v, true, vt, ldvt);
  return info;
}

/* Products by gemm: `composed`; else in plain loops. */
static int NAME(bdsdc)(batched_ctx *ctx, const batched_bdsdc_args *g, bool composed)
{
  const size_t n = (size_t)batched_vector_bound(&g->d), shared = (NAME(conquest_bytes)(n, true) + 15) / 16 * 16;
  char *const memory = batched_scratch_push(ctx, shared + (2 * n + 1) * sizeof(R));
  if (!memory) return BATCHED_NO_MEMORY;
  NAME(conquest) c = NAME(lay_out_conquest)(composed ? ctx : NULL, n, true, (void *)memory);
  for (int64_t b = 0; b < g->d.count && c.status == 0; b++) {
    const int order = batched_vector_length(&g->d, b);
    g->info[b] = order > 0 ? NAME(bdsdc_one)(g, b, order, &c, (void *)(memory + shared)) : 0;
  }
  batched_scratch_pop(ctx);
  return c.status;
}
