/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounding by the eigenvectors of a small Gram matrix instead of QR and an SVD: several times as fast, for tolerances
 * well above the square root of eps.
 */
#include <math.h>
#include <stdlib.h>

#include "batched/lowrank/compose.h"

static const batched_scalar zero = {0, 0}, one = {1, 0}, minus_one = {-1, 0};

/* Eigenvalues of -Y^H Y are off by a few eps times the largest, and as many as there are add up. */
enum { MARGIN = 8 };

static double eigenvalue(batched_type type, const void *values, int64_t i)
{
  const double x = lowrank_real_at(type, values, i);
  return x < 0 ? -x : x == x ? 0 : x;
}

/* Number of the k squares, largest first, that are needed; -1 where that is not certain. */
static int needed(batched_type type, const void *squares, int64_t first, int k, batched_truncation t)
{
  const double eps = lowrank_eps(type), largest = eigenvalue(type, squares, first);
  double all = 0, tail = 0;
  for (int i = 0; i < k; i++) all += eigenvalue(type, squares, first + i);
  const double limit = t.absolute ? t.tolerance * t.tolerance : t.tolerance * t.tolerance * all;
  if (all == 0) return 0;
  if (!(limit >= MARGIN * k * eps * largest)) return -1;
  int r = k;
  for (; r > 0; r--) {
    tail += eigenvalue(type, squares, first + r - 1);
    if (tail > limit) break;
  }
  return r;
}

/* Ranks and info on the host, as lowrank_round's; false where a matrix needs that.  info: on entry heev's. */
static bool choose(batched_type type, const void *squares, int64_t count, int k, const int *ks, int most,
                   batched_truncation t, int *ranks, int *info)
{
  const int allowed = t.max_rank && t.max_rank < most ? t.max_rank : most;
  for (int64_t b = 0; b < count; b++) {
    const int r = info[b] ? -1 : needed(type, squares, b * k, ks ? ks[b] : k, t);
    if (r < 0) return false;
    ranks[b] = r < allowed ? r : allowed;
    info[b] = r > allowed ? r : 0;
  }
  return true;
}

int lowrank_sure_of_gram(batched_type type, batched_truncation t, int most)
{
  const double order = t.tolerance * t.tolerance / (MARGIN * lowrank_eps(type));
  return t.absolute || order >= most ? most : (int)order;
}

int lowrank_round_gram(batched_ctx *ctx, batched_matrix x, batched_matrix y, const int *ks, batched_matrix cu,
                       batched_matrix cv, int *ranks, batched_truncation t, int *info, bool *done)
{
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const batched_type type = batched_real_type(x.type);
  const int k = x.n, most = k < cu.n ? k : cu.n;
  const size_t ints = (size_t)x.count * sizeof(int), bytes = (size_t)x.count * (size_t)k * batched_element_bytes(type);
  *done = false;
  if (most == 0 || lowrank_sure_of_gram(x.type, t, 1) < 1) return BATCHED_SUCCESS;
  const batched_matrix vectors = lowrank_sized(lowrank_matrix(w, x.type, k, k, x.count), x.ns, x.ns);
  /* zeros where a matrix has fewer: all of it goes to the host */
  const batched_matrix all_values = (x.ns ? lowrank_zeros : lowrank_matrix)(w, type, k, 1, x.count);
  const batched_matrix values = lowrank_sized(all_values, x.ns, NULL);
  void *squares = malloc(bytes);
  int *own_ranks = malloc(ints), *own_info = malloc(ints);
  if ((!squares || !own_ranks || !own_info) && !w->status) w->status = BATCHED_NO_MEMORY;
  LOWRANK_DO(w, batched_gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, minus_one, y, y, zero, vectors));
  LOWRANK_DO(w, batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, vectors, values, info));
  LOWRANK_DO(w, batched_copy_to_host(ctx, squares, values.data, bytes));
  LOWRANK_DO(w, batched_copy_to_host(ctx, own_info, info, ints));
  if (!w->status && choose(type, squares, x.count, k, ks, cu.n, t, own_ranks, own_info)) {
    LOWRANK_DO(w, batched_copy_from_host(ctx, ranks, own_ranks, ints));
    LOWRANK_DO(w, batched_copy_from_host(ctx, info, own_info, ints));
    const batched_matrix kept = lowrank_sized(lowrank_columns(vectors, most), x.ns, ranks);
    const batched_matrix u = lowrank_sized(lowrank_columns(cu, most), cu.ms, ranks);
    const batched_matrix v = lowrank_sized(lowrank_columns(cv, most), cv.ms, ranks);
    LOWRANK_DO(
      w, batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, lowrank_sized(x, cu.ms, x.ns), kept, zero, u));
    LOWRANK_DO(
      w, batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, lowrank_sized(y, cv.ms, x.ns), kept, zero, v));
    *done = !w->status;
  }
  free(squares);
  free(own_ranks);
  free(own_info);
  return lowrank_end(w);
}
