/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Sedov solution against the equations that define it: the jump relations, the Euler equations behind the shock,
 * the conservation of mass and energy, and published values.
 */
#include "app/problems/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const double gammas[] = {1.1, 1.4, 5.0 / 3.0, 1.9};
enum { NGAMMAS = sizeof gammas / sizeof *gammas };

static void near(double got, double want, double relative)
{
  if (!(fabs(got - want) <= relative * fabs(want))) fail_msg("%.17g is not %.17g to %g", got, want, relative);
}

static void alpha_is_the_published_one(void **unused)
{
  (void)unused;
  // In 1D for one side of the origin.  Published with quadrature of a few digits: Kamm and Timmes (2007) and others.
  const double alpha[4] = {0, 2 * 0.538527, 0.984029, 0.851058};
  const double energy[4] = {0, 2 * 0.0673185, 0.311357, 0.851072}, radius[4] = {0, 0.5, 0.75, 1};
  for (int d = 1; d <= 3; ++d) {
    exact_sedov s;
    assert_true(exact_sedov_create(&s, d, 1.4, 1));
    near(s.alpha, alpha[d], 5e-4);
    near(exact_sedov_radius(&s, energy[d], 1), radius[d], 2e-4);
  }
}

static void shock_satisfies_rankine_hugoniot(void **unused)
{
  (void)unused;
  for (int g = 0; g < NGAMMAS; ++g)
    for (int d = 1; d <= 3; ++d) {
      const double gamma = gammas[g], density = 0.7, energy = 1.3, t = 0.4;
      exact_sedov s;
      problem_state q, ahead;
      assert_true(exact_sedov_create(&s, d, gamma, density));
      const double r2 = exact_sedov_radius(&s, energy, t), speed = 2 * r2 / ((d + 2) * t);
      exact_sedov_state(&s, exact_sedov_radius(&s, energy, t), t, r2 * (1 - 1e-13), &q);
      exact_sedov_state(&s, exact_sedov_radius(&s, energy, t), t, r2 * (1 + 1e-13), &ahead);
      const double u = q.velocity[0];
      near(q.density * (speed - u), density * speed, 1e-10);
      near(q.pressure, density * speed * u, 1e-10);
      near(q.energy + u * u / 2, q.pressure * u / (density * speed), 1e-10);
      near(q.pressure, (gamma - 1) * q.density * q.energy, 1e-14);
      assert_true(ahead.density == density && ahead.pressure == 0 && ahead.velocity[0] == 0 && ahead.energy == 0);
    }
}

/* Integrates over the ball by the midpoint rule; the shock is the end of the interval. */
static void mass_and_energy_are_conserved(void **unused)
{
  (void)unused;
  const double pi = 3.14159265358979323846, surface[4] = {0, 2, 2 * pi, 4 * pi};
  enum { N = 4000 };
  for (int g = 0; g < NGAMMAS; ++g)
    for (int d = 1; d <= 3; ++d) {
      const double density = 2, energy = 3, t = 0.5;
      exact_sedov s;
      assert_true(exact_sedov_create(&s, d, gammas[g], density));
      const double r2 = exact_sedov_radius(&s, energy, t);
      double mass = 0, total = 0;
      for (int i = 0; i < N; ++i) {
        const double r = (i + 0.5) / N * r2, shell = surface[d] * pow(r, d - 1) * r2 / N;
        problem_state q;
        exact_sedov_state(&s, exact_sedov_radius(&s, energy, t), t, r, &q);
        mass += shell * q.density;
        total += shell * (q.density * q.velocity[0] * q.velocity[0] / 2 + q.pressure / (gammas[g] - 1));
      }
      const double tolerance = gammas[g] < 1.2 ? 2e-4 : 5e-6; // thin shells need more points than N
      near(mass, density * surface[d] * pow(r2, d) / d, tolerance);
      near(total, energy, tolerance);
    }
}

/* Central differences in t and r: the residual of each Euler equation against the size of its terms. */
static void interior_satisfies_euler(void **unused)
{
  (void)unused;
  for (int g = 0; g < NGAMMAS; ++g)
    for (int d = 1; d <= 3; ++d)
      for (double x = 0.3; x < 0.95; x += 0.1) {
        const double gamma = gammas[g], energy = 1, t = 1, h = 1e-5;
        exact_sedov s;
        assert_true(exact_sedov_create(&s, d, gamma, 1));
        const double r = x * exact_sedov_radius(&s, energy, t);
        problem_state q, rp, rm, tp, tm;
        exact_sedov_state(&s, exact_sedov_radius(&s, energy, t), t, r, &q);
        exact_sedov_state(&s, exact_sedov_radius(&s, energy, t), t, r + h, &rp);
        exact_sedov_state(&s, exact_sedov_radius(&s, energy, t), t, r - h, &rm);
        exact_sedov_state(&s, exact_sedov_radius(&s, energy, t + h), t + h, r, &tp);
        exact_sedov_state(&s, exact_sedov_radius(&s, energy, t - h), t - h, r, &tm);
        const double u = q.velocity[0], ur = (rp.velocity[0] - rm.velocity[0]) / (2 * h);
        const double ut = (tp.velocity[0] - tm.velocity[0]) / (2 * h);
        const double pr = (rp.pressure - rm.pressure) / (2 * h), divergence = ur + (d - 1) * u / r;
        // Relative changes along the motion: density falls as volume grows, entropy stays.
        const double density = (log(tp.density / tm.density) + u * log(rp.density / rm.density)) / (2 * h);
        const double pressure = (log(tp.pressure / tm.pressure) + u * log(rp.pressure / rm.pressure)) / (2 * h);
        assert_true(fabs(density + divergence) < 1e-6 * fabs(divergence));
        assert_true(fabs(pressure - gamma * density) < 1e-6 * fabs(gamma * density));
        // The pressure hardly varies near the centre, so its difference has round-off of 1e-14 p / h.
        assert_true(fabs(q.density * (ut + u * ur) + pr) < 1e-6 * fabs(pr) + 1e-8 * q.pressure);
      }
}

static void flow_is_self_similar(void **unused)
{
  (void)unused;
  for (int d = 1; d <= 3; ++d) {
    exact_sedov s;
    problem_state early, late;
    assert_true(exact_sedov_create(&s, d, 1.4, 1));
    const double r1 = exact_sedov_radius(&s, 1, 0.1), r2 = exact_sedov_radius(&s, 5, 2);
    for (double x = 0.05; x < 1; x += 0.1) {
      exact_sedov_state(&s, exact_sedov_radius(&s, 1, 0.1), 0.1, x * r1, &early);
      exact_sedov_state(&s, exact_sedov_radius(&s, 5, 2), 2, x * r2, &late);
      near(late.density, early.density, 1e-11);
      near(late.velocity[0] / (r2 / 2), early.velocity[0] / (r1 / 0.1), 1e-11);
      near(late.pressure / (r2 * r2 / 4), early.pressure / (r1 * r1 / 0.01), 1e-11);
    }
  }
}

static void centre_is_finite_where_it_can_be(void **unused)
{
  (void)unused;
  for (int d = 1; d <= 3; ++d) {
    exact_sedov s;
    problem_state centre, near_it;
    assert_true(exact_sedov_create(&s, d, 1.4, 1));
    exact_sedov_state(&s, exact_sedov_radius(&s, 1, 1), 1, 0, &centre);
    exact_sedov_state(&s, exact_sedov_radius(&s, 1, 1), 1, 1e-6, &near_it);
    assert_true(centre.density == 0 && centre.velocity[0] == 0 && isinf(centre.energy));
    near(near_it.pressure, centre.pressure, 1e-9);
    assert_true(near_it.density > 0 && near_it.density < 1e-6);
  }
}

static void other_regimes_are_refused(void **unused)
{
  (void)unused;
  exact_sedov s;
  assert_false(exact_sedov_create(&s, 3, 1.0, 1));
  assert_false(exact_sedov_create(&s, 3, 2.0, 1));
  assert_false(exact_sedov_create(&s, 3, 7.0, 1));
  assert_false(exact_sedov_create(&s, 3, NAN, 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(alpha_is_the_published_one),    cmocka_unit_test(shock_satisfies_rankine_hugoniot),
    cmocka_unit_test(mass_and_energy_are_conserved), cmocka_unit_test(interior_satisfies_euler),
    cmocka_unit_test(flow_is_self_similar),          cmocka_unit_test(centre_is_finite_where_it_can_be),
    cmocka_unit_test(other_regimes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
