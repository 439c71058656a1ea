/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tile low-rank matrix times a few vectors, and triangular solves with the factor that potrf leaves: a tile row times
 * what stands beside it is V_ij^H X_j, stacked over j, and then one product with [U_i0 U_i1 ...].
 */
#include "batched/tlr/check_tlr.h"

static const batched_scalar one = {1, 0}, zero = {0, 0}, minus_one = {-1, 0};

/* X and Y, each one dense matrix, with the matrix between them. */
typedef struct product {
  const batched_tlr *a;
  batched_matrix x, y;
  void *stacks; /* memory for the stacks of all rows */
} product;

static void *block_of(const batched_matrix *x, const batched_tlr *a, int i)
{
  return lowrank_at(x->type, batched_at(x, 0), (int64_t)i * a->tile, 0, batched_ld(x, 0));
}

/* The stack of row i, as high as the panel has columns. */
static void *stack_of(const product *p, int i)
{
  int64_t before = 0;
  for (int k = 0; k < i; k++) before += p->a->rows[k].columns;
  return lowrank_at(p->x.type, p->stacks, before * p->x.n, 0, 0);
}

static int64_t all_columns(const batched_tlr *a)
{
  int64_t sum = 0;
  for (int i = 0; i < a->mt; i++) sum += a->rows[i].columns;
  return sum;
}

static bool is_lowrank(const batched_tlr *a, int i, int j)
{
  return lowrank_is_stored(a, i, j) && a->ranks[lowrank_place(a, i, j)] > 0;
}

static bool is_dense(const batched_tlr *a, int i, int j)
{
  return lowrank_is_stored(a, i, j) && a->ranks[lowrank_place(a, i, j)] < 0;
}

/* Tiles [j0, j1) of rows [i0, i1): Y_i += alpha A_ij X_j, by low-rank tiles and by dense ones, these one of a row at a
 * time. */
static void add_rows(lowrank_work *w, const product *p, int i0, int i1, int j0, int j1, batched_scalar alpha)
{
  const batched_tlr *a = p->a;
  const int n = p->x.n, ldx = p->x.ld, ldy = p->y.ld;
  lowrank_products t;
  lowrank_products_create(w, &t, a->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, (int64_t)(i1 - i0) * (j1 - j0));
  for (int i = i0; i < i1; i++)
    for (int j = j0; j < j1; j++) {
      if (!is_lowrank(a, i, j)) continue;
      const lowrank_tile v = lowrank_tile_of(a, i, j);
      void *to = lowrank_at(a->type, stack_of(p, i), a->starts[lowrank_place(a, i, j)], 0, 0);
      lowrank_products_add(&t, v.rank, n, v.n, v.v, v.ldv, block_of(&p->x, a, j), ldx, to, a->rows[i].columns);
    }
  lowrank_products_run(w, &t, one, zero);
  t.transa = BATCHED_NO_TRANS;
  for (int i = i0; i < i1; i++) {
    int first = -1, end = 0;
    for (int j = j0; j < j1; j++) {
      if (!is_lowrank(a, i, j)) continue;
      if (first < 0) first = a->starts[lowrank_place(a, i, j)];
      end = a->starts[lowrank_place(a, i, j)] + a->ranks[lowrank_place(a, i, j)];
    }
    const int m = lowrank_tile_rows(a, i);
    if (end > 0)
      lowrank_products_add(&t, m, n, end - first, lowrank_at(a->type, a->rows[i].u, 0, first, m), m,
                           lowrank_at(a->type, stack_of(p, i), first, 0, 0), a->rows[i].columns, block_of(&p->y, a, i),
                           ldy);
  }
  lowrank_products_run(w, &t, alpha, one);
  for (int j = j0; j < j1; j++) {
    for (int i = i0; i < i1; i++) {
      if (!is_dense(a, i, j)) continue;
      const lowrank_tile d = lowrank_tile_of(a, i, j);
      lowrank_products_add(&t, d.m, n, d.n, d.d, d.ldd, block_of(&p->x, a, j), ldx, block_of(&p->y, a, i), ldy);
    }
    lowrank_products_run(w, &t, alpha, one);
  }
  lowrank_products_destroy(&t);
}

/* Tiles [0, end) of row i, transposed: Y_j += alpha A_ij^H X_i. */
static void add_transposed(lowrank_work *w, const product *p, int i, int end, batched_scalar alpha)
{
  const batched_tlr *a = p->a;
  const int n = p->x.n, ldx = p->x.ld, ldy = p->y.ld, m = lowrank_tile_rows(a, i), columns = a->rows[i].columns;
  lowrank_products t, d;
  lowrank_products_create(w, &t, a->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, end + 1);
  lowrank_products_create(w, &d, a->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, end + 1);
  if (columns > 0)
    lowrank_products_add(&t, columns, n, m, a->rows[i].u, m, block_of(&p->x, a, i), ldx, stack_of(p, i), columns);
  lowrank_products_run(w, &t, one, zero);
  t.transa = BATCHED_NO_TRANS;
  for (int j = 0; j < end; j++) {
    const lowrank_tile v = lowrank_tile_of(a, i, j);
    if (v.rank > 0)
      lowrank_products_add(&t, v.n, n, v.rank, v.v, v.ldv,
                           lowrank_at(a->type, stack_of(p, i), a->starts[lowrank_place(a, i, j)], 0, 0), columns,
                           block_of(&p->y, a, j), ldy);
    else if (v.rank < 0)
      lowrank_products_add(&d, v.n, n, v.m, v.d, v.ldd, block_of(&p->x, a, i), ldx, block_of(&p->y, a, j), ldy);
  }
  lowrank_products_run(w, &t, alpha, one);
  lowrank_products_run(w, &d, alpha, one);
  lowrank_products_destroy(&t);
  lowrank_products_destroy(&d);
}

int batched_tlr_multiply(batched_ctx *ctx, batched_trans trans, batched_scalar alpha, const batched_tlr *a,
                         batched_matrix x, batched_scalar beta, batched_matrix y)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_here(ctx, a, "a")) return -4;
  if (!batched_is_q_trans(trans, a->type)) return -2;
  const bool transposed = trans != BATCHED_NO_TRANS && a->shape == BATCHED_TLR_GENERAL;
  if (!lowrank_tlr_is_dense(ctx, &x, a->type, transposed ? a->m : a->n, -1)) return -5;
  if (!lowrank_tlr_is_dense(ctx, &y, a->type, transposed ? a->n : a->m, x.n)) return -7;
  if (y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  lowrank_work w = {.ctx = ctx};
  product p = {a, x, y, NULL};
  LOWRANK_DO(&w, batched_scal(ctx, beta, y));
  if (batched_is_zero(a->type, alpha) || x.m == 0) return lowrank_end(&w);
  p.stacks = lowrank_push(&w, (size_t)(all_columns(a) * x.n) * batched_element_bytes(a->type));
  if (!transposed) add_rows(&w, &p, 0, a->mt, 0, a->nt, alpha);
  for (int i = 0; i < a->mt && (transposed || a->shape == BATCHED_TLR_HERMITIAN); i++)
    add_transposed(&w, &p, i, transposed ? a->nt : i, alpha);
  return lowrank_end(&w);
}

/* B_i = op(L_ii)^-1 B_i */
static void solve_diagonal(lowrank_work *w, const product *p, int i, batched_trans trans)
{
  const lowrank_tile t = lowrank_tile_of(p->a, i, i);
  const batched_matrix l = batched_make_strided(p->a->type, t.d, t.m, t.n, t.ldd, (int64_t)t.ldd * t.n, 1);
  const batched_matrix b =
    batched_make_strided(p->a->type, block_of(&p->x, p->a, i), t.m, p->x.n, p->x.ld, (int64_t)p->x.ld * p->x.n, 1);
  LOWRANK_DO(w, batched_trsm(w->ctx, BATCHED_LEFT, BATCHED_LOWER, trans, BATCHED_NON_UNIT, one, l, b));
}

int batched_tlr_trsm(batched_ctx *ctx, batched_trans trans, const batched_tlr *l, batched_matrix b)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_hermitian(ctx, l, "l")) return -3;
  if (!batched_is_q_trans(trans, l->type)) return -2;
  if (!lowrank_tlr_is_dense(ctx, &b, l->type, l->m, -1)) return -4;
  if (b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  lowrank_work w = {.ctx = ctx};
  product p = {l, b, b, NULL};
  p.stacks = lowrank_push(&w, (size_t)(all_columns(l) * b.n) * batched_element_bytes(l->type));
  for (int k = 0; k < l->mt && !w.status; k++) {
    const int i = trans == BATCHED_NO_TRANS ? k : l->mt - 1 - k;
    if (trans == BATCHED_NO_TRANS) add_rows(&w, &p, i, i + 1, 0, i, minus_one);
    solve_diagonal(&w, &p, i, trans);
    if (trans != BATCHED_NO_TRANS) add_transposed(&w, &p, i, i, minus_one);
  }
  return lowrank_end(&w);
}

int batched_tlr_potrs(batched_ctx *ctx, const batched_tlr *l, batched_matrix b)
{
  int status = batched_tlr_trsm(ctx, BATCHED_NO_TRANS, l, b);
  if (!status) status = batched_tlr_trsm(ctx, BATCHED_CONJ_TRANS, l, b);
  return status == -3 ? -2 : status == -4 ? -3 : status;
}
