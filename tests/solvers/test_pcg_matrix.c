/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conjugate gradients on assembled matrices, which every row takes, and where rows keep things between solves; the rows
 * for a GPU with --gpu.
 */
#include "tests/solvers/pcg_case.h"

/* A matrix whose entries (i, j) with |i - j| < width are not zero, and some farther ones; with it, what a solve may
 * need. */
typedef struct sparse {
  solver_csr *matrix;
  int ncomp, n;
  double *diagonal;
  unsigned char *fixed; /* [n]; NULL: nothing is */
  double *u, *b, *x;    /* [ncomp][n]: b = A u */
} sparse;

static void add_element(sparse *s, int n, const int *dofs, uint64_t *random)
{
  double m[16 * 16];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) m[i * n + j] = m[j * n + i] = i == j ? 3.0 * n : sample_uniform(random);
  for (int i = 0; i < n; i++) s->diagonal[dofs[i]] += m[i * n + i];
  solver_csr_add(s->matrix, n, dofs, m);
}

/* Elements of `width` dofs in a row; every seventh has a dof of elsewhere instead of its last. */
static sparse make(int n, int width, int ncomp, bool fixed)
{
  uint64_t random = 3;
  sparse s = {.ncomp = ncomp, .n = n};
  const int elements = n - width + 1;
  const size_t size = (size_t)(n * ncomp);
  int *dofs = malloc(sizeof *dofs * (size_t)(elements * width));
  s.diagonal = calloc((size_t)n, sizeof *s.diagonal);
  s.u = calloc(size, sizeof(double)), s.b = calloc(size, sizeof(double)), s.x = calloc(size, sizeof(double));
  if (fixed) s.fixed = calloc((size_t)n, 1);
  assert_true(dofs && s.diagonal && s.u && s.b && s.x);
  for (int e = 0; e < elements; e++) {
    for (int i = 0; i < width; i++) dofs[e * width + i] = e + i;
    const int other = (int)((int64_t)e * 997 % n);
    if (e % 7 == 3 && e + 1 < elements && (other < e || other >= e + width)) dofs[e * width + width - 1] = other;
  }
  s.matrix = solver_csr_create(n, elements, width, dofs);
  assert_non_null(s.matrix);
  for (int e = 0; e < elements; e++) add_element(&s, width, dofs + e * width, &random);
  for (int i = 0; i < n; i++) {
    if (fixed) s.fixed[i] = (unsigned char)(i % 11 < 8 ? i % 11 : 0);
    for (int c = 0; c < ncomp; c++)
      s.u[c * n + i] = fixed && s.fixed[i] >> c & 1 ? 0.0 : sample_uniform(&random) * (1 + c);
  }
  assert_int_equal(solver_csr_place(ctx, s.matrix), 0);
  free(dofs);
  return s;
}

static void destroy(sparse *s)
{
  solver_csr_destroy(&s->matrix);
  free(s->diagonal), free(s->fixed), free(s->u), free(s->b), free(s->x);
}

/* On the host. */
static void fix(const sparse *s, double *y)
{
  for (int i = 0; i < s->n && s->fixed; i++)
    for (int c = 0; c < s->ncomp; c++)
      if (s->fixed[i] >> c & 1) y[c * s->n + i] = 0.0;
}

static void make_right_hand_side(const sparse *s)
{
  const solver_csr *a = s->matrix;
  for (int c = 0; c < s->ncomp; c++)
    for (int i = 0; i < s->n; i++) {
      double sum = 0.0;
      for (int64_t j = a->start[i]; j < a->start[i + 1]; j++) sum += a->value[j] * s->u[c * s->n + a->column[j]];
      s->b[c * s->n + i] = sum;
    }
  fix(s, s->b);
}

/* With entries fixed it goes through the host, which no row may record: rows that call it have no cache then. */
static int multiply(batched_ctx *context, void *matrix, const double *p, double *ap)
{
  const sparse *s = matrix;
  const size_t bytes = sizeof(double) * (size_t)(s->ncomp * s->n);
  const solver_spmv_args args = {
    .a = s->matrix, .first = 0, .last = s->n, .ncomp = s->ncomp, .stride = s->n, .x = p, .y = ap};
  int status = solver_spmv(context, &args);
  if (status || !s->fixed) return status;
  status = batched_copy_to_host(context, s->x, ap, bytes);
  fix(s, s->x);
  return status ? status : batched_copy_from_host(context, ap, s->x, bytes);
}

static solver_operator operator_of(sparse *s, bool recordable)
{
  return (solver_operator){.ncomp = s->ncomp,
                           .n = s->n,
                           .nowned = s->n,
                           .data = s,
                           .apply = multiply,
                           .recordable = recordable,
                           .csr = s->matrix,
                           .fixed = s->fixed};
}

static int solve(const char *row, sparse *s, bool jacobi, bool recordable, solver_pcg_args how, solution *out)
{
  const linear_system l = {s->ncomp, s->n, s->n, jacobi ? s->diagonal : NULL, s->b};
  return solve_system(row, &l, operator_of(s, recordable), how, out);
}

/* It needs a matrix with kernels of its own, on several GPUs: tests/fem/mass/test_velocity_mass.c. */
static bool is_for_peers(const batched_variant *row)
{
  return strcmp(row->name, "cuda.peers") == 0;
}

/* Every row finds u, those of conjugate gradients in as many steps as each other. */
static void check(int n, int width, int ncomp, bool fixed, bool coupled)
{
  sparse s = make(n, width, ncomp, fixed);
  double *x = malloc(sizeof *x * (size_t)(n * ncomp)), *again = malloc(sizeof *x * (size_t)(n * ncomp));
  make_right_hand_side(&s);
  for (int jacobi = 0; jacobi < 2; jacobi++) {
    int iterations[3] = {-1, -1, -1};
    FOR_EACH_VARIANT(row)
    {
      if (is_for_peers(row)) continue;
      solution out = {.x = x}, second = {.x = again};
      const bool recordable = !takes_products(row) || !fixed; // the product with fixed entries goes over the host
      const solver_pcg_args how = {.coupled = coupled, .tolerance = 1e-10, .max_iterations = 1000};
      assert_int_equal(solve(row->name, &s, jacobi, recordable, how, &out), 0);
      for (int c = 0; c < ncomp; c++) {
        if (iterations[c] < 0) iterations[c] = out.iterations[c];
        assert_true(out.converged[c]);
        if (!is_chebyshev(row)) assert_int_equal(out.iterations[c], iterations[c]);
        for (int i = 0; i < n; i++) assert_near(x[c * n + i], s.u[c * n + i], 1e-7);
      }
      assert_int_equal(solve(row->name, &s, jacobi, recordable, how, &second), 0);
      assert_memory_equal(x, again, sizeof *x * (size_t)(n * ncomp));
    }
  }
  free(x), free(again);
  destroy(&s);
}

static void rows_agree(void **state)
{
  (void)state;
  static const int sizes[][2] = {{1, 1}, {2, 2}, {9, 3}, {200, 8}, {2000, 16}, {5000, 3}, {20000, 12}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int ncomp = 1; ncomp <= SOLVER_MAX_COMPONENTS; ncomp++)
      for (int kind = 0; kind < 4; kind++) check(sizes[i][0], sizes[i][1], ncomp, kind & 1, kind & 2);
}

/* P of the pattern of A: 1 / (2 a_ii) on the diagonal, and beside it what is smaller by far; zero where A is fixed. */
static solver_csr *make_inverse(const sparse *s)
{
  const solver_csr *a = s->matrix;
  const int all[] = {0};
  solver_csr *p = solver_csr_create(1, 1, 1, all);
  assert_non_null(p);
  free(p->start), free(p->column), free(p->value);
  const size_t entries = (size_t)a->start[a->nrows];
  p->nrows = p->ncols = a->nrows;
  p->start = malloc(sizeof *p->start * ((size_t)a->nrows + 1));
  p->column = malloc(sizeof *p->column * (entries + 1));
  p->value = malloc(sizeof *p->value * (entries + 1));
  assert_true(p->start && p->column && p->value);
  memcpy(p->start, a->start, sizeof *p->start * ((size_t)a->nrows + 1));
  memcpy(p->column, a->column, sizeof *p->column * entries);
  for (int i = 0; i < a->nrows; i++)
    for (int64_t j = a->start[i]; j < a->start[i + 1]; j++) {
      const double di = s->diagonal[i], dj = s->diagonal[a->column[j]];
      p->value[j] = a->column[j] == i ? 0.5 / di : -0.25 * a->value[j] / (di * dj);
    }
  return p;
}

/* Of the test that runs. */
static const solver_csr *inverse;

/* z = P r, through the host. */
static int precondition(batched_ctx *context, void *matrix, const double *r, double *z)
{
  const sparse *s = matrix;
  const size_t size = (size_t)(s->ncomp * s->n);
  double *from = malloc(sizeof *from * (size + 1)), *to = malloc(sizeof *to * (size + 1));
  assert_true(from && to);
  assert_int_equal(batched_copy_to_host(context, from, r, sizeof *from * size), 0);
  for (int c = 0; c < s->ncomp; c++)
    for (int i = 0; i < s->n; i++) {
      to[c * s->n + i] = 0.0;
      for (int64_t j = inverse->start[i]; j < inverse->start[i + 1]; j++)
        to[c * s->n + i] += inverse->value[j] * from[c * s->n + inverse->column[j]];
    }
  fix(s, to);
  const int status = batched_copy_from_host(context, z, to, sizeof *to * size);
  free(from), free(to);
  return status;
}

/* With P, which a row may take as a matrix: the same solution in as many steps, give or take what single precision
 * does; the same bits twice. */
static void check_inverse(int n, int width, int ncomp, bool fixed, bool coupled, double tolerance)
{
  sparse s = make(n, width, ncomp, fixed);
  solver_csr *p = make_inverse(&s);
  const size_t size = (size_t)(n * ncomp);
  double *x = malloc(sizeof *x * size), *again = malloc(sizeof *x * size);
  int iterations[3] = {-1, -1, -1};
  assert_true(x && again);
  make_right_hand_side(&s);
  inverse = p;
  FOR_EACH_VARIANT(row)
  {
    const bool whole = strcmp(row->name, "cuda.resident") == 0;
    if (is_for_peers(row) || is_chebyshev(row) || !(whole || takes_products(row))) continue;
    solver_operator a = operator_of(&s, whole);
    a.precondition = precondition, a.inverse = p;
    const linear_system l = {ncomp, n, n, NULL, s.b};
    const solver_pcg_args how = {.coupled = coupled, .tolerance = tolerance, .max_iterations = 1000};
    solution out = {.x = x}, second = {.x = again};
    if (row->fits && !row->fits(&(solver_pcg_args){.matrix = &a})) continue;
    assert_int_equal(solve_system(row->name, &l, a, how, &out), 0);
    for (int c = 0; c < ncomp; c++) {
      if (iterations[c] < 0) iterations[c] = out.iterations[c];
      assert_true(out.converged[c]);
      assert_in_range(out.iterations[c] + 1, iterations[c], iterations[c] + 2);
      for (int i = 0; i < n; i++) assert_near(x[c * n + i], s.u[c * n + i], 1e3 * tolerance);
    }
    assert_int_equal(solve_system(row->name, &l, a, how, &second), 0);
    assert_memory_equal(x, again, sizeof *x * size);
  }
  free(x), free(again);
  solver_csr_destroy(&p);
  destroy(&s);
}

static void inverses(void **state)
{
  (void)state;
  static const int sizes[][2] = {{1, 1}, {2, 2}, {9, 3}, {200, 8}, {2000, 16}, {5000, 3}};
  const int first = space == BATCHED_CUDA ? SOLVER_MAX_COMPONENTS : 1; // P goes through the host
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int ncomp = first; ncomp <= SOLVER_MAX_COMPONENTS; ncomp++)
      for (int kind = 0; kind < 4; kind++) check_inverse(sizes[i][0], sizes[i][1], ncomp, kind & 1, kind & 2, 1e-10);
  check_inverse(2000, 16, 3, true, false, 1e-13);
}

/* More than the shared memory of a GPU holds: of the matrix, of the vectors. */
static void large_ones(void **state)
{
  (void)state;
  if (space == BATCHED_HOST) return;
  check(200000, 8, 3, false, false);
  check(700000, 2, 3, false, false);
}

/* What is kept between solves changes nothing: other right-hand sides, tolerances, solutions, and the same bits
 * again. */
static void keeps_between_solves(void **state)
{
  (void)state;
  sparse s = make(150, 3, 3, false);
  const size_t size = (size_t)(s.ncomp * s.n), bytes = sizeof(double) * size;
  double *x = malloc(bytes), *again = malloc(bytes);
  uint64_t random = 7;
  FOR_EACH_VARIANT(row)
  {
    if (is_for_peers(row)) continue;
    solver_operator a = operator_of(&s, true);
    double *work = place(s.x, size), *works = batched_allocate(ctx, 3 * bytes);
    for (int i = 0; i < 8; i++) {
      const double tolerance = i < 4 ? 1e-5 : 1e-10;
      const int most = i == 5 ? 4 : i == 6 ? 0 : 1000;
      for (size_t j = 0; j < size; j++) s.u[j] = i % 4 >> (j / (size_t)s.n) & 1 ? 0.0 : sample_uniform(&random);
      make_right_hand_side(&s);
      solver_pcg_args args = {.tolerance = tolerance, .max_iterations = most};
      solution out = {.x = x};
      assert_int_equal(solve(row->name, &s, false, true, args, &out), 0);

      solution kept = {.x = again};
      double *right = place(s.b, size);
      args.matrix = &a, args.b = right, args.x = work, args.work = works;
      args.iterations = kept.iterations, args.converged = kept.converged;
      for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(solver_pcg(ctx, &args), 0);
        assert_int_equal(batched_copy_to_host(ctx, again, work, bytes), 0);
        assert_memory_equal(x, again, bytes);
        for (int c = 0; c < s.ncomp; c++) {
          assert_int_equal(kept.iterations[c], out.iterations[c]);
          assert_int_equal(kept.converged[c], out.converged[c]);
        }
      }
      batched_release(ctx, right);
    }
    solver_operator_forget(&a);
    assert_null(a.cache);
    batched_release(ctx, work), batched_release(ctx, works);
  }
  free(x), free(again);
  destroy(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_agree),
    cmocka_unit_test(inverses),
    cmocka_unit_test(large_ones),
    cmocka_unit_test(keeps_between_solves),
  };
  return run_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
