/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figure 4 of Charara, Keyes, Ltaief (Euro-Par 2018) on a Hilbert matrix of order 1024: its singular values decay to
 * rounding error within about 30; products of two such matrices into a dense C (LLD) and into a low-rank C (LLL), by
 * rank, have the error that the first singular value left out says, its square, until both reach rounding error.
 */
#include "tests/batched/lowrank/lowrank_case.h"

enum { N = 1024, MOST_RANK = 40 };

static double norm(int64_t n, const double *x)
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void get_matrix(double *to, const double *from)
{
  assert_int_equal(batched_copy_to_host(ctx, to, from, sizeof(double) * N * N), 0);
}

static batched_matrix strided(double *p, int m, int n)
{
  return batched_strided(p, m, n, m, (int64_t)m * n, 1);
}

/* |A A - (A A)_rank| / |A A|, C dense or of low rank. */
static double error_of(double *a, const double *exact, int rank, bool dense)
{
  double *c = take(sizeof *c * N * N), *f[4], *host = malloc(sizeof *host * N * N);
  int none[] = {0}, *info = put_ints(none, 1), *ranks = put_ints(none, 1), *other = put_ints(none, 1);
  const batched_truncation t = {.max_rank = rank, .power_iterations = 1}; /* the vectors of singular values, too */
  for (int i = 0; i < 4; i++) f[i] = take(sizeof(double) * (size_t)(N * rank));
  const batched_lowrank x = batched_factors(strided(f[0], N, rank), strided(f[1], N, rank), ranks);
  const batched_lowrank y = batched_factors(strided(f[2], N, rank), strided(f[3], N, rank), other);
  assert_int_equal(batched_select(ctx, &batched_lrcompress_op, "rsvd"), 0);
  assert_int_equal(batched_lrcompress(ctx, strided(a, N, N), x, t, info), 0);
  assert_int_equal(batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1), x, x, batched_real(0),
                                  dense ? batched_dense(strided(c, N, N)) : y, t, info),
                   0);
  if (!dense) { /* C = U V^H */
    int written[1];
    get_ints(written, other, 1);
    assert_int_equal(batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, batched_real(1),
                                  batched_strided(f[2], N, written[0], N, N, 1),
                                  batched_strided(f[3], N, written[0], N, N, 1), batched_real(0), strided(c, N, N)),
                     0);
  }
  get_matrix(host, c);
  for (int64_t i = 0; i < (int64_t)N * N; i++) host[i] -= exact[i];
  const double error = norm((int64_t)N * N, host) / norm((int64_t)N * N, exact);
  free(host);
  return error;
}

static void test_figure_4(void **unused)
{
  (void)unused;
  const batched_kernel kernel = {.function = BATCHED_HILBERT};
  double *a = take(sizeof *a * N * N), *s = take(sizeof *s * N), *c = take(sizeof *c * N * N);
  double *exact = malloc(sizeof *exact * N * N), values[N];
  int none[] = {0}, *info = put_ints(none, 1);
  assert_int_equal(batched_evaluate(ctx, &kernel, batched_uniform(0), batched_uniform(0), strided(a, N, N)), 0);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VALUES, strided(a, N, N), strided(s, N, 1), (batched_matrix){0},
                                 (batched_matrix){0}, info),
                   0);
  assert_int_equal(batched_copy_to_host(ctx, values, s, sizeof values), 0);
  assert_int_equal(batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1), strided(a, N, N),
                                strided(a, N, N), batched_real(0), strided(c, N, N)),
                   0);
  get_matrix(exact, c);
  assert_true(values[8] < 1e-3 * values[0] && values[16] < 1e-8 * values[0] && values[30] < 4e-15 * values[0]);
  printf("rank  singular value  LLD      LLL\n");
  for (int rank = 4; rank <= MOST_RANK; rank += 4) {
    const double next = values[rank] / values[0], lld = error_of(a, exact, rank, true);
    const double lll = error_of(a, exact, rank, false);
    printf("%4d  %.2e        %.2e %.2e\n", rank, values[rank - 1] / values[0], lld, lll);
    assert_true(lld < 20 * next * next + 1e-14 && lll < 20 * next * next + 1e-14);
    assert_true(next < 1e-14 || lld > next * next / 20); /* it can't be better than the best */
  }
  free(exact);
  release_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_figure_4)};
  return lowrank_main(argc, argv, tests);
}
