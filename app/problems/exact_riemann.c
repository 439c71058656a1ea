/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The exact Riemann solver of E. F. Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 4: two
 * waves, each a shock or a rarefaction, and a contact between them.
 */
#include "app/problems/exact.h"

#include <math.h>

static double sound(const exact_side *side, double gamma)
{
  return sqrt(gamma * side->pressure / side->density);
}

/* Change of velocity across the wave between this side and pressure p (Toro's f_K), and its derivative. */
static double velocity_jump(const exact_side *side, double gamma, double p, double *slope)
{
  if (p > side->pressure) { // shock
    const double a = 2 / ((gamma + 1) * side->density), b = (gamma - 1) / (gamma + 1) * side->pressure;
    const double root = sqrt(a / (p + b));
    *slope = root * (1 - (p - side->pressure) / (2 * (p + b)));
    return (p - side->pressure) * root;
  }
  const double c = sound(side, gamma), ratio = p / side->pressure; // rarefaction
  *slope = pow(ratio, -(gamma + 1) / (2 * gamma)) / (side->density * c);
  return 2 * c / (gamma - 1) * (pow(ratio, (gamma - 1) / (2 * gamma)) - 1);
}

/* The pressure that two rarefactions would give, exact if they are ones: above or at the true one, hence a start from
 * which a Newton iteration on the concave function falls below it once and then rises to it. */
static double two_rarefactions(const exact_riemann *r)
{
  const double g = r->gamma, z = (g - 1) / (2 * g);
  const double cl = sound(&r->left, g), cr = sound(&r->right, g);
  const double top = cl + cr - (g - 1) / 2 * (r->right.velocity - r->left.velocity);
  return pow(top / (cl / pow(r->left.pressure, z) + cr / pow(r->right.pressure, z)), 1 / z);
}

bool exact_riemann_create(exact_riemann *r, exact_side left, exact_side right, double gamma)
{
  *r = (exact_riemann){.left = left, .right = right, .gamma = gamma};
  const double part = right.velocity - left.velocity;
  if (2 / (gamma - 1) * (sound(&left, gamma) + sound(&right, gamma)) <= part) return false;
  double p = two_rarefactions(r), slope_left, slope_right, jump_left = 0, jump_right = 0;
  for (int i = 0; i < 100; ++i) {
    jump_left = velocity_jump(&left, gamma, p, &slope_left);
    jump_right = velocity_jump(&right, gamma, p, &slope_right);
    const double next = p - (jump_left + jump_right + part) / (slope_left + slope_right);
    const double change = fabs(next - p);
    p = next > 0 ? next : p / 2;
    if (change <= 1e-15 * p) break;
  }
  r->pressure = p;
  r->velocity = (left.velocity + right.velocity + velocity_jump(&right, gamma, p, &slope_right) -
                 velocity_jump(&left, gamma, p, &slope_left)) /
                2;
  return true;
}

/* The mirror image of a left side: the same formulas serve both. */
static exact_side mirrored(exact_side side)
{
  side.velocity = -side.velocity;
  return side;
}

/* Speed of the fastest signal into a left side. */
static double front(const exact_side *side, double gamma, double p)
{
  const double c = sound(side, gamma), ratio = p / side->pressure;
  if (ratio <= 1) return side->velocity - c;
  return side->velocity - c * sqrt((gamma + 1) / (2 * gamma) * ratio + (gamma - 1) / (2 * gamma));
}

/* The state on a ray left of the contact, which moves with u at pressure p. */
static exact_side sample(const exact_side *side, double gamma, double p, double u, double speed)
{
  const double c = sound(side, gamma), ratio = p / side->pressure, q = (gamma - 1) / (gamma + 1);
  if (speed <= front(side, gamma, p)) return *side;
  exact_side behind = {.velocity = u, .pressure = p};
  if (ratio > 1) {
    behind.density = side->density * (ratio + q) / (q * ratio + 1);
    return behind;
  }
  behind.density = side->density * pow(ratio, 1 / gamma);
  if (speed >= u - sound(&behind, gamma)) return behind;
  const double thin = 2 / (gamma + 1) + q / c * (side->velocity - speed); // inside the fan: local sound speed over c
  return (exact_side){.density = side->density * pow(thin, 2 / (gamma - 1)),
                      .velocity = 2 / (gamma + 1) * (c + (gamma - 1) / 2 * side->velocity + speed),
                      .pressure = side->pressure * pow(thin, 2 * gamma / (gamma - 1))};
}

void exact_riemann_state(const exact_riemann *r, double speed, problem_state *state)
{
  exact_side at;
  if (speed <= r->velocity) {
    at = sample(&r->left, r->gamma, r->pressure, r->velocity, speed);
  } else {
    const exact_side mirror = mirrored(r->right);
    at = mirrored(sample(&mirror, r->gamma, r->pressure, -r->velocity, -speed));
  }
  *state = (problem_state){.density = at.density,
                           .pressure = at.pressure,
                           .energy = at.pressure / ((r->gamma - 1) * at.density),
                           .velocity = {at.velocity}};
}

void exact_riemann_front(const exact_riemann *r, double *left, double *right)
{
  const exact_side mirror = mirrored(r->right);
  *left = front(&r->left, r->gamma, r->pressure);
  *right = -front(&mirror, r->gamma, r->pressure);
}
