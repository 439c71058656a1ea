/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conjugate gradients on systems with known solutions: every row, spread over the ranks as a finite-element vector is; the rows
 * for a GPU with --gpu.
 * ranks: 1 2 3
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mesh/samples.h"
#include "solvers/solvers.h"
#include "solvers/tables.h"

/* Whose rows are tested. */
static batched_space where = BATCHED_HOST;

/* A step through the cases: on a GPU, where a small system costs as much as a large one, there are fewer. */
static int more(int step)
{
  return where == BATCHED_CUDA ? 4 * step : step;
}

static void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

/* A tridiagonal matrix of `global` rows, d_i on the diagonal and -1 beside it.  This rank owns rows [first, first + nowned)
 * and keeps a copy of the row behind them, as of a node that the next rank owns. */
typedef struct chain {
  int global, first, nowned, n, ncomp;
  double diagonal[200];
  int products;
} chain;

static chain make(int global, int ncomp, double weight)
{
  chain a = {.global = global, .ncomp = ncomp};
  a.first = global * comm_rank() / comm_size();
  a.nowned = global * (comm_rank() + 1) / comm_size() - a.first;
  a.n = a.nowned + (a.first + a.nowned < global ? 1 : 0);
  for (int i = 0; i < global; i++) a.diagonal[i] = 2.0 + weight * (1 + i % 7);
  return a;
}

/* The whole vector of a component, on every rank. */
static void collect(const chain *a, const double *x, double *all)
{
  memset(all, 0, sizeof *all * 200);
  memcpy(all + a->first, x, sizeof *all * (size_t)a->nowned);
  comm_sum(all, a->global);
}

static double row_times(const chain *a, int i, const double *all)
{
  return a->diagonal[i] * all[i] - (i > 0 ? all[i - 1] : 0.0) - (i + 1 < a->global ? all[i + 1] : 0.0);
}

static int multiply(batched_ctx *ctx, void *matrix, const double *p, double *ap)
{
  chain *a = matrix;
  double all[200], from[600], to[600];
  const size_t bytes = sizeof *all * (size_t)(a->ncomp * a->n);
  assert_int_equal(batched_copy_to_host(ctx, from, p, bytes), 0);
  a->products++;
  for (int c = 0; c < a->ncomp; c++) {
    collect(a, from + c * a->n, all);
    for (int i = 0; i < a->n; i++) to[c * a->n + i] = row_times(a, a->first + i, all);
  }
  return batched_copy_from_host(ctx, ap, to, bytes);
}

typedef struct solution {
  double x[3 * 200];
  int iterations[3];
  bool converged[3];
  int products, status;
} solution;

/* A copy in the context's memory. */
static double *place(batched_ctx *ctx, const double *x, size_t n)
{
  double *p = batched_allocate(ctx, n * sizeof *x);
  assert_non_null(p);
  assert_int_equal(batched_copy_from_host(ctx, p, x, n * sizeof *x), 0);
  return p;
}

static solution solve(batched_ctx *ctx, const char *variant, chain *a, bool jacobi, const double *b, double tolerance,
                      int max_iterations)
{
  solution s;
  double inverse_diagonal[200], nothing[9 * 200];
  memset(&s, 0xff, sizeof s); // nothing that is there counts: x starts from zero
  memset(nothing, 0xff, sizeof nothing);
  for (int i = 0; i < a->n; i++) inverse_diagonal[i] = 1.0 / a->diagonal[a->first + i];
  double *all[] = {place(ctx, inverse_diagonal, 200), place(ctx, b, (size_t)(a->ncomp * a->n + 1)),
                   place(ctx, nothing, 600), place(ctx, nothing, 9 * 200)};
  solver_pcg_args args = {.ncomp = a->ncomp,
                          .n = a->n,
                          .nowned = a->nowned,
                          .apply = multiply,
                          .matrix = a,
                          .inverse_diagonal = jacobi ? all[0] : NULL,
                          .b = all[1],
                          .x = all[2],
                          .work = all[3],
                          .tolerance = tolerance,
                          .max_iterations = max_iterations,
                          .iterations = s.iterations,
                          .converged = s.converged};
  assert_int_equal(batched_select(ctx, &solver_pcg_op, variant), 0);
  a->products = 0;
  s.status = solver_pcg(ctx, &args);
  s.products = a->products;
  assert_int_equal(batched_copy_to_host(ctx, s.x, all[2], sizeof *s.x * (size_t)(a->ncomp * a->n)), 0);
  for (int i = 0; i < 4; i++) batched_release(ctx, all[i]);
  return s;
}

#define FOR_EACH_VARIANT(row) for (const batched_variant *row = solver_pcg_op.variants[where]; row->name; row++)

/* b = A u for random u: [ncomp][n]; component c is `zeros` if that bit is set. */
static void make_problem(const chain *a, int zeros, uint64_t seed, double *u, double *b)
{
  for (int c = 0; c < a->ncomp; c++) {
    double all[200];
    for (int i = 0; i < a->global; i++) all[i] = zeros >> c & 1 ? 0.0 : sample_uniform(&seed) * pow(100.0, c);
    for (int i = 0; i < a->n; i++) {
      u[c * a->n + i] = all[a->first + i];
      b[c * a->n + i] = row_times(a, a->first + i, all);
    }
  }
}

/* (r, D^-1 r) of b - A x over all ranks. */
static double residual(const chain *a, bool jacobi, const double *b, const double *x)
{
  double all[200], sum = 0.0;
  collect(a, x, all);
  for (int i = 0; i < a->nowned; i++) {
    const double r = b[i] - row_times(a, a->first + i, all);
    sum += r * r / (jacobi ? a->diagonal[a->first + i] : 1.0);
  }
  comm_sum(&sum, 1);
  return sum;
}

static void finds_the_solution(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  for (int global = 1; global <= 90; global += global < 5 ? 1 : more(17))
    for (int ncomp = 1; ncomp <= SOLVER_MAX_COMPONENTS; ncomp++)
      for (int jacobi = 0; jacobi < 2; jacobi++) {
        chain a = make(global, ncomp, 0.3);
        double u[600], b[600], zero[600] = {0.0};
        make_problem(&a, 0, 5, u, b);
        FOR_EACH_VARIANT(row)
        {
          const solution s = solve(ctx, row->name, &a, jacobi, b, 1e-13, 1000);
          assert_int_equal(s.status, 0);
          for (int c = 0; c < ncomp; c++) {
            assert_true(s.converged[c]);
            for (int i = 0; i < a.n; i++) assert_near(s.x[c * a.n + i], u[c * a.n + i], 1e-11 * pow(100.0, c));
            assert_true(residual(&a, jacobi, b + c * a.n, s.x + c * a.n) <=
                        1e-24 * residual(&a, jacobi, b + c * a.n, zero));
          }
        }
      }
  batched_destroy(&ctx);
}

/* It stops at the first iterate that meets the tolerance: this one does, the one before does not. */
static void stops_where_it_should(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  chain a = make(70, 1, 0.1);
  double u[600], b[600], zero[600] = {0.0};
  make_problem(&a, 0, 9, u, b);
  for (int jacobi = 0; jacobi < 2; jacobi++)
    for (double tolerance = 0.3; tolerance > 1e-9; tolerance *= pow(0.13, more(1))) FOR_EACH_VARIANT(row)
      {
        const double limit = tolerance * tolerance * residual(&a, jacobi, b, zero);
        const solution s = solve(ctx, row->name, &a, jacobi, b, tolerance, 1000);
        assert_true(s.converged[0] && s.iterations[0] > 0);
        assert_int_equal(s.products, s.iterations[0]);
        assert_true(residual(&a, jacobi, b, s.x) <= limit * (1 + 1e-6));
        const solution before = solve(ctx, row->name, &a, jacobi, b, tolerance, s.iterations[0] - 1);
        assert_false(before.converged[0]);
        assert_int_equal(before.iterations[0], s.iterations[0] - 1);
        assert_true(residual(&a, jacobi, b, before.x) > limit * (1 - 1e-6));
      }
  batched_destroy(&ctx);
}

/* Side by side as if alone, although they end at different times: same counts, same solutions, whatever the row. */
static void components_are_independent(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  for (int zeros = 0; zeros < 8; zeros += more(1))
    for (int jacobi = 0; jacobi < 2; jacobi++) {
      chain a = make(80, 3, 0.05), alone = make(80, 1, 0.05);
      double u[600], b[600];
      int counts[3];
      make_problem(&a, zeros, 11, u, b);
      for (int i = 0; i < a.n; i++) // component 1: one eigenvector's worth of work; 2: smooth, slow
        if (!(zeros >> 1 & 1)) b[a.n + i] = a.first + i == 40 ? 1.0 : 0.0;
      FOR_EACH_VARIANT(row)
      {
        const solution s = solve(ctx, row->name, &a, jacobi, b, 1e-6, 1000);
        for (int c = 0; c < 3; c++) {
          const solution one = solve(ctx, row->name, &alone, jacobi, b + c * a.n, 1e-6, 1000);
          assert_int_equal(s.iterations[c], one.iterations[0]);
          assert_true(s.converged[c]);
          for (int i = 0; i < a.n; i++) assert_near(s.x[c * a.n + i], one.x[i], 1e-12 * (1.0 + fabs(one.x[i])));
          if (zeros >> c & 1) assert_int_equal(s.iterations[c], 0);
          if (row == solver_pcg_op.variants[where]) counts[c] = s.iterations[c];
          assert_int_equal(s.iterations[c], counts[c]);
        }
        assert_int_equal(counts[0] == counts[1] && counts[1] == counts[2], zeros == 7);
      }
    }
  batched_destroy(&ctx);
}

static void nothing_to_solve(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  FOR_EACH_VARIANT(row)
  {
    chain a = make(20, 2, 0.3);
    const double zero[600] = {0.0};
    const solution s = solve(ctx, row->name, &a, true, zero, 1e-8, 100);
    assert_int_equal(s.status, 0);
    for (int c = 0; c < 2; c++) {
      assert_int_equal(s.iterations[c], 0);
      assert_true(s.converged[c]);
      for (int i = 0; i < a.n; i++) assert_true(s.x[c * a.n + i] == 0.0);
    }
    chain none = make(0, 3, 0.3);
    const solution empty = solve(ctx, row->name, &none, true, zero, 1e-8, 100);
    assert_int_equal(empty.status, 0);
    for (int c = 0; c < 3; c++) assert_true(empty.converged[c] && empty.iterations[c] == 0);
  }
  batched_destroy(&ctx);
}

static void gives_up(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  chain a = make(80, 2, 0.0);
  double u[600], b[600];
  make_problem(&a, 2, 13, u, b); // the second one is zero
  FOR_EACH_VARIANT(row)
  for (int most = 0; most < 12; most++) {
    const solution s = solve(ctx, row->name, &a, true, b, 1e-12, most);
    assert_int_equal(s.status, 0); // no error
    assert_int_equal(s.iterations[0], most);
    assert_false(s.converged[0]);
    assert_int_equal(s.iterations[1], 0);
    assert_true(most == 0 || s.converged[1]);
    assert_true(s.products <= (most ? most : 1));
  }
  batched_destroy(&ctx);
}

/* A right-hand side with a NaN ends, not converged, and without company. */
static void not_a_number(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  chain a = make(30, 2, 0.3);
  double u[600], b[600];
  make_problem(&a, 0, 17, u, b);
  if (a.first == 0 && a.nowned > 0) b[0] = NAN;
  FOR_EACH_VARIANT(row)
  {
    const solution s = solve(ctx, row->name, &a, true, b, 1e-8, 100);
    assert_int_equal(s.status, 0);
    assert_false(s.converged[0]);
    assert_true(s.converged[1]);
    for (int i = 0; i < a.n; i++) assert_near(s.x[a.n + i], u[a.n + i], 1e-4);
  }
  batched_destroy(&ctx);
}

static int refuse(batched_ctx *ctx, void *matrix, const double *p, double *ap)
{
  (void)ctx, (void)p, (void)ap;
  return --*(int *)matrix < 0 ? BATCHED_NO_MEMORY : 0;
}

static void failures_come_back(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  FOR_EACH_VARIANT(row)
  {
    double *b = place(ctx, (double[]){1, 2}, 2), *x = place(ctx, b, 2), *work = place(ctx, (double[6]){0}, 6);
    int iterations, left = 0;
    bool converged;
    solver_pcg_args args = {.ncomp = 1,
                            .n = 2,
                            .nowned = 2,
                            .apply = refuse,
                            .matrix = &left,
                            .b = b,
                            .x = x,
                            .work = work,
                            .tolerance = 1e-8,
                            .max_iterations = 9,
                            .iterations = &iterations,
                            .converged = &converged};
    assert_int_equal(batched_select(ctx, &solver_pcg_op, row->name), 0);
    assert_int_equal(solver_pcg(ctx, &args), BATCHED_NO_MEMORY);
    batched_release(ctx, b), batched_release(ctx, x), batched_release(ctx, work);
  }
  batched_destroy(&ctx);
}

/* The chain as a sparse matrix: a product that a GPU can record. */
typedef struct sparse {
  solver_csr *matrix;
  int ncomp;
} sparse;

static sparse make_sparse(batched_ctx *ctx, const chain *a)
{
  int dofs[400];
  for (int i = 0; i + 1 < a->global; i++) dofs[2 * i] = i, dofs[2 * i + 1] = i + 1;
  sparse s = {.matrix = solver_csr_create(a->global, a->global - 1, 2, dofs), .ncomp = a->ncomp};
  assert_non_null(s.matrix);
  for (int i = 0; i + 1 < a->global; i++) {
    const double last = i + 2 == a->global ? a->diagonal[i + 1] : 0.0;
    solver_csr_add(s.matrix, 2, dofs + 2 * i, (double[]){a->diagonal[i], -1.0, -1.0, last});
  }
  assert_int_equal(solver_csr_place(ctx, s.matrix), 0);
  return s;
}

static int multiply_sparse(batched_ctx *ctx, void *matrix, const double *p, double *ap)
{
  const sparse *s = matrix;
  const int n = s->matrix->nrows;
  return solver_spmv(
    ctx, &(solver_spmv_args){.a = s->matrix, .first = 0, .last = n, .ncomp = s->ncomp, .stride = n, .x = p, .y = ap});
}

/* What is kept between solves changes nothing: other right-hand sides, tolerances, solutions, and the same bits again. */
static void keeps_between_solves(void **state)
{
  (void)state;
  if (comm_size() > 1) return;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, where), 0);
  chain a = make(150, 3, 0.05);
  sparse matrix = make_sparse(ctx, &a);
  double u[600], b[600], x[600], again[600], nothing[9 * 200];
  memset(nothing, 0xff, sizeof nothing);
  FOR_EACH_VARIANT(row)
  {
    solver_pcg_cache *cache = NULL;
    double *work = place(ctx, nothing, 9 * 200);
    for (int i = 0; i < 8; i++) {
      const double tolerance = i < 4 ? 1e-5 : 1e-10;
      const int most = i == 5 ? 4 : i == 6 ? 0 : 1000;
      make_problem(&a, i % 4, 7 + (uint64_t)i / 2, u, b);
      const solution s = solve(ctx, row->name, &a, false, b, tolerance, most);
      double *right = place(ctx, b, 600), *out = place(ctx, nothing, 600);
      int iterations[3];
      bool converged[3];
      solver_pcg_args args = {.ncomp = 3,
                              .n = a.n,
                              .nowned = a.n,
                              .apply = multiply_sparse,
                              .matrix = &matrix,
                              .cache = &cache,
                              .b = right,
                              .x = out,
                              .work = work,
                              .tolerance = tolerance,
                              .max_iterations = most,
                              .iterations = iterations,
                              .converged = converged};
      const size_t bytes = sizeof *x * (size_t)(3 * a.n);
      assert_int_equal(solver_pcg(ctx, &args), 0);
      assert_int_equal(batched_copy_to_host(ctx, x, out, bytes), 0);
      for (int c = 0; c < 3; c++) {
        assert_int_equal(iterations[c], s.iterations[c]);
        assert_int_equal(converged[c], s.converged[c]);
      }
      for (int j = 0; j < 3 * a.n; j++) assert_near(x[j], s.x[j], 1e-11 * (1.0 + fabs(s.x[j])));
      assert_int_equal(solver_pcg(ctx, &args), 0);
      assert_int_equal(batched_copy_to_host(ctx, again, out, bytes), 0);
      assert_memory_equal(x, again, bytes);
      batched_release(ctx, right), batched_release(ctx, out);
    }
    solver_pcg_forget(&cache);
    assert_null(cache);
    batched_release(ctx, work);
  }
  solver_csr_destroy(&matrix.matrix);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_the_solution),
    cmocka_unit_test(stops_where_it_should),
    cmocka_unit_test(components_are_independent),
    cmocka_unit_test(nothing_to_solve),
    cmocka_unit_test(gives_up),
    cmocka_unit_test(not_a_number),
    cmocka_unit_test(failures_come_back),
    cmocka_unit_test(keeps_between_solves),
  };
  comm_init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "--gpu") == 0) {
    batched_ctx *ctx;
    where = BATCHED_CUDA;
    if (batched_create(&ctx, where)) {
      printf("No GPU here, so no tests of its rows.\n");
      comm_finalize();
      return 77;
    }
    batched_destroy(&ctx);
  }
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
