/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One large matrix on a GPU.  The definition is tested with a random vector x, so that a test takes n^2 steps: A x
 * against L (L^H x), L (U x) or Q (R x).  Up to order 1024 the call is captured, too, and its replay has the same bits.
 */
#ifndef TESTS_BATCHED_LARGE_CASE_H
#define TESTS_BATCHED_LARGE_CASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep_private.h"

typedef double _Complex large_number;

/* A matrix in host memory, and in the device's. */
typedef struct large_matrix {
  batched_type type;
  int m, n;
  void *host, *device;
} large_matrix;

static inline large_number large_at(const large_matrix *a, int i, int j)
{
  const int64_t e = i + (int64_t)j * a->m;
  switch (a->type) {
  case BATCHED_S: return ((const float *)a->host)[e];
  case BATCHED_D: return ((const double *)a->host)[e];
  case BATCHED_C: return ((const float _Complex *)a->host)[e];
  default: return ((const double _Complex *)a->host)[e];
  }
}

static inline void large_set(large_matrix *a, int i, int j, large_number x)
{
  const int64_t e = i + (int64_t)j * a->m;
  switch (a->type) {
  case BATCHED_S: ((float *)a->host)[e] = (float)creal(x); break;
  case BATCHED_D: ((double *)a->host)[e] = creal(x); break;
  case BATCHED_C: ((float _Complex *)a->host)[e] = (float _Complex)x; break;
  default: ((double _Complex *)a->host)[e] = x;
  }
}

static inline size_t large_bytes(const large_matrix *a)
{
  return (size_t)a->m * (size_t)a->n * batched_element_bytes(a->type);
}

/* Numbers in (-1, 1), faster than the harness's. */
static inline double large_random(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 11) * 0x1p-52 - 1;
}

static inline large_number large_value(batched_type type, uint64_t *state)
{
  const double re = large_random(state);
  return batched_is_complex(type) ? re + large_random(state) * I : re;
}

static inline void large_fill(int first, int last, void *data)
{
  large_matrix *const a = data;
  for (int j = first; j < last; j++) {
    uint64_t state = ((uint64_t)a->m << 32) + (uint64_t)a->n * 1000003 + (uint64_t)j; // hashed: columns are unlike
    for (int turn = 0; turn < 2; turn++) state = (state ^ state >> 31) * 0xbf58476d1ce4e5b9u;
    for (int i = 0; i < a->m; i++) large_set(a, i, j, large_value(a->type, &state));
  }
}

/* Random numbers, on the device, too. */
static inline large_matrix large_new(batched_ctx *ctx, batched_type type, int m, int n)
{
  large_matrix a = {type, m, n, NULL, NULL};
  a.host = malloc(large_bytes(&a) + 1);
  a.device = batched_allocate(ctx, large_bytes(&a) + 1);
  assert_true(a.host && a.device);
  sweep_share(n, 10.0 * m * n, large_fill, &a);
  batched_copy_from_host(ctx, a.device, a.host, large_bytes(&a));
  return a;
}

static inline void large_free(batched_ctx *ctx, large_matrix *a)
{
  free(a->host);
  batched_release(ctx, a->device);
}

static inline batched_matrix large_view(const large_matrix *a)
{
  return (batched_matrix){
    .type = a->type, .data = a->device, .stride = (int64_t)a->m * a->n, .count = 1, .m = a->m, .n = a->n, .ld = a->m};
}

static inline large_number *large_vector(int n, batched_type type)
{
  large_number *x = malloc(((size_t)n + 1) * sizeof *x);
  uint64_t state = 12345;
  assert_non_null(x);
  for (int i = 0; i < n; i++) x[i] = large_value(type, &state);
  return x;
}

typedef struct large_product {
  const large_matrix *a;
  bool (*keep)(int i, int j);
  const large_number *x;
  large_number *y;
} large_product;

static inline void large_rows(int first, int last, void *data)
{
  const large_product *const p = data;
  for (int i = first; i < last; i++) p->y[i] = 0;
  for (int j = 0; j < p->a->n; j++)
    for (int i = first; i < last; i++)
      if (!p->keep || p->keep(i, j)) p->y[i] += large_at(p->a, i, j) * p->x[j];
}

static inline void large_columns(int first, int last, void *data)
{
  const large_product *const p = data;
  for (int j = first; j < last; j++) {
    p->y[j] = 0;
    for (int i = 0; i < p->a->m; i++)
      if (!p->keep || p->keep(i, j)) p->y[j] += conj(large_at(p->a, i, j)) * p->x[i];
  }
}

/* y = A x of the elements for which keep(i, j) (NULL: all); adjoint: A^H x. */
static inline void large_multiply(const large_matrix *a, bool (*keep)(int i, int j), bool adjoint,
                                  const large_number *x, large_number *y)
{
  large_product p = {a, keep, x, y};
  sweep_share(adjoint ? a->n : a->m, 4.0 * a->m * a->n, adjoint ? large_columns : large_rows, &p);
}

static inline double large_norm(const large_number *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += creal(x[i] * conj(x[i]));
  return sqrt(sum);
}

/* |x - y| in units of n eps |A| |v|, with |A| as of random numbers of size 1. */
static inline double large_ratio(const large_matrix *a, const large_number *x, const large_number *y,
                                 const large_number *v)
{
  double sum = 0;
  for (int i = 0; i < a->m; i++) sum += creal((x[i] - y[i]) * conj(x[i] - y[i]));
  const int n = a->m > a->n ? a->m : a->n;
  return sqrt(sum) / (n * (double)sweep_eps(a->type) * sqrt((double)a->m * a->n / 3) * large_norm(v, a->n));
}

/* A copy of what is on the device, for large_replay(); NULL for orders that it leaves out. */
static inline void *large_copy(batched_ctx *ctx, const large_matrix *a)
{
  if (a->m > 1024 || a->n > 1024) return NULL;
  void *copy = batched_allocate(ctx, large_bytes(a) + 1);
  assert_int_equal(batched_copy_within(ctx, copy, a->device, large_bytes(a)), 0);
  return copy;
}

/* The call that made a->host of `copy`, captured and replayed, makes the same of it again.  Releases the copy. */
static inline void large_replay(batched_ctx *ctx, const large_matrix *a, void *copy,
                                int (*call)(batched_ctx *ctx, const large_matrix *a, void *results), void *results)
{
  if (!copy) return;
  batched_copy_within(ctx, a->device, copy, large_bytes(a));
  assert_true(sweep_cuda_begin_capture(ctx));
  const int status = call(ctx, a, results);
  void *graph = sweep_cuda_end_capture(ctx), *again = malloc(large_bytes(a));
  if (status || !graph) fail_msg("%d x %d, type %d: not captured, status %d", a->m, a->n, a->type, status);
  assert_true(sweep_cuda_replay(ctx, graph));
  batched_copy_to_host(ctx, again, a->device, large_bytes(a));
  if (memcmp(again, a->host, large_bytes(a)) != 0) fail_msg("%d x %d, type %d: other bits", a->m, a->n, a->type);
  sweep_cuda_free_graph(graph);
  free(again);
  batched_release(ctx, copy);
}

static const batched_type large_types[] = {BATCHED_D, BATCHED_S, BATCHED_Z, BATCHED_C};
static const int large_orders[] = {257, 300, 511, 512, 513, 700, 1000, 1024, 2048};

/* Runs check(ctx, type, m, n) for the orders above, and a few shapes that are not square if `rectangles` is told; by
 * the row that is meant for large matrices and by the one that a call takes by itself. */
static inline void large_cases(const batched_op *op, bool rectangles,
                               void (*check)(batched_ctx *ctx, batched_type type, int m, int n))
{
  static const char *const rows[] = {"cuda.native", "auto"};
  static const int shapes[][2] = {{1500, 400}, {400, 1500}, {5000, 90}, {20000, 40}};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), 0);
  const int first = batched_select(ctx, op, rows[0]) == 0 ? 0 : 1; // not every operation has the row
  for (int r = first; r < 2; r++) {
    assert_int_equal(batched_select(ctx, op, rows[r]), 0);
    for (int t = 0; t < 4; t++) {
      for (size_t s = 0; s < sizeof large_orders / sizeof *large_orders; s++)
        check(ctx, large_types[t], large_orders[s], large_orders[s]);
      for (int s = 0; s < 4 && rectangles; s++) check(ctx, large_types[t], shapes[s][0], shapes[s][1]);
    }
  }
  batched_destroy(&ctx);
}

/* True where the word is among the program's. */
static inline bool large_asked(int argc, char **argv, const char *word)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], word) == 0) return true;
  return false;
}

/* Runs `near` behind the harness's tests on a GPU, `far` behind those of --far. */
static inline int large_main(int argc, char **argv, const char *name, const struct CMUnitTest *near,
                             const struct CMUnitTest *far)
{
  if (!large_asked(argc, argv, "--gpu") || large_asked(argc, argv, "--quick") ||
      large_asked(argc, argv, "--uninitialised"))
    return 0;
  return _cmocka_run_group_tests(name, large_asked(argc, argv, "--far") ? far : near, 1, NULL, NULL);
}

#endif
