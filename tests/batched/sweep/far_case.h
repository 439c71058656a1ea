/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One matrix of order 4096 and more on a GPU (--far), where loops on the host would take minutes: the matrix is made
 * and multiplied by some random vectors there, by operations with tests of their own.  Only vectors come to the host.
 */
#ifndef TESTS_BATCHED_FAR_CASE_H
#define TESTS_BATCHED_FAR_CASE_H

#include "batched/batched_lowrank.h"
#include "tests/batched/sweep/large_case.h"

/* m x n random numbers of variance 1 (complex: 2), on the device. */
static inline batched_matrix far_new(batched_ctx *ctx, batched_type type, int m, int n, uint64_t seed)
{
  const int64_t numbers = (int64_t)m * n;
  void *data = batched_allocate(ctx, (size_t)numbers * batched_element_bytes(type));
  assert_non_null(data);
  const batched_matrix a = batched_make_strided(type, data, m, n, m, numbers, 1);
  assert_int_equal(batched_random(ctx, seed, 0, a), 0);
  return a;
}

static inline batched_matrix far_copy(batched_ctx *ctx, batched_matrix x)
{
  batched_matrix y = far_new(ctx, x.type, x.m, x.n, 0);
  assert_int_equal(batched_copy(ctx, x, y), 0);
  return y;
}

static inline void far_free(batched_ctx *ctx, batched_matrix a)
{
  batched_release(ctx, a.data);
}

/* Elements of vectors on the host; free() them. */
static inline large_number *far_get(batched_ctx *ctx, batched_matrix x)
{
  large_matrix v = {x.type, x.m, x.n, NULL, x.data};
  large_number *y = malloc(sizeof *y * (size_t)(x.m * x.n));
  v.host = malloc(large_bytes(&v));
  assert_true(y && v.host);
  batched_copy_to_host(ctx, v.host, v.device, large_bytes(&v));
  for (int i = 0; i < x.m * x.n; i++) y[i] = large_at(&v, i, 0);
  free(v.host);
  return y;
}

/* |ax - y| in units of n eps |A| |x|, of a square A of random numbers.  What the products with x round is some sqrt(n)
 * of eps |A| |x|, which is little beside a unit. */
static inline double far_ratio(batched_ctx *ctx, const large_number *ax, batched_matrix y, batched_matrix x)
{
  large_number *const to = far_get(ctx, y), *const v = far_get(ctx, x);
  const int n = x.m, all = x.m * x.n;
  for (int i = 0; i < all; i++) to[i] -= ax[i];
  const double norm = n * (batched_is_complex(x.type) ? sqrt(2) : 1);
  const double ratio = large_norm(to, all) / (n * (double)sweep_eps(x.type) * norm * large_norm(v, all));
  free(to);
  free(v);
  return ratio;
}

/* x = op(T) x of a triangle of A. */
static inline void far_triangle(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag,
                                batched_matrix a, batched_matrix x)
{
  assert_int_equal(batched_trmm(ctx, BATCHED_LEFT, uplo, trans, diag, batched_real(1), a, x), 0);
}

/* The second of two matrices of random numbers has the bits that it has alone, by cuda.native.  call(ctx, a, results):
 * results is 16 n bytes for each matrix, on the device. */
static inline void far_alone(const batched_op *op, int (*call)(batched_ctx *ctx, batched_matrix a, void *results),
                             batched_type type, int n)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), 0);
  assert_int_equal(batched_select(ctx, op, "cuda.native"), 0);
  const size_t bytes = (size_t)n * (size_t)n * batched_element_bytes(type);
  void *const two = batched_allocate(ctx, 2 * bytes), *const one = batched_allocate(ctx, bytes),
              *const results = batched_allocate(ctx, 32 * (size_t)n), *const in_batch = malloc(bytes),
              *const alone = malloc(bytes);
  assert_true(two && one && results && in_batch && alone);
  const batched_matrix both = batched_make_strided(type, two, n, n, n, (int64_t)n * n, 2),
                       single = batched_make_strided(type, one, n, n, n, (int64_t)n * n, 1);
  assert_int_equal(batched_random(ctx, 7, 0, both), 0);
  assert_int_equal(batched_copy_within(ctx, one, (char *)two + bytes, bytes), 0);
  assert_int_equal(call(ctx, both, results), 0);
  assert_int_equal(call(ctx, single, results), 0);
  batched_copy_to_host(ctx, in_batch, (char *)two + bytes, bytes);
  batched_copy_to_host(ctx, alone, one, bytes);
  if (memcmp(in_batch, alone, bytes) != 0) fail_msg("%s, order %d, type %d: other bits alone", op->name, n, type);
  free(in_batch);
  free(alone);
  batched_release(ctx, two);
  batched_release(ctx, one);
  batched_release(ctx, results);
  batched_destroy(&ctx);
}

/* Runs check(ctx, type, n) by the row that is meant for large matrices and by the one that a call takes by itself, and
 * by this one alone beyond 8192. */
static inline void far_cases(const batched_op *op, void (*check)(batched_ctx *ctx, batched_type type, int n))
{
  static const char *const rows[] = {"cuda.native", "auto"};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), 0);
  for (int r = batched_select(ctx, op, rows[0]) == 0 ? 0 : 1; r < 2; r++) { // not every operation has the row
    assert_int_equal(batched_select(ctx, op, rows[r]), 0);
    for (int t = 0; t < 4; t++) {
      check(ctx, large_types[t], 4096);
      check(ctx, large_types[t], 8192);
      if (r == 1) check(ctx, large_types[t], 20000);
    }
  }
  check(ctx, BATCHED_S, 46400); // 32 bits do not count its elements
  batched_destroy(&ctx);
}

#endif
