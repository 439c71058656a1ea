/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The collapses against the conservation laws.
 */
#include "app/problems/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void noh_values_for_a_monatomic_gas(void **unused)
{
  (void)unused;
  for (int d = 1; d <= 3; ++d) {
    problem_state q;
    exact_noh_state(d, 5.0 / 3.0, 0.6, 0.199999, &q);
    assert_true(fabs(q.density - pow(4, d)) < 1e-10);
    assert_true(fabs(q.pressure - pow(4, d) / 3) < 1e-10);
    assert_true(q.energy == 0.5 && q.velocity[0] == 0);
    exact_noh_state(d, 5.0 / 3.0, 0.6, 0.200001, &q);
    assert_true(fabs(q.density - pow(4, d - 1)) < 1e-3);
    assert_true(q.energy == 0 && q.pressure == 0 && q.velocity[0] == -1);
  }
}

/* The gas that started within r = 1 fills r < 1 - t and has its mass and its energy, all kinetic at first. */
static void noh_conserves(void **unused)
{
  (void)unused;
  const double t = 0.6, shock = 0.2;
  enum { N = 2000 };
  for (int d = 1; d <= 3; ++d) {
    double mass = 0, energy = 0;
    const double end[3] = {0, shock, 1 - t};
    for (int part = 0; part < 2; ++part)
      for (int i = 0; i < N; ++i) {
        const double width = (end[part + 1] - end[part]) / N, r = end[part] + (i + 0.5) * width;
        problem_state q;
        exact_noh_state(d, 5.0 / 3.0, t, r, &q);
        mass += pow(r, d - 1) * width * q.density;
        energy += pow(r, d - 1) * width * q.density * (q.energy + q.velocity[0] * q.velocity[0] / 2);
      }
    assert_true(fabs(mass * d - 1) < 1e-6);
    assert_true(fabs(energy * d - 0.5) < 1e-6);
  }
}

/* The gas in [0,1]^d fills [0,1-t]^d: its mass stays, its entropy stays, its particles move in straight lines. */
static void noh2_is_an_adiabatic_collapse(void **unused)
{
  (void)unused;
  for (int d = 1; d <= 3; ++d)
    for (double t = 0; t < 0.9; t += 0.2) {
      const double gamma = 1.4, start[3] = {0.3, 0.7, 1};
      double x[3];
      for (int c = 0; c < d; ++c) x[c] = start[c] * (1 - t);
      problem_state q;
      exact_noh2_state(d, gamma, t, x, &q);
      assert_true(fabs(q.density * pow(1 - t, d) - 1) < 1e-13);
      assert_true(fabs(q.pressure / pow(q.density, gamma) - (gamma - 1)) < 1e-13);
      assert_true(fabs(q.pressure - (gamma - 1) * q.density * q.energy) < 1e-12 * q.pressure);
      for (int c = 0; c < d; ++c) assert_true(fabs(q.velocity[c] + start[c]) < 1e-14);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(noh_values_for_a_monatomic_gas),
    cmocka_unit_test(noh_conserves),
    cmocka_unit_test(noh2_is_an_adiabatic_collapse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
