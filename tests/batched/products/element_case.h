/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shapes of operations that go element by element.
 */
#ifndef TESTS_BATCHED_ELEMENT_CASE_H
#define TESTS_BATCHED_ELEMENT_CASE_H

#include "tests/batched/sweep/sweep.h"

static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},  {5, 4, 0},   {0, 3, 0},   {3, 0, 0},   {7, 8, 0},   {9, 9, 0},
  {16, 15, 0}, {17, 31, 0}, {33, 16, 0}, {48, 5, 0}, {65, 33, 0}, {3, 130, 0}, {129, 2, 0}, {64, 81, 0}, {-1},
};
static const int large[][3] = {{100, 100, 0}, {128, 129, 0}, {400, 33, 0}, {5000, 1, 0},
                               {1, 5000, 0},  {600, 500, 0}, {-1}};

#endif
