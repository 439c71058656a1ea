/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dofs of a space: their numbers, who shares them, and which do not move.
 */
#ifndef FEM_SPACE_NUMBER_H
#define FEM_SPACE_NUMBER_H

#include "fem/fem.h"

/* Both are collective, even where a rank has no memory, and return on every rank the same: STATUS_OK or
 * STATUS_MACHINE. */

/* Numbers the nodes of this rank's zones, owned ones first, otherwise in the order in which the zones touch them, and
 * makes the halo: s->dofs, ndofs, nowned, nfirst, halo; across seams places and ndofs_global, too. */
int fem_number_dofs(fem_space *s, const mesh *m, fem_numbering numbering);

/* Finds the components that do not move: s->essential and s->constrained. */
int fem_mark_essential(fem_space *s, const mesh *m);

#endif
