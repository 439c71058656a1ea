/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.ref of lrcompress and lrround: the SVD of the dense matrix, cut off.
 */

/* The first r columns of U, and of V = (diag(s) V^H)^H. */
static void NAME(copy_columns)(const T *u, const T *vt, int m, int n, int q, int r, batched_matrix cu,
                               batched_matrix cv, int64_t b)
{
  T *to_u = batched_at(&cu, b), *to_v = batched_at(&cv, b);
  for (int j = 0; j < r; j++) {
    for (int i = 0; i < m; i++) to_u[i + (int64_t)j * batched_ld(&cu, b)] = u[i + (int64_t)j * m];
    for (int i = 0; i < n; i++) to_v[i + (int64_t)j * batched_ld(&cv, b)] = CONJ(vt[j + (int64_t)i * q]);
  }
}

static int NAME(store)(batched_ctx *ctx, T *x, int m, int n, batched_matrix cu, batched_matrix cv, int64_t b,
                       int *ranks, batched_truncation t, int *info)
{
  const int q = batched_min(m, n);
  ranks[b] = info[b] = 0;
  if (q == 0) return BATCHED_SUCCESS;
  R *s = batched_scratch_push(ctx, (size_t)q * sizeof(R));
  T *u = batched_scratch_push(ctx, (size_t)m * q * sizeof(T)),
    *vt = batched_scratch_push(ctx, (size_t)q * n * sizeof(T));
  int status = s && u && vt ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  if (!status) {
    const batched_matrix values = batched_strided(s, q, 1, q, q, 1);
    const batched_matrix right = batched_strided(vt, q, n, q, (int64_t)q * n, 1);
    const batched_gesvd_args svd = {BATCHED_VECTORS, batched_strided(x, m, n, m, (int64_t)m * n, 1),
                                    values,          batched_strided(u, m, q, m, (int64_t)m * q, 1),
                                    right,           info + b};
    const batched_truncate_args rest = {values, right, cu.n, t, ranks + b, info + b};
    status = batched_find_variant(&batched_gesvd_op, BATCHED_HOST, "host.ref")->run(ctx, &svd);
    if (!status) status = batched_find_variant(&batched_truncate_op, BATCHED_HOST, "host.ref")->run(ctx, &rest);
  }
  if (!status) NAME(copy_columns)(u, vt, m, n, q, ranks[b], cu, cv, b);
  if (vt) batched_scratch_pop(ctx);
  if (u) batched_scratch_pop(ctx);
  if (s) batched_scratch_pop(ctx);
  return status;
}

/* x (ld m) = matrix b of U V^H, or of U. */
static void NAME(expand)(batched_matrix u, batched_matrix v, int64_t b, int m, int n, T *x)
{
  const T *pu = batched_at(&u, b), *pv = batched_at(&v, b);
  const int64_t ldu = batched_ld(&u, b), ldv = batched_ld(&v, b);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T sum = 0;
      if (lowrank_is_no_factor(&v))
        sum = pu[i + j * ldu];
      else
        for (int l = 0; l < batched_cols(&u, b); l++) sum += pu[i + l * ldu] * CONJ(pv[j + l * ldv]);
      x[i + (int64_t)j * m] = sum;
    }
}

static int NAME(ref)(batched_ctx *ctx, batched_matrix u, batched_matrix v, batched_matrix cu, batched_matrix cv,
                     int *ranks, batched_truncation t, int *info)
{
  T *x = batched_scratch_push(ctx, (size_t)cu.m * cv.m * sizeof(T));
  int status = x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < cu.count && !status; b++) {
    const int m = batched_rows(&cu, b), n = batched_rows(&cv, b);
    NAME(expand)(u, v, b, m, n, x);
    status = NAME(store)(ctx, x, m, n, cu, cv, b, ranks, t, info);
  }
  if (x) batched_scratch_pop(ctx);
  return status;
}
