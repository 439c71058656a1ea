/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangles of QR factorisations in every row, type and layout: of random, graded, rank-deficient, huge and tiny
 * matrices; A stays.
 */
#include "tests/batched/lowrank/high_case.h"

static bool check(kind k, batched_type type, layout l, int m, int n)
{
  const int ms[] = {m, m}, ns[] = {n, n};
  matrices a = make_matrices(2, ms, ns), none = make_matrices(2, ns, ns);
  fill_kind(k, type, &a);
  batched_matrix x = put(&a, type, l, 0), c = put(&none, type, l, 0);
  const int status = batched_lrtriangle(ctx, x, c);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (!status) {
    matrices after = get(x, ms, ns), r = get(c, ns, ns);
    for (int b = 0; b < 2; b++) assert_memory_equal(after.x[b], a.x[b], sizeof(number) * (size_t)(m * n));
    check_triangle(&a, &r, 1, eps_of(type));
    free_matrices(&after);
    free_matrices(&r);
  }
  free_matrices(&a);
  free_matrices(&none);
  release_all();
  return status == 0;
}

static void test_triangles(void **unused)
{
  (void)unused;
  high_in_all_rows(&batched_lrtriangle_op, check);
}

/* A NaN or an infinity stays in its matrix, and equal matrices have the same bits. */
static void test_nan_stays(void **unused)
{
  (void)unused;
  const int m[] = {300, 300, 300, 300}, n[] = {40, 40, 40, 40};
  const layout l = {false, false};
  for (int row = 0; rows_left(&batched_lrtriangle_op, row); row++)
    for (int type = 0; type < 4; type++)
      for (int bad = 0; bad < (quick ? 1 : 2); bad++) {
        assert_int_equal(batched_select(ctx, &batched_lrtriangle_op, row_of(&batched_lrtriangle_op, row)), 0);
        matrices a = make_matrices(4, m, n), none = make_matrices(4, n, n);
        fill_kind(RANDOM, (batched_type)type, &a);
        memcpy(a.x[3], a.x[0], sizeof(number) * 300 * 40);
        a.x[1][77] = bad ? INFINITY : NAN;
        const batched_matrix c = put(&none, (batched_type)type, l, 0);
        assert_int_equal(batched_lrtriangle(ctx, put(&a, (batched_type)type, l, 0), c), 0);
        matrices r = get(c, n, n);
        assert_memory_equal(r.x[0], r.x[3], sizeof(number) * 1600);
        for (int b = 0; b < 4; b += 2) check_triangle(&a, &r, b, eps_of((batched_type)type));
        assert_true(isnan(creal(r.x[1][39])));
        free_matrices(&a);
        free_matrices(&none);
        free_matrices(&r);
        release_all();
      }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const int m[] = {6}, n[] = {4};
  const layout l = {false, false}, variable = {false, true};
  matrices a = make_matrices(1, m, n), c = make_matrices(1, n, n);
  const batched_matrix x = put(&a, BATCHED_D, l, 0), r = put(&c, BATCHED_D, l, 0);
  assert_int_equal(batched_lrtriangle(NULL, x, r), -1);
  assert_int_equal(batched_lrtriangle(ctx, (batched_matrix){.m = -1}, r), -2);
  assert_int_equal(batched_lrtriangle(ctx, put(&a, BATCHED_D, variable, 0), r), -2);
  assert_int_equal(batched_lrtriangle(ctx, x, x), -3);
  assert_int_equal(batched_lrtriangle(ctx, x, put(&c, BATCHED_S, l, 0)), -3);
  free_matrices(&a);
  free_matrices(&c);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_triangles),
    cmocka_unit_test(test_nan_stays),
    cmocka_unit_test(test_bad_arguments),
  };
  return lowrank_main(argc, argv, tests);
}
