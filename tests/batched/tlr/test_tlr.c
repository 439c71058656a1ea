/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tile low-rank matrices: made from dense ones, kernels and functions, and back; their memory; products with vectors.
 */
#include "tests/batched/tlr/tlr_case.h"

static void check(kind k, batched_type type, int m, int n, batched_tlr_shape shape, batched_truncation t)
{
  matrices a = make_large(k, type, m, n);
  batched_tlr *x = compress(&a, type, shape, t);
  matrices back = to_dense(x);
  batched_tlr_facts f;
  batched_tlr_get(x, &f);
  assert_true(distance(&back, &a, 0) <= (t.tolerance + 30 * TILE * eps_of(type)) * norm_of(&a, 0));
  assert_true((double)f.bytes <= 1.2 * (double)f.needed);
  assert_true(f.tile_rows == (m + TILE - 1) / TILE && f.tile_columns == (n + TILE - 1) / TILE);
  const int columns[] = {3}, heights[] = {m}, widths[] = {n};
  for (int trans = 0; trans < 3; trans += 2) { /* NO_TRANS, CONJ_TRANS */
    matrices v = make_matrices(1, trans ? heights : widths, columns),
             y = make_matrices(1, trans ? widths : heights, columns);
    fill_random(type, &v);
    fill_random(type, &y);
    const batched_matrix vx = put(&v, type, (layout){false, false}, 0), yx = put(&y, type, (layout){false, false}, 0);
    assert_int_equal(batched_tlr_multiply(ctx, (batched_trans)trans, batched_real(0.5), x, vx, batched_real(2), yx), 0);
    matrices result = get(yx, y.m, y.n), turned = make_matrices(1, widths, heights);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) turned.x[0][j + (int64_t)i * n] = conj(back.x[0][i + (int64_t)j * m]);
    const double scale = norm_of(&a, 0) * norm_of(&v, 0) + norm_of(&y, 0);
    multiply(0.5, trans ? turned.x[0] : back.x[0], y.m[0], v.m[0], v.x[0], false, 3, 2, y.x[0]);
    assert_true(distance(&result, &y, 0) <= 30 * (m + n) * eps_of(type) * scale);
    matrices *all[] = {&v, &y, &result, &turned};
    for (int i = 0; i < 4; i++) free_matrices(all[i]);
  }
  batched_tlr_destroy(ctx, &x);
  assert_null(x);
  free_matrices(&a);
  free_matrices(&back);
  release_all();
}

static void test_made_from_dense(void **unused)
{
  (void)unused;
  for (int k = 0; k < (quick ? 2 : KINDS); k++)
    for (int type = 0; type < 4; type++) {
      const double least = batched_real_type((batched_type)type) == BATCHED_S ? 1e-4 : 1e-9;
      check((kind)k, (batched_type)type, 100, 77, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = least});
      check((kind)k, (batched_type)type, 40, 100, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-2});
      if (k < NOISY)
        check((kind)k, (batched_type)type, 100, 100, BATCHED_TLR_HERMITIAN, (batched_truncation){.tolerance = least});
    }
  check(HILBERT, BATCHED_D, 1, 1, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-3});
}

/* With one column or row more than the tiles take, whatever the random numbers are. */
static void test_edges(void **unused)
{
  (void)unused;
  for (uint64_t seed = 0; seed < (quick ? 1 : 100); seed++)
    check(NOISY, BATCHED_D, 2 * TILE + 1, 2 * TILE + 1, BATCHED_TLR_GENERAL,
          (batched_truncation){.tolerance = 1e-9, .seed = seed});
}

/* Tiles whose singular values fall to rounding errors before the samples end: a basis of all columns is orthonormal,
 * whatever the random numbers are. */
static void test_complete_bases(void **unused)
{
  (void)unused;
  for (uint64_t seed = 0; seed < (quick ? 1 : 300); seed++) {
    const batched_truncation t = {.tolerance = 1e-4, .seed = seed};
    check(EXPONENTIAL_2D, BATCHED_S, 100, 100, BATCHED_TLR_HERMITIAN, t);
    check(EXPONENTIAL_2D, BATCHED_C, 100, 100, BATCHED_TLR_HERMITIAN, t);
  }
}

typedef struct caller {
  const batched_kernel *kernel;
  batched_ctx *host;
} caller;

static void call(void *data, int row, int column, int m, int n, void *a)
{
  const caller *c = data;
  assert_int_equal(batched_evaluate(c->host, c->kernel, batched_uniform(row), batched_uniform(column),
                                    batched_strided((double *)a, m, n, m, (int64_t)m * n, 1)),
                   0);
}

/* What the kernel fills, in the context's space; as often as `left` says. */
typedef struct filler {
  const batched_kernel *kernel;
  int left;
} filler;

static int fill(batched_ctx *c, void *data, batched_extent row, batched_extent column, batched_matrix tiles)
{
  filler *f = data;
  return f->left-- > 0 ? batched_evaluate(c, f->kernel, row, column, tiles) : BATCHED_DEVICE_FAILED;
}

/* A kernel, evaluated in the context's space, and a function on the host give the same matrix, but for exp; a function
 * that fills tiles there the same bits, and where it fails there is no matrix. */
static void test_made_from_functions(void **unused)
{
  (void)unused;
  enum { N = 130 };
  double points[2 * N];
  sorted_points(2, N, points);
  for (int shape = 0; shape < 2; shape++)
    for (int k = HILBERT; k <= MATERN_2D; k++) {
      const batched_kernel host_kernel = kernel_of((kind)k, points);
      batched_kernel kernel = host_kernel;
      kernel.points = put_bytes(points, sizeof points);
      caller c = {.kernel = &host_kernel};
      filler f = {&kernel, 1 << 30};
      batched_tlr *a, *b, *of_tiles;
      int info[3];
      const batched_truncation t = {.tolerance = 1e-6};
      assert_int_equal(batched_create(&c.host, BATCHED_HOST), 0);
      assert_int_equal(
        batched_tlr_from_kernel(ctx, &a, BATCHED_D, N, N, TILE, (batched_tlr_shape)shape, &kernel, t, info), 0);
      assert_int_equal(
        batched_tlr_from_function(ctx, &b, BATCHED_D, N, N, TILE, (batched_tlr_shape)shape, call, &c, t, info + 1), 0);
      assert_int_equal(
        batched_tlr_from_tiles(ctx, &of_tiles, BATCHED_D, N, N, TILE, (batched_tlr_shape)shape, fill, &f, t, info + 2),
        0);
      assert_true(info[0] == 0 && info[1] == 0 && info[2] == 0);
      matrices x = to_dense(a), y = to_dense(b), z = to_dense(of_tiles);
      assert_memory_equal(x.x[0], z.x[0], sizeof(number) * N * N);
      batched_tlr_destroy(ctx, &of_tiles);
      f.left = 0;
      assert_int_equal(
        batched_tlr_from_tiles(ctx, &of_tiles, BATCHED_D, N, N, TILE, (batched_tlr_shape)shape, fill, &f, t, info + 2),
        BATCHED_DEVICE_FAILED);
      assert_null(of_tiles);
      assert_true(distance(&x, &y, 0) <= 2e-6 * norm_of(&x, 0));
      if (space == BATCHED_HOST) assert_memory_equal(x.x[0], y.x[0], sizeof(number) * N * N);
      free_matrices(&x);
      free_matrices(&y);
      free_matrices(&z);
      batched_tlr_destroy(ctx, &a);
      batched_tlr_destroy(ctx, &b);
      batched_destroy(&c.host);
      release_all();
    }
}

/* Tile (1, 0) alone needs more than max_rank. */
static void test_missed_tolerance(void **unused)
{
  (void)unused;
  const int n[] = {3 * TILE};
  matrices a = make_matrices(1, n, n), random = make_matrices(1, n, n);
  fill_random(BATCHED_D, &random);
  for (int j = 0; j < TILE; j++)
    for (int i = TILE; i < 2 * TILE; i++) a.x[0][i + j * n[0]] = random.x[0][i + j * n[0]];
  batched_tlr *x;
  batched_lowrank view;
  int info = 0;
  const batched_matrix d = put(&a, BATCHED_D, (layout){false, false}, 0);
  assert_int_equal(batched_tlr_from_dense(ctx, &x, d, TILE, BATCHED_TLR_GENERAL,
                                          (batched_truncation){.tolerance = 1e-3, .max_rank = 4}, &info),
                   0);
  assert_true(info == 1 + 1 && batched_tlr_tile(x, 1, 0, &view) == 4 && batched_tlr_tile(x, 0, 1, &view) == 0);
  batched_tlr_destroy(ctx, &x);
  assert_int_equal(
    batched_tlr_from_dense(ctx, &x, d, TILE, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-3}, &info), 0);
  assert_true(info == 0 && batched_tlr_tile(x, 1, 0, &view) == -1);
  batched_tlr_destroy(ctx, &x);
  free_matrices(&a);
  free_matrices(&random);
  release_all();
}

/* Tiles moved by their views, as through a file. */
static void test_views(void **unused)
{
  (void)unused;
  matrices a = make_large(MATERN_2D, BATCHED_D, 100, 70);
  batched_tlr *x = compress(&a, BATCHED_D, BATCHED_TLR_GENERAL, (batched_truncation){.tolerance = 1e-5}), *y;
  int ranks[4 * 3];
  batched_lowrank from, to;
  for (int e = 0; e < 12; e++) ranks[e] = batched_tlr_tile(x, e % 4, e / 4, &from);
  assert_int_equal(batched_tlr_create(ctx, &y, BATCHED_D, 100, 70, TILE, BATCHED_TLR_GENERAL, ranks), 0);
  for (int e = 0; e < 12; e++) {
    assert_int_equal(batched_tlr_tile(x, e % 4, e / 4, &from), batched_tlr_tile(y, e % 4, e / 4, &to));
    assert_int_equal(batched_copy(ctx, from.u, to.u), 0);
    if (ranks[e] > 0) assert_int_equal(batched_copy(ctx, from.v, to.v), 0);
  }
  matrices p = to_dense(x), q = to_dense(y);
  assert_memory_equal(p.x[0], q.x[0], sizeof(number) * 7000);
  batched_tlr_destroy(ctx, &x);
  batched_tlr_destroy(ctx, &y);
  ranks[0] = TILE + 1;
  assert_int_equal(batched_tlr_create(ctx, &y, BATCHED_D, 100, 70, TILE, BATCHED_TLR_GENERAL, ranks), -8);
  assert_null(y);
  matrices *all[] = {&a, &p, &q};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
  release_all();
}

static void expect(int status, const char *sentence)
{
  char text[256];
  assert_string_equal(batched_explain(ctx, status, text, sizeof text), sentence);
}

/* A refusal says what is wrong. */
static void test_refusals(void **unused)
{
  (void)unused;
  const batched_truncation t = {.tolerance = 1e-5};
  matrices a = make_large(MATERN_2D, BATCHED_D, 100, 70);
  batched_tlr *x = compress(&a, BATCHED_D, BATCHED_TLR_GENERAL, t), *y;
  const batched_matrix d = put(&a, BATCHED_D, (layout){false, false}, 0);
  double logdet;
  int info, ranks[12] = {0};
  expect(batched_tlr_from_dense(ctx, &y, d, 0, BATCHED_TLR_GENERAL, t, &info), "the 4th argument is wrong: tile 0 < 1");
  expect(batched_tlr_from_dense(ctx, &y, d, TILE, BATCHED_TLR_HERMITIAN, t, &info),
         "the 5th argument is wrong: a 100 x 70 matrix is not Hermitian");
  expect(batched_tlr_from_tiles(ctx, &y, BATCHED_D, 9, 9, TILE, BATCHED_TLR_GENERAL, NULL, NULL, t, &info),
         "the 8th argument is wrong: f is NULL");
  ranks[5] = TILE + 1;
  expect(batched_tlr_create(ctx, &y, BATCHED_D, 100, 70, TILE, BATCHED_TLR_GENERAL, ranks),
         "the 8th argument is wrong: tile (1, 1): rank 33 is not in -1 .. 32");
  expect(batched_tlr_create(ctx, &y, BATCHED_D, 100, -1, TILE, BATCHED_TLR_GENERAL, ranks),
         "the 5th argument is wrong: n -1 < 0");
  expect(batched_tlr_potrf(ctx, x, t, &info), "the 2nd argument is wrong: a is not BATCHED_TLR_HERMITIAN");
  expect(batched_tlr_logdet(ctx, NULL, &logdet), "the 2nd argument is wrong: l is NULL");
  expect(batched_tlr_multiply(ctx, BATCHED_NO_TRANS, batched_real(1), x, d, batched_real(0), d),
         "the 5th argument is wrong: it has 100 rows, not 70");
  expect(batched_tlr_gemm(ctx, batched_real(1), x, x, batched_real(0), x, t, &info),
         "the 4th argument is wrong: it has 100 rows, not 70");
  batched_tlr_destroy(ctx, &x);
  free_matrices(&a);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_made_from_dense),  cmocka_unit_test(test_edges),
    cmocka_unit_test(test_complete_bases),   cmocka_unit_test(test_made_from_functions),
    cmocka_unit_test(test_missed_tolerance), cmocka_unit_test(test_views),
    cmocka_unit_test(test_refusals),
  };
  return lowrank_main(argc, argv, tests);
}
