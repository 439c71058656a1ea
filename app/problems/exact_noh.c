/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two collapses.  Noh: W. F. Noh, Errors for calculations of strong shocks using an artificial viscosity and an
 * artificial heat flux, J. Comput. Phys. 72 (1987).  Noh2: the uniform collapse, from the conservation of mass and
 * entropy.
 */
#include "app/problems/exact.h"

#include <math.h>

void exact_noh_state(int dim, double gamma, double t, double r, problem_state *state)
{
  const double shock = (gamma - 1) / 2 * t; // radius: the gas behind it is at rest
  *state = (problem_state){0};
  if (r < shock) {
    state->density = pow((gamma + 1) / (gamma - 1), dim);
    state->energy = 0.5; // all kinetic energy has become heat
    state->pressure = (gamma - 1) * state->density * state->energy;
  } else {
    state->density = r > 0 ? pow(1 + t / r, dim - 1) : 1;
    state->velocity[0] = r > 0 ? -1 : 0;
  }
}

void exact_noh2_state(int dim, double gamma, double t, const double *x, problem_state *state)
{
  const double shrink = 1 - t; // every length, relative to the start
  *state = (problem_state){.density = pow(shrink, -dim), .energy = pow(shrink, -dim * (gamma - 1))};
  state->pressure = (gamma - 1) * state->density * state->energy;
  for (int c = 0; c < dim; ++c) state->velocity[c] = -x[c] / shrink;
}
