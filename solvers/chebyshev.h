/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chebyshev's iteration in the memory of any context: what its rows share.
 */
#ifndef SOLVERS_CHEBYSHEV_H
#define SOLVERS_CHEBYSHEV_H

#include "solvers/solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Passes over the vectors of a context, [ncomp][n]; all return a batched_status. */
typedef struct chebyshev_passes {
  /* z = D^-1 r */
  int (*divide)(batched_ctx *ctx, const solver_operator *a, const double *r, double *z);
  /* x += d;  r -= w;  d = with_step d + with_residual D^-1 r */
  int (*update)(batched_ctx *ctx, const solver_operator *a, double with_step, double with_residual, double *x,
                double *r, double *d, const double *w);
  /* sums [ncomp], on the host: (x, y) over the entries that this rank owns */
  int (*dots)(batched_ctx *ctx, const solver_operator *a, const double *x, const double *y, double *sums);
} chebyshev_passes;

/* *enough: can max_iterations be enough, by the bounds of the spectrum?  If not, nothing is done. */
int solver_chebyshev(batched_ctx *ctx, const solver_pcg_args *args, const chebyshev_passes *passes, bool *enough);

#ifdef __cplusplus
}
#endif

#endif
