/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Sedov blast wave, after L. I. Sedov, Similarity and Dimensional Methods in Mechanics (1959), in the notation of
 * J. R. Kamm and F. X. Timmes, On Efficient Generation of Numerically Robust Sedov Solutions, LA-UR-07-2849 (2007): the
 * standard case in a gas of uniform density.
 *
 * The flow is a function of lambda = r / r2 alone, given with the parameter V in [V0, V2] (origin to shock) as products
 * of powers of x1..x4, which are linear in V.  Here V = V0 + (V2 - V0) s^m with s in [0, 1]: x2, which vanishes at the
 * origin, is then found without cancellation, and with m = 1 / (-d alpha2) lambda^d goes like s there, so that Gauss
 * rules converge fast.
 *
 * A table makes a state as cheap as a logarithm and an exponential.  Corrections to the asymptotics at the origin are
 * powers of y = exp(scale ln lambda), scale = d m, so that f / lambda, g / lambda^power (power = alpha3 scale) and h
 * are analytic in y with limits at 0.  Over ln lambda they are expanded in Chebyshev polynomials, piece by piece,
 * down to y = exp(-40), where they are constant to rounding.
 */
#include "app/problems/exact.h"

#include <math.h>

typedef struct similarity {
  double d, gamma;
  double v0, v2;                 // V at the origin and at the shock
  double b, c, dd, e;            // b, c, d, e of Kamm and Timmes, equations 33
  double a0, a1, a2, a3, a4, a5; // alpha_0 .. alpha_5, equations 42-47
  double m;
} similarity;

/* The profiles behind the shock: r / r2, then velocity, density and pressure over their values at the shock. */
typedef struct profile {
  double lambda, f, g, h;
  double slope; // d(ln lambda) / ds, times s
} profile;

static similarity similarity_of(int dim, double gamma)
{
  const double d = dim, d2 = d + 2;
  similarity k = {.d = d, .gamma = gamma};
  k.v0 = 2 / (d2 * gamma);
  k.v2 = 4 / (d2 * (gamma + 1));
  k.b = (gamma + 1) / (gamma - 1);
  k.c = d2 * gamma / 2;
  k.dd = d2 * (gamma + 1) / (d2 * (gamma + 1) - 2 * (2 + d * (gamma - 1)));
  k.e = (2 + d * (gamma - 1)) / 2;
  k.a0 = 2 / d2;
  k.a2 = -(gamma - 1) / (2 * (gamma - 1) + d);
  k.a1 = d2 * gamma / (2 + d * (gamma - 1)) * (2 * d * (2 - gamma) / (gamma * d2 * d2) - k.a2);
  k.a3 = d / (2 * (gamma - 1) + d);
  k.a4 = k.a1 * d2 / (2 - gamma);
  k.a5 = -2 / (2 - gamma);
  k.m = 1 / (-d * k.a2);
  return k;
}

static profile profile_at(const similarity *k, double s)
{
  const double rise = (k->v2 - k->v0) * pow(s, k->m), v = k->v0 + rise;
  const double x1 = (k->d + 2) * (k->gamma + 1) / 4 * v;
  const double x2 = k->b * k->c * rise; // b (c V - 1), and c V0 = 1
  const double x3 = k->dd * (1 - k->e * v);
  const double x4 = k->b * (1 - k->c * v / k->gamma);
  profile p;
  p.lambda = pow(x1, -k->a0) * pow(x2, -k->a2) * pow(x3, -k->a1);
  p.f = x1 * p.lambda;
  p.g = pow(x2, k->a3) * pow(x3, k->a4) * pow(x4, k->a5);
  p.h = pow(x1, k->a0 * k->d) * pow(x3, k->a4 - 2 * k->a1) * pow(x4, 1 + k->a5);
  p.slope = k->m * (-k->a0 * rise / v - k->a2 + k->a1 * k->e * rise / (1 - k->e * v));
  return p;
}

/* Kinetic and internal energy: the integrals of g f^2 lambda^(d-1) and of h lambda^(d-1) over lambda in [0, 1]. */
static void energy_integrals(const similarity *k, double *kinetic, double *internal)
{
  // Half of the Gauss-Legendre rule of 8 points on [-1, 1].
  static const double point[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  enum { PANELS = 8 };
  *kinetic = *internal = 0;
  for (int i = 0; i < PANELS; ++i)
    for (int j = 0; j < 8; ++j) {
      const double s = (i + 0.5 + (j % 2 ? 0.5 : -0.5) * point[j / 2]) / PANELS;
      const profile p = profile_at(k, s);
      const double w = weight[j / 2] / (2 * PANELS) * pow(p.lambda, k->d) * p.slope / s;
      *kinetic += w * p.g * p.f * p.f;
      *internal += w * p.h;
    }
}

/* The s with lambda(s) = lambda, by Newton's method on ln lambda over ln s, kept in a bracket.  lambda rises with s. */
static double parameter_of(const similarity *k, double lambda)
{
  double low = 0, high = 1, s = pow(lambda, k->d);
  for (int i = 0; i < 100; ++i) {
    const profile p = profile_at(k, s);
    const double miss = log(lambda / p.lambda);
    if (fabs(miss) < 4e-16) break;
    if (miss > 0)
      low = s;
    else
      high = s;
    double next = s * exp(miss / p.slope);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == s) break;
    s = next;
  }
  return s;
}

/* Pieces of the table end at depths -scale ln lambda = FINE (exp(GROWTH i) - 1), the last at 40: they are narrow at the
 * shock, beyond which the profiles of a gas with small gamma - 1 have a singularity. */
static const double FINE = 0.02, GROWTH = 0.23756;

/* f / lambda, g / lambda^power and h at a point of the table; x = ln lambda. */
static void scaled_profiles(const similarity *k, const exact_sedov *sedov, double x, double value[EXACT_SEDOV_PROFILES])
{
  const profile p = profile_at(k, parameter_of(k, exp(x)));
  value[0] = p.f / p.lambda;
  value[1] = p.g * exp(-sedov->power * x);
  value[2] = p.h;
}

/* Coefficients from values at the Chebyshev points of each piece, by the discrete cosine transform. */
static void tabulate(const similarity *k, exact_sedov *sedov)
{
  enum { N = EXACT_SEDOV_TERMS };
  const double pi = 3.14159265358979323846;
  sedov->scale = k->d * k->m;
  sedov->power = k->a3 * sedov->scale;
  for (int i = 0; i <= EXACT_SEDOV_PIECES; i++) sedov->end[i] = FINE * expm1(GROWTH * i);
  for (int piece = 0; piece < EXACT_SEDOV_PIECES; piece++) {
    double value[N][EXACT_SEDOV_PROFILES];
    const double near = sedov->end[piece], far = sedov->end[piece + 1];
    for (int i = 0; i < N; i++) {
      const double y = cos(pi * (i + 0.5) / N);
      scaled_profiles(k, sedov, -(near + (far - near) * (1 - y) / 2) / sedov->scale, value[i]);
    }
    for (int term = 0; term < N; term++)
      for (int f = 0; f < EXACT_SEDOV_PROFILES; f++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += value[i][f] * cos(pi * term * (i + 0.5) / N);
        sedov->series[piece][term][f] = sum * (term == 0 ? 1.0 : 2.0) / N;
      }
  }
}

/* The scaled profiles at x = ln lambda < 0, by Clenshaw's recurrence. */
static void look_up(const exact_sedov *sedov, double x, double value[EXACT_SEDOV_PROFILES])
{
  const double depth = fmin(-x * sedov->scale, sedov->end[EXACT_SEDOV_PIECES]);
  int piece = (int)(log(1 + depth / FINE) / GROWTH);
  if (piece > EXACT_SEDOV_PIECES - 1) piece = EXACT_SEDOV_PIECES - 1;
  const double near = sedov->end[piece], y = 1 - 2 * (depth - near) / (sedov->end[piece + 1] - near);
  double b1[EXACT_SEDOV_PROFILES] = {0}, b2[EXACT_SEDOV_PROFILES] = {0};
  for (int term = EXACT_SEDOV_TERMS - 1; term > 0; term--)
    for (int f = 0; f < EXACT_SEDOV_PROFILES; f++) {
      const double b0 = sedov->series[piece][term][f] + 2 * y * b1[f] - b2[f];
      b2[f] = b1[f];
      b1[f] = b0;
    }
  for (int f = 0; f < EXACT_SEDOV_PROFILES; f++) value[f] = sedov->series[piece][0][f] + y * b1[f] - b2[f];
}

bool exact_sedov_create(exact_sedov *sedov, int dim, double gamma, double density)
{
  if (!(gamma > 1 && gamma < 1.99)) return false; // alpha4 and alpha5 blow up at gamma = 2
  if (!(2 / (gamma + 1) < (dim + 2) / (dim * (gamma - 1) + 2.0))) return false; // V2 < V*: no hollow core
  const similarity k = similarity_of(dim, gamma);
  const double pi = 3.14159265358979323846, surface[4] = {0, 2, 2 * pi, 4 * pi};
  double kinetic, internal;
  energy_integrals(&k, &kinetic, &internal);
  // The shock moves with D = 2 r2 / ((d+2) t), and behind it rho2 = b rho1, v2 = 2 D / (gamma+1), p2 = rho1 D v2.
  const double speed2 = 4.0 / ((dim + 2) * (dim + 2));
  const double v2 = 2 / (gamma + 1);
  *sedov = (exact_sedov){.dim = dim, .gamma = gamma, .density = density};
  sedov->alpha = surface[dim] * speed2 * (0.5 * k.b * v2 * v2 * kinetic + v2 / (gamma - 1) * internal);
  tabulate(&k, sedov);
  return true;
}

double exact_sedov_radius(const exact_sedov *sedov, double energy, double t)
{
  return pow(energy * t * t / (sedov->alpha * sedov->density), 1.0 / (sedov->dim + 2));
}

void exact_sedov_state(const exact_sedov *sedov, double r2, double t, double r, problem_state *state)
{
  const double gamma = sedov->gamma, b = (gamma + 1) / (gamma - 1);
  *state = (problem_state){.density = sedov->density};
  if (r > r2) return;
  const double tiny = 1e-60; // nearer to the origin than this nothing changes but the density, towards zero
  const bool centre = r / r2 <= tiny;
  const double x = log(centre ? tiny : r / r2), speed = 2 * r2 / ((sedov->dim + 2) * t), v2 = 2 * speed / (gamma + 1);
  double value[EXACT_SEDOV_PROFILES];
  look_up(sedov, x, value);
  state->density = centre ? 0 : sedov->density * b * value[1] * exp(sedov->power * x);
  state->velocity[0] = v2 * value[0] * (r / r2);
  state->pressure = sedov->density * speed * v2 * value[2];
  state->energy = state->density > 0 ? state->pressure / ((gamma - 1) * state->density) : INFINITY;
}
