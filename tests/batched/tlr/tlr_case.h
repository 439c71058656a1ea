/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Large matrices for the tests of tile low-rank ones, in double complex on the host: Hilbert, exponential and Matern
 * covariances of points in 2D and 3D along a Morton curve, low rank with noise, tiles of ranks from 0 to full.
 */
#ifndef TESTS_BATCHED_TLR_CASE_H
#define TESTS_BATCHED_TLR_CASE_H

#include "batched/tlr/tlrgemm.h"
#include "tests/batched/lowrank/lowrank_case.h"

enum { TILE = 32 };
typedef enum kind { HILBERT, EXPONENTIAL_2D, MATERN_2D, EXPONENTIAL_3D, MATERN_3D, NOISY, MIXED, KINDS } kind;

static inline void sorted_points(int dim, int n, double *points)
{
  double *any = malloc(sizeof *any * (size_t)(dim * n));
  int *order = malloc(sizeof *order * (size_t)n);
  for (int i = 0; i < dim * n; i++) any[i] = draw() + 0.5;
  assert_int_equal(batched_morton_order(dim, n, any, order), 0);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < dim; c++) points[dim * i + c] = any[dim * order[i] + c];
  free(any);
  free(order);
}

static inline batched_kernel kernel_of(kind k, const double *points)
{
  const batched_function functions[] = {BATCHED_HILBERT, BATCHED_EXPONENTIAL, BATCHED_MATERN_3_2, BATCHED_EXPONENTIAL,
                                        BATCHED_MATERN_5_2};
  return (batched_kernel){functions[k], k >= EXPONENTIAL_3D ? 3 : 2, points, 1, 0.4, 0.01};
}

/* Tile (i, j) has rank (3 i + 5 j) mod (TILE + 1), or is 0. */
static inline void fill_mixed(batched_type type, matrices *a)
{
  const int m = a->m[0], n = a->n[0];
  for (int j = 0; j < n; j += TILE)
    for (int i = 0; i < m; i += TILE) {
      const int h[] = {m - i < TILE ? m - i : TILE}, w[] = {n - j < TILE ? n - j : TILE};
      const int r[] = {(3 * (i / TILE) + 5 * (j / TILE)) % 3 == 1 ? 0 : (7 * (i / TILE) + 5 * (j / TILE)) % (TILE + 1)};
      matrices u = make_matrices(1, h, r), v = make_matrices(1, w, r);
      fill_random(type, &u);
      fill_random(type, &v);
      matrices x = expand(&u, &v);
      for (int c = 0; c < w[0]; c++)
        memcpy(a->x[0] + i + (int64_t)(j + c) * m, x.x[0] + (int64_t)c * h[0], sizeof(number) * (size_t)h[0]);
      free_matrices(&u);
      free_matrices(&v);
      free_matrices(&x);
    }
}

static inline matrices make_large(kind k, batched_type type, int m, int n)
{
  matrices a = make_matrices(1, &m, &n);
  const int most = m > n ? m : n;
  if (k == MIXED) {
    fill_mixed(type, &a);
  } else if (k == NOISY) {
    const int r[] = {6};
    matrices u = make_matrices(1, &m, r), v = make_matrices(1, &n, r);
    fill_random(type, &u);
    fill_random(type, &v);
    multiply(1, u.x[0], m, r[0], v.x[0], true, n, 0, a.x[0]);
    for (int64_t i = 0; i < (int64_t)m * n; i++) a.x[0][i] += 1e-10 * draw();
    free_matrices(&u);
    free_matrices(&v);
  } else {
    double *points = malloc(sizeof *points * 3 * (size_t)most), *x = malloc(sizeof *x * (size_t)m * (size_t)n);
    batched_ctx *host;
    sorted_points(k >= EXPONENTIAL_3D ? 3 : 2, most, points);
    const batched_kernel kernel = kernel_of(k, points);
    assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
    assert_int_equal(batched_evaluate(host, &kernel, batched_uniform(0), batched_uniform(0),
                                      batched_strided(x, m, n, m, (int64_t)m * n, 1)),
                     0);
    for (int64_t i = 0; i < (int64_t)m * n; i++) a.x[0][i] = x[i];
    batched_destroy(&host);
    free(points);
    free(x);
  }
  return a;
}

static inline batched_tlr *compress(const matrices *a, batched_type type, batched_tlr_shape shape, batched_truncation t)
{
  batched_tlr *x = NULL;
  int info = 7;
  assert_int_equal(batched_tlr_from_dense(ctx, &x, put(a, type, (layout){false, false}, 0), TILE, shape, t, &info), 0);
  assert_int_equal(info, 0);
  return x;
}

static inline matrices to_dense(const batched_tlr *a)
{
  batched_tlr_facts f;
  batched_tlr_get(a, &f);
  matrices x = make_matrices(1, &f.m, &f.n);
  batched_matrix d = put(&x, f.type, (layout){false, false}, 0);
  assert_int_equal(batched_tlr_to_dense(ctx, a, d), 0);
  matrices y = get(d, &f.m, &f.n);
  free_matrices(&x);
  return y;
}

#endif
