/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A standing sound wave of finite amplitude between walls at x = 0 and 1.  In a gas with gamma = 3 of uniform entropy,
 * here p = rho^3 / 3 with sound speed c = rho, the Riemann invariants u + c and u - c are also the speeds at which they
 * travel, so each fulfils w_t + w w_x = 0 on its own.  A wall turns one into the other, (u - c)(x) = -(u + c)(-x),
 * which leaves one wave w = u + c on a circle of length 2: w(x, t) = w0(x - w t).
 */
#include "app/problems/exact.h"

#include <math.h>

static const double pi = 3.14159265358979323846, amplitude = 0.2;

double exact_wave_start(double x)
{
  return 1 + amplitude * cos(pi * x);
}

/* w = w0(x - w t), by Newton's method: before the wave breaks the difference of the two sides rises everywhere. */
static double wave(double t, double x)
{
  double w = exact_wave_start(x);
  for (int i = 0; i < 50; ++i) {
    const double miss = w - exact_wave_start(x - w * t);
    const double slope = 1 - t * amplitude * pi * sin(pi * (x - w * t));
    w -= miss / slope;
    if (fabs(miss) < 1e-16) break;
  }
  return w;
}

bool exact_wave_state(double t, double x, problem_state *state)
{
  if (t < 0 || t * amplitude * pi >= 0.9 || x < -1e-12 || x > 1 + 1e-12) return false;
  const double right = wave(t, x), left = -wave(t, -x);
  *state = (problem_state){.density = (right - left) / 2, .velocity = {(right + left) / 2}};
  state->pressure = state->density * state->density * state->density / 3;
  state->energy = state->density * state->density / 6;
  return true;
}
