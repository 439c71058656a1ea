/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Motions that the method has to follow to rounding errors: uniform gas that moves as a whole, and cold gas in free
 * flight.  On a skewed box and on an unstructured mesh, with every corner force.
 * ranks: 1 2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "tests/app/runs.h"

static const char *const forces[] = {"host.ref", "host.batched", "host.sumfact"};
enum { NFORCES = sizeof forces / sizeof *forces, FOR_SIMPLICES = NFORCES - 1 };

/* The walls of these problems keep the velocity they have, so the tests can choose it. */
static const char *const decks[] = {
  "problem: {name: saltzman, impose_viscosity: true}\nmesh: {dim: 1, zones: [7]}\n",
  "problem: {name: saltzman, impose_viscosity: true}\nmesh: {dim: 2, zones: [6, 3]}\ndiscretization: {kinematic_order: "
  "3}\n",
  "problem: {name: saltzman, impose_viscosity: true}\nmesh: {dim: 3, zones: [4, 2, 2]}\n",
  "problem: {name: noh2}\nmesh: {dim: 2, file: " UNSTRUCTURED_MESH "}\n",
  "problem: {name: noh2}\nmesh: {dim: 2, zone: triangle, zones: [3, 2]}\ndiscretization: {kinematic_order: 3}\n",
  "problem: {name: noh2}\nmesh: {dim: 3, zone: tet, zones: [2, 1, 1]}\n",
};
enum { NDECKS = sizeof decks / sizeof *decks, NTENSOR = NDECKS - 2 };

static hydro *create(deck *d, int i, const char *force)
{
  char text[4096];
  snprintf(text, sizeof text,
           "%stime: {final: 0.05}\nsolvers: {velocity: {tolerance: 1e-14}, energy: {tolerance: 1e-14}}\n"
           "kernels: {corner_force: %s}\n",
           decks[i], force);
  return run_create(d, text);
}

static double largest(double here)
{
  comm_max(&here, 1);
  return here;
}

static void set(double *u, int64_t n, double value)
{
  for (int64_t i = 0; i < n; i++) u[i] = value;
}

static double off(const double *u, const double *want, int64_t n)
{
  double worst = 0;
  for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(u[i] - want[i]));
  return largest(worst);
}

/* Steps to the end, a dozen at most, and compares with the state that was expected: x0 + t v0, v0, e0. */
static void fly(hydro *h, double tolerance)
{
  const int64_t n = h->nkinematic;
  double *start = malloc(sizeof(double) * (size_t)(h->nstate + 1));
  assert_non_null(start);
  memcpy(start, h->state, sizeof(double) * (size_t)h->nstate);
  for (int i = 0; i < 12 && !h->last; i++) run_step(h);
  assert_true(h->steps > 0);
  for (int64_t i = 0; i < n; i++) start[i] += h->time * start[n + i];
  const double x = off(hydro_x(h, h->state), start, n), v = off(hydro_v(h, h->state), start + n, n);
  const double e = off(hydro_e(h, h->state), start + 2 * n, h->nthermodynamic);
  free(start);
  if (!(x < tolerance && v < tolerance && e < tolerance))
    fail_msg("off by %g in x, %g in v, %g in e after %lld steps", x, v, e, (long long)h->steps);
}

static void uniform_gas_moves_as_a_whole(void **unused)
{
  (void)unused;
  static deck d;
  for (int i = 0; i < NDECKS; i++)
    for (int f = 0; f < (i < NTENSOR ? NFORCES : FOR_SIMPLICES); f++) {
      hydro *h = create(&d, i, forces[f]);
      const int64_t one = h->nkinematic / h->space->dim;
      for (int c = 0; c < h->space->dim; c++) set(hydro_v(h, h->state) + c * one, one, 0.5 - 0.4 * c);
      set(hydro_e(h, h->state), h->nthermodynamic, 1.0);
      run_start(h);
      fly(h, 1e-12);
      hydro_destroy(&h);
    }
}

/* Without pressure and viscosity no node knows of another: each keeps its velocity, here a rotation with a shear. */
static void cold_gas_flies_freely(void **unused)
{
  (void)unused;
  static deck d;
  hydro *h = create(&d, NTENSOR - 1, forces[NFORCES - 1]);
  const int64_t one = h->nkinematic / h->space->dim;
  const double *x = hydro_x(h, h->state);
  double *v = hydro_v(h, h->state);
  for (int64_t i = 0; i < one; i++) {
    v[i] = -x[one + i];
    v[one + i] = x[i] + 0.3 * x[one + i];
  }
  set(hydro_e(h, h->state), h->nthermodynamic, 0.0);
  run_start(h);
  h->dt = 0.005; // nothing sounds, so any step would do
  fly(h, 1e-14);
  hydro_destroy(&h);
}

/* Uniform gas at rest between walls: nothing happens at all. */
static void gas_at_rest_stays_at_rest(void **unused)
{
  (void)unused;
  static deck d;
  for (int i = 0; i < NDECKS; i++) {
    hydro *h = create(&d, i, forces[(i < NTENSOR ? NFORCES : FOR_SIMPLICES) - 1]);
    set(hydro_v(h, h->state), h->nkinematic, 0.0);
    set(hydro_e(h, h->state), h->nthermodynamic, 2.0);
    run_start(h);
    fly(h, 1e-12);
    hydro_destroy(&h);
  }
}

/* A wind over all of a periodic box changes positions alone: the vortex of the first deck, and one on triangles, has
 * the energies that it has without, and its velocities and displacements less those of the wind. */
static void wind_carries_a_periodic_box(void **unused)
{
  (void)unused;
  static const char *const zones[] = {"zones: [8, 6]", "zones: [5, 6], zone: triangle"};
  static deck d;
  for (int i = 0; i < 2; i++) {
    double *still = NULL;
    for (int windy = 0; windy < 2; windy++) {
      char text[1024];
      snprintf(text, sizeof text,
               "problem: {name: gresho}\nmesh: {dim: 2, %s, periodic: xy}\ntime: {final: 0.05, integrator: rk2avg}\n"
               "solvers: {velocity: {tolerance: 1e-14}, energy: {tolerance: 1e-14}}\nkernels: {backend: host}\n",
               zones[i]);
      hydro *h = run_create(&d, text);
      const int64_t n = h->nkinematic, one = n / 2;
      const double wind[2] = {0.75 * windy, -0.5 * windy};
      for (int64_t j = 0; j < n; j++) hydro_v(h, h->state)[j] += wind[j / one];
      run_start(h);
      for (int step = 0; step < 12 && !h->last; step++) run_step(h);
      assert_true(h->steps > 2);
      for (int64_t j = 0; j < n; j++) {
        hydro_x(h, h->state)[j] -= h->time * wind[j / one];
        hydro_v(h, h->state)[j] -= wind[j / one];
      }
      if (windy) {
        const double off_state = off(h->state, still, h->nstate);
        if (!(off_state < 2e-12)) fail_msg("%s: off by %g", zones[i], off_state);
      } else {
        still = malloc(sizeof(double) * (size_t)(h->nstate + 1));
        assert_non_null(still);
        memcpy(still, h->state, sizeof(double) * (size_t)h->nstate);
      }
      hydro_destroy(&h);
    }
    free(still);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(uniform_gas_moves_as_a_whole),
    cmocka_unit_test(cold_gas_flies_freely),
    cmocka_unit_test(gas_at_rest_stays_at_rest),
    cmocka_unit_test(wind_carries_a_periodic_box),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
