/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Crosses: a matrix of rank r, with rows of zeros at its head, is X Y^H of r crosses, and the columns behind are zeros,
 * in every row, type and layout; arguments.
 */
#include "tests/batched/lowrank/lowrank_case.h"

enum { ROOM = 9 };

static void check(batched_type type, layout l)
{
  const int m[] = {20, 20, 20}, ragged[] = {20, 7, 13}, n[] = {16, 16, 16}, rank[] = {5, 0, 3},
            room[] = {ROOM, ROOM, ROOM};
  const int *heights = l.variable ? ragged : m;
  matrices u = make_matrices(3, heights, rank), v = make_matrices(3, n, rank);
  fill_random(type, &u);
  fill_random(type, &v);
  for (int j = 0; j < 5; j++) u.x[0][j * heights[0]] = u.x[0][1 + j * heights[0]] = 0;
  matrices a = expand(&u, &v), x = make_matrices(3, heights, room), y = make_matrices(3, n, room);
  batched_matrix px = put(&x, type, l, 0), py = put(&y, type, l, 0);
  px.ns = py.ns = NULL; /* all have ROOM columns */
  assert_int_equal(batched_cross(ctx, put(&a, type, l, 0), px, py, 1e3 * eps_of(type), false), 0);
  matrices gx = get(px, heights, room), gy = get(py, n, room), product = expand(&gx, &gy);
  for (int b = 0; b < 3; b++) {
    assert_true(distance(&product, &a, b) <= 1e4 * eps_of(type) * norm_of(&a, b));
    for (int i = 0; i < heights[b] * (ROOM - rank[b] - 1); i++)
      assert_true(gx.x[b][(rank[b] + 1) * heights[b] + i] == 0); /* one more than the rank may be rounding error */
  }
  matrices *all[] = {&u, &v, &a, &x, &y, &gx, &gy, &product};
  for (int i = 0; i < 8; i++) free_matrices(all[i]);
  release_all();
}

static void test_exact_rank(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_cross_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_cross_op, row_of(&batched_cross_op, row)), 0);
    for (int type = 0; type < 4; type++)
      for (int l = 0; l < 4; l++) check((batched_type)type, (layout){l & 1, l & 2});
  }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double *p = take(100 * sizeof *p);
  const batched_matrix a = batched_strided(p, 4, 5, 4, 20, 1), x = batched_strided(p + 20, 4, 2, 4, 8, 1);
  const batched_matrix y = batched_strided(p + 40, 5, 2, 5, 10, 1);
  assert_int_equal(batched_cross(NULL, a, x, y, 0, false), -1);
  assert_int_equal(batched_cross(ctx, a, y, y, 0, false), -3);
  assert_int_equal(batched_cross(ctx, a, x, x, 0, false), -4);
  assert_int_equal(batched_cross(ctx, a, x, y, -1, false), -5);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_rank), cmocka_unit_test(test_bad_arguments)};
  return lowrank_main(argc, argv, tests);
}
