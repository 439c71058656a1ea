/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of general matrices: |A V - V W| / (n |A| eps), the same of A^H and the left vectors, norms of the
 * vectors and their largest components (LAPACK's ddrvev), for all types and kinds, in strided and in variable batches;
 * values alone; NaNs; the same bits in another place.
 */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

enum { MOST = 65, FEW = 3 };
typedef enum kind {
  RANDOM,
  ZERO,
  IDENTITY,
  JORDAN,
  SYMMETRIC,
  ROTATION,
  TRIANGULAR,
  RANK_ONE,
  LARGE,
  SMALL,
  KINDS
} kind;

static batched_ctx *ctx;

static double eps_of(batched_type type)
{
  return batched_real_type(type) == BATCHED_S ? 0x1p-24 : 0x1p-53;
}

static batched_type complex_of(batched_type type)
{
  return batched_real_type(type) == BATCHED_S ? BATCHED_C : BATCHED_Z;
}

static void store(batched_type type, void *to, int64_t i, double complex x)
{
  switch (type) {
  case BATCHED_S: ((float *)to)[i] = (float)creal(x); break;
  case BATCHED_D: ((double *)to)[i] = creal(x); break;
  case BATCHED_C: ((float complex *)to)[i] = (float complex)x; break;
  default: ((double complex *)to)[i] = x; break;
  }
}

static double complex load(batched_type type, const void *from, int64_t i)
{
  switch (type) {
  case BATCHED_S: return ((const float *)from)[i];
  case BATCHED_D: return ((const double *)from)[i];
  case BATCHED_C: return ((const float complex *)from)[i];
  default: return ((const double complex *)from)[i];
  }
}

/* Element (i, j) of a matrix of order n. */
static double complex element(batched_type type, kind k, int n, int i, int j)
{
  const double complex x = (double complex)sweep_number(type);
  const bool single = batched_real_type(type) == BATCHED_S;
  switch (k) {
  case ZERO: return 0;
  case IDENTITY: return i == j;
  case JORDAN: return i == j ? 0.5 : j == i + 1;
  case SYMMETRIC: return cos(i * 3.0 + j * 3.0) + (i == j);
  case ROTATION: return i == (j + 1) % n; /* roots of 1 */
  case TRIANGULAR: return i <= j ? x : 0;
  case RANK_ONE: return (i + 1.0) * (2.0 - j);
  case LARGE: return x * (single ? 0x1p100 : 0x1p900);
  case SMALL: return x * (single ? 0x1p-100 : 0x1p-900);
  default: return x;
  }
}

typedef struct batch {
  batched_type type;
  int n[FEW], ld, *info;
  char *a, *w, *vl, *vr;
} batch;

static size_t elements(const batch *b)
{
  return (size_t)b->ld * MOST;
}

static batch new_batch(batched_type type, const int *n, kind k)
{
  batch b = {.type = type, .ld = MOST + 2};
  const size_t wide = batched_element_bytes(complex_of(type));
  memcpy(b.n, n, sizeof b.n);
  b.a = malloc(FEW * elements(&b) * batched_element_bytes(type));
  b.w = malloc(FEW * elements(&b) * wide);
  b.vl = malloc(FEW * elements(&b) * wide);
  b.vr = malloc(FEW * elements(&b) * wide);
  b.info = malloc(FEW * sizeof(int));
  memset(b.a, 0xff, FEW * elements(&b) * batched_element_bytes(type));
  memset(b.w, 0xff, FEW * elements(&b) * wide);
  memset(b.vl, 0xff, FEW * elements(&b) * wide);
  memset(b.vr, 0xff, FEW * elements(&b) * wide);
  for (int m = 0; m < FEW; m++) {
    sweep_seed(5); /* matrices of one order are the same */
    for (int j = 0; j < n[m]; j++)
      for (int i = 0; i < n[m]; i++)
        store(type, b.a, (int64_t)m * (int64_t)elements(&b) + i + (int64_t)j * b.ld, element(type, k, n[m], i, j));
  }
  return b;
}

static void free_batch(batch *b)
{
  free(b->a);
  free(b->w);
  free(b->vl);
  free(b->vr);
  free(b->info);
}

static batched_matrix view_of(const batch *b, const char *data, batched_type type, bool vector, void **pointers)
{
  const bool variable = b->n[0] != b->n[1] || b->n[1] != b->n[2];
  const int n = variable ? MOST : b->n[0];
  for (int m = 0; m < FEW; m++) pointers[m] = (char *)data + (size_t)m * elements(b) * batched_element_bytes(type);
  if (!variable) return batched_make_strided(type, data, n, vector ? 1 : n, b->ld, (int64_t)elements(b), FEW);
  return batched_with_sizes(batched_make_array(type, pointers, n, vector ? 1 : n, b->ld, FEW), b->n,
                            vector ? NULL : b->n, NULL);
}

static int call(const batch *b, bool left, bool right)
{
  void *pointers[4][FEW];
  const batched_type wide = complex_of(b->type);
  const batched_matrix none = {0}, a = view_of(b, b->a, b->type, false, pointers[0]);
  const batched_matrix w = view_of(b, b->w, wide, true, pointers[1]);
  const batched_matrix vl = view_of(b, b->vl, wide, false, pointers[2]),
                       vr = view_of(b, b->vr, wide, false, pointers[3]);
  return batched_geev(ctx, a, w, left ? vl : none, right ? vr : none, b->info);
}

static double complex a_of(const batch *b, int m, int i, int j)
{
  return load(b->type, b->a, (int64_t)m * (int64_t)elements(b) + i + (int64_t)j * b->ld);
}

static double complex v_of(const batch *b, const char *v, int m, int i, int j)
{
  return load(complex_of(b->type), v, (int64_t)m * (int64_t)elements(b) + i + (int64_t)j * b->ld);
}

/* |A v - w v|, or |A^H v - conj(w) v|, largest over the vectors in units of n |A| eps; norms and largest components. */
static void check_vectors(const batch *b, int m, bool left)
{
  const int n = b->n[m];
  const char *v = left ? b->vl : b->vr;
  double most = 0, norm = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) most = fmax(most, cabs(a_of(b, m, i, j)));
  for (int j = 0; j < n && most > 0; j++)
    for (int i = 0; i < n; i++) norm += pow(cabs(a_of(b, m, i, j)) / most, 2);
  norm = sqrt(norm);
  for (int k = 0; k < n; k++) {
    const double complex w = load(complex_of(b->type), b->w, (int64_t)m * (int64_t)elements(b) + k);
    double residual = 0, size = 0, largest = 0, imaginary = 1;
    for (int i = 0; i < n; i++) {
      double complex r = -(left ? conj(w) : w) / (most > 0 ? most : 1) * v_of(b, v, m, i, k);
      for (int j = 0; j < n && most > 0; j++)
        r += (left ? conj(a_of(b, m, j, i)) : a_of(b, m, i, j)) / most * v_of(b, v, m, j, k);
      residual += pow(cabs(r), 2);
      size += pow(cabs(v_of(b, v, m, i, k)), 2);
      largest = fmax(largest, cabs(v_of(b, v, m, i, k)));
    }
    for (int i = 0; i < n; i++) { /* one of those that are largest but for rounding */
      const double complex x = v_of(b, v, m, i, k);
      if (cabs(x) >= largest * (1 - 100 * eps_of(b->type))) imaginary = fmin(imaginary, fabs(cimag(x)));
    }
    assert_true(sqrt(residual) <= 30 * n * eps_of(b->type) * norm);
    assert_true(fabs(size - 1) <= 30 * n * eps_of(b->type));
    assert_true(imaginary <= 30 * eps_of(b->type));
  }
}

static void check_trace(const batch *b, int m)
{
  double complex sum = 0;
  double norm = 0;
  for (int i = 0; i < b->n[m]; i++) {
    sum += a_of(b, m, i, i) - load(complex_of(b->type), b->w, (int64_t)m * (int64_t)elements(b) + i);
    for (int j = 0; j < b->n[m]; j++) norm = fmax(norm, cabs(a_of(b, m, i, j)));
  }
  assert_true(cabs(sum) <= 30 * b->n[m] * b->n[m] * eps_of(b->type) * norm);
}

static void check_batch(batched_type type, const int *n, kind k)
{
  for (int sides = 0; sides < 4; sides++) {
    const bool left = sides % 2, right = sides / 2;
    batch b = new_batch(type, n, k);
    assert_int_equal(call(&b, left, right), 0);
    for (int m = 0; m < FEW; m++) {
      assert_int_equal(b.info[m], 0);
      check_trace(&b, m);
      if (left) check_vectors(&b, m, true);
      if (right) check_vectors(&b, m, false);
      if (m > 0 && n[m] == n[0])
        assert_memory_equal(b.w, b.w + (size_t)m * elements(&b) * batched_element_bytes(complex_of(type)),
                            (size_t)n[0] * batched_element_bytes(complex_of(type)));
    }
    free_batch(&b);
  }
}

static void each_row(void (*check)(const char *row))
{
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_geev_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_geev_op, v->name);
    check(v->name);
  }
  batched_destroy(&ctx);
}

static void kinds_of_row(const char *row)
{
  const int orders[] = {1, 2, 3, 4, 7, 8, 16, 17, 33};
  (void)row;
  for (int type = 0; type < 4; type++)
    for (int k = 0; k < KINDS; k++)
      for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int same[FEW] = {orders[i], orders[i], orders[i]}, other[FEW] = {orders[i], 0, 5};
        check_batch((batched_type)type, same, (kind)k);
        if (k == RANDOM) check_batch((batched_type)type, other, RANDOM);
      }
}

static void test_kinds(void **unused)
{
  (void)unused;
  each_row(kinds_of_row);
}

static void large_orders_of_row(const char *row)
{
  const int same[FEW] = {MOST, MOST, MOST}, other[FEW] = {64, 65, 40};
  (void)row;
  for (int type = 0; type < 4; type++) {
    check_batch((batched_type)type, same, RANDOM);
    check_batch((batched_type)type, other, RANDOM);
    check_batch((batched_type)type, other, ROTATION);
  }
}

static void test_large_orders(void **unused)
{
  (void)unused;
  each_row(large_orders_of_row);
}

/* The matrix in the middle has a NaN or an infinity: its results are NaN, its neighbours' are not. */
static void bad_matrix_of_row(const char *row)
{
  const int n[FEW] = {4, 4, 4};
  (void)row;
  for (int type = 0; type < 4; type++) {
    batch b = new_batch((batched_type)type, n, RANDOM);
    store(b.type, b.a, (int64_t)elements(&b) + 2, type % 2 ? NAN : INFINITY);
    assert_int_equal(call(&b, true, true), 0);
    assert_true(b.info[0] == 0 && b.info[1] > 0 && b.info[2] == 0);
    check_vectors(&b, 0, false);
    check_vectors(&b, 2, true);
    for (int i = 0; i < 4; i++) {
      assert_true(isnan(creal(load(complex_of(b.type), b.w, (int64_t)elements(&b) + i))));
      assert_true(isnan(creal(v_of(&b, b.vl, 1, i, 3))) && isnan(creal(v_of(&b, b.vr, 1, 0, i))));
    }
    free_batch(&b);
  }
}

static void test_bad_matrix(void **unused)
{
  (void)unused;
  each_row(bad_matrix_of_row);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0};
  double complex y[4], z[8], t[8];
  int info[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), w = batched_strided(y, 2, 1, 2, 2, 2), none = {0};
  const batched_matrix vl = batched_strided(z, 2, 2, 2, 4, 2), vr = batched_strided(t, 2, 2, 2, 4, 2);
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_geev(NULL, a, w, vl, vr, info), -1);
  assert_int_equal(batched_geev(ctx, SWEEP_CHANGED(a, m, 1), w, vl, vr, info), -2);
  assert_int_equal(batched_geev(ctx, a, SWEEP_CHANGED(w, type, BATCHED_D), vl, vr, info), -3);
  assert_int_equal(batched_geev(ctx, a, w, SWEEP_CHANGED(vl, type, BATCHED_D), vr, info), -4);
  assert_int_equal(batched_geev(ctx, a, w, none, SWEEP_CHANGED(vr, n, 1), info), -5);
  assert_int_equal(batched_geev(ctx, a, w, vl, vr, NULL), -6);
  assert_int_equal(batched_geev(ctx, SWEEP_CHANGED(a, count, 0), SWEEP_CHANGED(w, count, 0), none, none, NULL), 0);
  batched_destroy(&ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_large_orders),
                                     cmocka_unit_test(test_bad_matrix), cmocka_unit_test(test_bad_arguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
