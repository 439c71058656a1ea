/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR factorisations in every row, type and layout: of random, graded, rank-deficient, huge and tiny matrices; Q is
 * orthonormal, also of these, and Q R is A column by column.
 */
#include "tests/batched/lowrank/high_case.h"

static void check_one(const matrices *a, const matrices *q, const matrices *r, int b, double unit)
{
  const int m = a->m[b], n = a->n[b];
  matrices c = make_matrices(1, &n, &n);
  double largest = 0;
  for (int64_t i = 0; i < (int64_t)m * n; i++) largest = fmax(largest, cabs(a->x[b][i]));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) c.x[0][j + i * n] = conj(r->x[b][i + j * n]);
  matrices one = make_matrices(1, &m, &n);
  memcpy(one.x[0], a->x[b], sizeof(number) * (size_t)(m * n));
  check_triangle(&one, &c, 0, unit);
  assert_true(orthogonality(q, b) <= 30 * (m + 1) * unit);
  for (int j = 0; j < n; j++) {
    double of_column = 0, rest = 0;
    for (int i = 0; i < m; i++) {
      number left = a->x[b][i + j * m] / (largest > 0 ? largest : 1);
      of_column += creal(left * conj(left));
      for (int l = 0; l <= j; l++) left -= q->x[b][i + l * m] * (r->x[b][l + j * n] / (largest > 0 ? largest : 1));
      rest += creal(left * conj(left));
    }
    assert_true(sqrt(rest) <= 30 * n * unit * sqrt(of_column) + 1e-280);
  }
  free_matrices(&c);
  free_matrices(&one);
}

static bool check(kind k, batched_type type, layout l, int m, int n)
{
  const int ms[] = {m, m}, ns[] = {n, n};
  matrices a = make_matrices(2, ms, ns), none = make_matrices(2, ns, ns);
  fill_kind(k, type, &a);
  batched_matrix x = put(&a, type, l, 0), c = put(&none, type, l, 0);
  const int status = batched_lrqr(ctx, x, c);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (!status) {
    matrices q = get(x, ms, ns), r = get(c, ns, ns);
    check_one(&a, &q, &r, 1, eps_of(type));
    free_matrices(&q);
    free_matrices(&r);
  }
  free_matrices(&a);
  free_matrices(&none);
  release_all();
  return status == 0;
}

static void test_factorisations(void **unused)
{
  (void)unused;
  for (int row = 0; rows_left(&batched_lrqr_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrqr_op, row_of(&batched_lrqr_op, row)), 0);
    int fitted = 0;
    for (int k = 0; k < (quick ? 1 : KINDS); k++)
      for (int type = 0; type < 4; type++)
        for (int i = 0; i < HIGH_SHAPES; i += quick ? 3 : 1)
          fitted += check((kind)k, (batched_type)type, (layout){i % 2, false}, high_shapes[i][0], high_shapes[i][1]);
    assert_true(fitted > 0);
  }
}

/* A NaN or an infinity stays in its matrix, and equal matrices have the same bits. */
static void test_nan_stays(void **unused)
{
  (void)unused;
  const int m[] = {300, 300, 300, 300}, n[] = {40, 40, 40, 40};
  const layout l = {false, false};
  for (int row = 0; rows_left(&batched_lrqr_op, row); row++)
    for (int type = 0; type < 4; type++)
      for (int bad = 0; bad < (quick ? 1 : 2); bad++) {
        assert_int_equal(batched_select(ctx, &batched_lrqr_op, row_of(&batched_lrqr_op, row)), 0);
        matrices a = make_matrices(4, m, n), none = make_matrices(4, n, n);
        fill_kind(RANDOM, (batched_type)type, &a);
        memcpy(a.x[3], a.x[0], sizeof(number) * 300 * 40);
        a.x[1][77] = bad ? INFINITY : NAN;
        const batched_matrix c = put(&none, (batched_type)type, l, 0);
        const batched_matrix x = put(&a, (batched_type)type, l, 0);
        assert_int_equal(batched_lrqr(ctx, x, c), 0);
        matrices r = get(c, n, n), q = get(x, m, n);
        assert_memory_equal(q.x[0], q.x[3], sizeof(number) * 300 * 40);
        assert_memory_equal(r.x[0], r.x[3], sizeof(number) * 1600);
        for (int b = 0; b < 4; b += 2) check_one(&a, &q, &r, b, eps_of((batched_type)type));
        assert_true(!isfinite(creal(r.x[1][0])));
        free_matrices(&q);
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
  assert_int_equal(batched_lrqr(NULL, x, r), -1);
  assert_int_equal(batched_lrqr(ctx, (batched_matrix){.m = -1}, r), -2);
  assert_int_equal(batched_lrqr(ctx, put(&a, BATCHED_D, variable, 0), r), -2);
  assert_int_equal(batched_lrqr(ctx, x, x), -3);
  assert_int_equal(batched_lrqr(ctx, x, put(&c, BATCHED_S, l, 0)), -3);
  free_matrices(&a);
  free_matrices(&c);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_factorisations),
    cmocka_unit_test(test_nan_stays),
    cmocka_unit_test(test_bad_arguments),
  };
  return lowrank_main(argc, argv, tests);
}
