/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of operations with a triangle or a factor share: one matrix for the whole batch, which the first and
 * the last of the batch see with different leading dimensions.
 */
#ifndef TESTS_BATCHED_SHARED_FACTOR_H
#define TESTS_BATCHED_SHARED_FACTOR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "batched/operations.h"

enum { SHARED_FACTOR_COUNT = 40 }; /* more than SIMD lanes */

/* Every row for the host of `op`, called by `apply`, makes ones of b: `first` where the matrix is [2 0; 1 4] (leading
 * dimension 2), `last` where it is [2 4; 1 8] (leading dimension 3). */
static inline void check_shared_factor(const batched_op *op,
                                       int (*apply)(batched_ctx *ctx, batched_matrix shared, batched_matrix b),
                                       const double first[2], const double last[2])
{
  enum { COUNT = SHARED_FACTOR_COUNT };
  const double a[] = {2, 1, 0, 4, 8};
  int lds[COUNT];
  const batched_matrix shared = batched_with_sizes(batched_strided(a, 2, 2, 3, 0, COUNT), NULL, NULL, lds);
  for (int i = 0; i < COUNT; i++) lds[i] = i < COUNT / 2 ? 2 : 3;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = op->variants[BATCHED_HOST]; v->name; v++) {
    double b[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) b[i] = (i < COUNT ? first : last)[i % 2];
    batched_select(ctx, op, v->name);
    assert_int_equal(apply(ctx, shared, batched_strided(b, 2, 1, 2, 2, COUNT)), 0);
    for (int i = 0; i < 2 * COUNT; i++) assert_true(b[i] == 1);
  }
  batched_destroy(&ctx);
}

#endif
