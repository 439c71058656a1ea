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

#include "exact.h"

static const double pi = 3.14159265358979323846;

enum { D1 = 1u << 1, D2 = 1u << 2, D3 = 1u << 3 };

// Walls on every face of a box, and walls on its lower faces only.
#define WALLS 1, 1, 2, 2, 3, 3
#define LOWER_WALLS 1, 0, 2, 0, 3, 0

static double square(double x)
{
  return x * x;
}

/* Specific internal energy of an ideal gas. */
static double ideal_energy(double density, double pressure, double gamma)
{
  return pressure / ((gamma - 1) * density);
}

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

static bool taylor_green_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  (void)t;
  if (s->dim != 2) return false; // no source keeps the vortex in 3D
  *state = (problem_state){1, taylor_green_pressure(s, x), taylor_green_energy(s, x), {0}};
  taylor_green_velocity(s, x, state->velocity);
  return true;
}

/* -- Sedov: all energy starts at the origin.  Exact until the shock reaches the walls of the unit box. */

static bool sedov_exact(const problem_setting *s, double t, const double *x, problem_state *state)
{
  // As exact_sedov_create computes it for this gas; that takes longer than all the rest.
  static const double alpha[4] = {0, 1.0774855847349942, 0.98407401687984741, 0.85107185475782177};
  const exact_sedov sedov = {.dim = s->dim, .gamma = diatomic(s, x), .density = 1, .alpha = alpha[s->dim]};
  if (t <= 0) return false;
  if (exact_sedov_radius(&sedov, s->blast_energy, t) > 1) return false;
  exact_sedov_state(&sedov, s->blast_energy, t, radius(s, x), state);
  point_outwards(s, x, state->velocity);
  return true;
}

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

/* -- The table */

#define UNIT_BOX(n, times) .zones = {n, n, n}, .refine = times, .upper = {1, 1, 1}

const problem problems[] = {
  {.name = "taylor-green",
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
   .density = one,
   .gamma = monatomic,
   .energy = taylor_green_energy,
   .velocity = taylor_green_velocity,
   .exact = taylor_green_exact},
  {.name = "sedov",
   .summary = "blast wave from the origin",
   .dims = D1 | D2 | D3,
   .dim = 3,
   .final = 0.6,
   .cfl = 0.5,
   .box = {[1] = {UNIT_BOX(2, 5)}, [2] = {UNIT_BOX(2, 3)}, [3] = {UNIT_BOX(2, 2)}},
   .attributes = {WALLS},
   .viscosity = true,
   .density = one,
   .gamma = diatomic,
   .velocity = at_rest,
   .exact = sedov_exact},
  {.name = "shock-tube",
   .summary = "shock tube with density and pressure 1 and 0.1",
   .dims = D1 | D2 | D3,
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
   .exact = shock_tube_exact},
  {.name = "triple-point",
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
   .velocity = at_rest},
  {.name = "gresho",
   .summary = "steady vortex with kinks",
   .dims = D2 | D3,
   .dim = 2,
   .final = 0.62831853,
   .cfl = 0.5,
   .box = {[2] = {.zones = {2, 2}, .refine = 3, .lower = {-0.5, -0.5}, .upper = {0.5, 0.5}},
           [3] = {.zones = {2, 2, 2}, .refine = 2, .lower = {-0.5, -0.5, -0.5}, .upper = {0.5, 0.5, 0.5}}},
   .attributes = {WALLS},
   .steady = true,
   .density = one,
   .gamma = monatomic,
   .energy = gresho_energy,
   .velocity = gresho_velocity,
   .exact = gresho_exact},
  {.name = "riemann-12",
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
   .velocity = riemann_12_velocity},
  {.name = "riemann-6",
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
   .velocity = riemann_6_velocity},
  {.name = "rayleigh-taylor",
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
   .attributes = {WALLS},
   .viscosity = true,
   .density = sod_density,
   .gamma = diatomic,
   .energy = sod_energy,
   .velocity = at_rest,
   .exact = sod_exact},
  {.name = "noh",
   .summary = "cold gas stops in a shock at the origin, exact solution known",
   .dims = D1 | D2 | D3,
   .dim = 2,
   .final = 0.6,
   .cfl = 0.5,
   .box = {[1] = {.zones = {100}, .upper = {1}}, [2] = {UNIT_BOX(2, 4)}, [3] = {UNIT_BOX(2, 2)}},
   .attributes = {LOWER_WALLS},
   .viscosity = true,
   .density = one,
   .gamma = monatomic,
   .energy = nothing,
   .velocity = noh_velocity,
   .exact = noh_exact},
  {.name = "noh2",
   .summary = "uniform collapse, smooth exact solution",
   .dims = D1 | D2 | D3,
   .dim = 2,
   .final = 0.5,
   .cfl = 0.5,
   .box = {[1] = {UNIT_BOX(2, 2)}, [2] = {UNIT_BOX(2, 2)}, [3] = {UNIT_BOX(2, 1)}},
   .attributes = {WALLS},
   .driven = true,
   .density = one,
   .gamma = monatomic,
   .energy = one,
   .velocity = noh2_velocity,
   .exact = noh2_exact},
  {.name = "saltzman",
   .summary = "piston-driven shock on a skewed mesh, exact solution known",
   .dims = D1 | D2 | D3,
   .dim = 2,
   .final = 0.6,
   .cfl = 0.5,
   .box = {[1] = {.zones = {100}, .upper = {1}},
           [2] = {.zones = {100, 10}, .upper = {1, 0.1}},
           [3] = {.zones = {20, 2, 2}, .upper = {1, 0.1, 0.1}}},
   .attributes = {WALLS},
   .viscosity = true,
   .driven = true,
   .density = one,
   .gamma = monatomic,
   .energy = nothing,
   .velocity = saltzman_velocity,
   .map = saltzman_map,
   .exact = saltzman_exact},
  {.name = "standing-wave",
   .summary = "smooth sound wave between two walls, exact solution known",
   .dims = D1 | D2 | D3,
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
   .exact = wave_exact},
  {.name = NULL},
};

const problem *problem_find(const char *name)
{
  for (const problem *p = problems; p->name; ++p)
    if (!strcmp(p->name, name)) return p;
  return NULL;
}
