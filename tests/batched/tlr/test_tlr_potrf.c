/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky factorisation of tile low-rank covariances: |A - L L^H| and the solution's residual against the tolerance,
 * the determinant against a dense factor's, definiteness at loose tolerances, an indefinite matrix.
 */
#include "tests/batched/tlr/tlr_case.h"

enum { N = 180 };

static double dense_logdet(const matrices *a)
{
  double *x = malloc(sizeof *x * N * N), sum = 0;
  batched_ctx *host;
  int info;
  for (int i = 0; i < N * N; i++) x[i] = creal(a->x[0][i]);
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  assert_int_equal(batched_potrf(host, BATCHED_LOWER, batched_strided(x, N, N, N, N * N, 1), &info), 0);
  assert_int_equal(info, 0);
  for (int i = 0; i < N; i++) sum += 2 * log(x[i + i * N]);
  batched_destroy(&host);
  free(x);
  return sum;
}

/* A with a phase of its own in each row and column: complex, and as definite. */
static void turn(matrices *a)
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) a->x[0][i + j * N] *= cexp(I * (0.01 * i - 0.01 * j));
}

/* |A - L L^H| / |A| */
static double backward_error(const matrices *a, const batched_tlr *factor)
{
  matrices l = to_dense(factor), product = make_matrices(1, a->m, a->n);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < j; i++) l.x[0][i + j * N] = 0;
  multiply(1, l.x[0], N, N, l.x[0], true, N, 0, product.x[0]);
  const double error = distance(&product, a, 0) / norm_of(a, 0);
  free_matrices(&l);
  free_matrices(&product);
  return error;
}

static void check(kind k, batched_type type, double tolerance)
{
  const int n[] = {N}, nrhs[] = {2};
  matrices a = make_large(k, type, N, N), x = make_matrices(1, n, nrhs), residual = make_matrices(1, n, nrhs);
  const double exact = dense_logdet(&a);
  if (batched_is_complex(type)) turn(&a);
  fill_random(type, &x);
  multiply(1, a.x[0], N, N, x.x[0], false, 2, 0, residual.x[0]);
  batched_tlr *l = compress(&a, type, BATCHED_TLR_HERMITIAN, (batched_truncation){.tolerance = tolerance});
  batched_tlr_facts f;
  double logdet;
  int info = 7;
  assert_int_equal(batched_tlr_potrf(ctx, l, (batched_truncation){.tolerance = tolerance}, &info), 0);
  assert_int_equal(info, 0);
  batched_tlr_get(l, &f);
  assert_true(f.shift == 0);
  assert_true((double)f.bytes <= 1.2 * (double)f.needed);
  const batched_matrix b = put(&residual, type, (layout){false, false}, 0);
  assert_int_equal(batched_tlr_potrs(ctx, l, b), 0);
  matrices y = get(b, n, nrhs);
  multiply(-1, a.x[0], N, N, y.x[0], false, 2, 1, residual.x[0]);
  const double scale = norm_of(&a, 0) * norm_of(&y, 0), allowed = tolerance + 30 * N * eps_of(type);
  assert_true(norm_of(&residual, 0) <= 4 * allowed * scale);
  assert_true(backward_error(&a, l) <= 4 * allowed);
  assert_int_equal(batched_tlr_logdet(ctx, l, &logdet), 0);
  assert_true(fabs(logdet - exact) <= 1e3 * allowed * N); /* the smallest eigenvalue is above 0.01 */
  batched_tlr_destroy(ctx, &l);
  matrices *all[] = {&a, &x, &residual, &y};
  for (int i = 0; i < 4; i++) free_matrices(all[i]);
  release_all();
}

static void test_factors(void **unused)
{
  (void)unused;
  for (int type = 0; type < 4; type++)
    for (int k = EXPONENTIAL_2D; k <= (quick ? EXPONENTIAL_2D : MATERN_3D); k++) {
      check((kind)k, (batched_type)type, 1e-4);
      if (batched_real_type((batched_type)type) == BATCHED_D) check((kind)k, (batched_type)type, 1e-10);
    }
}

/* A tolerance above the smallest eigenvalues: A gets a shift, and L L^H is A + shift I but for the truncation. */
static void check_loose(kind k, batched_type type)
{
  const batched_truncation t = {.tolerance = 0.05};
  matrices a = make_large(k, type, N, N);
  for (int i = 0; i < N; i++) a.x[0][i + i * N] -= 0.01; /* the nugget */
  if (batched_is_complex(type)) turn(&a);
  batched_tlr *l = compress(&a, type, BATCHED_TLR_HERMITIAN, t);
  int info = 7;
  assert_int_equal(batched_tlr_potrf(ctx, l, t, &info), 0);
  assert_int_equal(info, 0);
  batched_tlr_facts f;
  batched_tlr_get(l, &f);
  assert_true(f.shift > 0);
  for (int i = 0; i < N; i++) a.x[0][i + i * N] += f.shift;
  assert_true(backward_error(&a, l) <= 4 * t.tolerance);
  batched_tlr_destroy(ctx, &l);
  free_matrices(&a);
  release_all();
}

static void test_loose_tolerance(void **unused)
{
  (void)unused;
  for (int type = 0; type < 4; type++) {
    check_loose(MATERN_2D, (batched_type)type);
    if (!quick) check_loose(MATERN_3D, (batched_type)type);
  }
}

/* The third diagonal tile has a large negative eigenvalue; A stays as it was. */
static void test_indefinite(void **unused)
{
  (void)unused;
  matrices a = make_large(MATERN_2D, BATCHED_D, N, N);
  a.x[0][(2 * TILE + 3) * (N + 1)] = -100;
  batched_tlr *l = compress(&a, BATCHED_D, BATCHED_TLR_HERMITIAN, (batched_truncation){.tolerance = 1e-8});
  matrices before = to_dense(l);
  int info = 0;
  assert_int_equal(batched_tlr_potrf(ctx, l, (batched_truncation){.tolerance = 1e-8}, &info), 0);
  assert_int_equal(info, 1 + 2 + 2 * ((N + TILE - 1) / TILE));
  matrices after = to_dense(l);
  assert_memory_equal(before.x[0], after.x[0], sizeof(number) * N * N);
  batched_tlr_destroy(ctx, &l);
  matrices *all[] = {&a, &before, &after};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
  release_all();
}

/* Truncation does not account for a negative eigenvalue, however loose the tolerance is: of one tile, where nothing is
 * cut off, or of several. */
static void check_indefinite(int n, int wrong, batched_type type, batched_truncation t)
{
  matrices a = make_large(MATERN_2D, type, n, n);
  a.x[0][(int64_t)wrong * (n + 1)] = wrong < TILE ? -3 : -30; /* more than what a tile can lose */
  batched_tlr *l = compress(&a, type, BATCHED_TLR_HERMITIAN, t);
  const int tiles = (n + TILE - 1) / TILE, tile = wrong / TILE;
  batched_tlr_facts f;
  int info = 0;
  assert_int_equal(batched_tlr_potrf(ctx, l, t, &info), 0);
  assert_int_equal(info, 1 + tile + tile * tiles);
  batched_tlr_get(l, &f);
  assert_true(f.shift == 0);
  batched_tlr_destroy(ctx, &l);
  free_matrices(&a);
  release_all();
}

static void test_indefinite_at_loose_tolerances(void **unused)
{
  (void)unused;
  for (int type = 0; type < 4; type++)
    for (int absolute = 0; absolute < 2; absolute++) {
      const batched_truncation t = {.tolerance = 0.1, .absolute = absolute};
      check_indefinite(1, 0, (batched_type)type, t);
      if (quick) continue;
      check_indefinite(TILE, 5, (batched_type)type, t);
      check_indefinite(N, 7, (batched_type)type, t);
      check_indefinite(N, TILE + 7, (batched_type)type, t);
    }
}

/* Without memory for any one of its blocks potrf says so, and A stays as it was: some fifty factorisations, which have
 * nothing new for tools. */
static void test_no_memory(void **unused)
{
  (void)unused;
  if (quick) return;
  matrices a = make_large(MATERN_2D, BATCHED_D, N, N);
  const batched_truncation t = {.tolerance = 1e-4};
  batched_tlr *l = compress(&a, BATCHED_D, BATCHED_TLR_HERMITIAN, t);
  matrices before = to_dense(l);
  int info = 0, status = BATCHED_NO_MEMORY, failures = 0;
  while (status == BATCHED_NO_MEMORY) {
    batched_ctx *fresh; /* has no workspace yet */
    assert_int_equal(batched_create(&fresh, space), 0);
    batched_fail_allocation(failures);
    status = batched_tlr_potrf(fresh, l, t, &info);
    batched_fail_allocation(-1);
    if (status == BATCHED_NO_MEMORY) {
      matrices after = to_dense(l);
      assert_memory_equal(before.x[0], after.x[0], sizeof(number) * N * N);
      free_matrices(&after);
      release_all();
      failures += failures < 40 ? 1 : 7;
    }
    if (status == 0) batched_tlr_destroy(fresh, &l);
    batched_destroy(&fresh);
  }
  assert_int_equal(status, 0);
  assert_int_equal(info, 0);
  assert_true(failures > 10);
  free_matrices(&a);
  free_matrices(&before);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_factors),    cmocka_unit_test(test_loose_tolerance),
    cmocka_unit_test(test_indefinite), cmocka_unit_test(test_indefinite_at_loose_tolerances),
    cmocka_unit_test(test_no_memory),
  };
  return lowrank_main(argc, argv, tests);
}
