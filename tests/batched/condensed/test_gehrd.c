/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hessenberg reduction: |A - Q H Q^H| / (n |A| eps) and |Q^H Q - I| / (n eps), with Q rebuilt from the stored
 * reflectors; LAPACK's 21 kinds of matrices (dchkhs), and ranges ilo .. ihi.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/hessenberg_case.h"

/* flags: range ilo .. ihi (4, all of it first), the vector as a column or as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},     {5, 5, 0},   {7, 7, 0},   {8, 8, 0},
  {10, 10, 0}, {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0},   {32, 32, 0}, {33, 33, 0}, {48, 48, 0},
  {63, 63, 0}, {64, 64, 0}, {65, 65, 0}, {96, 96, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {128, 128, 0}, {129, 129, 0},   {200, 200, 0},
                                      {256, 256, 0}, {257, 257, 0}, {400, 400, 0},   {512, 512, 0},
                                      {480, 480, 0}, {481, 481, 0}, {1024, 1024, 0}, {-1}};

/* Each kernel: cuda.lanes of 8, 16 and 32 rows, tiles of cuda.registers, rows per lane of cuda.shared and cuda.fused,
 * where a short range ilo .. ihi is enough; several panels of the others. */
static const int quick_shapes[][5] = {
  {5, 5, 0, 0, 1},
  {12, 12, 0, 1, 2},
  {20, 20, 0, 7, 2},
  {34, 34, 0, 5, 1},
  {36, 36, 0, 0, 1},
  {66, 66, 0, 1, 1},
  {98, 98, 0, 5, 1},
  {130, 130, 0, 1, 1},
  {194, 194, 0, 5, 1},
  {386, 386, 0, 1, 1},
  {-1},
};
static const char *const quick_of[] = {
  "sdcz cuda.lanes,cuda.registers,cuda.shared,cuda.fused,cuda.panels,cuda.native,cuda.unblocked",
  "sdcz cuda.lanes",
  "sdc cuda.lanes",
  "sdcz cuda.shared",
  "d cuda.registers,cuda.fused,cuda.panels",
  "sdcz cuda.registers,cuda.shared",
  "sdcz cuda.registers,cuda.fused,cuda.native",
  "sdc cuda.shared",
  "sdc cuda.shared,cuda.fused",
  "s cuda.fused",
};
_Static_assert(sizeof quick_of / sizeof *quick_of + 1 == sizeof quick_shapes / sizeof *quick_shapes, "");

/* dchkhs's, in its order; random values of Schur forms are complex in complex types alone */
static const char *const lapack_kinds[] = {"zero",
                                           "identity",
                                           "Jordan block",
                                           "even diagonal",
                                           "geometric diagonal",
                                           "clustered diagonal",
                                           "even diagonal, nearly overflowing",
                                           "even diagonal, nearly underflowing",
                                           "Schur form, even values",
                                           "Schur form, geometric values",
                                           "Schur form, clustered values",
                                           "Schur form, random values",
                                           "ill-conditioned vectors, even values",
                                           "ill-conditioned vectors, geometric values",
                                           "ill-conditioned vectors, clustered values",
                                           "ill-conditioned vectors, random values",
                                           "the same, nearly overflowing",
                                           "the same, nearly underflowing",
                                           "uniform",
                                           "uniform, nearly overflowing",
                                           "uniform, nearly underflowing",
                                           NULL};

/* The last rows of which cuda.panels has columns in registers: 512 in z, 1024 in others. */
static const int edge_shapes[][3] = {{513, 513, 0}, {1025, 1025, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = oracle_vector(SWEEP_OUT, most(c->m - 1, 0), c->flags / HESSENBERG_RANGES);
}

static void random_values(const sweep_case *c, sweep_dense x)
{
  oracle_clear(x);
  for (int i = 0; i < x.n; i++) SWEEP_AT(x, i, i) = sweep_number(c->type);
}

/* X D X^-1 with X = U S V of condition ulp^-1/2: U S (V D V^H) S^-1 U^H. */
static void ill_conditioned(const sweep_case *c, sweep_dense x)
{
  const long double ulp = 2 * sweep_eps(c->type);
  oracle_mix(c, true, true, x);
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.n && x.n > 1; i++) SWEEP_AT(x, i, j) *= powl(ulp, 0.5L * (i - j) / (x.n - 1));
  oracle_mix(c, true, true, x);
}

static void fill_lapack(const sweep_case *c, int kind, sweep_dense x)
{
  static const oracle_spread spreads[] = {EVEN, EVEN,      EVEN,      EVEN, GEOMETRIC, CLUSTERED, EVEN,     EVEN,
                                          EVEN, GEOMETRIC, CLUSTERED, EVEN, EVEN,      GEOMETRIC, CLUSTERED};
  const bool over = kind == 6 || kind == 16 || kind == 19, under = kind == 7 || kind == 17 || kind == 20;
  if (kind == 0) {
    oracle_clear(x);
  } else if (kind >= 18) {
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
  } else if (kind == 11 || kind >= 15) {
    random_values(c, x);
  } else {
    oracle_diagonal(c, spreads[kind], kind > 2, x);
    for (int i = 0; kind <= 2 && i < x.n; i++) SWEEP_AT(x, i, i) = 1;
    for (int i = 1; kind == 2 && i < x.n; i++) SWEEP_AT(x, i, i - 1) = 1;
  }
  if (kind >= 8 && kind <= 11) {
    for (int j = 0; j < x.n; j++)
      for (int i = 0; i < j; i++) SWEEP_AT(x, i, j) = sweep_number(c->type);
    oracle_mix(c, true, true, x);
  }
  if (kind >= 12 && kind <= 17) ill_conditioned(c, x);
  if (over || under) oracle_scale(x, oracle_edge(c, over));
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  int lo, hi;
  if (i > 0) return;
  if (c->kind >= SWEEP_KINDS)
    fill_lapack(c, (int)c->kind - SWEEP_KINDS, x);
  else
    sweep_general(c, x);
  case_range(c->flags % HESSENBERG_RANGES, c->m, &lo, &hi); /* outside of the range the matrix is triangular already */
  for (int j = 0; j < x.n; j++)
    for (int r = j + 1; r < x.n; r++)
      if (j < lo || r >= hi) SWEEP_AT(x, r, j) = 0;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  int ilo, ihi;
  oracle_clear_info(ctx, c, info);
  case_arguments(c->flags % HESSENBERG_RANGES, c->m, &ilo, &ihi);
  return batched_gehrd(ctx, ilo, ihi, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  int lo, hi;
  if (n == 0) return 0;
  case_range(c->flags % HESSENBERG_RANGES, c->m, &lo, &hi);
  sweep_dense product = sweep_new(n, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= least(j + 1, n - 1); i++) SWEEP_AT(product, i, j) = SWEEP_AT(after[0], i, j);
  for (int i = 0; i < n - 1; i++)
    if ((i < lo || i >= hi - 1) && after[1].x[i] != 0) return NAN;
  const oracle_q q = oracle_gehrd(lo, hi, n, after[0], after[1]);
  return sweep_larger(oracle_reduction_error(c, before[0], product, q, q), oracle_orthogonality(c, q));
}

static const sweep_family gehrd = {
  .op = &batched_gehrd_op,
  .nflags = 2 * HESSENBERG_RANGES,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick_shapes = quick_shapes,
  .quick_of = quick_of,
  .poisons_scratch = true,
  .compared = "cuda.unblocked",
  .limit = 20,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .own_kinds = lapack_kinds,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT | 1u << SWEEP_UNEVEN,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[18] = {0}, t[4];
  batched_matrix a = batched_strided(x, 3, 3, 3, 9, 2), tau = batched_strided(t, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gehrd(NULL, 1, 3, a, tau), -1);
  assert_int_equal(batched_gehrd(ctx, 0, 3, a, tau), -2);
  assert_int_equal(batched_gehrd(ctx, 4, 3, a, tau), -2);
  assert_int_equal(batched_gehrd(ctx, 1, 4, a, tau), -3);
  assert_int_equal(batched_gehrd(ctx, 2, 1, a, tau), -3);
  assert_int_equal(batched_gehrd(ctx, 1, 3, BAD(a, m, 2), tau), -4);
  assert_int_equal(batched_gehrd(ctx, 1, 3, BAD(a, stride, 0), tau), -4);
  assert_int_equal(batched_gehrd(ctx, 1, 3, a, BAD(tau, m, 3)), -5);
  assert_int_equal(batched_gehrd(ctx, 1, 3, a, BAD(tau, type, BATCHED_S)), -5);
  assert_int_equal(batched_gehrd(ctx, 0, 0, a, tau), 0);
  batched_destroy(&ctx);
}

static void test_larger(void **unused)
{
  (void)unused;
  oracle_check_larger(&batched_gehrd_op, BATCHED_HOST, 21, true, HESSENBERG_RANGES, gehrd.nflags);
}

static void test_larger_on_gpu(void **unused)
{
  (void)unused;
  oracle_check_larger(&batched_gehrd_op, BATCHED_CUDA, 21, true, HESSENBERG_RANGES, gehrd.nflags);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_larger)},
                          larger[] = {cmocka_unit_test(test_larger_on_gpu)};
  const int status = sweep_main(argc, argv, &gehrd, extra, 2);
  return sweep_then_on_gpu(status, "gehrd, larger matrices", larger, 1);
}
