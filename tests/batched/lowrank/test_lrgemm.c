/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of low-rank and dense matrices against dense products: LLD, LLL, DLD, LDD, DLL, LDL in every row, type,
 * layout and with every op, ranks from 0 to full: |C - C_ref| <= (tolerance + 30 k eps) of what was added up, U
 * orthonormal, and ranks as the SVD has them.
 */
#include "tests/batched/lowrank/lowrank_case.h"

/* An operand: of low rank, with u and v, or dense, with x.  Its shape is that of op(A). */
typedef struct operand {
  bool dense;
  batched_trans trans;
  matrices u, v, x; /* x: op(A) */
  batched_lowrank view;
} operand;

typedef struct sizes {
  int count, m[MOST], n[MOST], k[MOST], ra[MOST], rb[MOST], rc[MOST];
} sizes;

static const sizes cases[] = {
  {3, {9, 9, 9}, {7, 7, 7}, {8, 8, 8}, {2, 2, 2}, {3, 3, 3}, {2, 2, 2}},
  {4, {20, 17, 20, 1}, {24, 24, 5, 3}, {16, 16, 11, 2}, {0, 5, 11, 1}, {3, 16, 2, 0}, {4, 0, 5, 1}},
  {2, {40, 33}, {28, 28}, {36, 36}, {6, 1}, {4, 9}, {3, 7}},
  {1, {0}, {4}, {3}, {0}, {2}, {0}},
  {3, {40, 40, 40}, {28, 28, 28}, {9, 9, 9}, {6, 1, 0}, {4, 9, 3}, {3, 7, 2}},
};

/* Many columns, and more rows than a strip of a kernel has: each block has much to do. */
static const sizes large[] = {
  {8,
   {264, 264, 264, 264, 264, 264, 264, 264},
   {2100, 2100, 2100, 2100, 2100, 2100, 2100, 2100},
   {8, 8, 8, 8, 8, 8, 8, 8},
   {16, 3, 16, 0, 1, 16, 9, 16},
   {16, 16, 8, 5, 2, 16, 16, 12},
   {0}},
  {3, {1040, 1040, 1040}, {1111, 1111, 1111}, {8, 8, 8}, {16, 11, 3}, {20, 18, 1}, {0}},
};

static bool is_left_out(const char *row)
{
  return quick && !misread && strcmp(row, "cuda.stream") == 0; /* bulk copies */
}

static matrices conjugate(const matrices *a)
{
  matrices c = make_matrices(a->count, a->n, a->m);
  for (int b = 0; b < a->count; b++)
    for (int j = 0; j < a->n[b]; j++)
      for (int i = 0; i < a->m[b]; i++) c.x[b][j + i * a->n[b]] = conj(a->x[b][i + j * a->m[b]]);
  return c;
}

static operand make_operand(batched_type type, layout l, bool dense, batched_trans trans, int count, const int *m,
                            const int *n, const int *ranks, int room)
{
  operand o = {.dense = dense, .trans = trans};
  o.u = make_matrices(count, m, ranks);
  o.v = make_matrices(count, n, ranks);
  fill_random(type, &o.u);
  fill_random(type, &o.v);
  o.x = expand(&o.u, &o.v);
  const bool transposed = trans != BATCHED_NO_TRANS;
  if (dense) {
    matrices stored = conjugate(&o.x);
    o.view = batched_dense(put(transposed ? &stored : &o.x, type, l, 0));
    free_matrices(&stored);
  } else {
    const batched_matrix u = put(&o.u, type, l, room), v = put(&o.v, type, l, room);
    o.view = batched_factors(transposed ? v : u, transposed ? u : v, put_ints(ranks, count));
  }
  return o;
}

static void free_operand(operand *o)
{
  free_matrices(&o->u);
  free_matrices(&o->v);
  free_matrices(&o->x);
}

static void check_factors(const operand *c, const matrices *expected, batched_type type, batched_truncation t,
                          const double *scale, const int *ranks, const int *info, int room)
{
  matrices u = get(c->view.u, expected->m, ranks), v = get(c->view.v, expected->n, ranks), x = expand(&u, &v);
  for (int b = 0; b < u.count; b++) {
    const double unit = eps_of(type), noise = 30 * (expected->m[b] + expected->n[b]) * unit * scale[b];
    const double allowed = t.absolute ? t.tolerance : t.tolerance * norm_of(expected, b);
    const int least = rank_of(expected, b, t, 1e3 * unit);
    if (least <= room) {
      assert_int_equal(info[b], 0);
      assert_true(distance(&x, expected, b) <= allowed + noise);
      assert_true(ranks[b] >= least - 1 && ranks[b] <= rank_of(expected, b, t, 0) + (t.tolerance > 0));
    } else {
      assert_true(t.tolerance == 0 ? info[b] == 0 : info[b] > room);
      assert_int_equal(ranks[b], room);
    }
    assert_true(orthogonality(&u, b) <= 30 * (u.m[b] + 1) * unit);
  }
  free_matrices(&u);
  free_matrices(&v);
  free_matrices(&x);
}

typedef struct options {
  batched_type type;
  layout l;
  int kind; /* bits: A dense, B dense, C dense */
  batched_trans transa, transb;
  batched_scalar alpha, beta;
  batched_truncation t;
  int room;
} options;

/* Whether the row that is selected fits. */
static bool check_product(const sizes *s, const options *o)
{
  const bool dense_c = o->kind & 4;
  operand a = make_operand(o->type, o->l, o->kind & 1, o->transa, s->count, s->m, s->k, s->ra, 0);
  operand b = make_operand(o->type, o->l, o->kind & 2, o->transb, s->count, s->k, s->n, s->rb, 0);
  operand c = make_operand(o->type, o->l, dense_c, BATCHED_NO_TRANS, s->count, s->m, s->n, s->rc, o->room);
  const number alpha = o->alpha.re + (batched_is_complex(o->type) ? o->alpha.im : 0) * I;
  const number beta = o->beta.re + (batched_is_complex(o->type) ? o->beta.im : 0) * I;
  matrices expected = make_matrices(s->count, s->m, s->n);
  double scale[MOST];
  int info[MOST] = {0}, ranks[MOST];
  for (int i = 0; i < s->count; i++) {
    memcpy(expected.x[i], c.x.x[i], sizeof(number) * (size_t)s->m[i] * (size_t)s->n[i]);
    scale[i] = cabs(alpha) * norm_of(&a.x, i) * norm_of(&b.x, i) + cabs(beta) * norm_of(&c.x, i);
    multiply(alpha, a.x.x[i], s->m[i], s->k[i], b.x.x[i], false, s->n[i], beta, expected.x[i]);
  }
  int *where = put_ints(info, MOST);
  const int status = batched_lrgemm(ctx, o->transa, o->transb, o->alpha, a.view, b.view, o->beta, c.view, o->t, where);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  get_ints(info, where, MOST);
  if (status) {
    /* nothing has been done */
  } else if (dense_c) {
    matrices x = get(c.view.u, s->m, s->n);
    for (int i = 0; i < s->count; i++)
      assert_true(distance(&x, &expected, i) <= 30 * (s->k[i] + 1) * eps_of(o->type) * scale[i]);
    free_matrices(&x);
  } else {
    get_ints(ranks, c.view.ranks, s->count);
    check_factors(&c, &expected, o->type, o->t, scale, ranks, info, o->room);
  }
  free_matrices(&expected);
  free_operand(&a);
  free_operand(&b);
  free_operand(&c);
  release_all();
  return status == 0;
}

static bool is_uniform(const sizes *s)
{
  for (int b = 1; b < s->count; b++)
    if (s->m[b] != s->m[0] || s->n[b] != s->n[0] || s->k[b] != s->k[0]) return false;
  return true;
}

/* In how many of them the row fits. */
static int check_types_and_layouts(const sizes *s, options o)
{
  int fitted = 0;
  for (int l = is_uniform(s) ? 0 : 2; l < 4; l += quick ? 3 : 1)
    for (int type = 0; type < 4; type++) {
      o.l = (layout){l & 1, l & 2};
      o.type = (batched_type)type;
      fitted += check_product(s, &o);
    }
  return fitted;
}

static void test_products(void **unused)
{
  (void)unused;
  const batched_trans trans[] = {BATCHED_NO_TRANS, BATCHED_CONJ_TRANS};
  for (int row = 0; row_of(&batched_lrgemm_op, row); row++) {
    if (is_left_out(row_of(&batched_lrgemm_op, row))) continue;
    assert_int_equal(batched_select(ctx, &batched_lrgemm_op, row_of(&batched_lrgemm_op, row)), 0);
    int fitted = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      for (int kind = 0; kind < 8; kind++)
        for (int ops = 0; ops < (quick ? 1 : 4); ops++) {
          if (kind == 3) continue; /* dense times dense is no low-rank matrix */
          options o = {.kind = kind, .transa = trans[ops & 1], .transb = trans[ops >> 1], .room = 64};
          o.alpha = batched_complex(-0.5, 2);
          o.beta = ops == 3 ? batched_real(0) : batched_complex(1.5, -1);
          o.t.tolerance = ops == 1 ? 1e-3 : 0;
          fitted += check_types_and_layouts(&cases[i], o);
        }
    assert_true(fitted > 0);
  }
}

/* Of a size at which each block of a GPU has much to do. */
static void test_large_updates(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < (quick ? 1 : sizeof large / sizeof *large); i++)
    for (int row = 0; row_of(&batched_lrgemm_op, row); row++) {
      if (is_left_out(row_of(&batched_lrgemm_op, row))) continue;
      assert_int_equal(batched_select(ctx, &batched_lrgemm_op, row_of(&batched_lrgemm_op, row)), 0);
      const options o = {.type = BATCHED_D, .kind = 4, .alpha = {-0.5, 0}, .beta = {1.5, 0}};
      assert_true(check_product(&large[i], &o));
    }
}

/* Of an absolute tolerance, and of too little room. */
static void test_truncation(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_lrgemm_op, row); row++) {
    if (is_left_out(row_of(&batched_lrgemm_op, row))) continue;
    assert_int_equal(batched_select(ctx, &batched_lrgemm_op, row_of(&batched_lrgemm_op, row)), 0);
    options o = {.room = 64, .alpha = {1, 0}, .beta = {1, 0}, .t = {.tolerance = 0.5, .absolute = true}};
    check_types_and_layouts(&cases[2], o);
    o.room = 9; /* 3 + 4 columns, and 7 + 1 */
    o.t = (batched_truncation){.tolerance = 1e-3};
    check_types_and_layouts(&cases[2], o);
    o.room = 7;
    check_types_and_layouts(&cases[2], o);
    o.t.tolerance = 0;
    check_types_and_layouts(&cases[2], o);
    o.alpha = batched_real(0);
    check_types_and_layouts(&cases[2], o);
  }
}

/* A NaN stays in its matrix, and the others have the bits that they have without it. */
static void test_nan_stays(void **unused)
{
  (void)unused;
  const sizes *s = &cases[0];
  for (int row = 0; row_of(&batched_lrgemm_op, row); row++) {
    if (is_left_out(row_of(&batched_lrgemm_op, row))) continue;
    assert_int_equal(batched_select(ctx, &batched_lrgemm_op, row_of(&batched_lrgemm_op, row)), 0);
    matrices u = make_matrices(3, s->m, s->ra), v = make_matrices(3, s->k, s->ra), w = make_matrices(3, s->n, s->rb);
    matrices x = make_matrices(3, s->k, s->rb), first[2];
    fill_random(BATCHED_D, &u);
    fill_random(BATCHED_D, &v);
    fill_random(BATCHED_D, &w);
    fill_random(BATCHED_D, &x);
    for (int bad = 0; bad < 2; bad++) {
      if (bad) u.x[1][4] = NAN;
      const layout l = {false, false};
      int info[3] = {0}, ranks[3] = {0}, widths[3] = {4, 4, 4}, *where = put_ints(info, 3);
      matrices cu = make_matrices(3, s->m, widths), cv = make_matrices(3, s->n, widths);
      batched_lowrank a = batched_factors(put(&u, BATCHED_D, l, 0), put(&v, BATCHED_D, l, 0), NULL);
      batched_lowrank b = batched_factors(put(&x, BATCHED_D, l, 0), put(&w, BATCHED_D, l, 0), NULL);
      batched_lowrank c = batched_factors(put(&cu, BATCHED_D, l, 0), put(&cv, BATCHED_D, l, 0), put_ints(ranks, 3));
      const batched_truncation t = {.tolerance = 1e-6};
      const int status =
        batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1), a, b, batched_real(0), c, t, where);
      assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
      get_ints(info, where, 3);
      get_ints(ranks, c.ranks, 3);
      assert_true((info[1] > 0) == (bad && !status) && info[0] == 0 && info[2] == 0);
      first[bad] = get(c.u, s->m, (int[]){2, ranks[1], 2});
      if (bad && !status) assert_true(ranks[1] == 1 && isnan(creal(first[1].x[1][0])));
      free_matrices(&cu);
      free_matrices(&cv);
      release_all();
    }
    for (int b = 0; b < 3; b += 2)
      assert_memory_equal(first[0].x[b], first[1].x[b], sizeof(number) * (size_t)(2 * s->m[b]));
    matrices *all[] = {&u, &v, &w, &x, &first[0], &first[1]};
    for (int i = 0; i < 6; i++) free_matrices(all[i]);
  }
}

/* The same of a dense C, whose first and last matrix are the same, and have the same bits. */
static void test_nan_stays_where_c_is_dense(void **unused)
{
  (void)unused;
  const sizes *s = &cases[4];
  const int ranks[] = {6, 6, 6};
  const layout l = {false, false};
  for (int row = 0; row_of(&batched_lrgemm_op, row); row++) {
    if (is_left_out(row_of(&batched_lrgemm_op, row))) continue;
    assert_int_equal(batched_select(ctx, &batched_lrgemm_op, row_of(&batched_lrgemm_op, row)), 0);
    matrices u = make_matrices(3, s->m, ranks), v = make_matrices(3, s->k, ranks), w = make_matrices(3, s->n, ranks);
    matrices x = make_matrices(3, s->k, ranks), c = make_matrices(3, s->m, s->n), first[2];
    matrices *all[] = {&u, &v, &w, &x, &c, &first[0], &first[1]};
    for (int i = 0; i < 5; i++) {
      fill_random(BATCHED_D, all[i]);
      memcpy(all[i]->x[2], all[i]->x[0], sizeof(number) * (size_t)(all[i]->m[0] * all[i]->n[0]));
    }
    for (int bad = 0; bad < 2; bad++) {
      if (bad) u.x[1][4] = NAN;
      const batched_lowrank a = batched_factors(put(&u, BATCHED_D, l, 0), put(&v, BATCHED_D, l, 0), NULL);
      const batched_lowrank b = batched_factors(put(&x, BATCHED_D, l, 0), put(&w, BATCHED_D, l, 0), NULL);
      const batched_lowrank sum = batched_dense(put(&c, BATCHED_D, l, 0));
      assert_int_equal(batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1), a, b, batched_real(1),
                                      sum, (batched_truncation){0}, NULL),
                       0);
      first[bad] = get(sum.u, s->m, s->n);
      release_all();
    }
    const size_t bytes = sizeof(number) * (size_t)(s->m[0] * s->n[0]);
    for (int b = 0; b < 3; b += 2) assert_memory_equal(first[0].x[b], first[1].x[b], bytes);
    assert_memory_equal(first[0].x[0], first[0].x[2], bytes);
    for (int j = 0; j < s->n[1]; j++) assert_true(isnan(creal(first[1].x[1][4 + j * s->m[1]])));
    for (int i = 0; i < 7; i++) free_matrices(all[i]);
  }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const sizes *s = &cases[0];
  const layout l = {false, false};
  int *ints = put_ints(s->ra, 3);
  operand a = make_operand(BATCHED_D, l, false, BATCHED_NO_TRANS, 3, s->m, s->k, s->ra, 0);
  operand b = make_operand(BATCHED_D, l, false, BATCHED_NO_TRANS, 3, s->k, s->n, s->rb, 0);
  operand c = make_operand(BATCHED_D, l, false, BATCHED_NO_TRANS, 3, s->m, s->n, s->rc, 0);
  operand x = make_operand(BATCHED_D, l, true, BATCHED_NO_TRANS, 3, s->m, s->k, s->ra, 0);
  operand y = make_operand(BATCHED_D, l, true, BATCHED_NO_TRANS, 3, s->k, s->n, s->ra, 0);
  const batched_truncation t = {0}, bad = {.tolerance = -1};
  const batched_scalar one = {1, 0};
  const batched_trans no = BATCHED_NO_TRANS;
  assert_int_equal(batched_lrgemm(NULL, no, no, one, a.view, b.view, one, c.view, t, ints), -1);
  assert_int_equal(batched_lrgemm(ctx, (batched_trans)7, no, one, a.view, b.view, one, c.view, t, ints), -2);
  assert_int_equal(batched_lrgemm(ctx, no, (batched_trans)7, one, a.view, b.view, one, c.view, t, ints), -3);
  assert_int_equal(batched_lrgemm(ctx, no, no, one, b.view, b.view, one, c.view, t, ints), -6);
  assert_int_equal(batched_lrgemm(ctx, no, no, one, a.view, b.view, one, a.view, t, ints), -8);
  assert_int_equal(batched_lrgemm(ctx, no, no, one, x.view, y.view, one, c.view, t, ints), -8);
  assert_int_equal(batched_lrgemm(ctx, no, no, one, a.view, b.view, one, c.view, bad, ints), -9);
  assert_int_equal(batched_lrgemm(ctx, no, no, one, a.view, b.view, one, c.view, t, NULL), -10);
  if (space == BATCHED_HOST) { /* ranks on a GPU are taken on trust, and without a beta C's are only written */
    const int wrong[] = {-1, c.view.u.n + 1};
    for (int i = 0; i < 2; i++) {
      c.view.ranks[2] = wrong[i];
      assert_int_equal(batched_lrgemm(ctx, no, no, one, a.view, b.view, one, c.view, t, ints), -8);
      assert_int_equal(batched_lrgemm(ctx, no, no, one, a.view, b.view, batched_real(0), c.view, t, ints), 0);
    }
  }
  a.view.u.n = 1;
  assert_int_equal(batched_lrgemm(ctx, no, no, one, a.view, b.view, one, c.view, t, ints), -5);
  operand *all[] = {&a, &b, &c, &x, &y};
  for (int i = 0; i < 5; i++) free_operand(all[i]);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_products),
    cmocka_unit_test(test_large_updates),
    cmocka_unit_test(test_truncation),
    cmocka_unit_test(test_nan_stays),
    cmocka_unit_test(test_nan_stays_where_c_is_dense),
    cmocka_unit_test(test_bad_arguments),
  };
  return lowrank_main(argc, argv, tests);
}
