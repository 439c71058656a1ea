/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact solutions, for a gas with p = (gamma - 1) rho e.  Pure functions of what they are given.
 */
#ifndef APP_EXACT_H
#define APP_EXACT_H

#include "app/problems/problems.h" /* problem_state */

/* -- Sedov: a point explosion of given energy in a cold gas of given density, in d dimensions (d = 1: plane, 2:
 * cylindrical, 3: spherical).  exact_sedov.c */

enum { EXACT_SEDOV_PIECES = 32, EXACT_SEDOV_TERMS = 14, EXACT_SEDOV_PROFILES = 3 };

typedef struct exact_sedov {
  int dim;                            /* 0: not made yet */
  double gamma, density;              /* of the gas ahead */
  double alpha;                       /* energy = alpha density r2^(d+2) / t^2, with r2 the radius of the shock */
  double scale, power;                /* of the profiles: see exact_sedov.c */
  double end[EXACT_SEDOV_PIECES + 1]; /* of the pieces */
  /* Chebyshev coefficients of the profiles, piece by piece of ln (r / r2) */
  double series[EXACT_SEDOV_PIECES][EXACT_SEDOV_TERMS][EXACT_SEDOV_PROFILES];
} exact_sedov;

/* False where this solution is not the known one: gamma <= 1, gamma near or above 2, or a hollow core.  Takes a
 * millisecond. */
bool exact_sedov_create(exact_sedov *sedov, int dim, double gamma, double density);

/* The radius of the shock.  energy is that of the whole space, both sides of the origin in 1D. */
double exact_sedov_radius(const exact_sedov *sedov, double energy, double t);

/* The state at time t > 0 and radius r >= 0, with the shock at the radius r2; velocity[0] is the radial one.  At r = 0
 * the density is zero and the specific energy infinite. */
void exact_sedov_state(const exact_sedov *sedov, double r2, double t, double r, problem_state *state);

/* -- The Riemann problem.  exact_riemann.c */

typedef struct exact_side {
  double density, velocity, pressure;
} exact_side;

typedef struct exact_riemann {
  exact_side left, right;
  double gamma;
  double pressure, velocity; /* between the two waves */
} exact_riemann;

/* False when a vacuum opens between the two sides. */
bool exact_riemann_create(exact_riemann *riemann, exact_side left, exact_side right, double gamma);

/* The state on the ray x / t = speed; velocity[0] is the normal one. */
void exact_riemann_state(const exact_riemann *riemann, double speed, problem_state *state);

/* The speeds of the outermost signals. */
void exact_riemann_front(const exact_riemann *riemann, double *left, double *right);

/* -- Closed forms: exact_noh.c, exact_piston.c */

/* Cold gas of density 1 falling in with speed 1; velocity[0] is the radial one. */
void exact_noh_state(int dim, double gamma, double t, double r, problem_state *state);

/* Uniform collapse of gas of density 1 and specific energy 1, velocity -x, in [0,1]^dim; t < 1. */
void exact_noh2_state(int dim, double gamma, double t, const double *x, problem_state *state);

/* A piston moves with speed 1 from x = 0 into cold gas of density 1 that ends at a wall at x = 1.  False once the
 * shock that the wall reflects has come back to the piston, and outside the gas. */
bool exact_piston_state(double gamma, double t, double x, problem_state *state);

/* -- A standing wave: exact_wave.c */

/* The density at the start, in 0 <= x <= 1. */
double exact_wave_start(double x);

/* The state at time t; velocity[0] is along x.  False once the wave has broken, and outside the gas. */
bool exact_wave_state(double t, double x, problem_state *state);

#endif
