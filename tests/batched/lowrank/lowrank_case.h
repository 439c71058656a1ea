/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches of small matrices for the tests of this family: on the host in double complex, put into the context's
 * space in any type and layout, and got back.  lowrank_main(argc, argv, tests) runs the tests on the host, or, with
 * --gpu, on a GPU (77: there is none); --quick: a small part, for slow tools;
 * --misread: with the kernels in it that racecheck of CUDA 13.0 (2025.3) finds races in where there are none.
 */
#ifndef TESTS_BATCHED_LOWRANK_CASE_H
#define TESTS_BATCHED_LOWRANK_CASE_H

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/lowrank/lowrank.h"

typedef double _Complex number;

enum { MOST = 8, BLOCKS = 256 };

static batched_ctx *ctx;
static batched_space space = BATCHED_HOST;
static bool quick, misread;
static void *blocks[BLOCKS];
static int nblocks;

/* A batch on the host: matrix b is m[b] x n[b], without gaps. */
typedef struct matrices {
  int count, m[MOST], n[MOST];
  number *x[MOST]; /* owned */
} matrices;

static inline double eps_of(batched_type type)
{
  return batched_real_type(type) == BATCHED_S ? 0x1p-23 : 0x1p-52;
}

static inline matrices make_matrices(int count, const int *m, const int *n)
{
  matrices a = {.count = count};
  for (int b = 0; b < count; b++) {
    a.m[b] = m[b];
    a.n[b] = n[b];
    a.x[b] = calloc((size_t)m[b] * (size_t)n[b] + 1, sizeof(number));
    assert_non_null(a.x[b]);
  }
  return a;
}

static inline void free_matrices(matrices *a)
{
  for (int b = 0; b < a->count; b++) free(a->x[b]);
}

/* In the context's space, until release_all. */
static inline void *take(size_t bytes)
{
  assert_true(nblocks < BLOCKS);
  void *p = batched_allocate(ctx, bytes ? bytes : 1);
  assert_non_null(p);
  return blocks[nblocks++] = p;
}

static inline void release_all(void)
{
  while (nblocks > 0) batched_release(ctx, blocks[--nblocks]);
}

static inline void *put_bytes(const void *from, size_t bytes)
{
  void *p = take(bytes);
  assert_int_equal(batched_copy_from_host(ctx, p, from, bytes), 0);
  return p;
}

static inline int *put_ints(const int *from, int count)
{
  return put_bytes(from, (size_t)count * sizeof *from);
}

static inline void get_ints(int *to, const int *from, int count)
{
  assert_int_equal(batched_copy_to_host(ctx, to, from, (size_t)count * sizeof *to), 0);
}

static inline void store_number(batched_type type, void *p, int64_t i, number x)
{
  switch (type) {
  case BATCHED_S: ((float *)p)[i] = (float)creal(x); break;
  case BATCHED_D: ((double *)p)[i] = creal(x); break;
  case BATCHED_C: ((float _Complex *)p)[i] = (float _Complex)x; break;
  default: ((double _Complex *)p)[i] = x;
  }
}

static inline number load_number(batched_type type, const void *p, int64_t i)
{
  switch (type) {
  case BATCHED_S: return ((const float *)p)[i];
  case BATCHED_D: return ((const double *)p)[i];
  case BATCHED_C: return ((const float _Complex *)p)[i];
  default: return ((const double _Complex *)p)[i];
  }
}

static inline int largest(int count, const int *x)
{
  int most = 0;
  for (int b = 0; b < count; b++) most = x[b] > most ? x[b] : most;
  return most;
}

/* How a batch lies in memory. */
typedef struct layout {
  bool array, variable;
} layout;

/* The batch with at least `room` columns, in the context's space; what is no element is NaN.  Where the number of rows
 * is a multiple of 8, columns are aligned to 16 bytes. */
static inline batched_matrix put(const matrices *a, batched_type type, layout l, int room)
{
  const int m = largest(a->count, a->m), n = largest(a->count, a->n), ld = m + 2, width = n > room ? n : room;
  const int64_t stride = (int64_t)ld * (width > 0 ? width : 1) + (m % 8 == 0 ? 4 : 3);
  const size_t element = batched_element_bytes(type), bytes = (size_t)(stride * a->count) * element;
  void *host = malloc(bytes + 1), *pointers[MOST];
  assert_non_null(host);
  for (int64_t i = 0; i < stride * a->count; i++) store_number(type, host, i, NAN);
  for (int b = 0; b < a->count; b++)
    for (int j = 0; j < a->n[b]; j++)
      for (int i = 0; i < a->m[b]; i++)
        store_number(type, host, b * stride + i + (int64_t)j * ld, a->x[b][i + (int64_t)j * a->m[b]]);
  char *data = put_bytes(host, bytes);
  for (int b = 0; b < a->count; b++) pointers[b] = data + (size_t)(b * stride) * element;
  batched_matrix x = batched_make_strided(type, data, m, width, ld, stride, a->count);
  if (l.array)
    x = batched_make_array(type, put_bytes(pointers, (size_t)a->count * sizeof *pointers), m, width, ld, a->count);
  if (l.variable) x = batched_with_sizes(x, put_ints(a->m, a->count), put_ints(a->n, a->count), NULL);
  free(host);
  return x;
}

/* Matrix b is m[b] x n[b] of it. */
static inline matrices get(batched_matrix x, const int *m, const int *n)
{
  matrices a = make_matrices((int)x.count, m, n);
  void *pointers[MOST];
  for (int b = 0; b < a.count; b++) pointers[b] = x.array ? NULL : batched_at(&x, b);
  if (x.array) assert_int_equal(batched_copy_to_host(ctx, pointers, x.array, sizeof *pointers * (size_t)a.count), 0);
  const size_t bytes = (size_t)x.ld * (size_t)(x.n > 0 ? x.n : 1) * batched_element_bytes(x.type);
  void *host = malloc(bytes);
  assert_non_null(host);
  for (int b = 0; b < a.count; b++) {
    assert_int_equal(batched_copy_to_host(ctx, host, pointers[b], bytes), 0);
    for (int j = 0; j < n[b]; j++)
      for (int i = 0; i < m[b]; i++) a.x[b][i + (int64_t)j * m[b]] = load_number(x.type, host, i + (int64_t)j * x.ld);
  }
  free(host);
  return a;
}

static inline double draw(void)
{
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53 - 0.5;
}

static inline void fill_random(batched_type type, matrices *a)
{
  for (int b = 0; b < a->count; b++)
    for (int64_t i = 0; i < (int64_t)a->m[b] * a->n[b]; i++)
      a->x[b][i] = draw() + (batched_is_complex(type) ? draw() * I : 0);
}

static inline double norm_of(const matrices *a, int b)
{
  double sum = 0;
  for (int64_t i = 0; i < (int64_t)a->m[b] * a->n[b]; i++) sum += creal(a->x[b][i] * conj(a->x[b][i]));
  return sqrt(sum);
}

/* c = alpha a op(b) + beta c; op: conjugate transpose or nothing. */
static inline void multiply(number alpha, const number *a, int m, int k, const number *b, bool trans, int n,
                            number beta, number *c)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      number sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i + (int64_t)l * m] * (trans ? conj(b[j + (int64_t)l * n]) : b[l + (int64_t)j * k]);
      c[i + (int64_t)j * m] = alpha * sum + (beta == 0 ? 0 : beta * c[i + (int64_t)j * m]);
    }
}

/* U V^H of each; heights as those of the two. */
static inline matrices expand(const matrices *u, const matrices *v)
{
  matrices a = make_matrices(u->count, u->m, v->m);
  for (int b = 0; b < a.count; b++) multiply(1, u->x[b], u->m[b], u->n[b], v->x[b], true, v->m[b], 0, a.x[b]);
  return a;
}

static inline double distance(const matrices *a, const matrices *c, int b)
{
  double sum = 0;
  for (int64_t i = 0; i < (int64_t)a->m[b] * a->n[b]; i++) {
    const number d = a->x[b][i] - c->x[b][i];
    sum += creal(d * conj(d));
  }
  return sqrt(sum);
}

/* |X^H X - I| of matrix b. */
static inline double orthogonality(const matrices *x, int b)
{
  double sum = 0;
  for (int i = 0; i < x->n[b]; i++)
    for (int j = 0; j < x->n[b]; j++) {
      number dot = i == j ? -1 : 0;
      for (int l = 0; l < x->m[b]; l++)
        dot += conj(x->x[b][l + (int64_t)i * x->m[b]]) * x->x[b][l + (int64_t)j * x->m[b]];
      sum += creal(dot * conj(dot));
    }
  return sqrt(sum);
}

/* How many singular values of matrix b are above what the truncation leaves: by the host's plain SVD, in double
 * precision. */
static inline int rank_of(const matrices *a, int b, batched_truncation t, double unit)
{
  const int m = a->m[b], n = a->n[b], q = m < n ? m : n;
  if (q == 0) return 0;
  batched_ctx *host;
  double *s = malloc(sizeof *s * (size_t)q), all = 0, tail = 0;
  int info = 0, rank = q;
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  assert_int_equal(batched_gesvd(host, BATCHED_VALUES, batched_strided(a->x[b], m, n, m, (int64_t)m * n, 1),
                                 batched_strided(s, q, 1, q, q, 1), (batched_matrix){0}, (batched_matrix){0}, &info),
                   0);
  assert_int_equal(info, 0);
  for (int i = 0; i < q; i++) all += s[i] * s[i];
  const double limit = fmax(t.absolute ? t.tolerance : t.tolerance * sqrt(all), unit * s[0]);
  while (rank > 0 && sqrt(tail + s[rank - 1] * s[rank - 1]) <= limit) tail += s[rank - 1] * s[rank - 1], rank--;
  batched_destroy(&host);
  free(s);
  return rank;
}

/* All rows of an operation in this space, and at last the one that is chosen by itself. */
static inline const char *row_of(const batched_op *op, int i)
{
  const batched_variant *v = op->variants[space];
  int n = 0;
  while (v[n].name) n++;
  return i < n ? v[i].name : i == n ? "auto" : NULL;
}

/* The same, but the first row alone in the quick part: where the others are calls of other operations. */
static inline bool rows_left(const batched_op *op, int i)
{
  return row_of(op, i) && !(quick && i > 0);
}

static inline int lowrank_run(int argc, char **argv, const struct CMUnitTest *tests, size_t count, const char *name)
{
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--gpu") == 0) space = BATCHED_CUDA;
    if (strcmp(argv[i], "--quick") == 0) quick = true;
    if (strcmp(argv[i], "--misread") == 0) misread = true;
  }
  const int status = batched_create(&ctx, space);
  if (status == BATCHED_NO_DEVICE) {
    printf("%s\n", batched_strerror(status));
    return 77;
  }
  if (status) return 1;
  const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
  batched_destroy(&ctx);
  return failed;
}

#define lowrank_main(argc, argv, tests) lowrank_run(argc, argv, tests, sizeof(tests) / sizeof *(tests), #tests)

#endif
