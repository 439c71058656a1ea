/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Assembly and products of sparse matrices against dense ones; with --gpu the products of the rows for a GPU.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mesh/samples.h"
#include "tests/solvers/space.h"
#include "solvers/solvers.h"
#include "solvers/tables.h"

enum { MAX_ROWS = 60 };

static void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

/* nelements elements with ndofs distinct dofs each, and their matrices, at random; dense holds the sum. */
typedef struct assembly {
  int nrows, nelements, ndofs;
  int dofs[400];
  double dense[MAX_ROWS][MAX_ROWS];
  bool pattern[MAX_ROWS][MAX_ROWS];
  solver_csr *a;
} assembly;

static void assemble(assembly *s, int nrows, int nelements, int ndofs, uint64_t *random)
{
  memset(s, 0, sizeof *s);
  s->nrows = nrows, s->nelements = nelements, s->ndofs = ndofs;
  for (int e = 0; e < nelements; e++) {
    int order[MAX_ROWS];
    sample_shuffle(order, nrows, random);
    memcpy(s->dofs + e * ndofs, order, sizeof *order * (size_t)ndofs);
  }
  s->a = solver_csr_create(nrows, nelements, ndofs, s->dofs);
  assert_non_null(s->a);
  for (int e = 0; e < nelements; e++) {
    double m[MAX_ROWS * MAX_ROWS];
    const int *dofs = s->dofs + e * ndofs;
    for (int i = 0; i < ndofs; i++)
      for (int j = 0; j < ndofs; j++) {
        m[i * ndofs + j] = sample_uniform(random);
        s->dense[dofs[i]][dofs[j]] += m[i * ndofs + j];
        s->pattern[dofs[i]][dofs[j]] = true;
      }
    solver_csr_add(s->a, ndofs, dofs, m);
  }
}

static const int sizes[][3] = {{1, 1, 1},   {5, 1, 3},  {7, 3, 4},  {30, 12, 5},
                               {60, 40, 9}, {20, 0, 4}, {9, 50, 2}, {4, 3, 4}};
enum { NSIZES = sizeof sizes / sizeof *sizes };

static void sums_of_elements(void **state)
{
  (void)state;
  uint64_t random = 1;
  for (int i = 0; i < NSIZES; i++) {
    assembly s;
    assemble(&s, sizes[i][0], sizes[i][1], sizes[i][2], &random);
    const solver_csr *a = s.a;
    assert_int_equal(a->nrows, s.nrows);
    assert_int_equal(a->ncols, s.nrows);
    assert_int_equal(a->start[0], 0);
    for (int row = 0; row < s.nrows; row++) {
      int64_t at = a->start[row];
      for (int j = 0; j < s.nrows; j++) { // columns ascend, and none is missing or too many
        if (!s.pattern[row][j]) continue;
        assert_true(at < a->start[row + 1]);
        assert_int_equal(a->column[at], j);
        assert_true(a->value[at++] == s.dense[row][j]); // the same sums in the same order
      }
      assert_int_equal(at, a->start[row + 1]);
    }
    solver_csr_destroy(&s.a);
    assert_null(s.a);
  }
}

static void blocks(void **state)
{
  (void)state;
  for (int nblocks = 0; nblocks < 5; nblocks++)
    for (int size = 1; size < 5; size++) {
      solver_csr *a = solver_csr_create_blocks(nblocks, size);
      assert_non_null(a);
      assert_int_equal(a->nrows, nblocks * size);
      for (int row = 0; row < a->nrows; row++) {
        assert_int_equal(a->start[row + 1] - a->start[row], size);
        for (int j = 0; j < size; j++) {
          assert_int_equal(a->column[a->start[row] + j], row / size * size + j);
          assert_true(a->value[a->start[row] + j] == 0.0);
        }
      }
      solver_csr_destroy(&a);
    }
}

/* All rows of the table, all components, all and some of the rows; others are not touched. */
static void products(void **state)
{
  (void)state;
  uint64_t random = 2;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  double *there = batched_allocate(ctx, sizeof(double) * 10 * (MAX_ROWS + 3)), *results = there + 5 * (MAX_ROWS + 3);
  assert_non_null(there);
  for (int i = 0; i < NSIZES; i++) {
    assembly s;
    assemble(&s, sizes[i][0], sizes[i][1], sizes[i][2], &random);
    const int ranges[][2] = {{0, s.nrows}, {s.nrows / 3, s.nrows - s.nrows / 4}, {s.nrows / 2, s.nrows / 2}};
    const int64_t stride = s.nrows + 3;
    double x[5 * (MAX_ROWS + 3)], y[5 * (MAX_ROWS + 3)];
    for (size_t j = 0; j < sizeof x / sizeof *x; j++) x[j] = sample_uniform(&random);
    assert_int_equal(batched_copy_from_host(ctx, there, x, sizeof x), 0);
    assert_int_equal(solver_csr_place(ctx, s.a), 0);
    for (const batched_variant *row = solver_spmv_op.variants[space]; row->name; row++)
      for (int ncomp = 1; ncomp <= 4; ncomp++)
        for (int range = 0; range < 3; range++) {
          solver_spmv_args args = {.a = s.a,
                                   .first = ranges[range][0],
                                   .last = ranges[range][1],
                                   .ncomp = ncomp,
                                   .stride = stride,
                                   .x = there,
                                   .y = results};
          for (size_t j = 0; j < sizeof y / sizeof *y; j++) y[j] = 7.0;
          assert_int_equal(batched_copy_from_host(ctx, results, y, sizeof y), 0);
          assert_int_equal(batched_select(ctx, &solver_spmv_op, row->name), 0);
          const int status = solver_spmv(ctx, &args);
          if (status == BATCHED_DOES_NOT_FIT) continue;
          assert_int_equal(status, 0);
          assert_int_equal(batched_copy_to_host(ctx, y, results, sizeof y), 0);
          for (int c = 0; c < 5; c++)
            for (int k = 0; k < stride; k++) {
              double sum = 0.0;
              for (int j = 0; j < s.nrows && k < s.nrows; j++) sum += s.dense[k][j] * x[c * stride + j];
              if (c < ncomp && k >= args.first && k < args.last)
                assert_near(y[c * stride + k], sum, 100 * DBL_EPSILON);
              else
                assert_true(y[c * stride + k] == 7.0);
            }
        }
    solver_csr_destroy(&s.a);
  }
  batched_release(ctx, there);
  batched_destroy(&ctx);
}

/* Rows of all lengths, some of them long, so that every number of lanes a row is taken; the same bits again. */
static void long_rows(void **state)
{
  (void)state;
  enum { N = 700 };
  uint64_t random = 3;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  for (int size = 1; size <= N; size = 2 * size + 1) {
    const int n = N / size * size;
    static double x[N], first[N], y[N];
    solver_csr *a = solver_csr_create_blocks(n / size, size);
    assert_non_null(a);
    for (int64_t j = 0; j < a->start[n]; j++) a->value[j] = sample_uniform(&random);
    for (int i = 0; i < n; i++) x[i] = sample_uniform(&random);
    assert_int_equal(solver_csr_place(ctx, a), 0);
    double *there = batched_allocate(ctx, sizeof x), *results = batched_allocate(ctx, sizeof y);
    assert_true(there && results);
    assert_int_equal(batched_copy_from_host(ctx, there, x, sizeof x), 0);
    for (const batched_variant *row = solver_spmv_op.variants[space]; row->name; row++) {
      const solver_spmv_args args = {.a = a, .last = n, .ncomp = 1, .stride = n, .x = there, .y = results};
      assert_int_equal(batched_select(ctx, &solver_spmv_op, row->name), 0);
      for (int again = 0; again < 2; again++) {
        assert_int_equal(solver_spmv(ctx, &args), 0);
        assert_int_equal(batched_copy_to_host(ctx, again ? y : first, results, sizeof(double) * (size_t)n), 0);
      }
      assert_memory_equal(y, first, sizeof(double) * (size_t)n);
      for (int i = 0; i < n; i++) {
        double sum = 0.0, bound = 0.0;
        for (int64_t j = a->start[i]; j < a->start[i + 1]; j++) {
          sum += a->value[j] * x[a->column[j]];
          bound += fabs(a->value[j] * x[a->column[j]]);
        }
        assert_near(y[i], sum, 100 * DBL_EPSILON * bound);
      }
    }
    solver_csr_destroy(&a);
    batched_release(ctx, there);
    batched_release(ctx, results);
  }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  if (space_choose(argc, argv)) return 77;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums_of_elements),
    cmocka_unit_test(blocks),
    cmocka_unit_test(products),
    cmocka_unit_test(long_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
