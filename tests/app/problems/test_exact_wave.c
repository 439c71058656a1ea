/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The standing wave against the Euler equations, its start, and its walls.
 */
#include "app/problems/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static problem_state at(double t, double x)
{
  problem_state q;
  assert_true(exact_wave_state(t, x, &q));
  return q;
}

static void starts_at_rest(void **unused)
{
  (void)unused;
  for (double x = 0; x <= 1; x += 0.05) {
    const problem_state q = at(0, x);
    assert_true(fabs(q.density - exact_wave_start(x)) < 1e-15 && fabs(q.velocity[0]) < 1e-15);
    assert_true(fabs(q.pressure - 2 * q.density * q.energy) < 1e-15);
  }
}

static void walls_stand_still(void **unused)
{
  (void)unused;
  for (double t = 0; t < 1.4; t += 0.1)
    assert_true(fabs(at(t, 0).velocity[0]) < 1e-14 && fabs(at(t, 1).velocity[0]) < 1e-14);
}

/* Mass, momentum and entropy along the motion, by central differences. */
static void fulfils_the_euler_equations(void **unused)
{
  (void)unused;
  const double h = 1e-5;
  for (double t = 0.1; t < 1.2; t += 0.1)
    for (double x = 0.05; x < 1; x += 0.1) {
      const problem_state q = at(t, x), xp = at(t, x + h), xm = at(t, x - h), tp = at(t + h, x), tm = at(t - h, x);
      const double u = q.velocity[0], ux = (xp.velocity[0] - xm.velocity[0]) / (2 * h);
      const double ut = (tp.velocity[0] - tm.velocity[0]) / (2 * h), px = (xp.pressure - xm.pressure) / (2 * h);
      const double density = (tp.density - tm.density + u * (xp.density - xm.density)) / (2 * h);
      const double energy = (tp.energy - tm.energy + u * (xp.energy - xm.energy)) / (2 * h);
      assert_true(fabs(density + q.density * ux) < 1e-7);
      assert_true(fabs(q.density * (ut + u * ux) + px) < 1e-7);
      assert_true(fabs(q.density * energy + q.pressure * ux) < 1e-7);
    }
}

static void ends_when_the_wave_breaks(void **unused)
{
  (void)unused;
  problem_state q;
  assert_false(exact_wave_state(1.6, 0.5, &q));
  assert_false(exact_wave_state(-0.1, 0.5, &q));
  assert_false(exact_wave_state(0.5, 1.1, &q));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(starts_at_rest),
    cmocka_unit_test(walls_stand_still),
    cmocka_unit_test(fulfils_the_euler_equations),
    cmocka_unit_test(ends_when_the_wave_breaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
