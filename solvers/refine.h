/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterative refinement of conjugate gradients, as rows host.mixed and cuda.mixed share it: r = b - A x in double
 * precision, A d = r by conjugate gradients in single precision to some digits, x += d.
 */
#ifndef SOLVERS_REFINE_H
#define SOLVERS_REFINE_H

#include <math.h>

#ifdef __CUDACC__
#define REFINE_FN static inline __host__ __device__
#else
#define REFINE_FN static inline
#endif

/* (r, P r) falls at most by this factor in single precision before the residual is computed afresh: 10 bits of a norm
 * are left for what rounding does to it. */
#define REFINE_MOST 1e-10
/* Factor on the limit for a solve in single precision, so that the residual in double precision is below the limit. */
#define REFINE_MARGIN 0.8
/* A residual whose (r, P r) did not fall by this factor has no more digits to gain. */
#define REFINE_LEAST 0.25

/* The limit of (d, P d), relative to its first value, for a residual with (r, P r) = rz, wanted below `limit`. */
REFINE_FN double refine_limit(double rz, double limit)
{
  const double wanted = REFINE_MARGIN * limit / rz;
  return wanted > REFINE_MOST ? wanted : REFINE_MOST;
}

/* The unit of a residual with (r, D^-1 r) = measure, over which it is small in single precision. */
REFINE_FN double refine_unit(double measure)
{
  return measure > 0.0 && isfinite(measure) ? sqrt(measure) : 1.0;
}

#endif
