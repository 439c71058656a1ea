/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of dot and nrm2: lengths, and vectors in columns or rows.
 */
#ifndef TESTS_BATCHED_VECTOR_CASE_H
#define TESTS_BATCHED_VECTOR_CASE_H

#include "tests/batched/sweep/sweep.h"

static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},   {8, 8, 0},    {9, 9, 0},    {16, 16, 0}, {17, 17, 0},
  {32, 32, 0}, {33, 33, 0}, {65, 65, 0}, {127, 1, 0}, {129, 1, 0}, {1000, 1, 0}, {1025, 1, 0}, {-1},
};
static const int large[][3] = {{4096, 1, 0}, {4097, 1, 0}, {40000, 1, 0}, {100000, 1, 0}, {-1}};

static sweep_operand vector(bool row, int length)
{
  return (sweep_operand){.role = SWEEP_IN,
                         .form = row ? SWEEP_ROW : SWEEP_COLUMN,
                         .shareable = true,
                         .m = row ? 1 : length,
                         .n = row ? length : 1};
}

#endif
