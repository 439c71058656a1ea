/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows along x.
 */
#include <math.h>

#include "app/problems/exact.h"
#include "app/problems/problem_rows.h"

/* -- Shock tubes along x.  Exact until the first wave reaches a wall at x = 0 or 1. */

static bool tube_exact(exact_side right, double t, const double *x, problem_state *state)
{
  exact_riemann riemann;
  double first, last;
  if (t <= 0 || !exact_riemann_create(&riemann, (exact_side){1, 0, 1}, right, 1.4)) return false;
  exact_riemann_front(&riemann, &first, &last);
  if (0.5 + first * t < 0 || 0.5 + last * t > 1) return false;
  exact_riemann_state(&riemann, (x[0] - 0.5) / t, state);
  return true;
}

static double shock_tube_density(const problem_setting *s, const double *x)
{
  (void)s;
  return x[0] < 0.5 ? 1 : 0.1;
}

static double shock_tube_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(shock_tube_density(s, x), x[0] < 0.5 ? 1 : 0.1, 1.4);
}

static bool shock_tube_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  (void)s;
  return tube_exact((exact_side){0.1, 0, 0.1}, t, x, state);
}

static double sod_density(const problem_setting *s, const double *x)
{
  (void)s;
  return x[0] < 0.5 ? 1 : 0.125;
}

static double sod_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(sod_density(s, x), x[0] < 0.5 ? 1 : 0.1, 1.4);
}

static bool sod_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  (void)s;
  return tube_exact((exact_side){0.125, 0, 0.1}, t, x, state);
}

const problem problem_shock_tube = {
  .name = "shock-tube",
  .summary = "shock tube with density and pressure 1 and 0.1",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_X,
  .dim = 1,
  .final = 0.2,
  .cfl = 0.5,
  .box = {[1] = {UNIT_BOX(2, 5)}, [2] = {UNIT_BOX(2, 3)}, [3] = {UNIT_BOX(2, 2)}},
  .attributes = {WALLS},
  .viscosity = true,
  .density = shock_tube_density,
  .gamma = diatomic,
  .energy = shock_tube_energy,
  .velocity = at_rest,
  .exact = shock_tube_exact,
};

const problem problem_sod = {
  .name = "sod",
  .summary = "the standard shock tube, exact solution known",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_X,
  .dim = 1,
  .final = 0.2,
  .cfl = 0.5,
  .box = {[1] = {.zones = {100}, .upper = {1}},
          [2] = {.zones = {50, 5}, .upper = {1, 0.1}},
          [3] = {.zones = {50, 2, 2}, .upper = {1, 0.04, 0.04}}},
  .attributes = {WALLS},
  .viscosity = true,
  .density = sod_density,
  .gamma = diatomic,
  .energy = sod_energy,
  .velocity = at_rest,
  .exact = sod_exact,
};

/* -- Saltzman: a piston at x = 0 drives a plane shock across a skewed mesh (Dukowicz and Meltz, 1992; the 3D mesh
 * of Caramana et al., 1998, has its kink at y = 0.05) */

static void saltzman_velocity(const problem_setting *s, const double *x, double *v)
{
  at_rest(s, x, v);
  if (x[0] <= 1e-12) v[0] = 1;
}

static void saltzman_map(const problem_setting *s, double *x)
{
  double skew = 0;
  if (s->dim == 2)
    skew = 0.1 - x[1];
  else if (s->dim == 3)
    skew = x[1] <= 0.05 ? (0.1 - x[2]) * (1 - 20 * x[1]) : x[2] * (20 * x[1] - 1);
  x[0] += skew * sin(pi * x[0]);
}

static bool saltzman_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  return exact_piston_state(monatomic(s, x), t, x[0], state);
}

const problem problem_saltzman = {
  .name = "saltzman",
  .summary = "piston-driven shock on a skewed mesh, exact solution known",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_X,
  .dim = 2,
  .final = 0.6,
  .cfl = 0.5,
  .box = {[1] = {.zones = {100}, .upper = {1}},
          [2] = {.zones = {100, 10}, .upper = {1, 0.1}},
          [3] = {.zones = {20, 2, 2}, .upper = {1, 0.1, 0.1}}},
  .attributes = {WALLS},
  .viscosity = true,
  .driven = true,
  .uniform = true,
  .density = one,
  .gamma = monatomic,
  .energy = nothing,
  .velocity = saltzman_velocity,
  .map = saltzman_map,
  .exact = saltzman_exact,
};

/* -- Standing wave: a smooth sound wave of finite amplitude between two walls, in a gas with gamma = 3 and
 * p = rho^3 / 3, so that the sound speed is the density */

static double wave_gamma(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 3;
}

static double wave_density(const problem_setting *s, const double *x)
{
  (void)s;
  return exact_wave_start(x[0]);
}

static double wave_energy(const problem_setting *s, const double *x)
{
  return square(wave_density(s, x)) / 6;
}

static bool wave_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  (void)s;
  return exact_wave_state(t, x[0], state);
}

const problem problem_standing_wave = {
  .name = "standing-wave",
  .summary = "smooth sound wave between two walls, exact solution known",
  .dims = D1 | D2 | D3,
  .profile = PROFILE_X,
  .dim = 1,
  .final = 0.5,
  .cfl = 0.5,
  .box = {[1] = {.zones = {20}, .upper = {1}},
          [2] = {.zones = {20, 2}, .upper = {1, 0.1}},
          [3] = {.zones = {20, 2, 2}, .upper = {1, 0.1, 0.1}}},
  .attributes = {WALLS},
  .density = wave_density,
  .gamma = wave_gamma,
  .energy = wave_energy,
  .velocity = at_rest,
  .exact = wave_exact,
};
