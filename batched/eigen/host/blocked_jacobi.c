/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of host.blocked_jacobi of gesvd: batched/eigen/jacobi_steps.h says what each does.
 */
#include <math.h>

#include "batched/eigen/jacobi_steps.h"
#include "batched/host/rows.h"

enum { BLOCK = BATCHED_JACOBI_BLOCK, PAIR = 2 * BLOCK, CHUNK = 16 /* rows at a time */ };

/* Pair number i of a round among `circle` + 1 players, by the circle method. */
static void meet(int circle, int round, int i, int *p, int *q)
{
  const int a = round + i, b = round - i;
  *p = i == 0 ? circle : a >= circle ? a - circle : a;
  *q = b < 0 ? b + circle : b;
}

/* Pair i of BLOCK of a round within a pair of blocks: one column of either; in rounds before 0 two of the same. */
static void columns_of(int round, int i, int *p, int *q)
{
  if (round >= 0) {
    *p = i;
    *q = BLOCK + (i + round) % BLOCK;
    return;
  }
  const int half = i / (BLOCK / 2) * BLOCK;
  meet(BLOCK - 1, -1 - round, i % (BLOCK / 2), p, q);
  *p += half;
  *q += half;
}

#define BODY "batched/eigen/host/blocked_jacobi_body.h"
#include "batched/host/each_type.h"

static int load(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  (void)ctx;
  for (int64_t b = 0; r->rows && b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    r->rows[b] = batched_max(m, n);
    r->mins[b] = batched_min(m, n);
  }
  FOR_TYPE(g->a.type, load, g, r);
  return BATCHED_SUCCESS;
}

static int begin(batched_ctx *ctx, const batched_jacobi_room *r)
{
  (void)ctx;
  FOR_TYPE(r->l.type, begin, r);
  return BATCHED_SUCCESS;
}

static int rotate(batched_ctx *ctx, const batched_jacobi_room *r, int round)
{
  (void)ctx;
  FOR_TYPE(r->l.type, rotate_round, r, round);
  return BATCHED_SUCCESS;
}

static int end_sweep(batched_ctx *ctx, const batched_jacobi_room *r)
{
  (void)ctx;
  for (int64_t b = 0; b < r->l.count; b++) {
    r->done[b] |= !r->moved[b];
    r->moved[b] = 0;
  }
  return BATCHED_SUCCESS;
}

static int finish(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  (void)ctx;
  FOR_TYPE(r->l.type, finish, g, r);
  return BATCHED_SUCCESS;
}

static int put(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  (void)ctx;
  FOR_TYPE(r->l.type, put, g, r);
  return BATCHED_SUCCESS;
}

const batched_jacobi_steps batched_jacobi_host_steps = {load, begin, rotate, end_sweep, finish, put};
