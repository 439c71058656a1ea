/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The piston before and after the reflection: known values, mass, and the work that the piston has done.
 */
#include "app/problems/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void expect(double t, double x, double density, double pressure, double velocity)
{
  problem_state q;
  assert_true(exact_piston_state(5.0 / 3.0, t, x, &q));
  assert_true(fabs(q.density - density) < 1e-12 && fabs(q.pressure - pressure) < 1e-12);
  assert_true(q.velocity[0] == velocity);
}

static void monatomic_values(void **unused)
{
  (void)unused;
  expect(0.6, 0.799, 4, 4.0 / 3, 1); // the shock is at 0.8
  expect(0.6, 0.801, 1, 0, 0);
  expect(0.825, 0.949, 4, 4.0 / 3, 1); // the reflected shock left the wall at 0.75, with 2/3
  expect(0.825, 0.951, 10, 8, 0);
}

static void conserves_mass_and_energy(void **unused)
{
  (void)unused;
  const double gammas[] = {1.2, 1.4, 5.0 / 3.0}, times[] = {0.1, 0.5, 0.74};
  enum { N = 20000 };
  for (int g = 0; g < 3; ++g) {
    const double arrival = 2 / (gammas[g] + 1), meet = (1 + (gammas[g] - 1) * arrival) / gammas[g];
    for (int k = 0; k < 6; ++k) {
      // Three times before the shock arrives at the wall, three until its reflection is back at the piston.
      const double t = k < 3 ? times[k] * arrival : arrival + times[k - 3] * (meet - arrival);
      double mass = 0, momentum = 0, energy = 0;
      for (int i = 0; i < N; ++i) {
        const double width = (1 - t) / N, x = t + (i + 0.5) * width;
        problem_state q;
        assert_true(exact_piston_state(gammas[g], t, x, &q));
        mass += width * q.density;
        momentum += width * q.density * q.velocity[0];
        energy += width * q.density * (q.energy + q.velocity[0] * q.velocity[0] / 2);
      }
      problem_state at_piston, at_wall;
      assert_true(exact_piston_state(gammas[g], t, t, &at_piston));
      assert_true(exact_piston_state(gammas[g], t, 1, &at_wall));
      const double work = at_piston.pressure * t; // at speed 1
      const double push = at_wall.pressure * fmax(t - arrival, 0);
      assert_true(fabs(mass - 1) < 2e-3);
      assert_true(fabs(energy - work) < 4e-3 * fmax(work, 1));
      assert_true(fabs(momentum - (work - push)) < 4e-3 * fmax(work, 1));
    }
  }
}

static void nothing_is_known_outside(void **unused)
{
  (void)unused;
  problem_state q;
  assert_false(exact_piston_state(5.0 / 3.0, 0.5, 0.49, &q));
  assert_false(exact_piston_state(5.0 / 3.0, 0.5, 1.01, &q));
  assert_false(exact_piston_state(5.0 / 3.0, 0.91, 0.95, &q)); // back at the piston at 0.9
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(monatomic_values),
    cmocka_unit_test(conserves_mass_and_energy),
    cmocka_unit_test(nothing_is_known_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
