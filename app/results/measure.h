/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers about the state of a run: norms, energies, errors against exact solutions, rates.
 */
#ifndef APP_MEASURE_H
#define APP_MEASURE_H

#include "app/hydro.h"
#include "app/results/report.h"

/* Fills the report with what can be known of a run that has come this far.  Collective. */
void hydro_measure(hydro *h, report *r);

/* True if there is an exact state that holds on this mesh.  On a periodic mesh one holds that is steady, and one that
 * does not depend on the periodic axes. */
bool hydro_knows_exact(const hydro *h);

/* Total energy now, internal and kinetic, and the 2-norm of the energy's coefficients.  Collective. */
void hydro_energies(hydro *h, double *internal, double *kinetic);
double hydro_norm_e(hydro *h);

/* Seconds of an operation over all its variants, on this rank. */
double hydro_seconds_of(const hydro *h, const batched_op *op);

#endif
