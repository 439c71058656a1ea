/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of a space and a material never changes in a run.
 */
#include "fem/fem.h"

/* The same arrays, where the work is done. */
static void visit_tables(const fem_space *s, const fem_device_space *from, fem_constant_visit *visit, void *user)
{
  const size_t number = sizeof(double), slopes = s->shape == MESH_SIMPLEX ? (size_t)s->dim : 1;
  visit(user, "the tables of the velocity's basis", from->b, number * (size_t)(s->q1 * s->d1));
  visit(user, "the tables of the velocity's basis", from->g, number * slopes * (size_t)(s->q1 * s->d1));
  visit(user, "the tables of the energy's basis", from->bt, number * (size_t)(s->q1 * s->t1));
  visit(user, "the weights of the quadrature", from->weight, number * (size_t)s->nq);
  visit(user, "the nodes of the zones", from->dofs, sizeof(int) * (size_t)s->nzones * (size_t)s->nd);
  visit(user, "the list of walls", from->constrained, sizeof(int) * (size_t)s->constrained_start[s->dim]);
}

void fem_space_constants(const fem_space *s, fem_constant_visit *visit, void *user)
{
  const fem_device_space host = {
    .dofs = s->dofs, .constrained = s->constrained, .b = s->b, .g = s->g, .bt = s->bt, .weight = s->weight};
  const size_t entries = (size_t)s->nzones * (size_t)s->nd;
  visit_tables(s, s->device ? s->device : &host, visit, user);
  if (!s->device) return;
  visit(user, "the zones of the nodes", s->device->dof_start, sizeof(int) * ((size_t)s->ndofs + 1));
  visit(user, "the zones of the nodes", s->device->dof_entry, sizeof(int) * entries);
}

void fem_material_constants(const fem_space *s, const fem_material *m, fem_constant_visit *visit, void *user)
{
  const fem_device_material host = {
    .mass = m->mass, .density = m->density, .initial_inverse = m->initial_inverse, .gamma = m->gamma};
  const fem_device_material *from = m->device ? m->device : &host;
  const size_t zones = (size_t)s->nzones, points = sizeof(double) * zones * (size_t)s->nq;
  const bool points_have_it = m->device || !m->affine;
  visit(user, "the mass at the points", from->mass, points);
  visit(user, "the density at the points", from->density, points);
  visit(user, "the initial shape of the zones", from->initial_inverse,
        !from->initial_inverse ? 0 : (points_have_it ? points : sizeof(double) * zones) * (size_t)(s->dim * s->dim));
  visit(user, "gamma of the zones", from->gamma, sizeof(double) * zones);
}
