/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows and columns ilo .. ihi, counted from 1, that gehrd reduces.
 */
#ifndef BATCHED_CONDENSED_RANGE_H
#define BATCHED_CONDENSED_RANGE_H

#include <stdbool.h>

/* Is that a range of a matrix of order n?  0, 0 becomes 1, n. */
static inline bool batched_is_range(int n, int *ilo, int *ihi)
{
  if (*ilo == 0 && *ihi == 0) {
    *ilo = 1;
    *ihi = n;
  }
  return *ilo >= 1 && *ilo <= (n > 1 ? n : 1) && *ihi >= (*ilo < n ? *ilo : n) && *ihi <= n;
}

/* The number of reflectors, for a matrix of a batch. */
static inline int batched_range_reflectors(int n, int ilo, int ihi)
{
  const int last = ihi < n ? ihi : n;
  return last > ilo ? last - ilo : 0;
}

#endif
