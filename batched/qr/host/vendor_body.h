/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of geqrf, geqp3, unmqr, ungqr, gelqf, unmlq, unglq and gels: LAPACK, matrix by matrix.
 */

#if IS_COMPLEX
#define UNMQR unmqr
#define UNGQR ungqr
#define UNMLQ unmlq
#define UNGLQ unglq
#define ADJOINT 'C'
#else
#define UNMQR ormqr
#define UNGQR orgqr
#define UNMLQ ormlq
#define UNGLQ orglq
#define ADJOINT 'T'
#endif
/* Through another level, for the names to be replaced. */
#define CALL(f) LAPACK(f)

static void NAME(copy_tau)(int k, const T *from, int64_t from_step, T *to, int64_t to_step)
{
  for (int i = 0; i < k; i++) to[i * to_step] = from[i * from_step];
}

/* Workspace for tau, and for blocks of 64 columns; ormqr keeps a triangle of 65 x 64 there. */
static T *NAME(qr_workspace)(batched_ctx *ctx, int most, int *lwork)
{
  *lwork = 64 * most + 65 * 64 + 64;
  return batched_scratch_push(ctx, ((size_t)*lwork + (size_t)most) * sizeof(T));
}

static int NAME(geqrf)(batched_ctx *ctx, const batched_geqrf_args *g)
{
  int lwork;
  T *const work = NAME(qr_workspace)(ctx, g->a.n, &lwork), *const tau = work ? work + lwork : NULL;
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    if (m == 0 || n == 0) continue;
    CALL(geqrf)(LAPACK_COL_MAJOR, m, n, batched_at(&g->a, b), batched_ld(&g->a, b), tau, work, lwork);
    NAME(copy_tau)(batched_min(m, n), tau, 1, batched_at(&g->tau, b), batched_increment(&g->tau, b));
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

/* LAPACK writes into the reflectors and puts back what was there, so it gets a copy: they may be other matrices',
 * too. */
static int NAME(unmqr)(batched_ctx *ctx, const batched_unmqr_args *u)
{
  const int others = u->side == BATCHED_LEFT ? u->c.n : u->c.m;
  int lwork;
  T *const work = NAME(qr_workspace)(ctx, batched_max(others, u->a.n), &lwork), *const tau = work ? work + lwork : NULL;
  T *const v = work ? batched_scratch_push(ctx, (size_t)u->a.m * (size_t)u->a.n * sizeof(T)) : NULL;
  if (work && !v) batched_scratch_pop(ctx);
  if (!v) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->c, b), n = batched_cols(&u->c, b), k = batched_cols(&u->a, b);
    const int order = u->side == BATCHED_LEFT ? m : n;
    const T *const a = batched_at(&u->a, b);
    if (m == 0 || n == 0 || k == 0) continue;
    NAME(copy_tau)(k, batched_at(&u->tau, b), batched_increment(&u->tau, b), tau, 1);
    for (int j = 0; j < k; j++)
      for (int i = 0; i < order; i++) v[i + (int64_t)j * order] = a[i + (int64_t)j * batched_ld(&u->a, b)];
    CALL(UNMQR)
    (LAPACK_COL_MAJOR, u->side == BATCHED_LEFT ? 'L' : 'R', u->trans == BATCHED_NO_TRANS ? 'N' : ADJOINT, m, n, k, v,
     order, tau, batched_at(&u->c, b), batched_ld(&u->c, b), work, lwork);
  }
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(ungqr)(batched_ctx *ctx, const batched_ungqr_args *g)
{
  int lwork;
  T *const work = NAME(qr_workspace)(ctx, g->a.n, &lwork), *const tau = work ? work + lwork : NULL;
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    const int k = batched_vector_length(&g->tau, b);
    if (n == 0) continue;
    NAME(copy_tau)(k, batched_at(&g->tau, b), batched_increment(&g->tau, b), tau, 1);
    CALL(UNGQR)(LAPACK_COL_MAJOR, m, n, k, batched_at(&g->a, b), batched_ld(&g->a, b), tau, work, lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static void NAME(copy_matrix)(int m, int n, const T *from, int64_t from_ld, T *to, int64_t to_ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) to[i + j * to_ld] = from[i + j * from_ld];
}

/* Workspace for rows of reflectors, and for a copy of the matrix that has some elements behind it. */
static T *NAME(lq_workspace)(batched_ctx *ctx, const batched_matrix *a, int most, int *lwork, T **copy)
{
  T *const work = NAME(qr_workspace)(ctx, most, lwork);
  *copy = NULL;
  if (!work) return NULL;
  *copy = batched_scratch_push(ctx, ((size_t)a->m * (size_t)a->n + BATCHED_VENDOR_READS_BEYOND) * sizeof(T));
  if (!*copy) batched_scratch_pop(ctx);
  return *copy ? work : NULL;
}

/* 2 n numbers of norms stand in the workspace of real types, and behind it in complex ones. */
static int NAME(geqp3)(batched_ctx *ctx, const batched_geqp3_args *g)
{
  const int n_most = batched_max(g->a.n, 1);
  int lwork;
  T *copy, *const work = NAME(lq_workspace)(ctx, &g->a, 2 * n_most, &lwork, &copy),
                  *const tau = work ? work + lwork : NULL;
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    int *const jpvt = g->jpvt + b * g->a.n;
    for (int j = 0; j < n; j++) jpvt[j] = m > 0 ? 0 : j + 1; /* 0: free to go anywhere */
    if (m == 0 || n == 0) continue;
    NAME(copy_matrix)(m, n, batched_at(&g->a, b), batched_ld(&g->a, b), copy, m);
#if IS_COMPLEX
    CALL(geqp3)(LAPACK_COL_MAJOR, m, n, copy, m, jpvt, tau, work, lwork, (R *)(tau + n));
#else
    CALL(geqp3)(LAPACK_COL_MAJOR, m, n, copy, m, jpvt, tau, work, lwork);
#endif
    NAME(copy_matrix)(m, n, copy, m, batched_at(&g->a, b), batched_ld(&g->a, b));
    NAME(copy_tau)(batched_min(m, n), tau, 1, batched_at(&g->tau, b), batched_increment(&g->tau, b));
  }
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(gelqf)(batched_ctx *ctx, const batched_gelqf_args *g)
{
  int lwork;
  T *copy, *const work = NAME(lq_workspace)(ctx, &g->a, g->a.m, &lwork, &copy), *const tau = work ? work + lwork : NULL;
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    if (m == 0 || n == 0) continue;
    NAME(copy_matrix)(m, n, batched_at(&g->a, b), batched_ld(&g->a, b), copy, m);
    CALL(gelqf)(LAPACK_COL_MAJOR, m, n, copy, m, tau, work, lwork);
    NAME(copy_matrix)(m, n, copy, m, batched_at(&g->a, b), batched_ld(&g->a, b));
    NAME(copy_tau)(batched_min(m, n), tau, 1, batched_at(&g->tau, b), batched_increment(&g->tau, b));
  }
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(unmlq)(batched_ctx *ctx, const batched_unmlq_args *u)
{
  const int others = u->side == BATCHED_LEFT ? u->c.n : u->c.m;
  int lwork;
  T *v, *const work = NAME(lq_workspace)(ctx, &u->a, batched_max(others, u->a.m), &lwork, &v);
  T *const tau = work ? work + lwork : NULL;
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->c, b), n = batched_cols(&u->c, b), k = batched_rows(&u->a, b);
    if (m == 0 || n == 0 || k == 0) continue;
    NAME(copy_tau)(k, batched_at(&u->tau, b), batched_increment(&u->tau, b), tau, 1);
    NAME(copy_matrix)(k, batched_cols(&u->a, b), batched_at(&u->a, b), batched_ld(&u->a, b), v, k);
    CALL(UNMLQ)
    (LAPACK_COL_MAJOR, u->side == BATCHED_LEFT ? 'L' : 'R', u->trans == BATCHED_NO_TRANS ? 'N' : ADJOINT, m, n, k, v, k,
     tau, batched_at(&u->c, b), batched_ld(&u->c, b), work, lwork);
  }
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(unglq)(batched_ctx *ctx, const batched_unglq_args *g)
{
  int lwork;
  T *copy, *const work = NAME(lq_workspace)(ctx, &g->a, g->a.m, &lwork, &copy), *const tau = work ? work + lwork : NULL;
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    const int k = batched_vector_length(&g->tau, b);
    if (m == 0) continue;
    NAME(copy_tau)(k, batched_at(&g->tau, b), batched_increment(&g->tau, b), tau, 1);
    NAME(copy_matrix)(m, n, batched_at(&g->a, b), batched_ld(&g->a, b), copy, m);
    CALL(UNGLQ)(LAPACK_COL_MAJOR, m, n, k, copy, m, tau, work, lwork);
    NAME(copy_matrix)(m, n, copy, m, batched_at(&g->a, b), batched_ld(&g->a, b));
  }
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(gels)(batched_ctx *ctx, const batched_gels_args *g)
{
  int lwork;
  T *const work = NAME(qr_workspace)(ctx, batched_max(batched_max(g->a.m, g->a.n), g->b.n), &lwork);
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), nrhs = batched_cols(&g->b, b);
    const int64_t ldb = batched_ld(&g->b, b);
    T *const x = batched_at(&g->b, b);
    const bool over = (m >= n) == (g->trans == BATCHED_NO_TRANS);
    g->info[b] = 0;
    if (m > 0 && n > 0) {
      /* without right-hand sides xGELS does not factor: it gets one, of zeros */
      T *const zeros = work + lwork;
      for (int i = 0; nrhs == 0 && i < batched_max(m, n); i++) zeros[i] = 0;
      g->info[b] = (int)CALL(gels)(LAPACK_COL_MAJOR, g->trans == BATCHED_NO_TRANS ? 'N' : ADJOINT, m, n,
                                   batched_max(nrhs, 1), batched_at(&g->a, b), batched_ld(&g->a, b), nrhs ? x : zeros,
                                   nrhs ? (int)ldb : batched_max(m, n), work, lwork);
    } else
      for (int j = 0; !over && j < nrhs; j++)
        for (int i = 0; i < batched_max(m, n); i++) x[i + j * ldb] = 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
#undef UNMQR
#undef UNGQR
#undef UNMLQ
#undef UNGLQ
#undef ADJOINT
#undef CALL
