/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangles of QR factorisations in every row, type and layout: C = R^H is lower triangular, R^H R is A^H A column by
 * column, and R has the singular values of A, of random, graded, rank-deficient, huge and tiny matrices.
 */
#include "tests/batched/lowrank/lowrank_case.h"

typedef enum kind { RANDOM, GRADED, STEEP, DEFICIENT, HUGE_ONES, TINY_ONES, ZERO, GROWING, KINDS } kind;

/* STEEP: singular values fall, columns do not. */
static void fill_kind(kind k, batched_type type, matrices *a)
{
  const bool single = batched_real_type(type) == BATCHED_S;
  fill_random(type, a);
  if (k == STEEP) {
    matrices v = make_matrices(a->count, a->n, a->n);
    fill_random(type, &v);
    for (int b = 0; b < a->count; b++)
      for (int j = 0; j < a->n[b]; j++)
        for (int i = 0; i < a->m[b]; i++) a->x[b][i + j * a->m[b]] *= pow(10, -(double)j / 3);
    matrices product = expand(a, &v);
    free_matrices(a);
    free_matrices(&v);
    *a = product;
  }
  for (int b = 0; b < a->count; b++)
    for (int j = 0; j < a->n[b]; j++)
      for (int i = 0; i < a->m[b]; i++) {
        number *x = &a->x[b][i + j * a->m[b]];
        if (k == GRADED) *x *= pow(10, -(double)(j % 5) / 2);
        if (k == DEFICIENT) *x = j > 2 ? a->x[b][i] : *x;
        if (k == HUGE_ONES) *x *= single ? 0x1p100 : 0x1p900;
        if (k == TINY_ONES) *x *= single ? 0x1p-90 : 0x1p-900;
        if (k == ZERO) *x = 0;
        if (k == GROWING) *x *= i < a->m[b] / 2 ? (single ? 0x1p-60 : 0x1p-600) : (single ? 0x1p60 : 0x1p600);
        if (single) *x = (float)creal(*x) + (float)cimag(*x) * I;
      }
}

static void singular_values(const number *a, int m, int n, double *s)
{
  batched_ctx *host;
  int info = 0;
  number *copy = malloc(sizeof *copy * (size_t)m * (size_t)n);
  memcpy(copy, a, sizeof *copy * (size_t)m * (size_t)n);
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  assert_int_equal(batched_gesvd(host, BATCHED_VALUES,
                                 batched_make_strided(BATCHED_Z, copy, m, n, m, (int64_t)m * n, 1),
                                 batched_strided(s, n, 1, n, n, 1), (batched_matrix){0}, (batched_matrix){0}, &info),
                   0);
  assert_int_equal(info, 0);
  batched_destroy(&host);
  free(copy);
}

/* Of matrix b, divided by its norm. */
static void check_one(const matrices *a, const matrices *c, int b, double unit)
{
  const int m = a->m[b], n = a->n[b];
  double largest = 0, norm = 0, values[2][64];
  for (int i = 0; i < m * n; i++) largest = fmax(largest, cabs(a->x[b][i]));
  if (largest == 0) {
    for (int i = 0; i < n * n; i++) assert_true(c->x[b][i] == 0);
    return;
  }
  number *x = malloc(sizeof *x * (size_t)(m * n)), *r = malloc(sizeof *r * (size_t)(n * n));
  for (int i = 0; i < m * n; i++) x[i] = a->x[b][i] / largest, norm += creal(x[i] * conj(x[i]));
  for (int i = 0; i < n * n; i++) r[i] = c->x[b][i] / largest;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      number dot = 0, product = 0;
      double of_i = 0, of_j = 0;
      if (i < j) assert_true(r[i + j * n] == 0);
      for (int l = 0; l < m; l++) {
        dot += conj(x[l + i * m]) * x[l + j * m];
        of_i += creal(x[l + i * m] * conj(x[l + i * m]));
        of_j += creal(x[l + j * m] * conj(x[l + j * m]));
      }
      for (int l = 0; l < n; l++) product += r[i + l * n] * conj(r[j + l * n]);
      assert_true(cabs(dot - product) <= 30 * n * unit * sqrt(of_i * of_j) + 1e-280);
    }
  singular_values(x, m, n, values[0]);
  singular_values(r, n, n, values[1]);
  for (int i = 0; i < n; i++) assert_true(fabs(values[0][i] - values[1][i]) <= 30 * n * unit * sqrt(norm));
  free(x);
  free(r);
}

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
    for (int b = 0; b < 2; b++) {
      assert_memory_equal(after.x[b], a.x[b], sizeof(number) * (size_t)(m * n));
      check_one(&a, &r, b, eps_of(type));
    }
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
  const int shapes[][2] = {{1, 1},    {40, 16},  {17, 17},  {60, 24},  {300, 25}, {257, 32}, {40, 40},
                           {700, 40}, {260, 41}, {300, 48}, {200, 55}, {64, 63},  {530, 64}, {70, 64}};
  for (int row = 0; row_of(&batched_lrtriangle_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrtriangle_op, row_of(&batched_lrtriangle_op, row)), 0);
    int fitted = 0;
    for (int k = 0; k < KINDS; k++)
      for (int type = 0; type < 4; type++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
          fitted += check((kind)k, (batched_type)type, (layout){i % 2, false}, shapes[i][0], shapes[i][1]);
    assert_true(fitted > 0);
  }
}

/* A NaN or an infinity stays in its matrix, and equal matrices have the same bits. */
static void test_nan_stays(void **unused)
{
  (void)unused;
  const int m[] = {300, 300, 300, 300}, n[] = {40, 40, 40, 40};
  const layout l = {false, false};
  for (int row = 0; row_of(&batched_lrtriangle_op, row); row++)
    for (int type = 0; type < 4; type++)
      for (int bad = 0; bad < 2; bad++) {
        assert_int_equal(batched_select(ctx, &batched_lrtriangle_op, row_of(&batched_lrtriangle_op, row)), 0);
        matrices a = make_matrices(4, m, n), none = make_matrices(4, n, n);
        fill_kind(RANDOM, (batched_type)type, &a);
        memcpy(a.x[3], a.x[0], sizeof(number) * 300 * 40);
        a.x[1][77] = bad ? INFINITY : NAN;
        const batched_matrix c = put(&none, (batched_type)type, l, 0);
        assert_int_equal(batched_lrtriangle(ctx, put(&a, (batched_type)type, l, 0), c), 0);
        matrices r = get(c, n, n);
        assert_memory_equal(r.x[0], r.x[3], sizeof(number) * 1600);
        for (int b = 0; b < 4; b += 2) check_one(&a, &r, b, eps_of((batched_type)type));
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
