/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements of the kernels against their formulas; and points along a Morton curve.
 */
#include "tests/batched/lowrank/lowrank_case.h"

enum { POINTS = 60 };

static double formula(const batched_kernel *k, const double *points, int i, int j)
{
  double square = 0;
  for (int c = 0; c < k->dim; c++) square += pow(points[k->dim * i + c] - points[k->dim * j + c], 2);
  const double r = sqrt(square) / k->length, nugget = i == j ? k->nugget : 0;
  switch (k->function) {
  case BATCHED_HILBERT: return 1.0 / (1 + i + j) + nugget;
  case BATCHED_EXPONENTIAL: return k->variance * exp(-r) + nugget;
  case BATCHED_MATERN_3_2: return k->variance * (1 + sqrt(3) * r) * exp(-sqrt(3) * r) + nugget;
  case BATCHED_MATERN_5_2: return k->variance * (1 + sqrt(5) * r + 5.0 / 3 * r * r) * exp(-sqrt(5) * r) + nugget;
  default:
    if (r == 0) return nugget;
    return (k->dim == 1 ? -r : k->dim == 2 ? -log(r) : 1 / r) * k->variance + nugget;
  }
}

static void test_formulas(void **unused)
{
  (void)unused;
  const int m[] = {20, 17, 3}, n[] = {12, 20, 20}, rows[] = {0, 30, 57}, columns[] = {3, 30, 40};
  for (int dim = 1; dim <= 3; dim++)
    for (int function = 0; function <= BATCHED_LAPLACE; function++)
      for (int type = 0; type < 4; type++) {
        double points[3 * POINTS];
        for (int i = 0; i < dim * POINTS; i++) points[i] = draw();
        batched_kernel k = {(batched_function)function, dim, points, 1.5, 0.3, 0.25};
        matrices a = make_matrices(3, m, n);
        batched_matrix x = put(&a, (batched_type)type, (layout){true, true}, 0);
        k.points = put_bytes(points, sizeof points);
        assert_int_equal(
          batched_evaluate(ctx, &k, batched_each(57, put_ints(rows, 3)), batched_each(40, put_ints(columns, 3)), x), 0);
        matrices y = get(x, m, n);
        for (int b = 0; b < 3; b++)
          for (int j = 0; j < n[b]; j++)
            for (int i = 0; i < m[b]; i++) {
              const double exact = formula(&k, points, rows[b] + i, columns[b] + j);
              assert_true(cabs(y.x[b][i + j * m[b]] - exact) <= 30 * eps_of((batched_type)type) * (1 + fabs(exact)));
            }
        free_matrices(&a);
        free_matrices(&y);
        release_all();
      }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const double points[] = {0, 1};
  double *x = take(4 * sizeof *x);
  batched_kernel k = {BATCHED_EXPONENTIAL, 1, points, 1, 1, 0};
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 1);
  assert_int_equal(batched_evaluate(NULL, &k, batched_uniform(0), batched_uniform(0), a), -1);
  assert_int_equal(batched_evaluate(ctx, &k, batched_uniform(-1), batched_uniform(0), a), -3);
  assert_int_equal(batched_evaluate(ctx, &k, batched_uniform(0), batched_uniform(-1), a), -4);
  k.dim = 4;
  assert_int_equal(batched_evaluate(ctx, &k, batched_uniform(0), batched_uniform(0), a), -2);
  release_all();
}

/* Each point once; and in a lattice of 8 x 8 every four neighbours on the curve are a square. */
static void test_morton(void **unused)
{
  (void)unused;
  double points[128];
  int order[64], seen[64] = {0};
  for (int i = 0; i < 64; i++) {
    const int row = i / 8;
    points[2 * i] = i % 8, points[2 * i + 1] = row;
  }
  assert_int_equal(batched_morton_order(2, 64, points, order), 0);
  for (int i = 0; i < 64; i++) seen[order[i]]++;
  for (int i = 0; i < 64; i++) assert_int_equal(seen[i], 1);
  for (int i = 0; i < 64; i += 4)
    for (int j = 1; j < 4; j++)
      assert_true(order[i] % 8 / 2 == order[i + j] % 8 / 2 && order[i] / 16 == order[i + j] / 16);
  assert_int_equal(batched_morton_order(4, 64, points, order), -1);
  static const char *const faults[] = {"2nd argument is wrong: n -1 < 0", "3rd argument is wrong: points is NULL",
                                       "4th argument is wrong: order is NULL"};
  for (int i = 0; i < 3; i++) {
    char text[200];
    const int status = batched_morton_order(2, i == 0 ? -1 : 64, i == 1 ? NULL : points, i == 2 ? NULL : order);
    assert_int_equal(status, -2 - i);
    assert_non_null(strstr(batched_explain(NULL, status, text, sizeof text), faults[i]));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_formulas),
    cmocka_unit_test(test_bad_arguments),
    cmocka_unit_test(test_morton),
  };
  return lowrank_main(argc, argv, tests);
}
