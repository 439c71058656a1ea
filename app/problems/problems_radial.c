/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows from or to the origin.
 */
#include <math.h>
#include <stdlib.h>

#include "app/problems/exact.h"
#include "app/problems/problem_rows.h"

static double radius(const problem_setting *s, const double *x)
{
  double r2 = 0;
  for (int c = 0; c < s->dim; ++c) r2 += square(x[c]);
  return sqrt(r2);
}

/* Turns the radial velocity in velocity[0] into a vector along x. */
static void point_outwards(const problem_setting *s, const double *x, double *velocity)
{
  const double r = radius(s, x), radial = velocity[0];
  for (int c = 0; c < s->dim; ++c) velocity[c] = r > 0 ? radial * x[c] / r : 0;
}

/* -- Sedov: all energy starts at the origin.  Exact until the shock reaches the walls of the unit box. */

static void sedov_prepare(problem_setting *s, double t)
{
  if (!s->blast) s->blast = malloc(sizeof *s->blast);
  if (!s->blast) return;
  exact_sedov_create(s->blast, s->dim, diatomic(s, NULL), one(s, NULL));
  s->time = t;
  s->shock = exact_sedov_radius(s->blast, s->blast_energy, t);
  s->ahead = s->shock > 1 ? 0 : 1.000001 * square(s->shock);
}

/* Exact solution of the Sedov blast at x, where it was tabulated. */
static bool sedov_at(const problem_setting *s, double t, const double *x, problem_state *state)
{
  if (!s->blast || s->shock > 1) return false;
  double r2 = 0;
  for (int c = 0; c < s->dim; ++c) r2 += square(x[c]);
  if (r2 > s->ahead) { // the shock has not been here, as at most points of most runs
    *state = (problem_state){.density = 1};
    return true;
  }
  exact_sedov_state(s->blast, s->shock, t, sqrt(r2), state);
  point_outwards(s, x, state->velocity);
  return true;
}

static bool sedov_exact(const problem_setting *setting, double t, const double *x, problem_state *state)
{
  if (t <= 0) return false;
  if (setting->blast && setting->time == t) return sedov_at(setting, t, x, state);
  problem_setting s = *setting;
  s.blast = NULL;
  sedov_prepare(&s, t);
  const bool known = sedov_at(&s, t, x, state);
  problem_release(&s);
  return known;
}

const problem problem_sedov = {
  .name = "sedov",
  .summary = "blast wave from the origin",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_RADIUS,
  .dim = 3,
  .final = 0.6,
  .cfl = 0.5,
  .box = {[1] = {UNIT_BOX(2, 5)}, [2] = {UNIT_BOX(2, 3)}, [3] = {UNIT_BOX(2, 2)}},
  .attributes = {WALLS},
  .viscosity = true,
  .uniform = true,
  .density = one,
  .gamma = diatomic,
  .velocity = at_rest,
  .exact = sedov_exact,
  .prepare = sedov_prepare,
};

/* -- Noh: cold gas falls onto the origin with speed 1 and stops in a shock (Noh, 1987).  Exact until the shock meets
 * the gas that started at r = 1. */

static void noh_velocity(const problem_setting *s, const double *x, double *v)
{
  v[0] = -1;
  point_outwards(s, x, v);
}

static bool noh_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  const double gamma = monatomic(s, x);
  if (t * (gamma - 1) / 2 > 1 - t) return false;
  exact_noh_state(s->dim, gamma, t, radius(s, x), state);
  point_outwards(s, x, state->velocity);
  return true;
}

const problem problem_noh = {
  .name = "noh",
  .summary = "cold gas stops in a shock at the origin, exact solution known",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_RADIUS,
  .dim = 2,
  .final = 0.6,
  .cfl = 0.5,
  .box = {[1] = {.zones = {100}, .upper = {1}}, [2] = {UNIT_BOX(2, 4)}, [3] = {UNIT_BOX(2, 2)}},
  .attributes = {LOWER_WALLS},
  .viscosity = true,
  .uniform = true,
  .density = one,
  .gamma = monatomic,
  .energy = nothing,
  .velocity = noh_velocity,
  .exact = noh_exact,
};

/* -- Noh2: uniform collapse without any force */

static void noh2_velocity(const problem_setting *s, const double *x, double *v)
{
  for (int c = 0; c < s->dim; ++c) v[c] = -x[c];
}

static bool noh2_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  if (t >= 1) return false;
  exact_noh2_state(s->dim, monatomic(s, x), t, x, state);
  return true;
}

const problem problem_noh2 = {
  .name = "noh2",
  .summary = "uniform collapse, smooth exact solution",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_RADIUS,
  .dim = 2,
  .final = 0.5,
  .cfl = 0.5,
  .box = {[1] = {UNIT_BOX(2, 2)}, [2] = {UNIT_BOX(2, 2)}, [3] = {UNIT_BOX(2, 1)}},
  .attributes = {WALLS},
  .driven = true,
  .uniform = true,
  .density = one,
  .gamma = monatomic,
  .energy = one,
  .velocity = noh2_velocity,
  .exact = noh2_exact,
};
