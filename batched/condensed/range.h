/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows and columns ilo .. ihi, counted from 1, that gehrd reduces.
 */
#ifndef BATCHED_CONDENSED_RANGE_H
#define BATCHED_CONDENSED_RANGE_H

#include "batched/check.h"

/* The range of a matrix of order n, of which ilo is argument `number`: 0 or -i.  0, 0 becomes 1, n. */
static inline int batched_check_rows(int n, int *ilo, int *ihi, int number)
{
  if (*ilo == 0 && *ihi == 0) {
    *ilo = 1;
    *ihi = n;
  }
  const int last = n > 1 ? n : 1, least = *ilo < n ? *ilo : n;
  if (!batched_accept(*ilo >= 1 && *ilo <= last, "ilo %d is not in 1 .. %d", *ilo, last)) return -number;
  return batched_accept(*ihi >= least && *ihi <= n, "ihi %d is not in %d .. %d", *ihi, least, n) ? 0 : -number - 1;
}

/* The number of reflectors, for a matrix of a batch. */
static inline int batched_range_reflectors(int n, int ilo, int ihi)
{
  const int last = ihi < n ? ihi : n;
  return last > ilo ? last - ilo : 0;
}

#endif
