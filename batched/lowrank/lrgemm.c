/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/check_lowrank.h"

/* The flops and bytes where all ranks are as large as there is room for, without those of rounding. */
static batched_cost cost(const void *args)
{
  const batched_lrgemm_args *g = args;
  if (batched_is_variable(&g->au) || batched_is_variable(&g->bu) || batched_is_variable(&g->cu))
    return (batched_cost){0};
  const double m = g->cu.m, n = lowrank_is_no_factor(&g->cv) ? g->cu.n : g->cv.m;
  const double inner = g->transa == BATCHED_NO_TRANS && lowrank_is_no_factor(&g->av) ? g->au.n
                       : lowrank_is_no_factor(&g->av)                                ? g->au.m
                       : g->transa == BATCHED_NO_TRANS                               ? g->av.m
                                                                                     : g->au.m;
  const double ra = lowrank_is_no_factor(&g->av) ? 0 : g->au.n, rb = lowrank_is_no_factor(&g->bv) ? 0 : g->bu.n;
  const double r = ra > 0 && (rb == 0 || ra <= rb) ? ra : rb;
  const double first = ra > 0 && rb > 0 ? ra * rb * inner + ra * rb * (ra <= rb ? n : m) : r * inner * (ra > 0 ? n : m);
  const double count = (double)g->cu.count;
  const double elements = lowrank_elements(&g->au, &g->av) + lowrank_elements(&g->bu, &g->bv) +
                          (g->beta.re == 0 && g->beta.im == 0 ? 1 : 2) * lowrank_elements(&g->cu, &g->cv);
  return (batched_cost){2 * count * (first + (lowrank_is_no_factor(&g->cv) ? m * n * (r > 0 ? r : inner) : 0)) *
                          batched_flop_weight(g->cu.type),
                        count * elements * (double)batched_element_bytes(g->cu.type)};
}

const batched_op batched_lrgemm_op = {
  .name = "lrgemm",
  .key = "lrgemm",
  .variants = {batched_lrgemm_host, batched_lrgemm_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrgemm_args),
               6,
               {offsetof(batched_lrgemm_args, cu), offsetof(batched_lrgemm_args, cv), offsetof(batched_lrgemm_args, au),
                offsetof(batched_lrgemm_args, av), offsetof(batched_lrgemm_args, bu),
                offsetof(batched_lrgemm_args, bv)},
               .info = offsetof(batched_lrgemm_args, info),
               .counts = offsetof(batched_lrgemm_args, ranks)},
  .whatever_count = true,
};

static bool conform(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count)
{
  return batched_same_extent(ctx, x, y, count);
}

static batched_lowrank transposed(batched_lowrank a)
{
  return batched_factors(a.v, a.u, a.ranks);
}

int batched_lrgemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, batched_scalar alpha,
                   batched_lowrank a, batched_lowrank b, batched_scalar beta, batched_lowrank c, batched_truncation t,
                   int *info)
{
  if (!ctx) return -1;
  if (!batched_is_q_trans(transa, a.u.type)) return -2;
  if (!batched_is_q_trans(transb, b.u.type)) return -3;
  if (!lowrank_is_valid(ctx, &a)) return -5;
  if (!lowrank_is_valid(ctx, &b) || !batched_same_kind(&a.u, &b.u)) return -6;
  const bool atrans = transa != BATCHED_NO_TRANS, btrans = transb != BATCHED_NO_TRANS;
  const int64_t count = a.u.count;
  if (!conform(ctx, atrans ? lowrank_rows(&a) : lowrank_cols(&a), btrans ? lowrank_cols(&b) : lowrank_rows(&b), count))
    return -6;
  const bool dense = lowrank_is_dense(&c);
  if (!lowrank_is_valid_result(ctx, &c) || !batched_same_kind(&a.u, &c.u) ||
      !conform(ctx, atrans ? lowrank_cols(&a) : lowrank_rows(&a), lowrank_rows(&c), count) ||
      !conform(ctx, btrans ? lowrank_rows(&b) : lowrank_cols(&b), lowrank_cols(&c), count) ||
      !batched_accept(dense || !lowrank_is_dense(&a) || !lowrank_is_dense(&b), "a and b are dense, and c is not") ||
      (!dense && !batched_is_zero(c.u.type, beta) && !lowrank_are_ranks(ctx, &c)))
    return -8;
  if (!lowrank_is_truncation(&t)) return -9;
  if (!batched_is_given(info, "info", !dense && count > 0)) return -10;
  if (count == 0) return BATCHED_SUCCESS;
  /* The conjugate transpose of a low-rank operand has its factors in the other order. */
  if (atrans && !lowrank_is_dense(&a)) a = transposed(a), transa = BATCHED_NO_TRANS;
  if (btrans && !lowrank_is_dense(&b)) b = transposed(b), transb = BATCHED_NO_TRANS;
  const batched_matrix none = {0};
  batched_lrgemm_args args = {transa,
                              transb,
                              alpha,
                              beta,
                              lowrank_left(&a),
                              lowrank_is_dense(&a) ? none : lowrank_right(&a),
                              lowrank_left(&b),
                              lowrank_is_dense(&b) ? none : lowrank_right(&b),
                              lowrank_left(&c),
                              dense ? none : lowrank_right(&c),
                              c.ranks,
                              t,
                              info};
  return batched_run(ctx, &batched_lrgemm_op, &args);
}
