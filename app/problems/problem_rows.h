/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For the families of problems: their rows, and what the rows are made of.
 */
#ifndef APP_PROBLEM_ROWS_H
#define APP_PROBLEM_ROWS_H

#include "app/problems/problems.h"

extern const problem problem_taylor_green, problem_sedov, problem_shock_tube, problem_triple_point, problem_gresho,
  problem_riemann_12, problem_riemann_6, problem_rayleigh_taylor, problem_sod, problem_noh, problem_noh2,
  problem_saltzman, problem_standing_wave;

static const double pi = 3.14159265358979323846;

enum { D1 = 1u << 1, D2 = 1u << 2, D3 = 1u << 3 };

// Walls on every face of a box, and walls on its lower faces only.
#define WALLS 1, 1, 2, 2, 3, 3
#define LOWER_WALLS 1, 0, 2, 0, 3, 0

static inline double square(double x)
{
  return x * x;
}

/* Specific internal energy of an ideal gas. */
static inline double ideal_energy(double density, double pressure, double gamma)
{
  return pressure / ((gamma - 1) * density);
}

#define UNIT_BOX(n, times) .zones = {n, n, n}, .refine = times, .upper = {1, 1, 1}

/* -- Values that many problems share */

static inline double one(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 1;
}

static inline double nothing(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 0;
}

static inline double diatomic(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 1.4;
}

static inline double monatomic(const problem_setting *s, const double *x)
{
  (void)s, (void)x;
  return 5.0 / 3.0;
}

static inline void at_rest(const problem_setting *s, const double *x, double *v)
{
  (void)x;
  for (int c = 0; c < s->dim; ++c) v[c] = 0;
}

#endif
