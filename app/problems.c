/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The problems: what each starts from, one row a problem.
 *
 * The first eight are those of the Laghos mini-app, with its comparisons to the letter: they decide the value at
 * a node that lies on an interface.
 */
#include "problems.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { D1 = 1u << 1, D2 = 1u << 2, D3 = 1u << 3 };

// Walls on every face of a box, and walls on its lower faces only.
#define WALLS {1, 1, 2, 2, 3, 3}
#define LOWER_WALLS {1, 0, 2, 0, 3, 0}

static double square(double x)
{
  return x * x;
}

/* Specific internal energy of an ideal gas. */
static double ideal_energy(double density, double pressure, double gamma)
{
  return pressure / ((gamma - 1) * density);
}

/* -- Values that many problems share */

static double one(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 1;
}

static double nothing(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 0;
}

static double diatomic(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 1.4;
}

static double monatomic(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 5.0 / 3.0;
}

static void at_rest(const problem_setting *s, const double *x, double *v)
{
  (void)x;
  for (int c = 0; c < s->dim; ++c) v[c] = 0;
}

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

/* -- Shock tubes along x */

static double shock_tube_density(const problem_setting *s, const double *x)
{
  (void)s;
  return x[0] < 0.5 ? 1 : 0.1;
}

static double shock_tube_energy(const problem_setting *s, const double *x)
{
  return ideal_energy(shock_tube_density(s, x), x[0] < 0.5 ? 1 : 0.1, 1.4);
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

/* -- Gresho: a steady vortex with kinks at r = 0.2 and 0.4 (Liska and Wendroff, 2003) */

static double gresho_energy(const problem_setting *s, const double *x)
{
  const double r2 = square(x[0]) + square(x[1]), r = sqrt(r2);
  double pressure = 3 + 4 * log(2);
  if (r < 0.2)
    pressure = 5 + 12.5 * r2;
  else if (r < 0.4)
    pressure = 9 - 4 * log(0.2) + 12.5 * r2 - 20 * r + 4 * log(r);
  return ideal_energy(1, pressure, monatomic(s, x));
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

/* -- Noh: cold gas falls onto the origin with speed 1 and stops in a shock (Noh, 1987) */

static void noh_velocity(const problem_setting *s, const double *x, double *v)
{
  double r2 = 0;
  for (int c = 0; c < s->dim; ++c) r2 += square(x[c]);
  for (int c = 0; c < s->dim; ++c) v[c] = r2 > 0 ? -x[c] / sqrt(r2) : 0;
}

/* -- Noh2: uniform collapse without any force */

static void noh2_velocity(const problem_setting *s, const double *x, double *v)
{
  for (int c = 0; c < s->dim; ++c) v[c] = -x[c];
}

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

/* -- The table */

#define UNIT_BOX(n, times) {.zones = {n, n, n}, .refine = times, .upper = {1, 1, 1}}

const problem problems[] = {
  {.name = "taylor-green",
   .summary = "smooth vortex, steady in 2D by an energy source",
   .dims = D2 | D3,
   .dim = 2,
   .final = 0.75,
   .cfl = 0.5,
   .box = {[2] = UNIT_BOX(2, 3), [3] = UNIT_BOX(2, 1)},
   .attributes = WALLS,
   .steady = true,
   .source_dims = D2,
   .source = POINT_TAYLOR_GREEN,
   .density = one,
   .gamma = monatomic,
   .energy = taylor_green_energy,
   .velocity = taylor_green_velocity},
  {.name = "sedov",
   .summary = "blast wave from the origin",
   .dims = D1 | D2 | D3,
   .dim = 3,
   .final = 0.6,
   .cfl = 0.5,
   .box = {[1] = UNIT_BOX(2, 5), [2] = UNIT_BOX(2, 3), [3] = UNIT_BOX(2, 2)},
   .attributes = WALLS,
   .viscosity = true,
   .density = one,
   .gamma = diatomic,
   .velocity = at_rest},
  {.name = "shock-tube",
   .summary = "shock tube with density and pressure 1 and 0.1",
   .dims = D1 | D2 | D3,
   .dim = 1,
   .final = 0.2,
   .cfl = 0.5,
   .box = {[1] = UNIT_BOX(2, 5), [2] = UNIT_BOX(2, 3), [3] = UNIT_BOX(2, 2)},
   .attributes = WALLS,
   .viscosity = true,
   .density = shock_tube_density,
   .gamma = diatomic,
   .energy = shock_tube_energy,
   .velocity = at_rest},
  {.name = "triple-point",
   .summary = "two gases, three states: a shock rolls their interface up",
   .dims = D2 | D3,
   .dim = 2,
   .final = 3,
   .cfl = 0.5,
   .box = {[2] = {.zones = {7, 3}, .refine = 2, .upper = {7, 3}},
           [3] = {.zones = {7, 3, 3}, .refine = 1, .upper = {7, 3, 3}}},
   .attributes = WALLS,
   .viscosity = true,
   .density = triple_point_density,
   .gamma = triple_point_gamma,
   .energy = triple_point_energy,
   .velocity = at_rest},
  {.name = "gresho",
   .summary = "steady vortex with kinks",
   .dims = D2 | D3,
   .dim = 2,
   .final = 0.62831853,
   .cfl = 0.5,
   .box = {[2] = {.zones = {2, 2}, .refine = 3, .lower = {-0.5, -0.5}, .upper = {0.5, 0.5}},
           [3] = {.zones = {2, 2, 2}, .refine = 2, .lower = {-0.5, -0.5, -0.5}, .upper = {0.5, 0.5, 0.5}}},
   .attributes = WALLS,
   .steady = true,
   .density = one,
   .gamma = monatomic,
   .energy = gresho_energy,
   .velocity = gresho_velocity},
  {.name = "riemann-12",
   .summary = "2D Riemann problem, configuration 12: contacts and shocks",
   .dims = D2 | D3,
   .dim = 2,
   .final = 0.25,
   .cfl = 0.5,
   .box = {[2] = UNIT_BOX(2, 4), [3] = UNIT_BOX(2, 2)},
   .attributes = WALLS,
   .viscosity = true,
   .density = riemann_12_density,
   .gamma = diatomic,
   .energy = riemann_12_energy,
   .velocity = riemann_12_velocity},
  {.name = "riemann-6",
   .summary = "2D Riemann problem, configuration 6: four contacts",
   .dims = D2 | D3,
   .dim = 2,
   .final = 0.3,
   .cfl = 0.5,
   .box = {[2] = UNIT_BOX(2, 4), [3] = UNIT_BOX(2, 2)},
   .attributes = WALLS,
   .viscosity = true,
   .density = riemann_6_density,
   .gamma = diatomic,
   .energy = riemann_6_energy,
   .velocity = riemann_6_velocity},
  {.name = "rayleigh-taylor",
   .summary = "heavy gas on light, gravity downwards",
   .dims = D2 | D3,
   .dim = 2,
   .final = 4,
   .cfl = 0.5,
   .box = {[2] = {.zones = {1, 4}, .refine = 2, .lower = {0, -1}, .upper = {0.5, 1}},
           [3] = {.zones = {1, 4, 1}, .refine = 1, .lower = {0, -1, 0}, .upper = {0.5, 1, 0.5}}},
   .attributes = WALLS,
   .viscosity = true,
   .vorticity = true,
   .gravity = {0, -1, 0},
   .density = rayleigh_taylor_density,
   .gamma = monatomic,
   .energy = rayleigh_taylor_energy,
   .velocity = rayleigh_taylor_velocity},
  {.name = "sod",
   .summary = "the standard shock tube, exact solution known",
   .dims = D1 | D2 | D3,
   .dim = 1,
   .final = 0.2,
   .cfl = 0.5,
   .box = {[1] = {.zones = {100}, .upper = {1}},
           [2] = {.zones = {50, 5}, .upper = {1, 0.1}},
           [3] = {.zones = {50, 2, 2}, .upper = {1, 0.04, 0.04}}},
   .attributes = WALLS,
   .viscosity = true,
   .density = sod_density,
   .gamma = diatomic,
   .energy = sod_energy,
   .velocity = at_rest},
  {.name = "noh",
   .summary = "cold gas stops in a shock at the origin, exact solution known",
   .dims = D1 | D2 | D3,
   .dim = 2,
   .final = 0.6,
   .cfl = 0.5,
   .box = {[1] = {.zones = {100}, .upper = {1}}, [2] = UNIT_BOX(2, 4), [3] = UNIT_BOX(2, 2)},
   .attributes = LOWER_WALLS,
   .viscosity = true,
   .density = one,
   .gamma = monatomic,
   .energy = nothing,
   .velocity = noh_velocity},
  {.name = "noh2",
   .summary = "uniform collapse, smooth exact solution",
   .dims = D1 | D2 | D3,
   .dim = 2,
   .final = 0.5,
   .cfl = 0.5,
   .box = {[1] = UNIT_BOX(2, 2), [2] = UNIT_BOX(2, 2), [3] = UNIT_BOX(2, 1)},
   .attributes = WALLS,
   .driven = true,
   .density = one,
   .gamma = monatomic,
   .energy = one,
   .velocity = noh2_velocity},
  {.name = "saltzman",
   .summary = "piston-driven shock on a skewed mesh, exact solution known",
   .dims = D1 | D2 | D3,
   .dim = 2,
   .final = 0.6,
   .cfl = 0.5,
   .box = {[1] = {.zones = {100}, .upper = {1}},
           [2] = {.zones = {100, 10}, .upper = {1, 0.1}},
           [3] = {.zones = {40, 4, 4}, .upper = {1, 0.1, 0.1}}},
   .attributes = WALLS,
   .viscosity = true,
   .driven = true,
   .density = one,
   .gamma = monatomic,
   .energy = nothing,
   .velocity = saltzman_velocity,
   .map = saltzman_map},
  {.name = NULL},
};

const problem *problem_find(const char *name)
{
  for (const problem *p = problems; p->name; ++p)
    if (!strcmp(p->name, name)) return p;
  return NULL;
}
