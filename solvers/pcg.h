/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What conjugate gradients share where the loop is on the host.
 */
#ifndef SOLVERS_PCG_H
#define SOLVERS_PCG_H

#include <math.h>

#include "mesh/comm/comm.h"
#include "solvers/solvers.h"

/* Sums over ranks; those of coupled components over the components, too.  sums has shape [ncomp][n]. */
static inline void pcg_reduce(const solver_pcg_args *a, int n, double *sums)
{
  comm_sum(sums, a->ncomp * n);
  if (!a->coupled) return;
  for (int i = 0; i < n; i++) {
    double total = 0.0;
    for (int c = 0; c < a->ncomp; c++) total += sums[c * n + i];
    for (int c = 0; c < a->ncomp; c++) sums[c * n + i] = total;
  }
}

/* Marks what has converged; returns whether anything is left to do: a residual that is not a number never converges. */
static inline bool pcg_any_left(const solver_pcg_args *a, const double *rz, const double *limit)
{
  bool left = false;
  for (int c = 0; c < a->ncomp; c++) {
    a->converged[c] = a->converged[c] || rz[c] <= limit[c];
    left = left || !(a->converged[c] || isnan(rz[c]));
  }
  return left;
}

#endif
