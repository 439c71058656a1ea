/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vortices that stay as they are.
 */
#include <math.h>

#include "app/problems/problem_rows.h"

/* -- Taylor-Green: a steady vortex; in 2D an energy source keeps it so */

static double taylor_green_pressure(const problem_setting *s, const double *x)
{
  const double plane = cos(2 * pi * x[0]) + cos(2 * pi * x[1]);
  if (s->dim == 2) return 1 + plane / 4;
  return 100 + ((cos(2 * pi * x[2]) + 2) * plane - 2) / 16;
}

static double taylor_green_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(1, taylor_green_pressure(s, x), monatomic(s, x));
}

static void taylor_green_velocity(const problem_setting *s, const double *x, double *v)
{
  const double factor = s->dim == 3 ? cos(pi * x[2]) : 1;
  v[0] = sin(pi * x[0]) * cos(pi * x[1]) * factor;
  v[1] = -cos(pi * x[0]) * sin(pi * x[1]) * factor;
  if (s->dim == 3) v[2] = 0;
}

static bool taylor_green_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  (void)t;
  if (s->dim != 2) return false; // no source keeps the vortex in 3D
  *state = (problem_state){1, taylor_green_pressure(s, x), taylor_green_energy(s, x), {0}};
  taylor_green_velocity(s, x, state->velocity);
  return true;
}

const problem problem_taylor_green = {
  .name = "taylor-green",
  .summary = "smooth vortex, steady in 2D by an energy source",
  .dims = D2 | D3,
  .dim = 2,
  .final = 0.75,
  .cfl = 0.5,
  .box = {[2] = {UNIT_BOX(2, 3)}, [3] = {UNIT_BOX(2, 1)}},
  .attributes = {WALLS},
  .steady = true,
  .source_dims = D2,
  .source = POINT_TAYLOR_GREEN,
  .uniform = true,
  .density = one,
  .gamma = monatomic,
  .energy = taylor_green_energy,
  .velocity = taylor_green_velocity,
  .exact = taylor_green_exact,
};

/* -- Gresho: a steady vortex with kinks at r = 0.2 and 0.4 (Liska and Wendroff, 2003) */

static double gresho_pressure(const double *x)
{
  const double r2 = square(x[0]) + square(x[1]), r = sqrt(r2);
  if (r < 0.2) return 5 + 12.5 * r2;
  if (r < 0.4) return 9 - 4 * log(0.2) + 12.5 * r2 - 20 * r + 4 * log(r);
  return 3 + 4 * log(2);
}

static double gresho_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(1, gresho_pressure(x), monatomic(s, x));
}

static void gresho_velocity(const problem_setting *s, const double *x, double *v)
{
  const double r = hypot(x[0], x[1]);
  double turn = 0; // angular velocity, clockwise
  if (r < 0.2)
    turn = 5;
  else if (r < 0.4)
    turn = 2 / r - 5;
  v[0] = turn * x[1];
  v[1] = -turn * x[0];
  if (s->dim == 3) v[2] = 0;
}

static bool gresho_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  (void)t;
  *state = (problem_state){1, gresho_pressure(x), gresho_energy(s, x), {0}};
  gresho_velocity(s, x, state->velocity);
  return true;
}

const problem problem_gresho = {
  .name = "gresho",
  .summary = "steady vortex with kinks",
  .dims = D2 | D3,
  .profile = PROFILE_RADIUS,
  .dim = 2,
  .final = 0.62831853,
  .cfl = 0.5,
  .box = {[2] = {.zones = {2, 2}, .refine = 3, .lower = {-0.5, -0.5}, .upper = {0.5, 0.5}},
          [3] = {.zones = {2, 2, 2}, .refine = 2, .lower = {-0.5, -0.5, -0.5}, .upper = {0.5, 0.5, 0.5}}},
  .attributes = {WALLS},
  .steady = true,
  .uniform = true,
  .density = one,
  .gamma = monatomic,
  .energy = gresho_energy,
  .velocity = gresho_velocity,
  .exact = gresho_exact,
};
