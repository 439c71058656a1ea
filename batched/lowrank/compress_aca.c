/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compression by crosses of a few rows and columns of A, rounding, and a look at a few random samples of what is left:
 * crosses see little of A, and may miss a part of it.
 */
#include <math.h>
#include <stdlib.h>

#include "batched/lowrank/check_lowrank.h"

enum { SAMPLES = 8 };

/* Crosses go on down to CROSSES of what is allowed, rounding may leave out ROUNDED of it, and what is left is in doubt
 * where samples show more than all of it, by a factor that 8 of them may be wrong. */
static const double CROSSES = 0.05, ROUNDED = 0.9, DOUBT = 1.7;

static const batched_scalar zero = {0, 0}, one = {1, 0}, minus_one = {-1, 0};

/* Sets info where |(A - U V^H) Omega| is beyond the tolerance, or A Omega infinite. */
static void look_again(lowrank_work *w, const batched_lrcompress_args *c)
{
  const batched_matrix a = c->a;
  const batched_type real = batched_real_type(a.type);
  const size_t ints = (size_t)a.count * sizeof(int), reals = (size_t)a.count * batched_element_bytes(real);
  batched_matrix omega = lowrank_matrix(w, a.type, a.n, SAMPLES, 1);
  LOWRANK_DO(w, batched_random(w->ctx, c->t.seed, INT32_MAX, omega)); /* columns that no row takes */
  omega.count = a.count;
  omega.stride = 0;
  const batched_matrix y = lowrank_zeros(w, a.type, a.m, SAMPLES, a.count);
  const batched_matrix z = lowrank_matrix(w, a.type, c->cu.n, SAMPLES, a.count);
  const batched_matrix norms = lowrank_matrix(w, real, 1, 2, a.count), ya = lowrank_sized(y, a.ms, NULL);
  const batched_matrix u = lowrank_sized(c->cu, c->cu.ms, c->ranks), v = lowrank_sized(c->cv, c->cv.ms, c->ranks);
  const batched_matrix zr = lowrank_sized(z, c->ranks, NULL), oa = lowrank_sized(omega, a.ns, NULL);
  LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, a, oa, zero, ya));
  LOWRANK_DO(w, batched_norm(w->ctx, BATCHED_FROBENIUS_NORM, y, lowrank_block(norms, 0, 0, 1, 1)));
  LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, v, oa, zero, zr));
  LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, minus_one, u, zr, one, ya));
  LOWRANK_DO(w, batched_norm(w->ctx, BATCHED_FROBENIUS_NORM, y, lowrank_block(norms, 0, 1, 1, 1)));
  int *info = malloc(ints);
  void *host = malloc(2 * reals);
  if ((!info || !host) && !w->status) w->status = BATCHED_NO_MEMORY;
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, info, c->info, ints));
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, host, norms.data, 2 * reals));
  const double unit = lowrank_eps(real) * 30 * sqrt(a.m);
  for (int64_t b = 0; b < a.count && !w->status; b++) {
    const double norm = lowrank_real_at(real, host, 2 * b), left = lowrank_real_at(real, host, 2 * b + 1);
    const double allowed = c->t.absolute ? c->t.tolerance * sqrt(SAMPLES) : c->t.tolerance * norm;
    const bool finite = norm - norm == 0;
    if (info[b] == 0 && !(finite && left <= DOUBT * allowed + unit * norm)) info[b] = c->cu.n + 1;
  }
  LOWRANK_DO(w, batched_copy_from_host(w->ctx, c->info, info, ints));
  free(info);
  free(host);
}

int lowrank_compress_aca(batched_ctx *ctx, const void *args)
{
  const batched_lrcompress_args *c = args;
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const batched_matrix a = c->a;
  const int room = c->t.max_rank > 0 ? lowrank_min(c->t.max_rank, c->cu.n) : c->cu.n;
  const int k = lowrank_min(lowrank_min(a.m, a.n), room + room / 4 + SAMPLES);
  batched_truncation t = c->t;
  t.tolerance *= ROUNDED;
  const batched_matrix x = lowrank_zeros(w, a.type, a.m, k, a.count), y = lowrank_zeros(w, a.type, a.n, k, a.count);
  LOWRANK_DO(w, batched_cross(ctx, a, lowrank_sized(x, a.ms, NULL), lowrank_sized(y, a.ns, NULL),
                              CROSSES * c->t.tolerance, c->t.absolute));
  LOWRANK_DO(w, lowrank_round(ctx, x, y, c->cu, c->cv, c->ranks, t, c->info));
  if (c->t.tolerance > 0 && k > 0 && c->cu.n > 0) look_again(w, c);
  return lowrank_end(w);
}
