/* SPDX-License-Identifier: BSD-3-Clause
 *
 * States, or gases, that touch along lines, and what becomes of these.
 */
#include <math.h>

#include "app/problems/problem_rows.h"

/* -- Triple point: two gases, three states; the shock rolls their interface up */

static double triple_point_density(const problem_setting *s, const double *x)
{
  bool light = x[0] > 1;
  if (s->dim == 2)
    light = light && x[1] > 1.5;
  else
    light = light && ((x[1] < 1.5 && x[2] < 1.5) || (x[1] > 1.5 && x[2] > 1.5));
  return light ? 0.125 : 1;
}

static double triple_point_gamma(const problem_setting *s, const double *x)
{
  (void)s;
  return x[0] > 1 && x[1] <= 1.5 ? 1.4 : 1.5;
}

static double triple_point_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(triple_point_density(s, x), x[0] > 1 ? 0.1 : 1, triple_point_gamma(s, x));
}

const problem problem_triple_point = {
  .name = "triple-point",
  .summary = "two gases, three states: a shock rolls their interface up",
  .dims = D2 | D3,
  .dim = 2,
  .final = 3,
  .cfl = 0.5,
  .box = {[2] = {.zones = {7, 3}, .refine = 2, .upper = {7, 3}},
          [3] = {.zones = {7, 3, 3}, .refine = 1, .upper = {7, 3, 3}}},
  .attributes = {WALLS},
  .viscosity = true,
  .density = triple_point_density,
  .gamma = triple_point_gamma,
  .energy = triple_point_energy,
  .velocity = at_rest,
};

/* -- Two-dimensional Riemann problems, configurations 12 and 6 of Kurganov and Tadmor (2002).  The velocities fall
 * to zero at the walls, so that the box can have walls. */

static double riemann_taper(const double *x)
{
  return pow(fmax(16 * x[0] * (1 - x[0]) * x[1] * (1 - x[1]), 0), 0.4);
}

static double riemann_12_density(const problem_setting *s, const double *x)
{
  (void)s;
  if (x[0] >= 0.5 && x[1] >= 0.5) return 0.5313;
  return x[0] < 0.5 && x[1] < 0.5 ? 0.8 : 1;
}

static double riemann_12_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(riemann_12_density(s, x), x[0] >= 0.5 && x[1] >= 0.5 ? 0.4 : 1, 1.4);
}

static void riemann_12_velocity(const problem_setting *s, const double *x, double *v)
{
  at_rest(s, x, v);
  if (x[0] < 0.5 && x[1] >= 0.5) v[0] = 0.7276 * riemann_taper(x);
  if (x[0] >= 0.5 && x[1] < 0.5) v[1] = 0.7276 * riemann_taper(x);
}

static double riemann_6_density(const problem_setting *s, const double *x)
{
  (void)s;
  if (x[0] < 0.5 && x[1] >= 0.5) return 2;
  return x[0] >= 0.5 && x[1] < 0.5 ? 3 : 1;
}

static double riemann_6_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(riemann_6_density(s, x), 1, 1.4);
}

static void riemann_6_velocity(const problem_setting *s, const double *x, double *v)
{
  at_rest(s, x, v);
  v[0] = (x[1] >= 0.5 ? 0.75 : -0.75) * riemann_taper(x);
  v[1] = (x[0] >= 0.5 ? -0.5 : 0.5) * riemann_taper(x);
}

const problem problem_riemann_12 = {
  .name = "riemann-12",
  .summary = "2D Riemann problem, configuration 12: contacts and shocks",
  .dims = D2 | D3,
  .dim = 2,
  .final = 0.25,
  .cfl = 0.5,
  .box = {[2] = {UNIT_BOX(2, 4)}, [3] = {UNIT_BOX(2, 2)}},
  .attributes = {WALLS},
  .viscosity = true,
  .density = riemann_12_density,
  .gamma = diatomic,
  .energy = riemann_12_energy,
  .velocity = riemann_12_velocity,
};

const problem problem_riemann_6 = {
  .name = "riemann-6",
  .summary = "2D Riemann problem, configuration 6: four contacts",
  .dims = D2 | D3,
  .dim = 2,
  .final = 0.3,
  .cfl = 0.5,
  .box = {[2] = {UNIT_BOX(2, 3)}, [3] = {UNIT_BOX(2, 2)}},
  .attributes = {WALLS},
  .viscosity = true,
  .density = riemann_6_density,
  .gamma = diatomic,
  .energy = riemann_6_energy,
  .velocity = riemann_6_velocity,
};

/* -- Rayleigh-Taylor: heavy gas on light, in hydrostatic balance but for a small push at the interface */

static double rayleigh_taylor_density(const problem_setting *s, const double *x)
{
  (void)s;
  return x[1] >= 0 ? 2 : 1;
}

static double rayleigh_taylor_energy(const problem_setting *s, const double *x)
{
  const double density = rayleigh_taylor_density(s, x);
  return ideal_energy(density, 6 - density * x[1], monatomic(s, x));
}

static void rayleigh_taylor_velocity(const problem_setting *s, const double *x, double *v)
{
  at_rest(s, x, v);
  v[1] = 0.02 * exp(-2 * pi * square(x[1])) * cos(2 * pi * x[0]);
}

const problem problem_rayleigh_taylor = {
  .name = "rayleigh-taylor",
  .summary = "heavy gas on light, gravity downwards",
  .dims = D2 | D3,
  .dim = 2,
  .final = 4,
  .cfl = 0.5,
  .box = {[2] = {.zones = {1, 4}, .refine = 2, .lower = {0, -1}, .upper = {0.5, 1}},
          [3] = {.zones = {1, 4, 1}, .refine = 1, .lower = {0, -1, 0}, .upper = {0.5, 1, 0.5}}},
  .attributes = {WALLS},
  .viscosity = true,
  .vorticity = true,
  .gravity = {0, -1, 0},
  .density = rayleigh_taylor_density,
  .gamma = monatomic,
  .energy = rayleigh_taylor_energy,
  .velocity = rayleigh_taylor_velocity,
};
