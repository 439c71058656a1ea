/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvectors of tridiagonal matrices by inverse iteration, from eigenvalues by bisection that the host's plain row
 * finds: |T Z - Z W| / (n |T| eps) and |Z^H Z - I| / (n eps).
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/tridiagonal/tridiagonal_case.h"

/* flags: all vectors, or those of every second value (2) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0}, {8, 8, 0},
                                {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {32, 32, 0}, {33, 33, 0}, {-1}};
static const int large_shapes[][3] = {{64, 64, 0}, {100, 100, 0}, {129, 129, 0}, {200, 200, 0}, {-1}};

static int columns(const sweep_case *c)
{
  return c->flags % 2 ? (c->m + 1) / 2 : c->m;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .form = SWEEP_COLUMN, .real = true, .m = c->m, .n = 1};
  o[1] = (sweep_operand){.role = SWEEP_IN, .form = SWEEP_COLUMN, .real = true, .m = c->m > 0 ? c->m - 1 : 0, .n = 1};
  o[2] = (sweep_operand){.role = SWEEP_IN, .form = SWEEP_COLUMN, .real = true, .m = columns(c), .n = 1};
  o[3] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = columns(c)};
}

static void store_values(const sweep_case *c, const double *w, sweep_dense x)
{
  for (int i = 0; i < x.m * x.n; i++) x.x[i] = w[c->flags % 2 ? 2 * i : i];
}

/* The values belong to d and e, which are filled from the seeds of operands 0 and 1: those that the harness gives. */
static void fill_values_of(const sweep_case *c, sweep_dense x)
{
  const int n = c->m;
  double d[1000], e[1000], w[1000];
  int info, found;
  batched_ctx *ctx;
  if (n == 0 || x.m * x.n == 0) return;
  sweep_dense first = sweep_first_operand(c);
  for (int i = 0; i < n; i++) d[i] = (double)creall(first.x[i]);
  sweep_dense beside = sweep_new(n - 1, 1);
  tridiagonal_fill(c, true, n, beside);
  for (int i = 0; i < n - 1; i++) e[i] = (double)creall(beside.x[i]);
  for (int i = 0; batched_real_type(c->type) == BATCHED_S && i < n; i++) d[i] = (float)d[i], e[i] = (float)e[i];
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_select(ctx, &batched_stebz_op, "host.ref"), 0);
  assert_int_equal(batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, batched_strided(d, n, 1, n, n, 1),
                                 batched_strided(e, n - 1, 1, n, n, 1), &found, batched_strided(w, n, 1, n, n, 1),
                                 &info),
                   0);
  batched_destroy(&ctx);
  store_values(c, w, x);
}

/* e and w are made from d alone: e's numbers follow d's, in the order of their seed. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) tridiagonal_fill(c, false, c->m, x);
  if (i == 1 && c->m > 0) {
    sweep_first_operand(c);
    tridiagonal_fill(c, true, c->m, x);
  }
  if (i == 2) fill_values_of(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)c;
  return batched_stein(ctx, x[0], x[1], NULL, x[2], x[3], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m, k = after[3].n;
  if (c->kind == SWEEP_BAD && n > 0) return info > 0 && is_all_nan(after[3]) ? 0 : NAN;
  if (info != 0) return NAN;
  if (n == 0 || k == 0) return 0;
  sweep_dense t = tridiagonal_of(before[0], before[1]), z = after[3], rest = sweep_new(n, k);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < n; i++) SWEEP_AT(rest, i, j) = -creall(before[2].x[j]) * SWEEP_AT(z, i, j);
  sweep_multiply(1, BATCHED_NO_TRANS, t, BATCHED_NO_TRANS, z, rest);
  return sweep_larger(sweep_norm(rest) / (n * sweep_unit(c, sweep_norm(t))),
                      sweep_orthogonality(z) / (n * sweep_eps(c->type)));
}

static int unique_rows(const sweep_case *c, int i)
{
  (void)c, (void)i;
  return 0;
}

static const sweep_family stein = {
  .op = &batched_stein_op,
  .nflags = 2,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = TRIDIAGONAL_KINDS & ~(1u << SWEEP_DENORMAL), /* the values have too few digits to tell vectors apart */
};

/* Identities with couplings of 1e-9 and 1e-17: a dozen eigenvalues are the same to the last digit. */
static void check_clusters(batched_space space)
{
  enum { N = 36, COUNT = 2000 };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  const size_t bytes = COUNT * N * sizeof(double);
  double *const d = malloc(bytes), *const e = malloc(bytes);
  double *const to = batched_allocate(ctx, (3 + N) * bytes), *const w = to + 2 * COUNT * N, *const z = w + COUNT * N;
  int *const numbers = batched_allocate(ctx, 2 * COUNT * sizeof *numbers), *const info = numbers + COUNT, bad[COUNT];
  assert_true(d && e && to && numbers);
  const batched_matrix D = batched_strided(to, N, 1, N, N, COUNT);
  const batched_matrix E = batched_strided(to + COUNT * N, N - 1, 1, N, N, COUNT);
  const batched_matrix W = batched_strided(w, N, 1, N, N, COUNT), Z = batched_strided(z, N, N, N, N * N, COUNT);
  sweep_seed(138);
  for (int i = 0; i < COUNT * N; i++) {
    const double size = (double)sweep_uniform(), kind = (double)sweep_uniform();
    d[i] = 1;
    e[i] = size * (kind < -1. / 3 ? 0 : kind < 1. / 3 ? 1e-17 : 2e-9);
  }
  assert_int_equal(batched_copy_from_host(ctx, to, d, bytes), 0);
  assert_int_equal(batched_copy_from_host(ctx, to + COUNT * N, e, bytes), 0);
  assert_int_equal(batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, D, E, numbers, W, info), 0);
  assert_int_equal(batched_stein(ctx, D, E, NULL, W, Z, info), 0);
  assert_int_equal(batched_copy_to_host(ctx, bad, info, sizeof bad), 0);
  for (int b = 0; b < COUNT; b++) assert_int_equal(bad[b], 0);
  free(d), free(e);
  batched_release(ctx, to);
  batched_release(ctx, numbers);
  batched_destroy(&ctx);
}

static void test_clusters(void **unused)
{
  (void)unused;
  check_clusters(BATCHED_HOST);
}

static void test_clusters_on_gpu(void **unused)
{
  (void)unused;
  check_clusters(BATCHED_CUDA);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_clusters)},
                          clusters[] = {cmocka_unit_test(test_clusters_on_gpu)};
  const int status = sweep_main(argc, argv, &stein, extra, 1);
  return sweep_then_on_gpu(status, "stein, clusters", clusters, 1);
}
