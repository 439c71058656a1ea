/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Riemann solver on Toro's five tests, and against the relations that define shocks, contacts and rarefactions.
 */
#include "app/problems/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct test_case {
  exact_side left, right;
  double gamma, pressure, velocity; // Toro's table 4.2, or 0 where he has none
} test_case;

static const test_case cases[] = {
  {{1, 0, 1}, {0.125, 0, 0.1}, 1.4, 0.30313, 0.92745},
  {{1, -2, 0.4}, {1, 2, 0.4}, 1.4, 0.00189, 0},
  {{1, 0, 1000}, {1, 0, 0.01}, 1.4, 460.894, 19.5975},
  {{1, 0, 0.01}, {1, 0, 100}, 1.4, 46.0950, -6.19633},
  {{5.99924, 19.5975, 460.894}, {5.99242, -6.19633, 46.0950}, 1.4, 1691.64, 8.68975},
  {{1, 0, 1}, {0.1, 0, 0.1}, 1.4, 0, 0},
  {{1, 0, 2.0 / 3 * 0.1}, {0.001, 0, 2.0 / 3 * 1e-10}, 5.0 / 3, 0, 0}, // LeBlanc
  {{2, 0.3, 1.5}, {2, 0.3, 1.5}, 1.4, 0, 0},                           // nothing happens
};
enum { NCASES = sizeof cases / sizeof *cases };

static exact_riemann solve(const test_case *c)
{
  exact_riemann r;
  assert_true(exact_riemann_create(&r, c->left, c->right, c->gamma));
  return r;
}

static void star_states_are_toros(void **unused)
{
  (void)unused;
  for (int i = 0; i < 5; ++i) {
    const exact_riemann r = solve(&cases[i]);
    // His digits: six, or five places behind the point.
    assert_true(fabs(r.pressure - cases[i].pressure) <= 1e-5 * fmax(1, cases[i].pressure));
    assert_true(fabs(r.velocity - cases[i].velocity) <= 1e-5 * fmax(1, fabs(cases[i].velocity)));
  }
}

/* Mass, momentum and energy that pass a front of this speed, on one side of it. */
static void flux(const problem_state *q, double speed, double f[3])
{
  const double u = q->velocity[0], total = q->density * (q->energy + u * u / 2);
  f[0] = q->density * (u - speed);
  f[1] = q->density * u * (u - speed) + q->pressure;
  f[2] = total * (u - speed) + q->pressure * u;
}

/* Every jump of the sampled solution conserves mass, momentum and energy, wherever it is and whatever it is. */
static void jumps_conserve(void **unused)
{
  (void)unused;
  for (int i = 0; i < NCASES; ++i) {
    const exact_riemann r = solve(&cases[i]);
    double front[3];
    exact_riemann_front(&r, &front[0], &front[1]);
    front[2] = r.velocity;
    for (int k = 0; k < 3; ++k) {
      const double step = 1e-9 * fmax(1, fabs(front[k]));
      problem_state before, after;
      double in[3], out[3];
      exact_riemann_state(&r, front[k] - step, &before);
      exact_riemann_state(&r, front[k] + step, &after);
      flux(&before, front[k], in);
      flux(&after, front[k], out);
      const double scale[3] = {before.density + after.density, before.pressure + after.pressure,
                               (before.pressure + after.pressure) * (1 + fabs(front[k]))};
      for (int c = 0; c < 3; ++c) assert_true(fabs(in[c] - out[c]) <= 1e-6 * scale[c] * (1 + fabs(front[k])));
    }
  }
}

/* In a fan the entropy and the outer Riemann invariant keep the values of the undisturbed side. */
static void fans_keep_their_invariants(void **unused)
{
  (void)unused;
  int rays = 0;
  for (int i = 0; i < NCASES; ++i) {
    const exact_riemann r = solve(&cases[i]);
    double front[2];
    exact_riemann_front(&r, &front[0], &front[1]);
    for (int side = 0; side < 2; ++side) {
      const exact_side *far = side ? &r.right : &r.left;
      const double sign = side ? -1 : 1, g = r.gamma;
      if (r.pressure >= far->pressure) continue;
      const double entropy = far->pressure / pow(far->density, g);
      const double invariant = sign * far->velocity + 2 * sqrt(g * far->pressure / far->density) / (g - 1);
      for (int k = 1; k < 20; ++k, ++rays) {
        problem_state q;
        exact_riemann_state(&r, front[side] + (r.velocity - front[side]) * k / 20.0 * (1 - 1e-12), &q);
        assert_true(fabs(q.pressure / pow(q.density, g) - entropy) <= 1e-12 * entropy);
        const double c = sqrt(g * q.pressure / q.density);
        assert_true(fabs(sign * q.velocity[0] + 2 * c / (g - 1) - invariant) <= 1e-12 * fabs(invariant));
      }
    }
  }
  assert_true(rays > 100);
}

/* The mirrored problem has the mirrored solution. */
static void mirror_image(void **unused)
{
  (void)unused;
  for (int i = 0; i < NCASES; ++i) {
    const exact_riemann r = solve(&cases[i]);
    test_case swapped = {cases[i].right, cases[i].left, cases[i].gamma, 0, 0};
    swapped.left.velocity *= -1;
    swapped.right.velocity *= -1;
    const exact_riemann m = solve(&swapped);
    for (double speed = -30; speed < 30; speed += 0.37) {
      problem_state a, b;
      exact_riemann_state(&r, speed, &a);
      exact_riemann_state(&m, -speed, &b);
      assert_true(fabs(a.density - b.density) <= 1e-11 * a.density);
      assert_true(fabs(a.pressure - b.pressure) <= 1e-11 * a.pressure);
      assert_true(fabs(a.velocity[0] + b.velocity[0]) <= 1e-11 * (1 + fabs(a.velocity[0])));
    }
  }
}

static void vacuum_is_refused(void **unused)
{
  (void)unused;
  exact_riemann r;
  assert_false(exact_riemann_create(&r, (exact_side){1, -10, 0.4}, (exact_side){1, 10, 0.4}, 1.4));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(star_states_are_toros),      cmocka_unit_test(jumps_conserve),
    cmocka_unit_test(fans_keep_their_invariants), cmocka_unit_test(mirror_image),
    cmocka_unit_test(vacuum_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
