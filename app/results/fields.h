/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run writes of its state for people to look at.
 */
#ifndef APP_FIELDS_H
#define APP_FIELDS_H

#include "app/files/output.h"
#include "app/hydro.h"

/* Collective; one file of the series with density, pressure, energy and velocity at the nodes of the run's own order,
 * and gamma and rank of the zones.  Returns STATUS_OK, or STATUS_MACHINE with a sentence. */
int fields_write(hydro *h, output_series *series, char *message, size_t size);

/* Collective; radius from the origin (the first coordinate in 1D) against density, with the exact one where there is
 * one. */
int fields_write_profile(hydro *h, const char *path, char *message, size_t size);

#endif
