/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conjugate gradients on systems with known solutions: every row, spread over the ranks as a finite-element vector is;
 * the rows for a GPU with --gpu.
 * ranks: 1 2 3
 */
#include "tests/solvers/pcg_case.h"

/* A step through the cases: on a GPU, where a small system costs as much as a large one, there are fewer. */
static int more(int step)
{
  return space == BATCHED_CUDA ? 4 * step : step;
}

/* A tridiagonal matrix of `global` rows, d_i on the diagonal and -1 beside it.  This rank owns rows [first, first +
 * nowned) and keeps a copy of the row behind them, as of a node that the next rank owns. */
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

static int multiply(batched_ctx *context, void *matrix, const double *p, double *ap)
{
  chain *a = matrix;
  double all[200], from[600], to[600];
  const size_t bytes = sizeof *all * (size_t)(a->ncomp * a->n);
  assert_int_equal(batched_copy_to_host(context, from, p, bytes), 0);
  a->products++;
  for (int c = 0; c < a->ncomp; c++) {
    collect(a, from + c * a->n, all);
    for (int i = 0; i < a->n; i++) to[c * a->n + i] = row_times(a, a->first + i, all);
  }
  return batched_copy_from_host(context, ap, to, bytes);
}

typedef struct outcome {
  double x[3 * 200];
  int iterations[3];
  bool converged[3];
  int products, status;
} outcome;

/* What z = P r is: r, D^-1 r in the loops over the vectors, or the same by a function. */
enum { PLAIN, DIAGONAL, FUNCTION, PRECONDITIONERS };

static int divide(batched_ctx *context, void *matrix, const double *r, double *z)
{
  const chain *a = matrix;
  double from[600];
  const size_t bytes = sizeof *from * (size_t)(a->ncomp * a->n);
  assert_int_equal(batched_copy_to_host(context, from, r, bytes), 0);
  for (int c = 0; c < a->ncomp; c++)
    for (int i = 0; i < a->n; i++) from[c * a->n + i] /= a->diagonal[a->first + i];
  return batched_copy_from_host(context, z, from, bytes);
}

/* A row that knows the diagonal alone says so. */
static bool knows(const batched_variant *row, int preconditioner)
{
  const solver_operator a = {.ncomp = 1, .precondition = preconditioner == FUNCTION ? divide : NULL};
  return !row->fits || row->fits(&(solver_pcg_args){.matrix = (solver_operator *)&a});
}

static outcome solve(const char *variant, chain *a, int jacobi, const double *b, double tolerance, int max_iterations)
{
  outcome o;
  memset(&o, 0xff, sizeof o);
  solution s = {.x = o.x};
  const linear_system l = {a->ncomp, a->n, a->nowned, jacobi == DIAGONAL ? a->diagonal + a->first : NULL, b};
  a->products = 0;
  const solver_operator matrix = {.apply = multiply, .data = a, .precondition = jacobi == FUNCTION ? divide : NULL};
  o.status =
    solve_system(variant, &l, matrix, (solver_pcg_args){.tolerance = tolerance, .max_iterations = max_iterations}, &s);
  memcpy(o.iterations, s.iterations, sizeof s.iterations);
  memcpy(o.converged, s.converged, sizeof s.converged);
  o.products = a->products;
  return o;
}

#define FOR_EACH_ROW(row) FOR_EACH_VARIANT(row) if (takes_products(row))

/* Chebyshev's iteration knows before how many products it takes, whatever the right-hand side: it has tests of its
 * own. */
#define FOR_EACH_GRADIENT(row) FOR_EACH_ROW(row) if (!is_chebyshev(row))

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
static double residual(const chain *a, int jacobi, const double *b, const double *x)
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
  for (int global = 1; global <= 90; global += global < 5 ? 1 : more(17))
    for (int ncomp = 1; ncomp <= SOLVER_MAX_COMPONENTS; ncomp++)
      for (int jacobi = 0; jacobi < PRECONDITIONERS; jacobi++) {
        chain a = make(global, ncomp, 0.3);
        double u[600], b[600], zero[600] = {0.0};
        make_problem(&a, 0, 5, u, b);
        FOR_EACH_ROW(row)
        if (knows(row, jacobi)) {
          const outcome s = solve(row->name, &a, jacobi, b, 1e-13, 1000);
          assert_int_equal(s.status, 0);
          for (int c = 0; c < ncomp; c++) {
            assert_true(s.converged[c]);
            for (int i = 0; i < a.n; i++) assert_near(s.x[c * a.n + i], u[c * a.n + i], 1e-11 * pow(100.0, c));
            assert_true(residual(&a, jacobi, b + c * a.n, s.x + c * a.n) <=
                        1e-24 * residual(&a, jacobi, b + c * a.n, zero));
          }
        }
      }
}

/* It stops at the first iterate that meets the tolerance: this one does, the one before does not. */
static void stops_where_it_should(void **state)
{
  (void)state;
  chain a = make(70, 1, 0.1);
  double u[600], b[600], zero[600] = {0.0};
  make_problem(&a, 0, 9, u, b);
  for (int jacobi = 0; jacobi < PRECONDITIONERS; jacobi++)
    for (double tolerance = 0.3; tolerance > 1e-9; tolerance *= pow(0.13, more(1))) FOR_EACH_GRADIENT(row)
  if (knows(row, jacobi)) {
    const double limit = tolerance * tolerance * residual(&a, jacobi, b, zero);
    const outcome s = solve(row->name, &a, jacobi, b, tolerance, 1000);
    assert_true(s.converged[0] && s.iterations[0] > 0);
    assert_int_equal(s.products, s.iterations[0]);
    assert_true(residual(&a, jacobi, b, s.x) <= limit * (1 + 1e-6));
    const outcome before = solve(row->name, &a, jacobi, b, tolerance, s.iterations[0] - 1);
    assert_false(before.converged[0]);
    assert_int_equal(before.iterations[0], s.iterations[0] - 1);
    assert_true(residual(&a, jacobi, b, before.x) > limit * (1 - 1e-6));
  }
}

/* Side by side as if alone, although they end at different times: same counts, same solutions, whatever the row. */
static void components_are_independent(void **state)
{
  (void)state;
  for (int zeros = 0; zeros < 8; zeros += more(1))
    for (int jacobi = 0; jacobi < PRECONDITIONERS; jacobi++) {
      chain a = make(80, 3, 0.05), alone = make(80, 1, 0.05);
      double u[600], b[600];
      int counts[3];
      bool counted = false;
      make_problem(&a, zeros, 11, u, b);
      for (int i = 0; i < a.n; i++) // component 1: one eigenvector's worth of work; 2: smooth, slow
        if (!(zeros >> 1 & 1)) b[a.n + i] = a.first + i == 40 ? 1.0 : 0.0;
      FOR_EACH_GRADIENT(row)
      if (knows(row, jacobi)) {
        const outcome s = solve(row->name, &a, jacobi, b, 1e-6, 1000);
        for (int c = 0; c < 3; c++) {
          const outcome one = solve(row->name, &alone, jacobi, b + c * a.n, 1e-6, 1000);
          assert_int_equal(s.iterations[c], one.iterations[0]);
          assert_true(s.converged[c]);
          for (int i = 0; i < a.n; i++) assert_near(s.x[c * a.n + i], one.x[i], 1e-12 * (1.0 + fabs(one.x[i])));
          if (zeros >> c & 1) assert_int_equal(s.iterations[c], 0);
          if (!counted) counts[c] = s.iterations[c];
          assert_int_equal(s.iterations[c], counts[c]);
        }
        counted = true;
        assert_int_equal(counts[0] == counts[1] && counts[1] == counts[2], zeros == 7);
      }
    }
}

static void nothing_to_solve(void **state)
{
  (void)state;
  FOR_EACH_ROW(row)
  {
    chain a = make(20, 2, 0.3);
    const double zero[600] = {0.0};
    const outcome s = solve(row->name, &a, true, zero, 1e-8, 100);
    assert_int_equal(s.status, 0);
    for (int c = 0; c < 2; c++) {
      assert_int_equal(s.iterations[c], 0);
      assert_true(s.converged[c]);
      for (int i = 0; i < a.n; i++) assert_true(s.x[c * a.n + i] == 0.0);
    }
    chain none = make(0, 3, 0.3);
    const outcome empty = solve(row->name, &none, true, zero, 1e-8, 100);
    assert_int_equal(empty.status, 0);
    for (int c = 0; c < 3; c++) assert_true(empty.converged[c] && empty.iterations[c] == 0);
  }
}

static void gives_up(void **state)
{
  (void)state;
  chain a = make(80, 2, 0.0);
  double u[600], b[600];
  make_problem(&a, 2, 13, u, b); // the second one is zero
  FOR_EACH_GRADIENT(row)
  for (int most = 0; most < 12; most++) {
    const outcome s = solve(row->name, &a, true, b, 1e-12, most);
    assert_int_equal(s.status, 0); // no error
    assert_int_equal(s.iterations[0], most);
    assert_false(s.converged[0]);
    assert_int_equal(s.iterations[1], 0);
    assert_true(most == 0 || s.converged[1]);
    assert_true(s.products <= (most ? most : 1));
  }
}

/* A right-hand side with a NaN ends, not converged, and without company: it costs no more products than the others. */
static void not_a_number(void **state)
{
  (void)state;
  chain a = make(30, 2, 0.3);
  double u[600], b[600];
  make_problem(&a, 0, 17, u, b);
  if (a.first == 0 && a.nowned > 0) b[0] = NAN;
  FOR_EACH_GRADIENT(row)
  {
    const outcome s = solve(row->name, &a, true, b, 1e-8, 100);
    assert_int_equal(s.status, 0);
    assert_false(s.converged[0]);
    assert_true(s.converged[1]);
    assert_true(s.products <= s.iterations[1] + 1);
    for (int i = 0; i < a.n; i++) assert_near(s.x[a.n + i], u[a.n + i], 1e-4);
  }
}

/* As many products as the bound of Chebyshev's polynomials asks for; the first solve finds the bounds of the
 * spectrum. */
static void chebyshev_keeps_its_promise(void **state)
{
  (void)state;
  chain a = make(80, 2, 0.3);
  double u[600], b[600], zero[600] = {0.0}, eigen[2] = {0.3, 0.3 + 4.0 + 0.3 * 7};
  make_problem(&a, 2, 19, u, b); // the second one is zero
  FOR_EACH_ROW(row)
  {
    if (!is_chebyshev(row)) continue;
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-2) {
      const outcome s = solve(row->name, &a, false, b, tolerance, 1000);
      const double sigma = (eigen[1] + eigen[0]) / (eigen[1] - eigen[0]); // of wider bounds than the spectrum's
      assert_int_equal(s.status, 0);
      assert_true(s.converged[0] && s.converged[1]);
      assert_int_equal(s.iterations[1], 0);
      assert_true(residual(&a, false, b, s.x) <= tolerance * tolerance * residual(&a, false, b, zero) * (1 + 1e-6));
      assert_true(s.iterations[0] <= (int)ceil(acosh(1.0 / tolerance) / acosh(sigma)) + 1);
    }
  }
}

/* Where the bounds promise more products than are allowed, conjugate gradients solve, each time. */
static void chebyshev_gives_way(void **state)
{
  (void)state;
  enum { ALLOWED = 100 }; // the bounds ask for some 600
  chain a = make(80, 1, 1e-3);
  double u[600], b[600], zero[600] = {0.0};
  make_problem(&a, 0, 29, u, b);
  FOR_EACH_ROW(row)
  {
    if (!is_chebyshev(row)) continue;
    const outcome s = solve(row->name, &a, false, b, 1e-8, ALLOWED);
    assert_int_equal(s.status, 0);
    assert_true(s.converged[0]);
    assert_in_range(s.iterations[0], 1, ALLOWED);
    assert_true(residual(&a, false, b, s.x) <= 1e-16 * residual(&a, false, b, zero) * (1 + 1e-6));
  }
}

/* A right-hand side with a NaN ends, not converged, beside one that is solved. */
static void chebyshev_ends_without_numbers(void **state)
{
  (void)state;
  chain a = make(30, 2, 0.3);
  double u[600], b[600];
  make_problem(&a, 0, 17, u, b);
  if (a.first == 0 && a.nowned > 0) b[0] = NAN;
  FOR_EACH_ROW(row)
  {
    if (!is_chebyshev(row)) continue;
    const outcome s = solve(row->name, &a, true, b, 1e-8, 100);
    assert_int_equal(s.status, 0);
    assert_false(s.converged[0]);
    assert_true(s.converged[1]);
    for (int i = 0; i < a.n; i++) assert_near(s.x[a.n + i], u[a.n + i], 1e-4);
  }
}

/* The first solve finds the bounds of A, with no iteration; the next one has a preconditioner. */
static void chebyshev_sees_another_preconditioner(void **state)
{
  (void)state;
  chain a = make(80, 1, 0.3);
  double u[600], b[600];
  make_problem(&a, 0, 23, u, b);
  FOR_EACH_ROW(row)
  {
    if (!is_chebyshev(row)) continue;
    const outcome alone = solve(row->name, &a, FUNCTION, b, 1e-8, 1000);
    const size_t n = (size_t)a.n;
    int iterations[SOLVER_MAX_COMPONENTS];
    bool converged[SOLVER_MAX_COMPONENTS];
    double *vectors[] = {place(b, n), place(b, n), batched_allocate(ctx, 4 * (n + 1) * sizeof *b)};
    solver_operator matrix = {.ncomp = 1, .n = a.n, .nowned = a.nowned, .data = &a, .apply = multiply};
    solver_pcg_args args = {.matrix = &matrix,
                            .b = vectors[0],
                            .x = vectors[1],
                            .work = vectors[2],
                            .tolerance = 1e-8,
                            .iterations = iterations,
                            .converged = converged};
    assert_non_null(vectors[2]);
    assert_int_equal(batched_select(ctx, &solver_pcg_op, row->name), 0);
    assert_int_equal(solver_pcg(ctx, &args), 0);
    matrix.precondition = divide;
    args.max_iterations = 1000;
    assert_int_equal(solver_pcg(ctx, &args), 0);
    assert_true(converged[0]);
    assert_int_equal(iterations[0], alone.iterations[0]);
    solver_operator_forget(&matrix);
    for (int i = 0; i < 3; i++) batched_release(ctx, vectors[i]);
  }
}

static int refuse(batched_ctx *context, void *matrix, const double *p, double *ap)
{
  (void)context, (void)p, (void)ap;
  return --*(int *)matrix < 0 ? BATCHED_NO_MEMORY : 0;
}

static void failures_come_back(void **state)
{
  (void)state;
  FOR_EACH_ROW(row)
  {
    int left = 0;
    double x[2];
    solution s = {.x = x};
    const linear_system l = {1, 2, 2, NULL, (double[]){1, 2}};
    const solver_operator a = {.apply = refuse, .data = &left};
    const solver_pcg_args how = {.tolerance = 1e-8, .max_iterations = 9};
    assert_int_equal(solve_system(row->name, &l, a, how, &s), BATCHED_NO_MEMORY);
  }
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
    cmocka_unit_test(chebyshev_keeps_its_promise),
    cmocka_unit_test(chebyshev_gives_way),
    cmocka_unit_test(chebyshev_ends_without_numbers),
    cmocka_unit_test(chebyshev_sees_another_preconditioner),
    cmocka_unit_test(failures_come_back),
  };
  return run_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
