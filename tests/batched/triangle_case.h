/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of trsm and trmm: shapes, and the options that the flags stand for.
 */
#ifndef TESTS_BATCHED_TRIANGLE_CASE_H
#define TESTS_BATCHED_TRIANGLE_CASE_H

#include "sweep.h"

/* flags: side (2), uplo (2), diag (2), trans (3), alpha (3) */
static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}};
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},  {2, 2, 0},  {3, 1, 0},   {3, 0, 0},   {0, 2, 0},   {4, 5, 0},   {5, 4, 0},
  {7, 8, 0},   {8, 9, 0},  {9, 7, 0},  {15, 3, 0},  {16, 16, 0}, {17, 9, 0},  {2, 31, 0},  {32, 33, 0},
  {33, 32, 0}, {48, 2, 0}, {5, 65, 0}, {64, 40, 0}, {65, 65, 0}, {129, 3, 0}, {2, 100, 0}, {-1},
};
static const int gpu_shapes[][3] = {{128, 64, 0}, {100, 200, 0}, {256, 10, 0}, {200, 200, 0},
                                    {512, 3, 0},  {33, 400, 0},  {-1}};

static batched_side side(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_RIGHT : BATCHED_LEFT;
}

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags / 2 % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static batched_diag diag(const sweep_case *c)
{
  return c->flags / 4 % 2 ? BATCHED_UNIT : BATCHED_NON_UNIT;
}

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags / 8 % 3);
}

static batched_scalar alpha(const sweep_case *c)
{
  return alphas[c->flags / 24];
}

static int order(const sweep_case *c)
{
  return side(c) == BATCHED_LEFT ? c->m : c->n;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = order(c), .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

#endif
