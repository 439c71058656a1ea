/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Do the diagonals d and e of a reduction agree with those of row host.ref, signs too?  To n eps |A| where the matrix
 * determines them so well; where it does not, to some times what they move by when A is moved by eps |A|.
 */
#ifndef TESTS_BATCHED_CONDENSED_AGREEMENT_H
#define TESTS_BATCHED_CONDENSED_AGREEMENT_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/batched/condensed/condensed_oracle.h"

/* Calls the operation for one matrix; q and p: room for max(m, n) elements each. */
typedef int (*agreement_call)(batched_ctx *ctx, const sweep_case *c, batched_matrix a, batched_matrix d,
                              batched_matrix e, batched_matrix q, batched_matrix p);

/* How often A is moved at most, and how many times as far as that moved them d and e may be apart. */
enum { AGREEMENT_MOVES = 16, AGREEMENT_TIMES = 8 };

static inline void agreement_store(batched_type type, void *to, int64_t i, wide x)
{
  switch (type) {
  case BATCHED_S: ((float *)to)[i] = (float)creall(x); break;
  case BATCHED_D: ((double *)to)[i] = (double)creall(x); break;
  case BATCHED_C: ((float _Complex *)to)[i] = (float _Complex)x; break;
  case BATCHED_Z: ((double _Complex *)to)[i] = (double _Complex)x; break;
  }
}

/* d and, behind it, e by host.ref. */
static inline sweep_dense agreement_reduce(const sweep_case *c, const batched_op *op, agreement_call call,
                                           sweep_dense a)
{
  const int k = least(a.m, a.n), longer = most(a.m, a.n);
  const batched_type type = c->type, real = batched_real_type(type);
  const size_t size = batched_element_bytes(type), real_size = batched_element_bytes(real);
  sweep_dense found = sweep_new(2 * k, 1);
  char *const matrix = malloc((size_t)a.m * (size_t)a.n * size), *const vectors = malloc((size_t)longer * 2 * size);
  char *const diagonals = malloc((size_t)k * 2 * real_size);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_select(ctx, op, "host.ref"), BATCHED_SUCCESS);
  for (int64_t i = 0; i < (int64_t)a.m * a.n; i++) agreement_store(type, matrix, i, a.x[i]);
  assert_int_equal(call(ctx, c, batched_make_strided(type, matrix, a.m, a.n, a.m, (int64_t)a.m * a.n, 1),
                        batched_make_strided(real, diagonals, k, 1, k, k, 1),
                        batched_make_strided(real, diagonals + (size_t)k * real_size, k - 1, 1, k, k, 1),
                        batched_make_strided(type, vectors, longer, 1, longer, longer, 1),
                        batched_make_strided(type, vectors + (size_t)longer * size, longer, 1, longer, longer, 1)),
                   BATCHED_SUCCESS);
  for (int i = 0; i < 2 * k - 1; i++)
    found.x[i] = real == BATCHED_S ? ((float *)diagonals)[i] : ((double *)diagonals)[i];
  batched_destroy(&ctx);
  free(matrix);
  free(vectors);
  free(diagonals);
  return found;
}

static inline long double agreement_distance(sweep_dense x, sweep_dense y)
{
  long double distance = 0;
  for (int i = 0; i < x.m; i++) distance = sweep_larger(distance, sweep_abs(x.x[i] - y.x[i]));
  return distance;
}

/* A + E, |E| about eps |A|. */
static inline sweep_dense agreement_moved(const sweep_case *c, sweep_dense a)
{
  sweep_dense moved = oracle_copy(a);
  const long double step = sweep_unit(c, sweep_norm(a)) / sqrtl((long double)a.m * a.n);
  for (int64_t i = 0; i < (int64_t)a.m * a.n; i++) moved.x[i] += step * sqrtl(3) * sweep_number(c->type);
  return moved;
}

/* How far d and e of a are from host.ref's, over how far they may be: at most 1 if they agree. */
static inline long double agreement_of(const sweep_case *c, const batched_op *op, agreement_call call, sweep_dense a,
                                       sweep_dense d, sweep_dense e)
{
  const int k = least(a.m, a.n);
  if (k == 0) return 0;
  const sweep_dense expected = agreement_reduce(c, op, call, a);
  sweep_dense found = sweep_new(2 * k, 1);
  for (int i = 0; i < k; i++) found.x[i] = d.x[i];
  for (int i = 0; i < k - 1; i++) found.x[k + i] = e.x[i];
  const long double apart = agreement_distance(found, expected);
  long double may = most(a.m, a.n) * sweep_unit(c, sweep_norm(a));
  int turn = 0;
  long double plain = apart / may;
  for (; turn < AGREEMENT_MOVES && !(apart <= may); turn++) {
    const sweep_dense moved = agreement_reduce(c, op, call, agreement_moved(c, a));
    may = sweep_larger(may, AGREEMENT_TIMES * agreement_distance(moved, expected));
  }
  if (getenv("AGREE")) printf("agree %c %d %d kind %d plain %.3Lg turns %d ratio %.3Lg\n", "sdcz"[c->type], a.m, a.n, c->kind, plain, turn, apart / may);
  return apart / may;
}

#endif
