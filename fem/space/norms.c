/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "fem/fem.h"

/* The sum of (u/scale)^2 over ncomp components, n entries of each, `stride` apart, and over the ranks. */
static double sum_squares(int ncomp, int64_t n, int64_t stride, const double *u, double scale)
{
  double sum = 0.0;
  for (int c = 0; c < ncomp; c++)
    for (int64_t i = 0; i < n; i++) sum += (u[c * stride + i] / scale) * (u[c * stride + i] / scale);
  comm_sum(&sum, 1);
  return sum;
}

/* A sum that over- or underflows is taken again, of the entries over the largest.  Collective. */
static double norm(int ncomp, int64_t n, int64_t stride, const double *u)
{
  const double sum = sum_squares(ncomp, n, stride, u, 1.0);
  double largest = 0.0;
  if (sum >= 1e-280 && sum <= DBL_MAX) return sqrt(sum);
  for (int c = 0; c < ncomp; c++)
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(u[c * stride + i]));
  comm_max(&largest, 1);
  if (isnan(sum) || largest == 0.0 || isinf(largest)) return sqrt(sum);
  return largest * sqrt(sum_squares(ncomp, n, stride, u, largest));
}

double fem_norm_kinematic(const fem_space *s, int ncomp, const double *u)
{
  return norm(ncomp, s->nowned, s->ndofs, u);
}

double fem_norm_local(int64_t n, const double *u)
{
  return norm(1, n, 0, u);
}
