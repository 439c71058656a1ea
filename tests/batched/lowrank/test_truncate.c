/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks from singular values: by tolerances, by room, of a failed SVD; and V^H scaled.
 */
#include "tests/batched/lowrank/lowrank_case.h"

static void check(batched_truncation t, int most, int failed, int rank, int reported)
{
  for (int row = 0; row_of(&batched_truncate_op, row); row++)
    for (int type = 0; type < 4; type++) {
      assert_int_equal(batched_select(ctx, &batched_truncate_op, row_of(&batched_truncate_op, row)), 0);
      const int q[] = {5, 2, 0}, one[] = {1, 1, 1}, n[] = {3, 3, 3};
      int info[] = {failed, 0, 0}, ranks[] = {9, 9, 9}, *where = put_ints(info, 3), *where_ranks = put_ints(ranks, 3);
      matrices s = make_matrices(3, q, one), vt = make_matrices(3, q, n);
      for (int i = 0; i < 5; i++) s.x[0][i] = pow(10, -i);
      for (int i = 0; i < 15; i++) vt.x[0][i] = i;
      const layout l = {true, true};
      batched_matrix values = put(&s, batched_real_type((batched_type)type), l, 0);
      values.ns = NULL; /* vectors */
      const batched_matrix right = put(&vt, (batched_type)type, l, 0);
      assert_int_equal(batched_truncate(ctx, values, right, most, t, where_ranks, where), 0);
      get_ints(info, where, 3);
      get_ints(ranks, where_ranks, 3);
      matrices y = get(right, q, n);
      assert_true(ranks[0] == rank && info[0] == reported);
      for (int b = 1; b < 3; b++) assert_true(ranks[b] == 0 && info[b] == 0);
      for (int i = 0; i < 15; i++)
        assert_true(fabs(creal(y.x[0][i]) - i * pow(10, -(i % 5))) <= 4 * eps_of((batched_type)type) * i);
      matrices *all[] = {&s, &vt, &y};
      for (int i = 0; i < 3; i++) free_matrices(all[i]);
      release_all();
    }
}

static void test_ranks(void **unused)
{
  (void)unused;
  check((batched_truncation){.tolerance = 0.02}, 5, 0, 2, 0); /* 0.0101 of 1.005 */
  check((batched_truncation){.tolerance = 0.009}, 5, 0, 3, 0);
  check((batched_truncation){.tolerance = 0.00101, .absolute = true}, 5, 0, 3, 0);
  check((batched_truncation){.tolerance = 2}, 5, 0, 0, 0);
  check((batched_truncation){.tolerance = 0}, 5, 0, 5, 0);
  check((batched_truncation){.tolerance = 0}, 3, 0, 3, 0);
  check((batched_truncation){.tolerance = 0, .max_rank = 2}, 3, 0, 2, 0);
  check((batched_truncation){.tolerance = 5e-4}, 2, 0, 2, 4);
  check((batched_truncation){.tolerance = 5e-4, .max_rank = 1}, 4, 0, 1, 4);
  check((batched_truncation){.tolerance = 1e-3}, 5, 1, 1, 6);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks)};
  return lowrank_main(argc, argv, tests);
}
