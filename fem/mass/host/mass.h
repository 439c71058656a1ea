/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with mass matrices by sum factorisation, on the host.
 */
#ifndef FEM_HOST_MASS_H
#define FEM_HOST_MASS_H

#include "fem/mass/mass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The zones [first, last) of a part. */
static inline void fem_part_zones(const fem_space *s, fem_part part, int *first, int *last)
{
  const int split = fem_first_zones(s); // 0 on one rank
  *first = part == FEM_SHARED ? 0 : split;
  *last = part == FEM_SHARED ? split : s->nzones;
}

/* Arguments of products y += M x by sum factorisation, for the zones of a rank in blocks of LANES, ncomp components
 * side by side. */
typedef struct sumfact_mass {
  int ncomp, n1;               /* functions per direction */
  const double *table;         /* borrowed, [q1][n1]; even: `line` */
  bool even;                   /* every zone was a parallelepiped of one density */
  double *line;                /* owned: the reference zone's mass matrix of one direction, [n1][n1]; NULL: not even */
  int *dofs, *runs;            /* owned: tensor_nodes (fem/host/tensor.h) */
  double *density;             /* owned, [block][nq][LANES]; even: [block][LANES], the zone's over the weights */
  struct single_zones *single; /* owned: the same in single precision, once it was asked for */
} sumfact_mass;

int sumfact_mass_create(sumfact_mass *m, const fem_space *s, const fem_material *material, int ncomp, int n1,
                        const double *table, const int *dofs);
void sumfact_mass_destroy(sumfact_mass *m);
void sumfact_mass_constants(const sumfact_mass *m, const fem_space *s, fem_constant_visit *visit, void *user);
/* Zones [first, last), first a multiple of LANES; x and y have shape [ncomp][stride]. */
void sumfact_mass_add(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride, const double *x,
                      double *y);

/* m->single; NULL: no memory. */
struct single_zones *sumfact_mass_single(sumfact_mass *m, const fem_space *s, const fem_material *material);

extern const fem_mass_functions fem_host_velocity_tensor; /* velocity_tensor.c */

#ifdef __cplusplus
}
#endif

#endif
