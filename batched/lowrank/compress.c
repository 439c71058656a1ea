/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compression of dense matrices: by their SVD, and by a sample of a fixed size (Halko, Martinsson, Tropp, SIAM Review
 * 53, 2011).
 */
#include "batched/lowrank/check_lowrank.h"

enum { OVERSAMPLED = 8 };

static const batched_scalar zero = {0, 0}, one = {1, 0};

static int nothing_to_do(batched_ctx *ctx, const batched_lrcompress_args *c)
{
  int status = batched_fill_zero(ctx, c->ranks, (size_t)c->a.count * sizeof *c->ranks);
  return status ? status : batched_fill_zero(ctx, c->info, (size_t)c->a.count * sizeof *c->info);
}

int lowrank_compress_svd(batched_ctx *ctx, const void *args)
{
  const batched_lrcompress_args *c = args;
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const int q = lowrank_min(c->a.m, c->a.n), most = lowrank_min(q, c->cu.n);
  const int64_t count = c->a.count;
  if (q == 0) return nothing_to_do(ctx, c);
  const batched_matrix a = c->a, s = lowrank_zeros(w, batched_real_type(a.type), q, 1, count);
  batched_matrix u = lowrank_zeros(w, a.type, a.m, q, count), vt = lowrank_zeros(w, a.type, q, a.n, count);
  const int *const mins = lowrank_mins(w, a.m, a.ms, a.n, a.ns, count);
  LOWRANK_DO(w, batched_gesvd(ctx, BATCHED_VECTORS, a, lowrank_sized(s, mins, NULL), lowrank_sized(u, a.ms, mins),
                              lowrank_sized(vt, mins, a.ns), c->info));
  LOWRANK_DO(w, batched_truncate(ctx, s, vt, c->cu.n, c->t, c->ranks, c->info));
  LOWRANK_DO(w, batched_copy(ctx, lowrank_sized(lowrank_columns(u, most), c->a.ms, c->ranks),
                             lowrank_sized(lowrank_columns(c->cu, most), c->cu.ms, c->ranks)));
  vt.m = most;
  LOWRANK_DO(w, batched_transpose(ctx, BATCHED_CONJ_TRANS, lowrank_sized(vt, c->ranks, c->a.ns),
                                  lowrank_sized(lowrank_columns(c->cv, most), c->cv.ms, c->ranks)));
  return lowrank_end(w);
}

/* A basis of the columns of the uniform Y, orthonormal if T is multiplied to it; no T: I.  Of matrices whose sizes vary
 * the first columns have to be the basis, since the core is cut down to these. */
static batched_matrix make_basis(lowrank_work *w, batched_matrix y, bool varies)
{
  batched_matrix t = lowrank_matrix(w, y.type, y.n, y.n, y.count);
  bool orthonormal = true;
  if (varies)
    LOWRANK_DO(w, lowrank_compose_lrbasis(w->ctx, &(batched_lrbasis_args){y, t, &orthonormal}));
  else
    LOWRANK_DO(w, batched_lrbasis(w->ctx, y, t, &orthonormal));
  if (orthonormal) t = (batched_matrix){0};
  return t;
}

static int clear(lowrank_work *w, batched_matrix a)
{
  return batched_fill_zero(w->ctx, a.data, (size_t)(a.count * a.stride) * batched_element_bytes(a.type));
}

/* Y = A X or A^H X, zero in rows that a matrix does not have. */
static void multiply(lowrank_work *w, batched_trans trans, batched_matrix a, batched_matrix x, batched_matrix y)
{
  const int *in = trans == BATCHED_NO_TRANS ? a.ns : a.ms, *out = trans == BATCHED_NO_TRANS ? a.ms : a.ns;
  if (out) LOWRANK_DO(w, clear(w, y)); /* what was made orthonormal may reach beyond its rows */
  LOWRANK_DO(w, batched_gemm(w->ctx, trans, BATCHED_NO_TRANS, one, a, lowrank_sized(x, in, NULL), zero,
                             lowrank_sized(y, out, NULL)));
}

/* Y = A (A^H A)^q Omega with q power iterations, a basis made of each product; then C = Y (A^H Y)^H, rounded. */
int lowrank_compress_rsvd(batched_ctx *ctx, const void *args)
{
  const batched_lrcompress_args *c = args;
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const batched_matrix a = c->a;
  const int room = c->t.max_rank > 0 ? lowrank_min(c->t.max_rank, c->cu.n) : c->cu.n;
  const int k = lowrank_min(lowrank_min(a.m, a.n), room + OVERSAMPLED);
  if (k == 0) return nothing_to_do(ctx, c);
  batched_matrix omega = lowrank_matrix(w, a.type, a.n, k, 1);
  LOWRANK_DO(w, batched_random(ctx, c->t.seed, 0, omega));
  omega.count = a.count;
  omega.stride = 0;
  const batched_matrix y = lowrank_matrix(w, a.type, a.m, k, a.count), z = lowrank_matrix(w, a.type, a.n, k, a.count);
  const bool varies = a.ms || a.ns || c->cu.ms || c->cv.ms;
  multiply(w, BATCHED_NO_TRANS, a, omega, y);
  batched_matrix triangle = make_basis(w, y, varies);
  for (int i = 0; i < c->t.power_iterations; i++) {
    multiply(w, BATCHED_CONJ_TRANS, a, y, z);
    make_basis(w, z, varies);
    multiply(w, BATCHED_NO_TRANS, a, z, y);
    triangle = make_basis(w, y, varies);
  }
  multiply(w, BATCHED_CONJ_TRANS, a, y, z);
  LOWRANK_DO(w, lowrank_round_basis(ctx, y, triangle, z, c->cu, c->cv, c->ranks, c->t, c->info));
  return lowrank_end(w);
}
