/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of a matrix and a vector on a GPU, each of what the one before left: a kernel that is launched while the one
 * before it still runs has to wait for it.  Nobody waiting between the calls, and in a graph with copies between them,
 * the bits are those of calls one by one.
 */
#ifndef TESTS_BATCHED_PRODUCTS_CALLS_IN_A_ROW_H
#define TESTS_BATCHED_PRODUCTS_CALLS_IN_A_ROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/batched/sweep/sweep_private.h"

enum { ROW_CALLS = 24 };

/* y = A x; an odd one may be another product with A. */
typedef int (*row_product)(batched_ctx *ctx, bool odd, batched_matrix a, batched_matrix x, batched_matrix y);

/* x = A x so often, by way of y; a copy and zeros after every fifth call. */
static inline void row_of_calls(batched_ctx *ctx, row_product multiply, bool wait, batched_matrix a, batched_matrix x,
                                batched_matrix y)
{
  const size_t bytes = (size_t)a.n * sizeof(double);
  for (int i = 0; i < ROW_CALLS; i++) {
    assert_int_equal(multiply(ctx, i % 3 == 1, a, i % 2 ? y : x, i % 2 ? x : y), BATCHED_SUCCESS);
    if (wait) assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
    if (i % 10 != 9) continue;
    assert_int_equal(batched_copy_within(ctx, y.data, x.data, bytes), BATCHED_SUCCESS);
    assert_int_equal(batched_fill_zero(ctx, x.data, bytes / 2), BATCHED_SUCCESS);
    assert_int_equal(batched_copy_within(ctx, x.data, y.data, bytes / 4), BATCHED_SUCCESS);
    if (wait) assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  }
}

static inline void check_row_of_calls(batched_ctx *ctx, const char *variant, int n, row_product multiply)
{
  const size_t bytes = (size_t)n * sizeof(double);
  double *const from = malloc((size_t)n * bytes), *const start = malloc(bytes);
  double *const found[2] = {malloc(bytes), malloc(bytes)};
  sweep_seed(n);
  for (int e = 0; e < n * n; e++) from[e] = (double)sweep_uniform() / n;
  for (int e = 0; e < n; e++) start[e] = (double)sweep_uniform();
  double *const there = batched_allocate(ctx, ((size_t)n + 2) * bytes);
  assert_non_null(there);
  const batched_matrix a = batched_strided(there, n, n, n, (int64_t)n * n, 1);
  const batched_matrix x = batched_strided(there + (size_t)n * n, n, 1, n, n, 1);
  const batched_matrix y = batched_strided(there + ((size_t)n + 1) * n, n, 1, n, n, 1);
  assert_int_equal(batched_copy_from_host(ctx, there, from, (size_t)n * bytes), BATCHED_SUCCESS);
  for (int turn = 0; turn < 4; turn++) {
    void *graph = NULL;
    if (turn >= 2) { /* twice */
      assert_true(sweep_cuda_begin_capture(ctx));
      row_of_calls(ctx, multiply, false, a, x, y);
      graph = sweep_cuda_end_capture(ctx);
      assert_non_null(graph);
    }
    assert_int_equal(batched_copy_from_host(ctx, x.data, start, bytes), BATCHED_SUCCESS);
    if (graph)
      assert_true(sweep_cuda_replay(ctx, graph));
    else
      row_of_calls(ctx, multiply, turn == 0, a, x, y);
    assert_int_equal(batched_copy_to_host(ctx, found[turn > 0], x.data, bytes), BATCHED_SUCCESS);
    if (graph) sweep_cuda_free_graph(graph);
    if (turn > 0 && memcmp(found[0], found[1], bytes) != 0)
      fail_msg("%s: calls in a row of order %d differ from calls one by one, %s", variant, n,
               graph ? "in a graph" : "not in a graph");
  }
  batched_release(ctx, there);
  for (int i = 0; i < 2; i++) free(found[i]);
  free(from);
  free(start);
}

static inline void check_calls_in_a_row(const batched_op *op, const char *variant, row_product multiply)
{
  static const int orders[] = {200, 515, 1030};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), BATCHED_SUCCESS);
  assert_int_equal(batched_select(ctx, op, variant), BATCHED_SUCCESS);
  for (int s = 0; s < 3; s++) check_row_of_calls(ctx, variant, orders[s], multiply);
  batched_destroy(&ctx);
}

#endif
