/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounding by a Gram matrix in every type, of as many columns for each or not: the error and the rank by the
 * definition, an orthonormal U, a limit of the rank, matrices of zeros; and that tolerances are left alone which it
 * can't reach.
 */
#include "batched/lowrank/compose.h"
#include "tests/batched/lowrank/lowrank_case.h"

enum { M = 40, N = 30, K = 20, COUNT = 3 };

/* X = some columns of the identity; column j of Y is 1, or for the second matrix 0, times 2^-j/2. */
static void fill(batched_type type, matrices *x, matrices *y)
{
  fill_random(type, y);
  for (int b = 0; b < COUNT; b++)
    for (int j = 0; j < x->n[b]; j++) {
      x->x[b][(2 * j + b) % M + j * M] = 1;
      for (int i = 0; i < N; i++) y->x[b][i + j * N] *= b == 1 ? 0 : pow(2, -0.5 * j);
    }
}

static void check_columns(batched_type type, batched_truncation t, bool expected, bool vary)
{
  const int m[] = {M, M, M}, n[] = {N, N, N}, k[] = {K, K, vary ? K - 7 : K}, sevens[] = {7, 7, 7};
  matrices x = make_matrices(COUNT, m, k), y = make_matrices(COUNT, n, k);
  int *ranks = put_ints(sevens, COUNT), *info = put_ints(sevens, COUNT), r[COUNT], missed[COUNT];
  bool done = !expected;
  fill(type, &x, &y);
  matrices a = expand(&x, &y), u = make_matrices(COUNT, m, k), v = make_matrices(COUNT, n, k);
  const layout plain = {false, false}, columns = {false, vary};
  const batched_matrix bx = put(&x, type, columns, 0), by = put(&y, type, columns, 0);
  const batched_matrix cu = put(&u, type, plain, 0), cv = put(&v, type, plain, 0);
  assert_int_equal(lowrank_round_gram(ctx, lowrank_sized(bx, NULL, bx.ns), lowrank_sized(by, NULL, by.ns),
                                      vary ? k : NULL, lowrank_sized(cu, NULL, ranks), lowrank_sized(cv, NULL, ranks),
                                      ranks, t, info, &done),
                   0);
  assert_true(done == expected);
  get_ints(r, ranks, COUNT);
  get_ints(missed, info, COUNT);
  for (int b = 0; done && b < COUNT; b++) {
    const int needed = rank_of(&a, b, t, 0), most = t.max_rank ? t.max_rank : k[b];
    assert_true(b != 1 || r[b] == 0);
    assert_int_equal(r[b], needed < most ? needed : most);
    assert_int_equal(missed[b], needed > most ? needed : 0);
  }
  if (done) {
    matrices ru = get(cu, m, r), rv = get(cv, n, r), product = expand(&ru, &rv);
    for (int b = 0; b < COUNT; b++) {
      const double limit = t.absolute ? t.tolerance : t.tolerance * norm_of(&a, b);
      assert_true(missed[b] || distance(&product, &a, b) <= limit + 30 * K * eps_of(type) * norm_of(&a, b));
      assert_true(orthogonality(&ru, b) <= 30 * K * eps_of(type));
    }
    matrices *made[] = {&ru, &rv, &product};
    for (int i = 0; i < 3; i++) free_matrices(made[i]);
  }
  matrices *all[] = {&x, &y, &a, &u, &v};
  for (int i = 0; i < 5; i++) free_matrices(all[i]);
  release_all();
}

static void check(batched_type type, batched_truncation t, bool expected)
{
  check_columns(type, t, expected, false);
  check_columns(type, t, expected, true);
}

static void test_gram(void **unused)
{
  (void)unused;
  for (int type = 0; type < 4; type++) {
    const double rough = batched_real_type((batched_type)type) == BATCHED_S ? 1e-2 : 1e-5;
    check((batched_type)type, (batched_truncation){.tolerance = 0.1}, true);
    check((batched_type)type, (batched_truncation){.tolerance = rough}, true);
    check((batched_type)type, (batched_truncation){.tolerance = 0.05, .absolute = true}, true);
    check((batched_type)type, (batched_truncation){.tolerance = 0.05, .max_rank = 3}, true);
    check((batched_type)type, (batched_truncation){.tolerance = rough * 1e-3}, false);
    check((batched_type)type, (batched_truncation){.tolerance = rough * 1e-3, .absolute = true}, false);
    check((batched_type)type, (batched_truncation){.tolerance = 0, .max_rank = 3}, false);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gram)};
  return lowrank_main(argc, argv, tests);
}
