/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/compose.h"

static const batched_scalar zero = {0, 0}, one = {1, 0};

/* X of the product X Y^H: where it is high, it is factored into Q R; or X T is known to be orthonormal (no T: I). */
typedef struct side {
  batched_matrix a, tau, t;
  bool factored, orthonormal;
} side;

static side factor(lowrank_work *w, batched_matrix a)
{
  side s = {.a = a, .factored = a.n < a.m};
  if (!s.factored) return s;
  s.tau = lowrank_matrix(w, a.type, a.n, 1, a.count);
  LOWRANK_DO(w, batched_geqrf(w->ctx, a, s.tau));
  return s;
}

/* The triangle R of a side. */
static batched_matrix triangle_of(const side *s)
{
  batched_matrix r = s->a;
  r.m = r.n;
  return r;
}

/* R_y^H, or Y^H where Y is not high. */
static batched_matrix right_part(lowrank_work *w, batched_matrix y)
{
  const batched_matrix r = lowrank_matrix(w, y.type, y.n, lowrank_min(y.m, y.n), y.count);
  if (y.n < y.m)
    LOWRANK_DO(w, batched_lrtriangle(w->ctx, y, r));
  else
    LOWRANK_DO(w, batched_transpose(w->ctx, BATCHED_CONJ_TRANS, y, r));
  return r;
}

/* C = op(R) C of an upper triangle R. */
static void multiply_by(lowrank_work *w, batched_matrix r, batched_trans trans, batched_matrix c)
{
  LOWRANK_DO(w, batched_trmm(w->ctx, BATCHED_LEFT, BATCHED_UPPER, trans, BATCHED_NON_UNIT, one, r, c));
}

/* R_x times it, or X times it where x is neither factored nor orthonormal. */
static batched_matrix core_of(lowrank_work *w, const side *x, batched_matrix right)
{
  if (x->factored) multiply_by(w, triangle_of(x), BATCHED_NO_TRANS, right);
  if (x->factored || x->orthonormal) return right;
  batched_matrix core = lowrank_matrix(w, right.type, x->a.m, right.n, right.count);
  LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, x->a, right, zero, core));
  return core;
}

/* R_x^H P, or X^H P where x is not factored, or P itself: what Y is to be multiplied with. */
static batched_matrix right_vectors(lowrank_work *w, const side *x, batched_matrix p)
{
  if (x->orthonormal) return p;
  const batched_matrix z = lowrank_matrix(w, p.type, x->a.n, p.n, p.count);
  if (x->factored) {
    LOWRANK_DO(w, batched_copy(w->ctx, p, z));
    multiply_by(w, triangle_of(x), BATCHED_CONJ_TRANS, z);
  } else {
    LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, x->a, p, zero, z));
  }
  return z;
}

/* X Y^H, rounded. */
static void round_product(lowrank_work *w, const side *sx, batched_matrix y, batched_matrix cu, batched_matrix cv,
                          int *ranks, batched_truncation t, int *info)
{
  const batched_matrix x = sx->a;
  const int64_t count = x.count;
  batched_matrix core = core_of(w, sx, right_part(w, y));
  const int q = lowrank_min(core.m, core.n), most = lowrank_min(q, cu.n);
  /* Without the core's zeros of matrices that are smaller than k: vectors of small values would not be zero there. */
  const int *const rows = lowrank_mins(w, cu.m, cu.ms, core.m, NULL, count);
  const int *const cols = lowrank_mins(w, cv.m, cv.ms, core.n, NULL, count);
  const int *const mins = lowrank_mins(w, core.m, rows, core.n, cols, count);
  batched_matrix s = (mins ? lowrank_zeros : lowrank_matrix)(w, batched_real_type(x.type), q, 1, count);
  batched_matrix p = (mins ? lowrank_zeros : lowrank_matrix)(w, x.type, core.m, q, count);
  LOWRANK_DO(w, batched_lrcore(w->ctx, lowrank_sized(core, rows, cols), sx->t, lowrank_sized(s, mins, NULL),
                               lowrank_sized(p, rows, mins), info));
  LOWRANK_DO(w, batched_truncate(w->ctx, s, lowrank_matrix(w, x.type, q, 0, count), cu.n, t, ranks, info));

  const batched_matrix kept = lowrank_columns(p, most), z = right_vectors(w, sx, kept);
  if (sx->factored) LOWRANK_DO(w, batched_ungqr(w->ctx, x, sx->tau));
  /* Without a tolerance most ranks are as large as they can be, and products of one size faster: with all columns. */
  const int *const columns = t.tolerance > 0 ? ranks : NULL;
  const batched_matrix u = lowrank_sized(lowrank_columns(cu, most), cu.ms, columns);
  if (sx->factored || sx->orthonormal)
    LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, lowrank_sized(x, cu.ms, NULL),
                               lowrank_sized(kept, NULL, columns), zero, u));
  else
    LOWRANK_DO(w, batched_copy(w->ctx, lowrank_sized(kept, cu.ms, columns), u));
  LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, lowrank_sized(y, cv.ms, NULL),
                             lowrank_sized(z, NULL, columns), zero,
                             lowrank_sized(lowrank_columns(cv, most), cv.ms, columns)));
}

/* Whether X Y^H has no elements: ranks of 0. */
static bool is_empty(lowrank_work *w, batched_matrix x, batched_matrix y, int *ranks, int *info)
{
  if (lowrank_min(x.m, lowrank_min(y.m, x.n)) > 0) return false;
  LOWRANK_DO(w, batched_fill_zero(w->ctx, ranks, (size_t)x.count * sizeof *ranks));
  LOWRANK_DO(w, batched_fill_zero(w->ctx, info, (size_t)x.count * sizeof *info));
  return true;
}

int lowrank_round(batched_ctx *ctx, batched_matrix x, batched_matrix y, batched_matrix cu, batched_matrix cv,
                  int *ranks, batched_truncation t, int *info)
{
  lowrank_work work = {.ctx = ctx}, *w = &work;
  if (!is_empty(w, x, y, ranks, info)) {
    const side s = factor(w, x);
    round_product(w, &s, y, cu, cv, ranks, t, info);
  }
  return lowrank_end(w);
}

int lowrank_round_basis(batched_ctx *ctx, batched_matrix x, batched_matrix triangle, batched_matrix y,
                        batched_matrix cu, batched_matrix cv, int *ranks, batched_truncation t, int *info)
{
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const side s = {.a = x, .t = triangle, .orthonormal = true};
  if (!is_empty(w, x, y, ranks, info)) round_product(w, &s, y, cu, cv, ranks, t, info);
  return lowrank_end(w);
}
