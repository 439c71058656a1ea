/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Do the diagonals d and e of a reduction agree with those of row host.ref, signs too?  To n eps |A| where the matrix
 * determines them so well; where it does not, to some times what they move by when A is moved by no more than the
 * limit of |A - Q B P^H| allows a reduction.
 */
#ifndef TESTS_BATCHED_CONDENSED_AGREEMENT_H
#define TESTS_BATCHED_CONDENSED_AGREEMENT_H

#include <stdlib.h>

#include "tests/batched/condensed/condensed_oracle.h"
#include "tests/batched/sweep/sweep_private.h"

/* Calls the operation for one matrix; q and p: room for max(m, n) elements each. */
typedef int (*agreement_call)(batched_ctx *ctx, const sweep_case *c, batched_matrix a, batched_matrix d,
                              batched_matrix e, batched_matrix q, batched_matrix p);

/* How often A is moved at most, and how many times as far as that moved them d and e may be apart. */
enum { AGREEMENT_MOVES = 32, AGREEMENT_TIMES = 8 };

static inline void agreement_store(batched_type type, void *to, int64_t i, wide x)
{
  switch (type) {
  case BATCHED_S: ((float *)to)[i] = (float)creall(x); break;
  case BATCHED_D: ((double *)to)[i] = (double)creall(x); break;
  case BATCHED_C: ((float _Complex *)to)[i] = (float _Complex)x; break;
  case BATCHED_Z: ((double _Complex *)to)[i] = (double _Complex)x; break;
  }
}

/* Where host.ref runs: one context for all matrices, since making one takes as long as a small matrix does. */
static inline batched_ctx *agreement_context(const batched_op *op)
{
  static batched_ctx *ctx;
  if (!ctx) {
    assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
    assert_int_equal(batched_select(ctx, op, "host.ref"), BATCHED_SUCCESS);
  }
  return ctx;
}

/* d and, behind it, e by host.ref, of A brought near 1 by a power of two, where there is room for its digits. */
static inline void agreement_reduce(const sweep_case *c, const batched_op *op, agreement_call call, sweep_dense a,
                                    sweep_dense found)
{
  const int k = least(a.m, a.n), longer = most(a.m, a.n);
  const batched_type type = c->type, real = batched_real_type(type);
  const size_t size = batched_element_bytes(type), real_size = batched_element_bytes(real);
  char *const matrix = malloc((size_t)a.m * (size_t)a.n * size), *const vectors = malloc((size_t)longer * 2 * size);
  char *const diagonals = malloc((size_t)k * 2 * real_size);
  const long double norm = sweep_norm(a), scale = norm > 0 ? ldexpl(1, -ilogbl(norm)) : 1;
  batched_ctx *const ctx = agreement_context(op);
  for (int64_t i = 0; i < (int64_t)a.m * a.n; i++) agreement_store(type, matrix, i, scale * a.x[i]);
  assert_int_equal(call(ctx, c, batched_make_strided(type, matrix, a.m, a.n, a.m, (int64_t)a.m * a.n, 1),
                        batched_make_strided(real, diagonals, k, 1, k, k, 1),
                        batched_make_strided(real, diagonals + (size_t)k * real_size, k - 1, 1, k, k, 1),
                        batched_make_strided(type, vectors, longer, 1, longer, longer, 1),
                        batched_make_strided(type, vectors + (size_t)longer * size, longer, 1, longer, longer, 1)),
                   BATCHED_SUCCESS);
  for (int i = 0; i < 2 * k - 1; i++)
    found.x[i] = (real == BATCHED_S ? ((float *)diagonals)[i] : ((double *)diagonals)[i]) / scale;
  free(matrix);
  free(vectors);
  free(diagonals);
}

static inline long double agreement_distance(sweep_dense x, sweep_dense y)
{
  long double distance = 0;
  for (int i = 0; i < x.m; i++) distance = sweep_larger(distance, sweep_abs(x.x[i] - y.x[i]));
  return distance;
}

/* A + E, |E| about n^1/2 eps |A|, what the rounding errors of n steps add up to (of denormal numbers, those of each
 * element), and up to 15 times that at later turns: an element of d of 23 n eps |A| loses its sign at 8 times. */
static inline void agreement_move(const sweep_case *c, int turn, sweep_dense a, sweep_dense moved)
{
  const long double steps = sqrtl(least(a.m, a.n)), times = exp2l((long double)turn / 8);
  const long double step = times * (sweep_unit(c, sweep_norm(a)) / steps + sweep_unit(c, 0) * steps);
  for (int64_t i = 0; i < (int64_t)a.m * a.n; i++) moved.x[i] = a.x[i] + step * sqrtl(3) * sweep_number(c->type);
}

/* How far d and e of a are from host.ref's, over how far they may be: at most 1 if they agree.  A is moved where
 * n eps |A| alone does not hold, and as often as is needed. */
static inline long double agreement_of(const sweep_case *c, const batched_op *op, agreement_call call, sweep_dense a,
                                       sweep_dense d, sweep_dense e)
{
  const int k = least(a.m, a.n);
  if (k == 0) return 0;
  sweep_dense found = sweep_new(2 * k, 1), expected = sweep_new(2 * k, 1), moved = oracle_copy(a);
  agreement_reduce(c, op, call, a, expected);
  for (int i = 0; i < k; i++) found.x[i] = d.x[i];
  for (int i = 0; i < k - 1; i++) found.x[k + i] = e.x[i];
  const long double apart = agreement_distance(found, expected);
  long double may = most(a.m, a.n) * sweep_unit(c, sweep_norm(a));
  for (int turn = 0; turn < AGREEMENT_MOVES && !(apart <= may); turn++) {
    agreement_move(c, turn, a, moved);
    agreement_reduce(c, op, call, moved, found);
    may = sweep_larger(may, AGREEMENT_TIMES * agreement_distance(found, expected));
  }
  return apart / may;
}

/* One wrong sign is seen, and one element that is wrong by some more than rounding errors, of a random matrix. */
static inline void agreement_sees_errors(const batched_op *op, agreement_call call)
{
  enum { N = 40, WHERE = 17 };
  for (int type = 0; type < 4; type++) {
    const sweep_case c = {.type = (batched_type)type, .m = N, .n = N, .k = N, .count = 1};
    const long double small = batched_real_type(c.type) == BATCHED_S ? 0.1L : 1e-10L;
    sweep_dense a = sweep_new(N, N), d = sweep_new(N, 1), e = sweep_new(N - 1, 1);
    sweep_seed(type);
    for (int i = 0; i < N * N; i++) a.x[i] = sweep_number(c.type);
    sweep_dense right = sweep_new(2 * N, 1);
    agreement_reduce(&c, op, call, a, right);
    for (int i = 0; i < N; i++) d.x[i] = right.x[i];
    for (int i = 0; i < N - 1; i++) e.x[i] = right.x[N + i];
    assert_true(agreement_of(&c, op, call, a, d, e) == 0);
    for (int turn = 0; turn < 4; turn++) {
      wide *const at = turn % 2 ? &e.x[WHERE] : &d.x[WHERE], was = *at;
      *at = turn < 2 ? -was : was + small;
      assert_true(agreement_of(&c, op, call, a, d, e) > 1);
      *at = was;
    }
    sweep_free_temporaries();
  }
}

#endif
