/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compression in every row, type and layout: Hilbert matrices, low rank with noise, full rank, zeros, ragged sizes.
 * |A - U V^H| <= (tolerance + 30 k eps) |A|, U orthonormal, ranks within 10 % (and 1) of the SVD's, info where there is
 * too little room, the same bits wherever a matrix stands.
 */
#include "batched/operations.h"
#include "tests/batched/lowrank/lowrank_case.h"
#include "tests/batched/thorough.h"

static void fill_hilbert(matrices *a, int b)
{
  for (int j = 0; j < a->n[b]; j++)
    for (int i = 0; i < a->m[b]; i++) a->x[b][i + j * a->m[b]] = 1.0 / (i + j + 1);
}

static void fill_lowrank(batched_type type, matrices *a, int b, int rank, double noise)
{
  const int m[] = {a->m[b]}, n[] = {a->n[b]}, r[] = {rank};
  matrices u = make_matrices(1, m, r), v = make_matrices(1, n, r), x = make_matrices(1, m, n);
  fill_random(type, &u);
  fill_random(type, &v);
  fill_random(type, &x);
  multiply(1, u.x[0], m[0], rank, v.x[0], true, n[0], 0, a->x[b]);
  for (int64_t i = 0; i < (int64_t)m[0] * n[0]; i++) a->x[b][i] += noise * x.x[0][i];
  free_matrices(&u);
  free_matrices(&v);
  free_matrices(&x);
}

static matrices make_batch(batched_type type, bool ragged)
{
  const int high[] = {48, 48, 48, 48, 48}, wide[] = {40, 40, 40, 40, 40};
  const int m[] = {48, 31, 20, 48, 1}, n[] = {40, 40, 40, 7, 1};
  matrices a = make_matrices(5, ragged ? m : high, ragged ? n : wide);
  fill_hilbert(&a, 0);
  fill_lowrank(type, &a, 1, 5, 1e-9);
  fill_lowrank(type, &a, 2, 40, 0);
  fill_lowrank(type, &a, 4, 1, 0);
  return a; /* and zeros */
}

static void check(const matrices *a, batched_type type, layout l, int room, batched_truncation t, bool is_svd)
{
  int m[MOST], n[MOST], width[MOST], ranks[MOST] = {0}, info[MOST] = {0};
  for (int b = 0; b < a->count; b++) m[b] = a->m[b], n[b] = a->n[b], width[b] = room;
  matrices cu = make_matrices(a->count, m, width), cv = make_matrices(a->count, n, width);
  const int *where_ranks = put_ints(ranks, a->count);
  int *where = put_ints(info, a->count);
  const layout factors = {l.array, l.variable};
  batched_lowrank c = batched_factors(put(&cu, type, factors, 0), put(&cv, type, factors, 0), (int *)where_ranks);
  assert_int_equal(batched_lrcompress(ctx, put(a, type, l, 0), c, t, where), 0);
  get_ints(ranks, c.ranks, a->count);
  get_ints(info, where, a->count);
  matrices u = get(c.u, m, ranks), v = get(c.v, n, ranks), x = expand(&u, &v);
  const double unit = eps_of(type);
  const int allowed_rank = t.max_rank > 0 && t.max_rank < room ? t.max_rank : room;
  for (int b = 0; b < a->count; b++) {
    const double norm = norm_of(a, b), allowed = t.absolute ? t.tolerance : t.tolerance * norm;
    const int least = rank_of(a, b, t, 10 * unit), most = rank_of(a, b, t, unit / 100);
    if (least <= allowed_rank && most > allowed_rank) continue; /* either may be right */
    if (least > allowed_rank) {
      assert_true(info[b] > allowed_rank && ranks[b] == allowed_rank);
    } else {
      assert_int_equal(info[b], 0);
      assert_true(distance(&x, a, b) <= allowed + 30 * m[b] * unit * norm);
      assert_true(ranks[b] >= least && ranks[b] <= (is_svd ? most : most + (least + 9) / 10));
    }
    assert_true(orthogonality(&u, b) <= 30 * (m[b] + 1) * unit);
  }
  free_matrices(&cu);
  free_matrices(&cv);
  free_matrices(&u);
  free_matrices(&v);
  free_matrices(&x);
  release_all();
}

static void each_layout(int room, batched_truncation t, bool is_svd, double least)
{
  for (int type = 0; type < 4; type++)
    for (int l = 0; l < 4; l += quick ? 3 : 1) {
      matrices a = make_batch((batched_type)type, l & 2);
      batched_truncation here = t;
      if (batched_real_type((batched_type)type) == BATCHED_S) here.tolerance = fmax(t.tolerance, least);
      check(&a, (batched_type)type, (layout){l & 1, l & 2}, room, here, is_svd);
      free_matrices(&a);
    }
}

static void test_tolerances(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_lrcompress_op, row); row++) {
    const char *name = row_of(&batched_lrcompress_op, row);
    const bool is_svd = strstr(name, "svd") != NULL || strstr(name, "ref") != NULL;
    assert_int_equal(batched_select(ctx, &batched_lrcompress_op, name), 0);
    each_layout(40, (batched_truncation){.tolerance = 1e-2}, is_svd, 0);
    if (quick) continue;
    each_layout(40, (batched_truncation){.tolerance = 1e-7}, is_svd, 1e-4);
    each_layout(40, (batched_truncation){.tolerance = 1e-12}, is_svd, 1e-5);
    each_layout(40, (batched_truncation){.tolerance = 1e-3, .absolute = true, .seed = 7}, is_svd, 0);
    each_layout(6, (batched_truncation){.tolerance = 1e-4}, is_svd, 0);
    each_layout(0, (batched_truncation){.tolerance = 1e-4}, is_svd, 0);
    each_layout(40, (batched_truncation){.tolerance = 1e-4, .max_rank = 6}, is_svd, 0);
    /* with an SVD whose error is small beside the largest value alone */
    assert_int_equal(batched_select(ctx, &batched_gesvd_op, "composed"), 0);
    each_layout(40, (batched_truncation){.tolerance = 1e-12}, is_svd, 1e-5);
    assert_int_equal(batched_select(ctx, &batched_gesvd_op, "auto"), 0);
  }
}

/* A fixed number of samples by every way to a basis of them, also where few rows are not the default's. */
static void test_bases(void **unused)
{
  (void)unused;
  assert_int_equal(batched_select(ctx, &batched_lrcompress_op, "rsvd"), 0);
  for (int row = 0; row_of(&batched_lrbasis_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrbasis_op, row_of(&batched_lrbasis_op, row)), 0);
    each_layout(40, (batched_truncation){.tolerance = 1e-2}, true, 0);
    if (!quick) each_layout(40, (batched_truncation){.tolerance = 1e-12}, true, 1e-5);
  }
}

/* Without a tolerance: so many columns, as good as those of the SVD to this factor. */
static void check_ranks(int power_iterations, double factor)
{
  for (int row = 0; row_of(&batched_lrcompress_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrcompress_op, row_of(&batched_lrcompress_op, row)), 0);
    for (int rank = 0; rank < 12; rank += 3) {
      const int m[] = {50}, n[] = {60}, width[] = {rank};
      matrices a = make_matrices(1, m, n), cu = make_matrices(1, m, width), cv = make_matrices(1, n, width);
      int ranks[1] = {7}, info[1] = {7}, *where = put_ints(info, 1);
      fill_hilbert(&a, 0);
      batched_lowrank c =
        batched_factors(put(&cu, BATCHED_D, (layout){0}, 0), put(&cv, BATCHED_D, (layout){0}, 0), put_ints(ranks, 1));
      const batched_truncation t = {.power_iterations = power_iterations};
      assert_int_equal(batched_lrcompress(ctx, put(&a, BATCHED_D, (layout){0}, 0), c, t, where), 0);
      get_ints(ranks, c.ranks, 1);
      get_ints(info, where, 1);
      assert_true(ranks[0] == rank && info[0] == 0);
      matrices u = get(c.u, m, ranks), v = get(c.v, n, ranks), x = expand(&u, &v);
      /* the error that `rank` columns leave at best: the tolerance that they are just enough for */
      const double error = distance(&x, &a, 0);
      assert_true(rank_of(&a, 0, (batched_truncation){.tolerance = factor * error, .absolute = true}, 0) <= rank);
      assert_true(rank_of(&a, 0, (batched_truncation){.tolerance = error / factor, .absolute = true}, 0) >= rank);
      matrices *all[] = {&a, &cu, &cv, &u, &v, &x};
      for (int i = 0; i < 6; i++) free_matrices(all[i]);
      release_all();
    }
  }
}

static void test_ranks(void **unused)
{
  (void)unused;
  check_ranks(0, 3);
  check_ranks(2, 3);
}

/* Power iterations: of values that fall as 1 / j, the least error to 10 %, which one sample alone does not reach. */
static void test_power_iterations(void **unused)
{
  (void)unused;
  enum { ORDER = 60, RANK = 8 };
  const int n[] = {ORDER}, width[] = {RANK}, one_each[] = {1};
  assert_int_equal(batched_select(ctx, &batched_lrcompress_op, "rsvd"), 0);
  for (int type = 0; type < 4; type++) {
    matrices a = make_matrices(1, n, n), tau = make_matrices(1, n, one_each);
    double errors[2], least = 0;
    fill_random((batched_type)type, &a);
    const batched_matrix q = put(&a, (batched_type)type, (layout){0}, 0);
    const batched_matrix reflectors = put(&tau, (batched_type)type, (layout){0}, 0);
    assert_int_equal(batched_geqrf(ctx, q, reflectors), 0);
    assert_int_equal(batched_ungqr(ctx, q, reflectors), 0);
    matrices values = get(q, n, n), basis = get(q, n, n);
    for (int j = 0; j < ORDER; j++) {
      for (int i = 0; i < ORDER; i++) values.x[0][i + j * ORDER] /= j + 1;
      if (j >= RANK) least += 1.0 / ((j + 1) * (j + 1));
    }
    matrices product = expand(&values, &basis);
    for (int turn = 0; turn < 2; turn++) {
      matrices cu = make_matrices(1, n, width), cv = make_matrices(1, n, width);
      int ranks[1] = {0}, *where = put_ints(ranks, 1);
      batched_lowrank c = batched_factors(put(&cu, (batched_type)type, (layout){0}, 0),
                                          put(&cv, (batched_type)type, (layout){0}, 0), put_ints(ranks, 1));
      const batched_truncation t = {.power_iterations = 2 * turn};
      assert_int_equal(batched_lrcompress(ctx, put(&product, (batched_type)type, (layout){0}, 0), c, t, where), 0);
      matrices u = get(c.u, n, width), v = get(c.v, n, width), x = expand(&u, &v);
      errors[turn] = distance(&x, &product, 0);
      matrices *all[] = {&cu, &cv, &u, &v, &x};
      for (int i = 0; i < 5; i++) free_matrices(all[i]);
    }
    assert_true(errors[1] <= 1.1 * sqrt(least) && errors[0] > 1.1 * sqrt(least) && errors[0] <= 3 * sqrt(least));
    matrices *all[] = {&a, &tau, &values, &basis, &product};
    for (int i = 0; i < 5; i++) free_matrices(all[i]);
    release_all();
  }
}

/* By the row that is selected, of matrices of any sizes: the error, and no info. */
static void check_compression(const char *row, batched_type type, batched_truncation t, const matrices *a, int shapes,
                              const int *width)
{
  int ranks[8], info[8], *where_ranks = put_ints(width, shapes), *where = put_ints(width, shapes);
  matrices cu = make_matrices(shapes, a->m, width), cv = make_matrices(shapes, a->n, width);
  const layout l = {false, true};
  batched_lowrank c = batched_factors(put(&cu, type, l, 0), put(&cv, type, l, 0), where_ranks);
  assert_int_equal(batched_lrcompress(ctx, put(a, type, l, 0), c, t, where), 0);
  get_ints(ranks, c.ranks, shapes);
  get_ints(info, where, shapes);
  matrices u = get(c.u, a->m, ranks), v = get(c.v, a->n, ranks), x = expand(&u, &v);
  for (int b = 0; b < shapes; b++) {
    const double error = distance(&x, a, b) / norm_of(a, b);
    if (info[b] || !(error <= t.tolerance + 30 * a->m[b] * eps_of(type)))
      fail_msg("%s, %c, %d x %d, tolerance %g, seed %d: info %d, rank %d, error %g", row, "sdcz"[type], a -> m[b],
               a -> n[b], t.tolerance, (int)t.seed, info[b], ranks[b], error);
  }
  matrices *all[] = {&cu, &cv, &u, &v, &x};
  for (int i = 0; i < 5; i++) free_matrices(all[i]);
  release_all();
}

/* Narrow and flat matrices, and those a little larger than a block of samples, whatever the random numbers are. */
static void test_seeds(void **unused)
{
  (void)unused;
  enum { SHAPES = 8 };
  const int m[SHAPES] = {1, 8, 50, 20, 33, 1, 3, 17}, n[SHAPES] = {1, 2, 1, 4, 33, 40, 40, 17};
  const int width[SHAPES] = {40, 40, 40, 40, 40, 40, 40, 40};
  for (int row = 0; row_of(&batched_lrcompress_op, row); row++) {
    const char *name = row_of(&batched_lrcompress_op, row);
    assert_int_equal(batched_select(ctx, &batched_lrcompress_op, name), 0);
    for (int turn = 0; turn < (quick ? 2 : space == BATCHED_HOST && is_thorough() ? 600 : 60); turn++) {
      const batched_type type = (batched_type)(turn % 4);
      const batched_truncation t = {.tolerance = batched_real_type(type) == BATCHED_S ? 1e-4 : 1e-9,
                                    .seed = (uint64_t)turn / 4};
      matrices a = make_matrices(SHAPES, m, n);
      fill_random(type, &a);
      check_compression(name, type, t, &a, SHAPES, width);
      free_matrices(&a);
    }
  }
}

/* Where all elements are the same, rounding errors are, too: what is left of samples is no noise, but lies in the
 * basis. */
static void test_constant(void **unused)
{
  (void)unused;
  enum { SHAPES = 4 };
  const int m[SHAPES] = {40, 39, 128, 256}, n[SHAPES] = {24, 19, 128, 256}, width[SHAPES] = {40, 10, 64, 256};
  const int shapes = is_thorough() ? SHAPES : SHAPES - 1;
  for (int row = 0; row_of(&batched_lrcompress_op, row); row++) {
    const char *name = row_of(&batched_lrcompress_op, row);
    assert_int_equal(batched_select(ctx, &batched_lrcompress_op, name), 0);
    for (int turn = 0; turn < (quick ? 2 : 4 * 6); turn++) {
      const batched_type type = (batched_type)(turn % 4);
      const int errors = turn / 8 * 40;
      const batched_truncation t = {.tolerance = errors * eps_of(type), .seed = 7 + (uint64_t)turn / 4};
      matrices a = make_matrices(shapes, m, n);
      for (int b = 0; b < shapes; b++)
        for (int i = 0; i < m[b] * n[b]; i++) a.x[b][i] = 1;
      check_compression(name, type, t, &a, shapes, width);
      free_matrices(&a);
    }
  }
}

/* The same bits alone, and among others, of which one has a NaN and one an infinity. */
static void test_same_bits(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_lrcompress_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrcompress_op, row_of(&batched_lrcompress_op, row)), 0);
    const int m[] = {48, 48, 48, 48, 48}, n[] = {40, 40, 40, 40, 40}, width[] = {40, 40, 40, 40, 40};
    matrices whole = make_batch(BATCHED_D, false), alone = make_matrices(1, m, n);
    memcpy(alone.x[0], whole.x[1], sizeof(number) * 48 * 40);
    whole.x[2][9] = NAN;
    whole.x[4][9] = INFINITY;
    matrices results[2];
    int ranks[2][5] = {{0}}, info[5];
    for (int i = 0; i < 2; i++) {
      const matrices *a = i ? &alone : &whole;
      matrices cu = make_matrices(a->count, m, width), cv = make_matrices(a->count, n, width);
      int *where = put_ints(m, 5), *where_ranks = put_ints(m, 5);
      batched_lowrank c =
        batched_factors(put(&cu, BATCHED_D, (layout){0}, 0), put(&cv, BATCHED_D, (layout){0}, 0), where_ranks);
      assert_int_equal(
        batched_lrcompress(ctx, put(a, BATCHED_D, (layout){0}, 0), c, (batched_truncation){.tolerance = 1e-5}, where),
        0);
      get_ints(ranks[i], where_ranks, a->count);
      get_ints(info, where, a->count);
      if (i == 0)
        assert_true(info[2] > 0 && info[4] > 0 && info[0] == 0 && info[1] == 0 && info[3] == 0 && ranks[0][3] == 0);
      results[i] = get(c.v, n, ranks[i]);
      free_matrices(&cu);
      free_matrices(&cv);
      release_all();
    }
    assert_int_equal(ranks[0][1], ranks[1][0]);
    assert_memory_equal(results[0].x[1], results[1].x[0], sizeof(number) * (size_t)(40 * ranks[1][0]));
    matrices *all[] = {&whole, &alone, &results[0], &results[1]};
    for (int i = 0; i < 4; i++) free_matrices(all[i]);
  }
}

/* What a fixed number of samples may meet: values that fall fast, slowly and to rounding error, rows of any size, and
 * elements in a few rows alone. */
static matrices make_kinds(int m, int n)
{
  enum { KINDS = 8 };
  int ms[KINDS], ns[KINDS];
  for (int b = 0; b < KINDS; b++) ms[b] = m, ns[b] = n;
  matrices a = make_matrices(KINDS, ms, ns);
  fill_hilbert(&a, 0);
  fill_lowrank(BATCHED_D, &a, 1, 20, 0);
  fill_lowrank(BATCHED_D, &a, 2, 20, 1e-9);
  fill_lowrank(BATCHED_D, &a, 3, n, 0);
  fill_lowrank(BATCHED_D, &a, 4, n, 0);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      a.x[4][i + (int64_t)j * m] *= pow(10, -16.0 * i / m);
      if (i >= m / 2 && i < m / 2 + 6) a.x[5][i + (int64_t)j * m] = draw();
      a.x[6][i + (int64_t)j * m] = 1;
    }
  return a; /* and zeros */
}

/* As many columns as there is room for, each matrix as good as by its SVD to a factor of 3, and the same bits where
 * others, of which one has a NaN, are beside it. */
static void check_kinds(const char *row, int m, int n, int room)
{
  matrices whole = make_kinds(m, n);
  int width[MOST], ranks[MOST], info[MOST];
  for (int b = 0; b < whole.count; b++) width[b] = room;
  matrices u[2], v[2];
  for (int turn = 0; turn < 2; turn++) {
    matrices cu = make_matrices(whole.count, whole.m, width), cv = make_matrices(whole.count, whole.n, width);
    int *where = put_ints(width, whole.count), *where_ranks = put_ints(width, whole.count);
    batched_lowrank c =
      batched_factors(put(&cu, BATCHED_D, (layout){0}, 0), put(&cv, BATCHED_D, (layout){0}, 0), where_ranks);
    if (turn == 1) whole.x[3][m + 5] = NAN;
    assert_int_equal(
      batched_lrcompress(ctx, put(&whole, BATCHED_D, (layout){0}, 0), c, (batched_truncation){.seed = 5}, where), 0);
    get_ints(ranks, where_ranks, whole.count);
    get_ints(info, where, whole.count);
    for (int b = 0; b < whole.count; b++) assert_true((info[b] > 0) == (turn == 1 && b == 3));
    u[turn] = get(c.u, whole.m, ranks);
    v[turn] = get(c.v, whole.n, ranks);
    matrices x = expand(&u[turn], &v[turn]);
    for (int b = 0; b < whole.count && turn == 0; b++) {
      const double error = distance(&x, &whole, b), rounding = 30 * m * eps_of(BATCHED_D) * norm_of(&whole, b);
      const batched_truncation t = {.tolerance = 3 * error, .absolute = true};
      if (!(ranks[b] <= room && (error <= rounding || rank_of(&whole, b, t, 0) <= room)))
        fail_msg("%s, %d x %d, matrix %d: rank %d, error %g", row, m, n, b, ranks[b], error);
      assert_true(orthogonality(&u[turn], b) <= 30 * (m + 1) * eps_of(BATCHED_D));
    }
    matrices *all[] = {&cu, &cv, &x};
    for (int i = 0; i < 3; i++) free_matrices(all[i]);
    release_all();
  }
  for (int b = 0; b < whole.count; b++) {
    if (b == 3) continue;
    assert_int_equal(u[0].n[b], u[1].n[b]);
    assert_memory_equal(u[0].x[b], u[1].x[b], sizeof(number) * (size_t)(m * u[0].n[b]));
    assert_memory_equal(v[0].x[b], v[1].x[b], sizeof(number) * (size_t)(n * v[0].n[b]));
  }
  matrices *all[] = {&whole, &u[0], &u[1], &v[0], &v[1]};
  for (int i = 0; i < 5; i++) free_matrices(all[i]);
}

static void test_kinds(void **unused)
{
  (void)unused;
  const char *const rows[] = {"rsvd", "svd", "auto"};
  for (int row = 0; row < 3; row++) {
    assert_int_equal(batched_select(ctx, &batched_lrcompress_op, rows[row]), 0);
    check_kinds(rows[row], 128, 272, 10);
    if (!quick) check_kinds(rows[row], 160, 144, 32);
  }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const int m[] = {6, 6}, n[] = {5, 5}, k[] = {3, 3};
  const layout l = {false, false};
  matrices x = make_matrices(2, m, n), u = make_matrices(2, m, k), v = make_matrices(2, n, k);
  const batched_matrix a = put(&x, BATCHED_D, l, 0), single = put(&x, BATCHED_S, l, 0);
  const batched_lowrank c = batched_factors(put(&u, BATCHED_D, l, 0), put(&v, BATCHED_D, l, 0), put_ints(k, 2));
  int *info = put_ints(k, 2);
  const batched_truncation t = {0}, bad = {.power_iterations = -1};
  batched_matrix low = a;
  low.ld = 5;
  assert_int_equal(batched_lrcompress(NULL, a, c, t, info), -1);
  assert_int_equal(batched_lrcompress(ctx, low, c, t, info), -2);
  assert_int_equal(batched_lrcompress(ctx, a, batched_dense(a), t, info), -3);
  assert_int_equal(batched_lrcompress(ctx, single, c, t, info), -3);
  assert_int_equal(batched_lrcompress(ctx, a, batched_factors(c.v, c.u, c.ranks), t, info), -3);
  assert_int_equal(batched_lrcompress(ctx, a, batched_factors(c.u, c.v, NULL), t, info), -3);
  assert_int_equal(batched_lrcompress(ctx, a, c, bad, info), -4);
  assert_int_equal(batched_lrcompress(ctx, a, c, (batched_truncation){.tolerance = NAN}, info), -4);
  assert_int_equal(batched_lrcompress(ctx, a, c, t, NULL), -5);
  matrices *all[] = {&x, &u, &v};
  for (int i = 0; i < 3; i++) free_matrices(all[i]);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tolerances), cmocka_unit_test(test_ranks), cmocka_unit_test(test_power_iterations),
    cmocka_unit_test(test_bases),      cmocka_unit_test(test_seeds), cmocka_unit_test(test_constant),
    cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_kinds), cmocka_unit_test(test_bad_arguments),
  };
  return lowrank_main(argc, argv, tests);
}
