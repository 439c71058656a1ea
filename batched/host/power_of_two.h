/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_HOST_POWER_OF_TWO_H
#define BATCHED_HOST_POWER_OF_TWO_H

#include <stddef.h>

/* A power of two by which numbers of a type whose reals have `bytes` bytes are multiplied so that the largest is near
 * 1; itself and its inverse are normal numbers of the type.  1 where the largest is 0. */
static inline double batched_scale_to_one(double largest, size_t bytes)
{
  int exponent;
  if (largest == 0) return 1;
  __builtin_frexp(largest, &exponent);
  const int limit = bytes == 4 ? 120 : 1000;
  return __builtin_ldexp(1, -(exponent < -limit ? -limit : exponent > limit ? limit : exponent));
}

#endif
