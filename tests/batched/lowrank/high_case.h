/* SPDX-License-Identifier: BSD-3-Clause
 *
 * High matrices for the tests of QR factorisations of this family, and what their triangles have to be.
 */
#ifndef TESTS_BATCHED_LOWRANK_HIGH_CASE_H
#define TESTS_BATCHED_LOWRANK_HIGH_CASE_H

#include "tests/batched/lowrank/lowrank_case.h"

typedef enum kind { RANDOM, GRADED, STEEP, DEFICIENT, HUGE_ONES, TINY_ONES, ZERO, GROWING, KINDS } kind;

/* STEEP: singular values fall, columns do not. */
static inline void fill_kind(kind k, batched_type type, matrices *a)
{
  const bool single = batched_real_type(type) == BATCHED_S;
  fill_random(type, a);
  if (k == STEEP) {
    matrices v = make_matrices(a->count, a->n, a->n);
    fill_random(type, &v);
    for (int b = 0; b < a->count; b++)
      for (int j = 0; j < a->n[b]; j++)
        for (int i = 0; i < a->m[b]; i++) a->x[b][i + j * a->m[b]] *= pow(10, -(double)j / 3);
    matrices product = expand(a, &v);
    free_matrices(a);
    free_matrices(&v);
    *a = product;
  }
  for (int b = 0; b < a->count; b++)
    for (int j = 0; j < a->n[b]; j++)
      for (int i = 0; i < a->m[b]; i++) {
        number *x = &a->x[b][i + j * a->m[b]];
        if (k == GRADED) *x *= pow(10, -(double)(j % 5) / 2);
        if (k == DEFICIENT) *x = j > 2 ? a->x[b][i] : *x;
        if (k == HUGE_ONES) *x *= single ? 0x1p100 : 0x1p900;
        if (k == TINY_ONES) *x *= single ? 0x1p-90 : 0x1p-900;
        if (k == ZERO) *x = 0;
        if (k == GROWING) *x *= i < a->m[b] / 2 ? (single ? 0x1p-60 : 0x1p-600) : (single ? 0x1p60 : 0x1p600);
        if (single) *x = (float)creal(*x) + (float)cimag(*x) * I;
      }
}

static inline void singular_values(const number *a, int m, int n, double *s)
{
  batched_ctx *host;
  int info = 0;
  number *copy = malloc(sizeof *copy * (size_t)m * (size_t)n);
  memcpy(copy, a, sizeof *copy * (size_t)m * (size_t)n);
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  assert_int_equal(batched_gesvd(host, BATCHED_VALUES,
                                 batched_make_strided(BATCHED_Z, copy, m, n, m, (int64_t)m * n, 1),
                                 batched_strided(s, n, 1, n, n, 1), (batched_matrix){0}, (batched_matrix){0}, &info),
                   0);
  assert_int_equal(info, 0);
  batched_destroy(&host);
  free(copy);
}

/* C = R^H of matrix b: lower triangular, R^H R is A^H A column by column, and R has the singular values of A. */
static inline void check_triangle(const matrices *a, const matrices *c, int b, double unit)
{
  const int m = a->m[b], n = a->n[b];
  double largest = 0, norm = 0, values[2][64];
  for (int i = 0; i < m * n; i++) largest = fmax(largest, cabs(a->x[b][i]));
  if (largest == 0) {
    for (int i = 0; i < n * n; i++) assert_true(c->x[b][i] == 0);
    return;
  }
  number *x = malloc(sizeof *x * (size_t)(m * n)), *r = malloc(sizeof *r * (size_t)(n * n));
  for (int i = 0; i < m * n; i++) x[i] = a->x[b][i] / largest, norm += creal(x[i] * conj(x[i]));
  for (int i = 0; i < n * n; i++) r[i] = c->x[b][i] / largest;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      number dot = 0, product = 0;
      double of_i = 0, of_j = 0;
      if (i < j) assert_true(r[i + j * n] == 0);
      for (int l = 0; l < m; l++) {
        dot += conj(x[l + i * m]) * x[l + j * m];
        of_i += creal(x[l + i * m] * conj(x[l + i * m]));
        of_j += creal(x[l + j * m] * conj(x[l + j * m]));
      }
      for (int l = 0; l < n; l++) product += r[i + l * n] * conj(r[j + l * n]);
      assert_true(cabs(dot - product) <= 30 * n * unit * sqrt(of_i * of_j) + 1e-280);
    }
  singular_values(x, m, n, values[0]);
  singular_values(r, n, n, values[1]);
  for (int i = 0; i < n; i++) assert_true(fabs(values[0][i] - values[1][i]) <= 30 * n * unit * sqrt(norm));
  free(x);
  free(r);
}

static const int high_shapes[][2] = {{1, 1},    {40, 16},  {17, 17},  {60, 24},  {300, 25}, {257, 32}, {40, 40},
                                     {600, 40}, {260, 41}, {300, 48}, {200, 55}, {64, 63},  {270, 64}, {70, 64}};
enum { HIGH_SHAPES = sizeof high_shapes / sizeof *high_shapes };

/* check() of all kinds, types and shapes, strided and in arrays, in each row of an operation; each has to take some. */
static inline void high_in_all_rows(const batched_op *op, bool (*check)(kind, batched_type, layout, int m, int n))
{
  for (int row = 0; rows_left(op, row); row++) {
    assert_int_equal(batched_select(ctx, op, row_of(op, row)), 0);
    int fitted = 0;
    for (int k = 0; k < (quick ? 1 : KINDS); k++)
      for (int type = 0; type < 4; type++)
        for (int i = 0; i < HIGH_SHAPES; i += quick ? 3 : 1)
          fitted += check((kind)k, (batched_type)type, (layout){i % 2, false}, high_shapes[i][0], high_shapes[i][1]);
    assert_true(fitted > 0);
  }
}

#endif
