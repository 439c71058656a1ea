/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For who enqueues work behind what the host has not seen yet: results that stay where they are made, and solves that
 * are counted later (fem_mass_options.late).
 */
#ifndef FEM_LATE_H
#define FEM_LATE_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Internal and kinetic energy of this rank, to sums [2] in the memory of the context. */
int fem_energies_here(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *v, const double *e,
                      double *sums);

/* Counts the first n of the solves that have not been; the caller has awaited their end. */
void fem_mass_settle_first(batched_ctx *ctx, fem_mass *m, int n);
/* The solves that have not been counted never are. */
void fem_mass_forget(fem_mass *m);

#ifdef __cplusplus
}
#endif

#endif
