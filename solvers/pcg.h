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
static inline void pcg_reduce(const solver_pcg_args *args, int n, double *sums)
{
  const int ncomp = args->matrix->ncomp;
  comm_sum(sums, ncomp * n);
  if (!args->coupled) return;
  for (int i = 0; i < n; i++) {
    double total = 0.0;
    for (int c = 0; c < ncomp; c++) total += sums[c * n + i];
    for (int c = 0; c < ncomp; c++) sums[c * n + i] = total;
  }
}

/* Marks what has converged; returns whether anything is left to do: a residual that is not a number never converges. */
static inline bool pcg_any_left(const solver_pcg_args *args, const double *rz, const double *limit)
{
  bool left = false;
  for (int c = 0; c < args->matrix->ncomp; c++) {
    args->converged[c] = args->converged[c] || rz[c] <= limit[c];
    left = left || !(args->converged[c] || isnan(rz[c]));
  }
  return left;
}

#endif
