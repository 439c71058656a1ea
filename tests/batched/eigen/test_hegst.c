/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reduction of a generalised eigenproblem: L C L^H = A (itype 1), or C = L^H A L, and the same with U^H for L.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo (2), itype (3) */
static const int shapes[][3] = {{0, 0, 0}, {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {8, 8, 0},
                                {9, 9, 0}, {17, 17, 0}, {32, 32, 0}, {50, 50, 0}, {-1}};
static const int large_shapes[][3] = {{65, 65, 0}, {128, 128, 0}, {-1}};

static bool is_upper(const sweep_case *c)
{
  return c->flags % 2;
}

static int itype(const sweep_case *c)
{
  return 1 + c->flags / 2;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_IN, .shareable = true, .m = c->m, .n = c->m};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0)
    sweep_hermitian(c, x, false);
  else
    for (int j = 0; j < x.n; j++)
      for (int k = 0; k < x.n; k++) SWEEP_AT(x, k, j) = k == j ? 1.5L : sweep_number(c->type) / (2 * x.n);
  sweep_poison_triangle(x, is_upper(c) ? BATCHED_LOWER : BATCHED_UPPER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_hegst(ctx, itype(c), is_upper(c) ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1]);
}

static sweep_dense from_triangle(const sweep_case *c, sweep_dense x, bool hermitian)
{
  sweep_dense a = sweep_new(c->m, c->m);
  for (int j = 0; j < c->m; j++)
    for (int i = 0; i < c->m; i++) {
      const bool there = is_upper(c) ? i <= j : i >= j;
      SWEEP_AT(a, i, j) = there ? SWEEP_AT(x, i, j) : hermitian ? conjl(SWEEP_AT(x, j, i)) : 0;
    }
  return a;
}

/* x = G y G^H, or G^H y G. */
static sweep_dense around(sweep_dense g, bool adjoint_first, sweep_dense y)
{
  sweep_dense half = sweep_new(y.m, y.n), x = sweep_new(y.m, y.n);
  sweep_multiply(1, adjoint_first ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, g, BATCHED_NO_TRANS, y, half);
  sweep_multiply(1, BATCHED_NO_TRANS, half, adjoint_first ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, g, x);
  return x;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0) return 0;
  const sweep_dense a = from_triangle(c, before[0], true), f = from_triangle(c, before[1], false);
  const sweep_dense x = from_triangle(c, after[0], true),
                    y = around(f, is_upper(c) == (itype(c) == 1), itype(c) == 1 ? x : a);
  const sweep_dense expected = itype(c) == 1 ? a : x;
  for (int64_t e = 0; e < (int64_t)c->m * c->m; e++) y.x[e] -= expected.x[e];
  return sweep_norm(y) / (c->m * sweep_unit(c, 10 * sweep_norm(a)));
}

static const sweep_family hegst = {
  .op = &batched_hegst_op,
  .nflags = 6,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL,
};

int main(int argc, char **argv)
{
  return sweep_main(argc, argv, &hegst, NULL, 0);
}
