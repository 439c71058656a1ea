/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The zone at fault.  What is wrong in one zone spreads to its neighbours within a step and, by the solve for the
 * accelerations, to all of the mesh.  So the stages of the attempt are made again from their derivatives, in order, and
 * the first in which a zone is inverted, or no number, tells.
 */
#include "app/results/fault.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/hydro.h"

typedef struct search {
  const hydro *h;
  fem_rule rule;
  double *start, *now, *derivative; // owned, [nstate], on the host
  double *gradient, *value;         // owned, [n][dim][dim], [n]
} search;

/* The worst values on a rank. */
typedef struct finding {
  fault_kind kind;
  int zone;
  double jacobian;
} finding;

static bool are_finite(int64_t n, const double *u)
{
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(u[i])) return false;
  return true;
}

bool fault_state_is_finite(const hydro *h)
{
  return batched_get_space(h->ctx) != BATCHED_HOST || are_finite(h->nstate, h->state);
}

static bool nodes_are_finite(const fem_space *s, int zone, const double *u)
{
  const int *dofs = s->dofs + (int64_t)zone * s->nd;
  for (int c = 0; c < s->dim; c++)
    for (int i = 0; i < s->nd; i++)
      if (!isfinite(u[(int64_t)c * s->ndofs + dofs[i]])) return false;
  return true;
}

/* ------------------------------------------------------------------ looking */

static bool search_create(search *a, const hydro *h)
{
  const size_t state = sizeof(double) * ((size_t)h->nstate + 1);
  const int dim = h->space->dim;
  *a = (search){.h = h, .start = malloc(state), .now = malloc(state), .derivative = malloc(state)};
  if (fem_rule_create_own(&a->rule, h->space)) return false;
  a->gradient = malloc(sizeof(double) * (size_t)(a->rule.n * dim * dim));
  a->value = malloc(sizeof(double) * (size_t)a->rule.n);
  return a->start && a->now && a->derivative && a->gradient && a->value;
}

static void search_destroy(search *a)
{
  fem_rule_destroy(&a->rule);
  double *all[] = {a->start, a->now, a->derivative, a->gradient, a->value};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* The smallest determinant at the points of a zone at the positions x. */
static double smallest_jacobian(const search *a, int zone, const double *x)
{
  const int dim = a->rule.dim;
  double least = INFINITY;
  fem_rule_gradients(&a->rule, a->h->space, zone, dim, x, a->gradient);
  for (int q = 0; q < a->rule.n; q++) {
    const double det = fem_determinant(dim, a->gradient + q * dim * dim);
    if (!(det >= least)) least = det;
  }
  return least;
}

static const double *energies_of(const search *a, int zone, const double *y)
{
  return y + 2 * a->h->nkinematic + (int64_t)zone * a->h->space->nt;
}

/* The first zone of this rank whose energy is no number in the state or derivative y; -1: there is none. */
static int first_bad_energy(const search *a, const double *y)
{
  const fem_space *s = a->h->space;
  for (int z = 0; z < s->nzones; z++)
    if (!are_finite(s->nt, energies_of(a, z, y))) return z;
  return -1;
}

static finding judge(const search *a, int zone, const double *y)
{
  const hydro *h = a->h;
  const fem_space *s = h->space;
  finding f = {.zone = zone, .jacobian = smallest_jacobian(a, zone, y)};
  if (!are_finite(s->nt, energies_of(a, zone, y)) || !nodes_are_finite(s, zone, y) ||
      !nodes_are_finite(s, zone, y + h->nkinematic))
    f.kind = FAULT_NAN;
  else if (!(f.jacobian > 0.0))
    f.kind = FAULT_INVERTED;
  return f;
}

/* The first zone of this rank whose energy is no number, or else whose nodes are none, or else the most inverted
 * one. */
static finding look_at(const search *a, const double *y)
{
  const int bad = first_bad_energy(a, y);
  finding worst = {0};
  if (bad >= 0) return judge(a, bad, y);
  for (int z = 0; z < a->h->space->nzones; z++) {
    const finding f = judge(a, z, y);
    if (f.kind == FAULT_NAN) return f;
    if (f.kind > worst.kind || (f.kind == FAULT_INVERTED && f.jacobian < worst.jacobian)) worst = f;
  }
  return worst;
}

/* The same for a derivative: only its energies stay in their zone. */
static finding look_at_derivative(const search *a, const double *k)
{
  const int bad = first_bad_energy(a, k);
  if (bad < 0) return (finding){0};
  return (finding){.kind = FAULT_NAN, .zone = bad, .jacobian = NAN};
}

/* No zone is wrong: the one that lost the largest part of its volume was in the way. */
static finding look_for_squeezed(const search *a)
{
  finding worst = {.kind = FAULT_NONE};
  double least = INFINITY;
  for (int z = 0; z < a->h->space->nzones; z++) {
    const double jacobian = smallest_jacobian(a, z, a->now), part = jacobian / smallest_jacobian(a, z, a->start);
    if (part < least) worst = (finding){.kind = FAULT_SQUEEZED, .zone = z, .jacobian = jacobian}, least = part;
  }
  return worst;
}

/* ------------------------------------------------------------------ stages */

static bool any_rank(finding f)
{
  double found = f.kind != FAULT_NONE;
  comm_max(&found, 1);
  return found > 0.0;
}

static int fetch(const search *a, double *to, const double *from)
{
  return batched_copy_to_host(a->h->ctx, to, from, sizeof(double) * (size_t)a->h->nstate);
}

/* y = y0 + dt sum_j c[j] k_j over the first n stages */
static int make_stage(search *a, int n, const double *c, double dt)
{
  const int64_t size = a->h->nstate;
  int status = BATCHED_SUCCESS;
  memcpy(a->now, a->start, sizeof(double) * (size_t)size);
  for (int j = 0; j < n && !status; j++) {
    if (c[j] == 0.0) continue;
    status = fetch(a, a->derivative, a->h->stages + j * size);
    for (int64_t i = 0; i < size && !status; i++) a->now[i] += dt * c[j] * a->derivative[i];
  }
  return status;
}

/* Stage by stage; rk2avg keeps no derivatives, only its end can be looked at. */
static int find_in_stages(search *a, double dt, finding *f, int *stage)
{
  const hydro *h = a->h;
  const solver_rk *rk = h->rk;
  const int n = rk ? rk->nstages : 0;
  int status = BATCHED_SUCCESS;
  for (int i = 0; i < n; i++) {
    *stage = i + 1;
    if (i > 0) status = comm_worst(make_stage(a, i, rk->a[i], dt));
    if (status) return status;
    *f = i > 0 ? look_at(a, a->now) : (finding){0};
    if (any_rank(*f)) return BATCHED_SUCCESS;
    status = comm_worst(fetch(a, a->derivative, h->stages + i * h->nstate));
    if (status) return status;
    *f = look_at_derivative(a, a->derivative);
    if (any_rank(*f)) return BATCHED_SUCCESS;
  }
  *stage = n ? n : 2;
  status = comm_worst(fetch(a, a->now, h->before));
  if (!status) *f = look_at(a, a->now);
  if (!status && !any_rank(*f)) *f = look_for_squeezed(a);
  return status;
}

/* ------------------------------------------------------------------ describing */

static void widen(double range[2], double value)
{
  range[0] = fmin(range[0], value);
  range[1] = fmax(range[1], value);
}

/* Place and state of the zone before the step. */
static void describe(const search *a, int zone, fault *f)
{
  const hydro *h = a->h;
  const fem_space *s = h->space;
  const double *x = a->start, *v = x + h->nkinematic;
  f->zone = h->mesh->zone_ids[zone];
  f->density[0] = f->energy[0] = INFINITY;
  f->density[1] = f->energy[1] = -INFINITY;
  fem_rule_gradients(&a->rule, s, zone, s->dim, x, a->gradient);
  fem_rule_energies(&a->rule, s, energies_of(a, zone, x), a->value);
  for (int q = 0; q < a->rule.n; q++) {
    const double volume = s->weight[q] * fem_determinant(s->dim, a->gradient + q * s->dim * s->dim);
    widen(f->density, h->material->mass[(int64_t)zone * s->nq + q] / volume);
    widen(f->energy, a->value[q]);
  }
  for (int i = 0; i < s->nd; i++) {
    double square = 0.0;
    for (int c = 0; c < s->dim; c++) {
      const int64_t at = (int64_t)c * s->ndofs + s->dofs[(int64_t)zone * s->nd + i];
      f->position[c] += x[at] / s->nd;
      square += v[at] * v[at];
    }
    f->speed = fmax(f->speed, sqrt(square));
  }
}

/* The worst of all ranks describes its zone to all. */
static void choose(const search *a, finding mine, fault *f)
{
  double most = mine.kind, least = INFINITY, owner = comm_size();
  comm_max(&most, 1);
  if (most == FAULT_NONE) return;
  const bool worst = mine.kind == most;
  if (worst) least = isfinite(mine.jacobian) ? mine.jacobian : -DBL_MAX;
  const double own = least;
  comm_min(&least, 1);
  if (worst && own == least) owner = comm_rank();
  comm_min(&owner, 1);
  if (owner == comm_rank()) {
    f->kind = mine.kind;
    f->jacobian = mine.jacobian;
    describe(a, mine.zone, f);
  }
  comm_broadcast(f, sizeof *f, (int)owner);
}

int fault_find(const hydro *h, fault *f)
{
  search a;
  finding mine = {0};
  *f = (fault){.step = h->steps + 1, .time = h->time, .dt = h->dt_taken, .cuts = h->cuts - 1, .dim = h->space->dim};
  int status = comm_worst(search_create(&a, h) ? fetch(&a, a.start, h->state) : BATCHED_NO_MEMORY);
  if (!status) {
    mine = look_at(&a, a.start);
    if (!any_rank(mine)) status = find_in_stages(&a, f->dt, &mine, &f->stage);
  }
  if (!status) choose(&a, mine, f);
  search_destroy(&a);
  return status ? STATUS_MACHINE : STATUS_OK;
}
