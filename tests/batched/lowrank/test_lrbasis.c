/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bases of high matrices in every row, type and layout: of random, graded, rank-deficient, huge and tiny matrices, and
 * of those whose rows a sketch may lose; X C is orthonormal but for zeros, and spans A.
 */
#include "tests/batched/lowrank/high_case.h"

/* Q = X C, or X, of matrix b; where *C is NULL, X. */
static matrices basis_of(const matrices *x, const matrices *c)
{
  matrices q = make_matrices(x->count, x->m, x->n);
  for (int b = 0; b < x->count; b++) {
    const int m = x->m[b], n = x->n[b];
    if (c)
      multiply(1, x->x[b], m, n, c->x[b], false, n, 0, q.x[b]);
    else
      memcpy(q.x[b], x->x[b], sizeof(number) * (size_t)(m * n));
  }
  return q;
}

/* Columns are 0 or of norm 1, and orthogonal; |A - Q Q^H A| is some eps |A|; C is an upper triangle. */
static void check_basis(const matrices *a, const matrices *q, int b, double unit)
{
  const int m = a->m[b], n = a->n[b];
  number *p = malloc(sizeof *p * (size_t)(n * n)), *rest = malloc(sizeof *rest * (size_t)(m * n));
  double largest = 0, all = 0, left = 0;
  for (int i = 0; i < m * n; i++) largest = fmax(largest, cabs(a->x[b][i]));
  for (int i = 0; i < m * n; i++) rest[i] = largest > 0 ? a->x[b][i] / largest : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      number dot = 0;
      p[i + j * n] = 0;
      for (int l = 0; l < m; l++) {
        dot += conj(q->x[b][l + i * m]) * q->x[b][l + j * m];
        p[i + j * n] += conj(q->x[b][l + i * m]) * rest[l + j * m];
      }
      if (i != j) assert_true(cabs(dot) <= 30 * m * unit);
      if (i == j) assert_true(dot == 0 || cabs(dot - 1) <= 30 * m * unit);
    }
  for (int i = 0; i < m * n; i++) all += creal(rest[i] * conj(rest[i]));
  multiply(-1, q->x[b], m, n, p, false, n, 1, rest);
  for (int i = 0; i < m * n; i++) left += creal(rest[i] * conj(rest[i]));
  assert_true(sqrt(left) <= 30 * n * unit * sqrt(all));
  free(p);
  free(rest);
}

/* In place of A its basis, if the row does it. */
static bool find_basis(const matrices *a, batched_type type, layout l, matrices *q)
{
  matrices none = make_matrices(a->count, a->n, a->n);
  const batched_matrix x = put(a, type, l, 0), c = put(&none, type, l, 0);
  bool orthonormal = false;
  const int status = batched_lrbasis(ctx, x, c, &orthonormal);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (!status) {
    matrices after = get(x, a->m, a->n), triangle = orthonormal ? none : get(c, a->n, a->n);
    for (int b = 0; b < a->count && !orthonormal; b++)
      for (int j = 0; j < a->n[b]; j++)
        for (int i = j + 1; i < a->n[b]; i++) assert_true(triangle.x[b][i + j * a->n[b]] == 0);
    *q = basis_of(&after, orthonormal ? NULL : &triangle);
    free_matrices(&after);
    if (!orthonormal) free_matrices(&triangle);
  }
  free_matrices(&none);
  release_all();
  return status == 0;
}

static bool check(kind k, batched_type type, layout l, int m, int n)
{
  const int ms[] = {m, m}, ns[] = {n, n};
  matrices a = make_matrices(2, ms, ns), q = {0};
  fill_kind(k, type, &a);
  const bool done = find_basis(&a, type, l, &q);
  if (done) {
    check_basis(&a, &q, 1, eps_of(type));
    free_matrices(&q);
  }
  free_matrices(&a);
  return done;
}

static void test_bases(void **unused)
{
  (void)unused;
  high_in_all_rows(&batched_lrbasis_op, check);
}

/* Rows of A that are not 0, every `step`th, fall by 10^-fall each; in the others there is `other`: what is added up by
 * a sketch of rows may be a single one. */
static void test_few_rows(void **unused)
{
  (void)unused;
  enum { M = 1030, N = 40 };
  const int m[] = {M}, n[] = {N}, steps[] = {1, 8, 128, 256, 300};
  const double others[] = {0, 1};
  for (int row = 0; rows_left(&batched_lrbasis_op, row); row++)
    for (int i = 0; i < (quick ? 1 : 5 * 2 * 3); i++) {
      const int step = steps[i % 5];
      matrices a = make_matrices(1, m, n), q = {0};
      assert_int_equal(batched_select(ctx, &batched_lrbasis_op, row_of(&batched_lrbasis_op, row)), 0);
      fill_random(BATCHED_D, &a);
      for (int j = 0; j < N; j++)
        for (int k = 0; k < M; k++) {
          number *const x = &a.x[0][k + j * M];
          const int decades = i / 10, kind = i / 5 % 2;
          *x = k % step ? others[kind] * (j + 1) : *x * pow(10, -decades * (double)k / step);
        }
      assert_true(find_basis(&a, BATCHED_D, (layout){0}, &q));
      check_basis(&a, &q, 0, eps_of(BATCHED_D));
      free_matrices(&a);
      free_matrices(&q);
    }
}

/* A NaN or an infinity stays in its matrix, and, on a GPU, equal matrices have the same bits. */
static void test_nan_stays(void **unused)
{
  (void)unused;
  const int m[] = {300, 300, 300, 300}, n[] = {40, 40, 40, 40};
  for (int row = 0; rows_left(&batched_lrbasis_op, row); row++)
    for (int type = 0; type < 4; type++)
      for (int bad = 0; bad < (quick ? 1 : 2); bad++) {
        assert_int_equal(batched_select(ctx, &batched_lrbasis_op, row_of(&batched_lrbasis_op, row)), 0);
        matrices a = make_matrices(4, m, n), q = {0};
        fill_random((batched_type)type, &a);
        memcpy(a.x[3], a.x[0], sizeof(number) * 300 * 40);
        a.x[1][77] = bad ? INFINITY : NAN;
        if (find_basis(&a, (batched_type)type, (layout){0}, &q)) {
          /* the host's rows call LAPACK, whose bits may depend on the address */
          if (space == BATCHED_CUDA) assert_memory_equal(q.x[0], q.x[3], sizeof(number) * 300 * 40);
          for (int b = 0; b < 4; b += 2) check_basis(&a, &q, b, eps_of((batched_type)type));
          /* the first element is 1 - tau; OpenBLAS's scal, on some processors, makes zeros of numbers times NaN */
          assert_true(isnan(creal(q.x[1][space == BATCHED_CUDA ? 300 * 40 - 1 : 0])));
          free_matrices(&q);
        }
        free_matrices(&a);
      }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const int m[] = {6}, n[] = {4};
  const layout l = {false, false}, variable = {false, true};
  bool orthonormal;
  matrices a = make_matrices(1, m, n), c = make_matrices(1, n, n);
  const batched_matrix x = put(&a, BATCHED_D, l, 0), r = put(&c, BATCHED_D, l, 0);
  assert_int_equal(batched_lrbasis(NULL, x, r, &orthonormal), -1);
  assert_int_equal(batched_lrbasis(ctx, (batched_matrix){.m = -1}, r, &orthonormal), -2);
  assert_int_equal(batched_lrbasis(ctx, put(&a, BATCHED_D, variable, 0), r, &orthonormal), -2);
  assert_int_equal(batched_lrbasis(ctx, r, x, &orthonormal), -3);
  assert_int_equal(batched_lrbasis(ctx, x, put(&c, BATCHED_S, l, 0), &orthonormal), -3);
  free_matrices(&a);
  free_matrices(&c);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bases),
    cmocka_unit_test(test_few_rows),
    cmocka_unit_test(test_nan_stays),
    cmocka_unit_test(test_bad_arguments),
  };
  return lowrank_main(argc, argv, tests);
}
