/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The equations
 *
 *    dx/dt = v        M_v dv/dt = -F 1 (+ M_v g)        M_e de/dt = F^T v (+ source)
 *
 * and how a time step integrates them, stage by stage.  Functions return a batched_status.
 */
#ifndef APP_STAGE_H
#define APP_STAGE_H

#include "app/hydro.h"

/* Stress at the quadrature points of the state y, and its time-step estimate, to h->results. */
int stage_stress(hydro *h, const double *y);

/* k = d/dt (x, v, e) at the state y. */
int stage_derivative(hydro *h, const double *y, double *k);

/* h->state from h->before, a time dt later. */
int stage_integrate(hydro *h, double dt);

/* Between the two, work is recorded if h->may_record says so, but a stage whose solve is to be checked, for which the
 * host waits.  end launches what was recorded; status: of that work. */
void stage_begin_recording(hydro *h);
int stage_end_recording(hydro *h, int status);

#endif
