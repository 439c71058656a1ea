/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a deck's keys mean together: defaults that depend on other keys, and combinations that can't run.
 */
#include "app/deck/deck_schema.h"

const deck_origin *deck_origin_of(const deck_reader *r, const char *name)
{
  return &r->origin[deck_schema_find(&r->schema, name)];
}

bool deck_is_given(const deck_reader *r, const char *name)
{
  return deck_origin_of(r, name)->level != DECK_DEFAULT;
}

/* With fewer points than functions a mass matrix is singular: that of the energy needs t + 1 points per direction, that
 * of the velocity k + 1, although zones share nodes: with k points the Legendre polynomial of degree k, with one sign
 * or the other in each zone, is 0 at all of them and continuous. */
static int resolve_orders(deck_reader *r)
{
  deck *d = r->d;
  if (!deck_is_given(r, "discretization.thermodynamic_order"))
    d->discretization.thermodynamic_order = d->discretization.kinematic_order - 1;
  if (d->discretization.quadrature_order == 0) d->discretization.quadrature_order = -1;
  const int k = d->discretization.kinematic_order, t = d->discretization.thermodynamic_order;
  const bool own = d->discretization.quadrature_order < 0;
  const int order = own ? 3 * k + t - 1 : d->discretization.quadrature_order;
  const int points = order / 2 + 1, least = (k > t ? k : t) + 1;
  if (points >= least) return 0;
  const char *name = own ? "discretization.thermodynamic_order" : "discretization.quadrature_order";
  return deck_fail(
    r, deck_origin_of(r, name), name,
    "makes %d quadrature points a direction, too few for orders %d and %d; allowed: a quadrature_order of "
    "at least %d",
    points, k, t, 2 * (least - 1));
}

/* Each probe needs as many numbers as there are dimensions; those of a mesh file are not known yet. */
static int resolve_probes(deck_reader *r)
{
  const int n = r->d->output.probes.count, dim = r->d->mesh.dim;
  if (dim == 0 || n % dim == 0) return 0;
  return deck_fail(r, deck_origin_of(r, "output.probes"), "output.probes",
                   "has %d %s; allowed: a multiple of %d, as mesh.dim is %d", n, n == 1 ? "entry" : "entries", dim,
                   dim);
}

/* A run that writes files has a history; one that was not asked for any leaves none.  Probes have a row as often. */
static int resolve_history(deck_reader *r)
{
  deck *d = r->d;
  const bool files = d->output.probes.count > 0 || d->output.fields_every > 0 || d->output.checkpoint_every > 0 ||
                     d->output.checkpoint_seconds > 0;
  if (!deck_is_given(r, "output.history_every")) d->output.history_every = files ? 1 : 0;
  if (d->output.probes.count == 0 || d->output.history_every > 0) return 0;
  return deck_fail(r, deck_origin_of(r, "output.history_every"), "output.history_every",
                   "is 0, but output.probes are written as often as the history; allowed with probes: at least 1");
}

static int missing_problem(deck_reader *r)
{
  const deck_origin whole = {.level = DECK_FILE};
  char names[512];
  deck_allowed(&r->schema.key[deck_schema_find(&r->schema, "problem.name")], names, sizeof names);
  return deck_fail(r, &whole, "problem.name", "is missing; allowed: %s", names);
}

int deck_resolve(deck_reader *r)
{
  deck *d = r->d;
  if (!deck_is_given(r, "problem.name")) return missing_problem(r);
  d->problem.row = problem_find(d->problem.name);
  int wrong = deck_resolve_mesh(r);
  if (wrong) return wrong;
  if (!deck_is_given(r, "time.final")) d->time.final = d->problem.row->final;
  if (!deck_is_given(r, "time.cfl")) d->time.cfl = d->problem.row->cfl;
  wrong = resolve_orders(r);
  if (wrong) return wrong;
  if (!d->output.directory[0])
    return deck_fail(r, deck_origin_of(r, "output.directory"), "output.directory",
                     "is empty; the name of a folder is expected");
  wrong = resolve_probes(r);
  if (wrong) return wrong;
  wrong = resolve_history(r);
  return wrong ? wrong : deck_resolve_kernels(r);
}
