/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of tile low-rank matrices against dense ones, into dense and tile low-rank C, in every row and type, with
 * ragged last tiles and with tiles that are dense, of low rank or zero.
 */
#include "tests/batched/tlr/tlr_case.h"

/* True where it has dense tiles. */
static bool is_noted(const batched_tlr *a)
{
  batched_tlr_facts f;
  batched_tlr_get(a, &f);
  return f.dense > 0 || f.shape == BATCHED_TLR_HERMITIAN;
}

typedef struct problem {
  batched_type type;
  kind a, b, c;
  batched_tlr_shape shape; /* of A and of B */
  int m, n, k;
  number alpha, beta;
  double tolerance;
} problem;

/* A matrix of the kind; a Hermitian one is a covariance, and, if complex, gets a phase in each row and column. */
static matrices make_operand(const problem *p, kind k, int m, int n)
{
  matrices a = make_large(k, p->type, m, n);
  for (int j = 0; p->shape == BATCHED_TLR_HERMITIAN && batched_is_complex(p->type) && j < n; j++)
    for (int i = 0; i < m; i++) a.x[0][i + j * m] *= cexp(I * (0.01 * i - 0.01 * j));
  return a;
}

static void check_dense(const problem *p, const char *row)
{
  matrices a = make_operand(p, p->a, p->m, p->k), b = make_operand(p, p->b, p->k, p->n);
  matrices c = make_large(p->c, p->type, p->m, p->n);
  batched_tlr *x = compress(&a, p->type, p->shape, (batched_truncation){.tolerance = p->tolerance});
  batched_tlr *y = compress(&b, p->type, p->shape, (batched_truncation){.tolerance = p->tolerance});
  const batched_matrix z = put(&c, p->type, (layout){false, false}, 0);
  const bool fits = strstr(row, "outer") == NULL || !(is_noted(x) || is_noted(y));
  assert_int_equal(batched_tlr_gemm_dense(ctx, batched_complex(creal(p->alpha), cimag(p->alpha)), x, y,
                                          batched_complex(creal(p->beta), cimag(p->beta)), z),
                   fits ? 0 : BATCHED_DOES_NOT_FIT);
  if (fits) {
    const double scale = cabs(p->alpha) * norm_of(&a, 0) * norm_of(&b, 0) + cabs(p->beta) * norm_of(&c, 0);
    multiply(p->alpha, a.x[0], p->m, p->k, b.x[0], false, p->n, p->beta, c.x[0]);
    matrices result = get(z, c.m, c.n);
    assert_true(distance(&result, &c, 0) <= (2.1 * p->tolerance + 30 * p->k * eps_of(p->type)) * scale);
    free_matrices(&result);
  }
  batched_tlr_destroy(ctx, &x);
  batched_tlr_destroy(ctx, &y);
  matrices *all[] = {&a, &b, &c};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
  release_all();
}

static void check_tlr(const problem *p, const char *row)
{
  matrices a = make_operand(p, p->a, p->m, p->k), b = make_operand(p, p->b, p->k, p->n);
  matrices c = make_large(p->c, p->type, p->m, p->n);
  const batched_truncation t = {.tolerance = p->tolerance};
  batched_tlr *x = compress(&a, p->type, p->shape, t), *y = compress(&b, p->type, p->shape, t);
  batched_tlr *z = compress(&c, p->type, BATCHED_TLR_GENERAL, t);
  const bool fits = strstr(row, "outer") == NULL || !(is_noted(x) || is_noted(y) || is_noted(z));
  int info = 7;
  assert_int_equal(batched_tlr_gemm(ctx, batched_complex(creal(p->alpha), cimag(p->alpha)), x, y,
                                    batched_complex(creal(p->beta), cimag(p->beta)), z, t, &info),
                   fits ? 0 : BATCHED_DOES_NOT_FIT);
  if (fits) {
    const double scale = cabs(p->alpha) * norm_of(&a, 0) * norm_of(&b, 0) + cabs(p->beta) * norm_of(&c, 0);
    const int terms = (p->k + TILE - 1) / TILE;
    multiply(p->alpha, a.x[0], p->m, p->k, b.x[0], false, p->n, p->beta, c.x[0]);
    matrices result = to_dense(z);
    const double most = strstr(row, "outer") ? 3 + terms : 4;
    if (info == 0)
      assert_true(distance(&result, &c, 0) <= (most * p->tolerance + 30 * p->k * eps_of(p->type)) * scale);
    else
      assert_true(strstr(row, "outer") != NULL); /* inner makes them dense */
    free_matrices(&result);
  }
  batched_tlr_destroy(ctx, &x);
  batched_tlr_destroy(ctx, &y);
  batched_tlr_destroy(ctx, &z);
  matrices *all[] = {&a, &b, &c};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
  release_all();
}

static const kind factors[][3] = {{HILBERT, HILBERT, HILBERT},
                                  {MATERN_2D, EXPONENTIAL_2D, MATERN_2D},
                                  {NOISY, MIXED, HILBERT},
                                  {MIXED, NOISY, NOISY},
                                  {MIXED, MIXED, MIXED},
                                  {MATERN_3D, NOISY, MIXED},
                                  {EXPONENTIAL_3D, MATERN_3D, EXPONENTIAL_2D}};

static void test_products(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_tlrgemm_op, row); row++) {
    const char *name = row_of(&batched_tlrgemm_op, row);
    assert_int_equal(batched_select(ctx, &batched_tlrgemm_op, name), 0);
    for (size_t i = 0; i < (quick ? 1 : sizeof factors / sizeof *factors); i++)
      for (int type = 0; type < 4; type++) {
        const bool single = batched_real_type((batched_type)type) == BATCHED_S;
        problem p = {(batched_type)type,
                     factors[i][0],
                     factors[i][1],
                     factors[i][2],
                     BATCHED_TLR_GENERAL,
                     70,
                     96,
                     100,
                     -1,
                     0.5,
                     0};
        p.tolerance = i % 2 ? 1e-3 : single ? 1e-4 : 1e-9;
        if (batched_is_complex((batched_type)type)) p.alpha = 0.5 - 2 * I, p.beta = -1 + I;
        check_dense(&p, name);
        check_tlr(&p, name);
        p.beta = 0;
        check_dense(&p, name);
        check_tlr(&p, name);
      }
  }
}

/* Covariances of the same points, with ragged last tiles and dense ones beside the diagonal; and a square. */
static void test_hermitian(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_tlrgemm_op, row); row++) {
    const char *name = row_of(&batched_tlrgemm_op, row);
    assert_int_equal(batched_select(ctx, &batched_tlrgemm_op, name), 0);
    for (int type = 0; type < 4; type++) {
      const double tolerance = batched_real_type((batched_type)type) == BATCHED_S ? 1e-4 : 1e-9;
      const problem p = {
        (batched_type)type, EXPONENTIAL_2D, MATERN_3D, HILBERT, BATCHED_TLR_HERMITIAN, 110, 110, 110, -1, 0.5,
        tolerance};
      check_dense(&p, name);
      check_tlr(&p, name);
    }
  }
  matrices a = make_large(MATERN_2D, BATCHED_D, 70, 70), square = make_matrices(1, a.m, a.n);
  const batched_truncation t = {.tolerance = 1e-6};
  batched_tlr *x = compress(&a, BATCHED_D, BATCHED_TLR_HERMITIAN, t);
  const batched_matrix z = put(&square, BATCHED_D, (layout){false, false}, 0);
  assert_int_equal(batched_select(ctx, &batched_tlrgemm_op, "auto"), 0);
  assert_int_equal(batched_tlr_gemm_dense(ctx, batched_real(1), x, x, batched_real(0), z), 0);
  multiply(1, a.x[0], 70, 70, a.x[0], false, 70, 0, square.x[0]);
  matrices result = get(z, a.m, a.n);
  assert_true(distance(&result, &square, 0) <= 3e-6 * norm_of(&a, 0) * norm_of(&a, 0));
  int info;
  assert_int_equal(batched_tlr_gemm(ctx, batched_real(1), x, x, batched_real(0), x, t, &info), -6);
  batched_tlr_destroy(ctx, &x);
  matrices *all[] = {&a, &square, &result};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
  release_all();
}

/* A tile of rank 10 and noise, within the tolerance, of which blocks of samples do not fill the room that there is for
 * its basis: what is left is measured behind it, by new samples alone. */
static void test_room_between_blocks(void **unused)
{
  (void)unused;
  enum { RANK = 10 };
  const batched_truncation t = {.tolerance = 0.05, .absolute = true, .max_rank = RANK};
  const double noise = 0.55 * t.tolerance / sqrt(TILE - RANK);
  const int n[] = {TILE};
  matrices a = make_matrices(1, n, n), b = make_matrices(1, n, n), c = make_matrices(1, n, n);
  for (int j = 0; j < TILE; j++)
    for (int i = 0; i < TILE; i++) {
      a.x[0][i + j * TILE] = i == j;
      c.x[0][i + j * TILE] = 0;
      double sum = 0; /* of products of cosines, which are orthonormal */
      for (int k = 1; k < TILE; k++)
        sum += (k <= RANK ? 1 : noise) * cos(M_PI * (i + 0.5) * k / TILE) * cos(M_PI * (j + 0.5) * k / TILE);
      b.x[0][i + j * TILE] = 2 * sum / TILE;
    }
  assert_int_equal(batched_select(ctx, &batched_tlrgemm_op, "inner"), 0);
  for (int type = 0; type < 4; type++) {
    batched_tlr *x = compress(&a, (batched_type)type, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-5});
    batched_tlr *y = compress(&b, (batched_type)type, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-5});
    batched_tlr *z = compress(&c, (batched_type)type, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-5});
    batched_tlr_facts f;
    int info = 7;
    assert_int_equal(batched_tlr_gemm(ctx, batched_real(1), x, y, batched_real(0), z, t, &info), 0);
    batched_tlr_get(z, &f);
    assert_int_equal(info, 0);
    assert_int_equal(f.most, RANK);
    matrices result = to_dense(z);
    assert_true(distance(&result, &b, 0) <= t.tolerance);
    free_matrices(&result);
    batched_tlr_destroy(ctx, &x);
    batched_tlr_destroy(ctx, &y);
    batched_tlr_destroy(ctx, &z);
    release_all();
  }
  assert_int_equal(batched_select(ctx, &batched_tlrgemm_op, "auto"), 0);
  matrices *all[] = {&a, &b, &c};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_hermitian),
                                     cmocka_unit_test(test_room_between_blocks)};
  return lowrank_main(argc, argv, tests);
}
