/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values and left singular vectors of small matrices, in every row, type and layout: A = P P^H A, with rows of
 * P^H A that are orthogonal and as long as the singular values, of orders on both sides of those of the kernel's parts.
 */
#include "tests/batched/lowrank/lowrank_case.h"

typedef enum kind { RANDOM, GRADED, DEFICIENT, HUGE_ONES, ZERO, KINDS } kind;

static void fill_kind(kind k, batched_type type, matrices *a)
{
  fill_random(type, a);
  for (int b = 0; b < a->count; b++)
    for (int j = 0; j < a->n[b]; j++)
      for (int i = 0; i < a->m[b]; i++) {
        number *x = &a->x[b][i + j * a->m[b]];
        if (k == GRADED) *x *= pow(10, -(double)j / 3);
        if (k == DEFICIENT) *x = j > 2 ? a->x[b][i] : *x;
        if (k == HUGE_ONES) *x *= batched_real_type(type) == BATCHED_S ? 0x1p100 : 0x1p900;
        if (k == ZERO) *x = 0;
        if (batched_real_type(type) == BATCHED_S) *x = (float)creal(*x) + (float)cimag(*x) * I;
      }
}

/* Of matrix b, divided by its norm. */
static void check_one(const matrices *a, const matrices *p, const matrices *s, int b, double unit)
{
  const int m = a->m[b], n = a->n[b], k = m < n ? m : n;
  const double all = norm_of(a, b), allowed = 30 * (m + n) * unit;
  if (all == 0) {
    for (int i = 0; i < k; i++) assert_true(s->x[b][i] == 0);
    return;
  }
  number *rows = calloc((size_t)(k * n), sizeof *rows);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < m; l++) rows[i + j * k] += conj(p->x[b][l + i * m]) * (a->x[b][l + j * m] / all);
  double left = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      number rest = a->x[b][i + j * m] / all;
      for (int l = 0; l < k; l++) rest -= p->x[b][i + l * m] * rows[l + j * k];
      left += creal(rest * conj(rest));
    }
  assert_true(sqrt(left) <= allowed);
  for (int i = 0; i < k; i++)
    for (int l = 0; l <= i; l++) {
      number dot = 0, product = i == l ? -1 : 0;
      for (int j = 0; j < n; j++) dot += conj(rows[i + j * k]) * rows[l + j * k];
      for (int j = 0; j < m; j++) product += conj(p->x[b][j + i * m]) * p->x[b][j + l * m];
      const double x = creal(s->x[b][i]) / all, y = creal(s->x[b][l]) / all;
      assert_true(cabs(dot - (i == l ? x * x : 0)) <= allowed && y >= x && x >= 0);
      if (x > k * unit) assert_true(cabs(product) <= allowed);
    }
  free(rows);
}

/* Upper triangles, well conditioned. */
static matrices make_triangles(batched_type type, int count, const int *n)
{
  matrices t = make_matrices(count, n, n);
  fill_random(type, &t);
  for (int b = 0; b < count; b++)
    for (int j = 0; j < n[b]; j++)
      for (int i = 0; i < n[b]; i++) {
        number *const x = &t.x[b][i + j * n[b]];
        *x = i == j ? 1.5 + 0.5 * *x : *x / n[b];
        if (batched_real_type(type) == BATCHED_S) *x = (float)creal(*x) + (float)cimag(*x) * I;
      }
  return t;
}

/* A = T^H A and P = T^-1 P, with T's upper triangle alone. */
static void apply_triangle(const matrices *t, int b, matrices *a, matrices *p)
{
  const int k = t->n[b];
  const number *const x = t->x[b];
  for (int j = 0; j < a->n[b]; j++)
    for (int i = k - 1; i >= 0; i--) {
      number sum = 0;
      for (int l = 0; l <= i; l++) sum += conj(x[l + i * k]) * a->x[b][l + j * k];
      a->x[b][i + j * k] = sum;
    }
  for (int j = 0; j < p->n[b]; j++)
    for (int i = k - 1; i >= 0; i--) {
      number rest = p->x[b][i + j * k];
      for (int l = i + 1; l < k; l++) rest -= x[i + l * k] * p->x[b][l + j * k];
      p->x[b][i + j * k] = rest / x[i + i * k];
    }
}

/* with_triangle: of T^H A, uniform. */
static bool check(kind k, batched_type type, layout l, int count, const int *m, const int *n, bool with_triangle)
{
  matrices a = make_matrices(count, m, n);
  int least[MOST], one[MOST], info[MOST] = {0};
  for (int b = 0; b < count; b++) least[b] = m[b] < n[b] ? m[b] : n[b], one[b] = 1;
  fill_kind(k, type, &a);
  const matrices s0 = make_matrices(count, least, one), p0 = make_matrices(count, m, least),
                 t0 = make_triangles(type, count, m);
  matrices first[3] = {s0, p0, t0};
  const batched_matrix t = with_triangle ? put(&t0, type, l, 0) : (batched_matrix){0};
  batched_matrix s = put(&s0, batched_real_type(type), l, 0), p = put(&p0, type, l, 0);
  s.ns = NULL; /* vectors */
  int *where = put_ints(info, count);
  const int status = batched_lrcore(ctx, put(&a, type, l, 0), t, s, p, where);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (!status) {
    matrices values = get(s, least, one), vectors = get(p, m, least);
    get_ints(info, where, count);
    for (int b = 0; b < count; b++) {
      assert_int_equal(info[b], 0);
      if (with_triangle) apply_triangle(&t0, b, &a, &vectors);
      check_one(&a, &vectors, &values, b, eps_of(type));
    }
    free_matrices(&values);
    free_matrices(&vectors);
  }
  free_matrices(&a);
  for (int i = 0; i < 3; i++) free_matrices(&first[i]);
  release_all();
  return status == 0;
}

static void test_vectors(void **unused)
{
  (void)unused;
  const int orders[] = {1, 17, 33, 34, 40, 41, 48, 49};
  for (int row = 0; rows_left(&batched_lrcore_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrcore_op, row_of(&batched_lrcore_op, row)), 0);
    int fitted = 0;
    for (int k = 0; k < (quick ? 1 : KINDS); k++)
      for (int type = 0; type < 4; type++) {
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
          const int n[] = {orders[i], orders[i]};
          for (int with_triangle = 0; with_triangle < 2; with_triangle++)
            fitted += check((kind)k, (batched_type)type, (layout){i % 2, false}, 2, n, n, with_triangle);
        }
        fitted +=
          check((kind)k, (batched_type)type, (layout){false, true}, 3, (int[]){5, 40, 1}, (int[]){9, 33, 0}, false);
        fitted += check((kind)k, (batched_type)type, (layout){true, false}, 2, (int[]){24, 24}, (int[]){40, 40}, true);
      }
    assert_true(fitted > 0);
  }
}

/* A NaN or an infinity stays in its matrix, and equal matrices have the same bits. */
static void test_nan_stays(void **unused)
{
  (void)unused;
  const int n[] = {40, 40, 40, 40}, one[] = {1, 1, 1, 1};
  for (int row = 0; rows_left(&batched_lrcore_op, row); row++)
    for (int type = 0; type < 4; type++)
      for (int bad = 0; bad < (quick ? 1 : 2); bad++) {
        assert_int_equal(batched_select(ctx, &batched_lrcore_op, row_of(&batched_lrcore_op, row)), 0);
        matrices a = make_matrices(4, n, n), s0 = make_matrices(4, n, one), p0 = make_matrices(4, n, n);
        fill_kind(RANDOM, (batched_type)type, &a);
        memcpy(a.x[3], a.x[0], sizeof(number) * 1600);
        a.x[1][77] = bad ? INFINITY : NAN;
        const layout l = {false, false};
        int info[4] = {0}, *where = put_ints(info, 4);
        const batched_matrix s = put(&s0, batched_real_type((batched_type)type), l, 0);
        const batched_matrix p = put(&p0, (batched_type)type, l, 0);
        assert_int_equal(batched_lrcore(ctx, put(&a, (batched_type)type, l, 0), (batched_matrix){0}, s, p, where), 0);
        get_ints(info, where, 4);
        assert_true(info[0] == 0 && info[1] > 0 && info[2] == 0 && info[3] == 0);
        matrices values = get(s, n, one), vectors = get(p, n, n);
        assert_memory_equal(vectors.x[0], vectors.x[3], sizeof(number) * 1600);
        assert_memory_equal(values.x[0], values.x[3], sizeof(number) * 40);
        for (int b = 0; b < 4; b += 2) check_one(&a, &vectors, &values, b, eps_of((batched_type)type));
        matrices *all[] = {&a, &s0, &p0, &values, &vectors};
        for (int i = 0; i < 5; i++) free_matrices(all[i]);
        release_all();
      }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const int n[] = {4}, one[] = {1};
  const layout l = {false, false};
  matrices a = make_matrices(1, n, n), s = make_matrices(1, n, one);
  const batched_matrix x = put(&a, BATCHED_D, l, 0), y = put(&s, BATCHED_D, l, 0);
  int info[1];
  const batched_matrix none = {0};
  assert_int_equal(batched_lrcore(NULL, x, none, y, x, info), -1);
  assert_int_equal(batched_lrcore(ctx, (batched_matrix){.m = -1}, none, y, x, info), -2);
  assert_int_equal(batched_lrcore(ctx, x, y, y, x, info), -3);
  assert_int_equal(batched_lrcore(ctx, x, put(&a, BATCHED_D, (layout){false, true}, 0), y, x, info), -3);
  assert_int_equal(batched_lrcore(ctx, x, none, put(&s, BATCHED_S, l, 0), x, info), -4);
  assert_int_equal(batched_lrcore(ctx, x, none, y, y, info), -5);
  assert_int_equal(batched_lrcore(ctx, x, none, y, x, NULL), -6);
  free_matrices(&a);
  free_matrices(&s);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vectors),
    cmocka_unit_test(test_nan_stays),
    cmocka_unit_test(test_bad_arguments),
  };
  return lowrank_main(argc, argv, tests);
}
