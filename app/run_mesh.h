/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run says of its mesh.  For run.c only.
 */
#ifndef APP_RUN_MESH_H
#define APP_RUN_MESH_H

#include "app/hydro.h"
#include "app/results/report.h"

/* Counts the walls and free faces of the boundary into the report, prints them unless quiet, and warns on stderr of
 * what a mesh file may not mean: see mesh/boundary.h.  Collective; STATUS_OK, or STATUS_MACHINE with a sentence. */
int run_mesh_say(const hydro *h, bool quiet, report *r, char *message, size_t size);

#endif
