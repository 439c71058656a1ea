/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The piston of the Saltzman problem in one dimension: the Rankine-Hugoniot relations of a strong shock, then those of
 * its reflection at the far wall.
 */
#include "app/problems/exact.h"

bool exact_piston_state(double gamma, double t, double x, problem_state *state)
{
  if (x < t - 1e-12 || x > 1 + 1e-12) return false;
  const double speed = (gamma + 1) / 2, density = (gamma + 1) / (gamma - 1), pressure = speed;
  const double arrival = 1 / speed; // at the wall
  *state = (problem_state){.density = 1};
  if (t <= arrival && x > speed * t) return true;
  // The reflected shock runs at speed `back` into gas that comes with speed 1 and stops it.
  // Mass: density (1 + back) = stopped back.  Momentum and the shock adiabat give back = gamma - 1.
  const double back = gamma - 1, stopped = density * (1 + back) / back;
  const double stopped_pressure = pressure + density * (1 + back);
  const double reflected = 1 - back * (t - arrival);
  if (t > arrival && reflected < t) return false;
  const bool between = t > arrival && x > reflected;
  state->density = between ? stopped : density;
  state->pressure = between ? stopped_pressure : pressure;
  state->velocity[0] = between ? 0 : 1;
  state->energy = state->pressure / ((gamma - 1) * state->density);
  return true;
}
