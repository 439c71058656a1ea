/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_SPACE_CURVE_H
#define FEM_SPACE_CURVE_H

#include "fem/fem.h"

/* x [dim][ndofs]: the positions of the nodes in the curved zones of m, each by the zone of its last place
 * (fem_last_touches); without `last` nodes that two zones share are set twice. */
void fem_curve_positions(const fem_space *s, const mesh *m, const int *last, double *x);

#endif
