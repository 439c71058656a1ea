/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of gehrd, unghr and unmhr share: ranges ilo .. ihi that are the same for each matrix of a variable
 * batch, cut off where its order ends.
 */
#ifndef TESTS_BATCHED_HESSENBERG_CASE_H
#define TESTS_BATCHED_HESSENBERG_CASE_H

#include "tests/batched/condensed/condensed_oracle.h"

enum { HESSENBERG_RANGES = 4 };

/* The arguments of a call for matrices of order n. */
static inline void case_arguments(int range, int n, int *ilo, int *ihi)
{
  static const int ranges[HESSENBERG_RANGES][2] = {{0, 0}, {2, 6}, {3, 190}, {4, 40}};
  *ilo = range == 0 ? 0 : least(ranges[range][0], most(n, 1));
  *ihi = least(ranges[range][1], n);
  if (range > 0 && *ihi < least(*ilo, n)) *ihi = least(*ilo, n);
}

/* Rows and columns lo .. hi - 1, counted from 0. */
static inline void case_range(int range, int n, int *lo, int *hi)
{
  int ilo, ihi;
  case_arguments(range, n, &ilo, &ihi);
  *lo = range == 0 ? 0 : ilo - 1;
  *hi = range == 0 ? n : ihi;
}

#endif
