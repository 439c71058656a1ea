/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers: the same for each matrix, type and space, and in parts; mean 0, variance 1, no correlation.
 */
#include "batched/lowrank/random_bits.h"
#include "tests/batched/lowrank/lowrank_case.h"

static void test_same_everywhere(void **unused)
{
  (void)unused;
  const int m[] = {40, 7, 1}, n[] = {9, 20, 1};
  for (int type = 0; type < 4; type++)
    for (int l = 2; l < 4; l++) {
      matrices a = make_matrices(3, m, n);
      batched_matrix x = put(&a, (batched_type)type, (layout){l & 1, l & 2}, 0);
      assert_int_equal(batched_random(ctx, 99, 5, x), 0);
      matrices y = get(x, m, n);
      for (int b = 0; b < 3; b++)
        for (int j = 0; j < n[b]; j++)
          for (int i = 0; i < m[b]; i++) {
            const uint64_t bits = lowrank_random_bits(99, i, 5 + j);
            const int ones = __builtin_popcountll(bits);
            const number z = y.x[b][i + j * m[b]];
            assert_true(z == lowrank_random_number(bits, ones) * 0x1p-20 && z != 0);
            assert_true(cabs(z - (ones - 32) / 4.0) < 0.125);
          }
      free_matrices(&a);
      free_matrices(&y);
      release_all();
    }
}

static void test_statistics(void **unused)
{
  (void)unused;
  enum { N = 400 };
  double *x = take(N * N * sizeof *x), *y = malloc(N * N * sizeof *y), sum = 0, squares = 0, along = 0, across = 0;
  assert_int_equal(batched_random(ctx, 1, 0, batched_strided(x, N, N, N, N * N, 1)), 0);
  assert_int_equal(batched_copy_to_host(ctx, y, x, N * N * sizeof *y), 0);
  for (int j = 1; j < N; j++)
    for (int i = 1; i < N; i++) {
      const double z = y[i + N * j];
      sum += z;
      squares += z * z;
      along += z * y[i - 1 + N * j];
      across += z * y[i + N * (j - 1)];
    }
  const double sigma = 1.0 / N; /* of each mean */
  assert_true(fabs(sum) / (N * N) < 5 * sigma && fabs(squares / (N * N) - 1) < 10 * sigma);
  assert_true(fabs(along) / (N * N) < 5 * sigma && fabs(across) / (N * N) < 5 * sigma);
  free(y);
  release_all();
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double *x = take(6 * sizeof *x);
  assert_int_equal(batched_random(NULL, 1, 0, batched_strided(x, 2, 3, 2, 6, 1)), -1);
  assert_int_equal(batched_random(ctx, 1, -1, batched_strided(x, 2, 3, 2, 6, 1)), -3);
  assert_int_equal(batched_random(ctx, 1, 0, batched_strided(x, 2, 3, 1, 6, 1)), -4);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_everywhere), cmocka_unit_test(test_statistics),
                                     cmocka_unit_test(test_bad_arguments)};
  return lowrank_main(argc, argv, tests);
}
