/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounding in every row, type and layout: a sum of low rank, with columns that are not needed, more columns than rows,
 * no columns at all; C in place of A.
 */
#include "tests/batched/lowrank/lowrank_case.h"

static const int shapes[][3] = {{30, 20, 6}, {8, 25, 12}, {25, 8, 12}, {5, 6, 16}, {12, 9, 0}, {1, 1, 3}};

/* Columns that repeat those before them: half as many are needed, and those of the tolerance. */
static void fill(batched_type type, matrices *u, matrices *v)
{
  fill_random(type, u);
  fill_random(type, v);
  for (int b = 0; b < u->count; b++)
    for (int j = u->n[b] / 2; j < u->n[b]; j++)
      for (int i = 0; i < u->m[b]; i++) u->x[b][i + j * u->m[b]] = 2 * u->x[b][i + j / 2 * u->m[b]];
}

static void check(const int *shape, batched_type type, layout l, batched_truncation t)
{
  const int less = l.variable ? shape[0] / 2 : 0;
  const int m[] = {shape[0], shape[0] - less, shape[0]}, n[] = {shape[1], shape[1], shape[1]};
  const int k[] = {shape[2], shape[2] / 3, shape[2]};
  int ranks[3], info[3] = {7, 7, 7}, *where = put_ints(info, 3);
  matrices u = make_matrices(3, m, k), v = make_matrices(3, n, k);
  fill(type, &u, &v);
  matrices expected = expand(&u, &v);
  batched_lowrank a = batched_factors(put(&u, type, l, 16), put(&v, type, l, 16), put_ints(k, 3));
  assert_int_equal(batched_lrround(ctx, a, a, t, where), 0);
  get_ints(info, where, 3);
  get_ints(ranks, a.ranks, 3);
  matrices cu = get(a.u, m, ranks), cv = get(a.v, n, ranks), x = expand(&cu, &cv);
  for (int b = 0; b < 3; b++) {
    const double unit = eps_of(type), norm = norm_of(&u, b) * norm_of(&v, b);
    assert_int_equal(info[b], 0);
    assert_true(distance(&x, &expected, b) <= t.tolerance * norm_of(&expected, b) + 30 * (k[b] + 1) * unit * norm);
    assert_true(orthogonality(&cu, b) <= 30 * (m[b] + 1) * unit);
    const int least = rank_of(&expected, b, t, 100 * unit), exact = k[b] > 1 ? k[b] / 2 : k[b];
    assert_true(ranks[b] >= least && ranks[b] <= (t.tolerance > 0 ? least : exact));
  }
  matrices *all[] = {&u, &v, &expected, &cu, &cv, &x};
  for (int i = 0; i < 6; i++) free_matrices(all[i]);
  release_all();
}

static void test_rounding(void **unused)
{
  (void)unused;
  for (int row = 0; row_of(&batched_lrround_op, row); row++) {
    assert_int_equal(batched_select(ctx, &batched_lrround_op, row_of(&batched_lrround_op, row)), 0);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
      for (int type = 0; type < 4; type++)
        for (int l = 0; l < 4; l += quick ? 3 : 1)
          for (int loose = 0; loose < 2; loose++)
            check(shapes[i], (batched_type)type, (layout){l & 1, l & 2},
                  (batched_truncation){.tolerance = loose * 0.2});
  }
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  const int m[] = {6, 6}, n[] = {5, 5}, k[] = {3, 3}, ones[] = {1, 1};
  const layout l = {false, false};
  matrices u = make_matrices(2, m, k), v = make_matrices(2, n, k);
  const batched_lowrank a = batched_factors(put(&u, BATCHED_D, l, 0), put(&v, BATCHED_D, l, 0), put_ints(k, 2));
  const batched_lowrank dense = batched_dense(a.u), other = batched_factors(a.v, a.u, a.ranks);
  batched_lowrank wider = a, ragged = a;
  wider.u.n = 4;
  ragged.u.lds = put_ints(m, 2);
  int *info = put_ints(ones, 2);
  const batched_truncation t = {0}, bad = {.max_rank = -1};
  assert_int_equal(batched_lrround(NULL, a, a, t, info), -1);
  assert_int_equal(batched_lrround(ctx, dense, a, t, info), -2);
  assert_int_equal(batched_lrround(ctx, wider, a, t, info), -2);
  assert_int_equal(batched_lrround(ctx, a, dense, t, info), -3);
  assert_int_equal(batched_lrround(ctx, a, other, t, info), -3);
  assert_int_equal(batched_lrround(ctx, a, ragged, t, info), -3);
  assert_int_equal(batched_lrround(ctx, a, batched_factors(a.u, a.v, NULL), t, info), -3);
  assert_int_equal(batched_lrround(ctx, a, a, bad, info), -4);
  assert_int_equal(batched_lrround(ctx, a, a, t, NULL), -5);
  if (space == BATCHED_HOST) { /* on a GPU ranks are taken on trust */
    a.ranks[1] = 4;
    assert_int_equal(batched_lrround(ctx, a, other, t, info), -2);
  }
  free_matrices(&u);
  free_matrices(&v);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounding), cmocka_unit_test(test_bad_arguments)};
  return lowrank_main(argc, argv, tests);
}
