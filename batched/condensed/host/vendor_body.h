/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of the reductions gebrd, hetrd and gehrd, and of the operations on their Q and P: LAPACK, matrix
 * by matrix.
 */

#if IS_COMPLEX
#define CALL_Q(f) CALL(un##f)
#define CALL_T(f) CALL(he##f)
#define ADJOINT 'C'
#else
#define CALL_Q(f) CALL(or ##f)
#define CALL_T(f) CALL(sy##f)
#define ADJOINT 'T'
#endif
/* Through another level, for the names to be replaced. */
#define CALL(f) LAPACK(f)

static void NAME(copy_vector)(int n, const T *from, int64_t from_step, T *to, int64_t to_step)
{
  for (int i = 0; i < n; i++) to[i * to_step] = from[i * from_step];
}

static void NAME(copy_matrix)(int m, int n, const T *from, int64_t from_ld, T *to, int64_t to_ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) to[i + j * to_ld] = from[i + j * from_ld];
}

static void NAME(store_reals)(int n, const R *from, R *to, int64_t step)
{
  for (int i = 0; i < n; i++) to[i * step] = from[i];
}

/* Memory for LAPACK: its workspace, vectors without increments, and a copy of a matrix: of one that is reduced,
 * for there to be elements behind it, and of reflectors, which it writes into and puts back, although other matrices
 * may read them. */
typedef struct NAME(room) {
  int lwork;
  T *work, *tau, *tau2, *v;
  R *d, *e;
} NAME(room);

/* Behind a copied matrix there are two more columns: OpenBLAS 0.3.21's zgemv reads into them on AVX2. */
static bool NAME(take_room)(batched_ctx *ctx, int m, int n, int64_t copied, NAME(room) * r)
{
  const size_t sides = (size_t)m + (size_t)n, work = 64 * sides + 65 * 64 + 64;
  r->lwork = (int)work;
  const size_t beyond = 2 * sides + BATCHED_VENDOR_READS_BEYOND;
  r->work = batched_scratch_push(ctx, (work + 4 * sides + (size_t)copied + beyond) * sizeof(T));
  if (!r->work) return false;
  r->tau = r->work + work;
  r->tau2 = r->tau + sides;
  r->d = (R *)(r->tau2 + sides);
  r->e = (R *)(r->tau2 + 2 * sides);
  r->v = r->tau2 + 3 * sides;
  return true;
}

static int NAME(gebrd)(batched_ctx *ctx, const batched_gebrd_args *g)
{
  NAME(room) r;
  if (!NAME(take_room)(ctx, g->a.m, g->a.n, (int64_t)g->a.m * g->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), k = batched_min(m, n);
    if (k == 0) continue;
    NAME(copy_matrix)(m, n, batched_at(&g->a, b), batched_ld(&g->a, b), r.v, m);
    CALL(gebrd)(LAPACK_COL_MAJOR, m, n, r.v, m, r.d, r.e, r.tau, r.tau2, r.work, r.lwork);
    NAME(copy_matrix)(m, n, r.v, m, batched_at(&g->a, b), batched_ld(&g->a, b));
    NAME(store_reals)(k, r.d, batched_at(&g->d, b), batched_increment(&g->d, b));
    NAME(store_reals)(k - 1, r.e, batched_at(&g->e, b), batched_increment(&g->e, b));
    NAME(copy_vector)(k, r.tau, 1, batched_at(&g->tauq, b), batched_increment(&g->tauq, b));
    NAME(copy_vector)(k, r.tau2, 1, batched_at(&g->taup, b), batched_increment(&g->taup, b));
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(hetrd)(batched_ctx *ctx, const batched_hetrd_args *h)
{
  NAME(room) r;
  if (!NAME(take_room)(ctx, h->a.n, h->a.n, 0, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < h->a.count; b++) {
    const int n = batched_cols(&h->a, b);
    if (n == 0) continue;
    CALL_T(trd)
    (LAPACK_COL_MAJOR, lapack_uplo(h->uplo), n, batched_at(&h->a, b), batched_ld(&h->a, b), r.d, r.e, r.tau, r.work,
     r.lwork);
    NAME(store_reals)(n, r.d, batched_at(&h->d, b), batched_increment(&h->d, b));
    NAME(store_reals)(n - 1, r.e, batched_at(&h->e, b), batched_increment(&h->e, b));
    NAME(copy_vector)(n - 1, r.tau, 1, batched_at(&h->tau, b), batched_increment(&h->tau, b));
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

/* LAPACK's ilo and ihi for a matrix of a batch: those of the call, or an empty range. */
static void NAME(range_of)(int n, int ilo, int ihi, int *lo, int *hi)
{
  const bool any = batched_range_reflectors(n, ilo, ihi) > 0;
  *lo = any ? ilo : 1;
  *hi = any ? batched_min(ihi, n) : 1;
}

static int NAME(gehrd)(batched_ctx *ctx, const batched_gehrd_args *g)
{
  NAME(room) r;
  if (!NAME(take_room)(ctx, g->a.n, g->a.n, (int64_t)g->a.n * g->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int n = batched_cols(&g->a, b);
    int lo, hi;
    if (n == 0) continue;
    NAME(range_of)(n, g->ilo, g->ihi, &lo, &hi);
    for (int i = 0; i < n; i++) r.tau[i] = 0;
    NAME(copy_matrix)(n, n, batched_at(&g->a, b), batched_ld(&g->a, b), r.v, n);
    CALL(gehrd)(LAPACK_COL_MAJOR, n, lo, hi, r.v, n, r.tau, r.work, r.lwork);
    NAME(copy_matrix)(n, n, r.v, n, batched_at(&g->a, b), batched_ld(&g->a, b));
    NAME(copy_vector)(n - 1, r.tau, 1, batched_at(&g->tau, b), batched_increment(&g->tau, b));
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(ungbr)(batched_ctx *ctx, const batched_ungbr_args *g)
{
  const bool is_q = g->which == BATCHED_Q;
  NAME(room) r;
  if (!NAME(take_room)(ctx, g->a.m, g->a.n, 0, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), k = batched_vector_length(&g->tau, b);
    const bool shifted = k == (is_q ? m : n) && (!is_q || g->k > g->a.m);
    if (m == 0 || n == 0) continue;
    NAME(copy_vector)(k, batched_at(&g->tau, b), batched_increment(&g->tau, b), r.tau, 1);
    CALL_Q(gbr)
    (LAPACK_COL_MAJOR, is_q ? 'Q' : 'P', m, n, is_q && shifted ? k + 1 : k, batched_at(&g->a, b), batched_ld(&g->a, b),
     r.tau, r.work, r.lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(ungtr)(batched_ctx *ctx, const batched_ungtr_args *g)
{
  NAME(room) r;
  if (!NAME(take_room)(ctx, g->a.n, g->a.n, 0, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int n = batched_cols(&g->a, b);
    if (n == 0) continue;
    NAME(copy_vector)(n - 1, batched_at(&g->tau, b), batched_increment(&g->tau, b), r.tau, 1);
    CALL_Q(gtr)
    (LAPACK_COL_MAJOR, lapack_uplo(g->uplo), n, batched_at(&g->a, b), batched_ld(&g->a, b), r.tau, r.work, r.lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(unghr)(batched_ctx *ctx, const batched_unghr_args *g)
{
  NAME(room) r;
  if (!NAME(take_room)(ctx, g->a.n, g->a.n, 0, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int n = batched_cols(&g->a, b);
    int lo, hi;
    if (n == 0) continue;
    NAME(range_of)(n, g->ilo, g->ihi, &lo, &hi);
    NAME(copy_vector)(n - 1, batched_at(&g->tau, b), batched_increment(&g->tau, b), r.tau, 1);
    CALL_Q(ghr)
    (LAPACK_COL_MAJOR, n, lo, hi, batched_at(&g->a, b), batched_ld(&g->a, b), r.tau, r.work, r.lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

/* A copy of the m x n reflectors and of their tau; there is nothing to do for an empty C. */
static bool NAME(copy_reflectors)(const batched_matrix *a, const batched_matrix *tau, const batched_matrix *c,
                                  int64_t b, int m, int n, int k, NAME(room) * r)
{
  const T *const from = batched_at(a, b);
  if (k == 0 || batched_rows(c, b) == 0 || batched_cols(c, b) == 0) return false;
  for (int j = 0; j < n; j++) NAME(copy_vector)(m, from + (int64_t)j * batched_ld(a, b), 1, r->v + (int64_t)j * m, 1);
  NAME(copy_vector)(k, batched_at(tau, b), batched_increment(tau, b), r->tau, 1);
  return true;
}

static int NAME(unmbr)(batched_ctx *ctx, const batched_unmbr_args *u)
{
  const bool is_q = u->which == BATCHED_Q;
  const int most = batched_max(u->a.m, u->a.n), others = u->side == BATCHED_LEFT ? u->c.n : u->c.m;
  NAME(room) r;
  if (!NAME(take_room)(ctx, most, others, (int64_t)u->a.m * u->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->a, b), n = batched_cols(&u->a, b), k = batched_min(m, n);
    if (!NAME(copy_reflectors)(&u->a, &u->tau, &u->c, b, is_q ? m : k, is_q ? k : n, k, &r)) continue;
    CALL_Q(mbr)
    (LAPACK_COL_MAJOR, is_q ? 'Q' : 'P', u->side == BATCHED_LEFT ? 'L' : 'R',
     u->trans == BATCHED_NO_TRANS ? 'N' : ADJOINT, batched_rows(&u->c, b), batched_cols(&u->c, b), is_q ? n : m, r.v,
     is_q ? m : k, r.tau, batched_at(&u->c, b), batched_ld(&u->c, b), r.work, r.lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(unmtr)(batched_ctx *ctx, const batched_unmtr_args *u)
{
  const int others = u->side == BATCHED_LEFT ? u->c.n : u->c.m;
  NAME(room) r;
  if (!NAME(take_room)(ctx, u->a.n, others, (int64_t)u->a.n * u->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int n = batched_cols(&u->a, b);
    if (!NAME(copy_reflectors)(&u->a, &u->tau, &u->c, b, n, n, batched_max(n - 1, 0), &r)) continue;
    CALL_Q(mtr)
    (LAPACK_COL_MAJOR, u->side == BATCHED_LEFT ? 'L' : 'R', lapack_uplo(u->uplo),
     u->trans == BATCHED_NO_TRANS ? 'N' : ADJOINT, batched_rows(&u->c, b), batched_cols(&u->c, b), r.v, n, r.tau,
     batched_at(&u->c, b), batched_ld(&u->c, b), r.work, r.lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(unmhr)(batched_ctx *ctx, const batched_unmhr_args *u)
{
  const int others = u->side == BATCHED_LEFT ? u->c.n : u->c.m;
  NAME(room) r;
  if (!NAME(take_room)(ctx, u->a.n, others, (int64_t)u->a.n * u->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int n = batched_cols(&u->a, b);
    int lo, hi;
    NAME(range_of)(n, u->ilo, u->ihi, &lo, &hi);
    if (lo == hi || !NAME(copy_reflectors)(&u->a, &u->tau, &u->c, b, n, n, n - 1, &r)) continue;
    CALL_Q(mhr)
    (LAPACK_COL_MAJOR, u->side == BATCHED_LEFT ? 'L' : 'R', u->trans == BATCHED_NO_TRANS ? 'N' : ADJOINT,
     batched_rows(&u->c, b), batched_cols(&u->c, b), lo, hi, r.v, n, r.tau, batched_at(&u->c, b), batched_ld(&u->c, b),
     r.work, r.lwork);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
#undef CALL_Q
#undef CALL_T
#undef ADJOINT
#undef CALL
