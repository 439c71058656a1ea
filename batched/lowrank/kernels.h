/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of batched_kernel, for the host and for kernels alike, in double precision.
 */
#ifndef BATCHED_LOWRANK_KERNELS_H
#define BATCHED_LOWRANK_KERNELS_H

#include <math.h>

#include "batched/lowrank/random_bits.h"
#include "batched/batched_lowrank.h"

/* Value at distance r, in lengths; 0 < r for LAPLACE. */
LOWRANK_INLINE double lowrank_of_distance(batched_function function, int dim, double r)
{
  const double root3 = 1.7320508075688772, root5 = 2.23606797749979;
  switch (function) {
  case BATCHED_EXPONENTIAL: return exp(-r);
  case BATCHED_MATERN_3_2: return (1 + root3 * r) * exp(-root3 * r);
  case BATCHED_MATERN_5_2: return (1 + root5 * r + 5 * r * r / 3) * exp(-root5 * r);
  default: return dim == 3 ? 1 / r : dim == 2 ? -log(r) : -r;
  }
}

LOWRANK_INLINE double lowrank_element(const batched_kernel *k, int64_t i, int64_t j)
{
  const double nugget = i == j ? k->nugget : 0;
  if (k->function == BATCHED_HILBERT) return 1 / (double)(i + j + 1) + nugget;
  double square = 0;
  for (int c = 0; c < k->dim; c++) {
    const double d = k->points[k->dim * i + c] - k->points[k->dim * j + c];
    square += d * d;
  }
  const double r = sqrt(square) / k->length;
  if (k->function == BATCHED_LAPLACE && r == 0) return nugget;
  return k->variance * lowrank_of_distance(k->function, k->dim, r) + nugget;
}

#endif
