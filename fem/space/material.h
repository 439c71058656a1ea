/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The material of the zones: what does not change in time.
 */
#ifndef FEM_SPACE_MATERIAL_H
#define FEM_SPACE_MATERIAL_H

#include "fem/point/point_constants.h"
#include "fem/space/project.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays of a material that kernels on a GPU read. */
typedef struct fem_device_material {
  batched_ctx *ctx;               /* borrowed: whose memory it is */
  double *mass, *density, *gamma; /* owned, shapes as in fem_material */
  double *initial_inverse;        /* of all points; NULL: nobody asked for it */
} fem_device_material;

/* The material of the zones, constant in time. */
typedef struct fem_material {
  point_constants constants;
  point_source source;
  double *mass;            /* owned, [nzones][nq]: interpolated density x det J0 x weight */
  double *density;         /* owned, [nzones][nq]: the density function x det J0 x weight, for the mass matrices */
  double *initial_inverse; /* owned, [nzones][nq][dim][dim]: J0^-1; of hexes J0^-T, as in Laghos: diagonal on boxes */
  bool affine; /* all zones of this rank were parallelepipeds, the same J0^-1 at all points but for rounding: then that
                  is [nzones][dim][dim], at the first point, and see fem_initial_inverse */
  double *gamma;               /* owned, [nzones] */
  double volume;               /* of the initial mesh, all ranks */
  fem_device_material *device; /* owned; NULL: everything is done on the host */
} fem_material;

/* x: initial positions; density NULL: 1.  Fills everything but constants.cfl, viscosity, vorticity and source.
 * Collective; returns on every rank the same: STATUS_OK, STATUS_MACHINE (out of memory) or STATUS_INPUT (a mesh,
 * density or gamma that makes no sense: *bad says which). */
int fem_material_create(fem_material **m, const fem_space *s, const double *x, fem_function density, fem_function gamma,
                        const void *user, const char **bad);
void fem_material_destroy(fem_material **m);
/* The first of this rank's zones whose Jacobian has no positive determinant at a point of the rule; -1: there is none.
 * position [dim]: of the point. */
int fem_first_inverted(const fem_space *s, const double *x, double *position, double *determinant);
/* Makes m->device in the memory of a CUDA context; nothing to do for one on the host. */
int fem_material_place(batched_ctx *ctx, const fem_space *s, fem_material *m);
void fem_material_unplace(fem_material *m); /* fem_material_destroy does it */
/* Makes m->device->initial_inverse, by far the largest of its arrays, for rows that read it. */
int fem_material_place_inverse(const fem_space *s, const fem_material *m);
/* [dim][dim] at a point of the rule. */
static inline const double *fem_initial_inverse(const fem_space *s, const fem_material *m, int64_t zone, int q)
{
  return m->initial_inverse + (m->affine ? zone : zone * s->nq + q) * s->dim * s->dim;
}
/* Is the density of the mass matrices the same at all points of a zone but for their weights and rounding: that of a
 * parallelepiped of one density? */
bool fem_material_is_even(const fem_space *s, const fem_material *m);

/* Bernstein coefficients rho [nzones][nt] of the density, projected zone by zone: M rho = sum_q mass_q b_j, with M of
 * unit weight on the mesh at x.  Returns STATUS_OK, STATUS_MACHINE (out of memory) or STATUS_RUN: a zone is
 * inverted. */
int fem_project_density(const fem_space *s, const fem_material *m, const double *x, double *rho);
/* The same for one zone: rho [nt]. */
int fem_project_density_in(const fem_space *s, const fem_material *m, const double *x, int zone, double *rho);

#ifdef __cplusplus
}
#endif

#endif
