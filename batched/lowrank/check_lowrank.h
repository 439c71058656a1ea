/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the calls of this family ask of their arguments.
 */
#ifndef BATCHED_LOWRANK_CHECK_LOWRANK_H
#define BATCHED_LOWRANK_CHECK_LOWRANK_H

#include "batched/check.h"
#include "batched/lowrank/compose.h"

/* True for two factors that belong together. */
bool lowrank_is_valid(const batched_ctx *ctx, const batched_lowrank *a);
/* The same for a result, whose ranks are written. */
bool lowrank_is_valid_result(const batched_ctx *ctx, const batched_lowrank *c);
/* True for ranks, if there are any, from 0 to what there is room for.  Those on a GPU are taken on trust. */
bool lowrank_are_ranks(const batched_ctx *ctx, const batched_lowrank *a);
bool lowrank_is_truncation(const batched_truncation *t);

static inline bool lowrank_is_dense(const batched_lowrank *a)
{
  return !a->v.data && !a->v.array && a->v.n == 0 && a->v.m == 0;
}

/* With the ranks as sizes. */
static inline batched_matrix lowrank_left(const batched_lowrank *a)
{
  return lowrank_sized(a->u, a->u.ms, lowrank_is_dense(a) ? a->u.ns : a->ranks);
}
static inline batched_matrix lowrank_right(const batched_lowrank *a)
{
  return lowrank_sized(a->v, a->v.ms, a->ranks);
}

/* The extents of U V^H, or of a dense one. */
static inline batched_extent lowrank_rows(const batched_lowrank *a)
{
  return batched_row_extent(&a->u);
}
static inline batched_extent lowrank_cols(const batched_lowrank *a)
{
  return lowrank_is_dense(a) ? batched_col_extent(&a->u) : batched_row_extent(&a->v);
}

/* For the cost models: multiplications and additions of U V^H, m x n, with rank r, are 2 (m + n) r for each column of
 * what it is multiplied with. */
static inline double lowrank_elements(const batched_matrix *u, const batched_matrix *v)
{
  return (double)u->m * u->n + (double)v->m * v->n;
}

#endif
