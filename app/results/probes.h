/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output.directory/probes.csv: the state at the points output.probes, which stay where they are while the gas moves; a
 * row for each of them whenever the history has one.
 *
 *   step, time, probe (from 0), x, y, z, density, pressure, energy, vx, vy, vz; vectors have a component a dimension
 *
 * Values are those of the fields: density is the projected one.  Outside the mesh they are empty.  Between zones, where
 * density and energy jump, they are those of the zone with the lowest number in the whole mesh, on any number of ranks.
 */
#ifndef APP_PROBES_H
#define APP_PROBES_H

#include "app/files/csv_file.h"
#include "app/hydro.h"

typedef struct probes probes;

/* Collective, as all below; as the functions of history.h. */
int probes_open(probes **p, hydro *run, csv_rows rows, char *message, size_t size);
int probes_add(probes *p, hydro *run, char *message, size_t size);
int probes_sync(probes *p, char *message, size_t size);
int probes_close(probes **p, char *message, size_t size);

#endif
