/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that can't be made: a value that is no number, in any part of the state, is noticed in the step in which it is
 * there, and its zone is found; so is a zone that a too long step tangles; a shorter step heals what it can.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "app/results/fault.h"
#include "tests/app/runs.h"

enum { CUTS = 3 };

static const char *const integrators[] = {"euler", "rk2", "rk3", "rk4", "rk6", "rk2avg"};
static const char *const with_and_without[] = {"sedov", "taylor-green"}; // with viscosity and without
static const char *const forces[] = {"host.sumfact", "host.batched", "host.ref"};

typedef enum part { POSITION, VELOCITY, ENERGY } part;

/* The entry of a state that only one zone has: its middle node's, or its first energy. */
static int64_t entry_of(const hydro *h, int zone, part which)
{
  const fem_space *s = h->space;
  if (which == ENERGY) return 2 * h->nkinematic + (int64_t)zone * s->nt;
  return which * h->nkinematic + s->dofs[(int64_t)zone * s->nd + s->nd / 2];
}

/* Rank 0's zone 3 gets a value that no zone can have. */
static int64_t spoil(hydro *h, part which, double value)
{
  double zone = INFINITY;
  if (comm_rank() == 0) {
    h->state[entry_of(h, 3, which)] = value;
    zone = (double)h->mesh->zone_ids[3];
  }
  comm_min(&zone, 1);
  return (int64_t)zone;
}

static void check_spoilt(const char *problem, const char *integrator, const char *force, part which, double value)
{
  char text[512];
  deck d;
  fault f;
  snprintf(text, sizeof text,
           "problem: {name: %s}\nmesh: {dim: 2, zones: [4, 4], refine: 0}\ntime: {integrator: %s, max_cuts: %d}\n"
           "kernels: {backend: host, corner_force: %s}\n",
           problem, integrator, CUTS, force);
  hydro *h = run_create(&d, text);
  run_start(h);
  for (int i = 0; i < 2; i++) run_step(h);
  const int64_t zone = spoil(h, which, value), steps = h->steps;
  for (int cut = 0; cut < CUTS; cut++) assert_int_equal(hydro_step(h), HYDRO_REPEATED);
  assert_int_equal(hydro_step(h), HYDRO_COLLAPSED);
  assert_int_equal(h->steps, steps);
  assert_int_equal(fault_find(h, &f), 0);
  assert_int_equal(f.kind, FAULT_NAN);
  assert_int_equal(f.zone, zone);
  assert_int_equal(f.step, steps + 1);
  assert_int_equal(f.cuts, CUTS);
  assert_int_equal(f.stage, 0);
  hydro_destroy(&h);
}

static void no_number_is_noticed_in_its_step(void **unused)
{
  (void)unused;
  for (size_t p = 0; p < sizeof with_and_without / sizeof *with_and_without; p++)
    for (part which = POSITION; which <= ENERGY; which++) {
      for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        check_spoilt(with_and_without[p], integrators[i], "auto", which, NAN);
      for (size_t i = 0; i < sizeof forces / sizeof *forces; i++)
        check_spoilt(with_and_without[p], "rk4", forces[i], which, which == ENERGY ? -INFINITY : INFINITY);
    }
}

/* A step so long that a zone is inverted in it.  The place that is told is in the box. */
static void check_tangled(const char *integrator)
{
  char text[512], sentence[512];
  deck d;
  fault f;
  snprintf(text, sizeof text,
           "problem: {name: saltzman}\nmesh: {dim: 2, zones: [8, 2]}\ntime: {integrator: %s, max_cuts: 0}\n"
           "kernels: {backend: host}\n",
           integrator);
  hydro *h = run_create(&d, text);
  run_start(h);
  for (int i = 0; i < 2; i++) run_step(h);
  h->dt = 0.3; // the piston has speed 1, a zone length 1/8
  assert_int_equal(hydro_step(h), HYDRO_COLLAPSED);
  assert_int_equal(fault_find(h, &f), 0);
  assert_true(f.kind == FAULT_INVERTED && f.zone >= 0 && f.zone < 16);
  assert_true(f.position[0] > 0.0 && f.position[0] < 0.3 && f.position[1] > 0.0 && f.position[1] < 0.1);
  assert_true(f.density[0] > 0.9 && f.density[1] < 5.0 && f.jacobian <= 0.0);
  fault_print(&f, sentence, sizeof sentence);
  assert_non_null(strstr(sentence, "is inverted"));
  hydro_destroy(&h);
}

static void tangling_is_noticed_in_its_step(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) check_tangled(integrators[i]);
}

static void a_shorter_step_heals_tangling(void **unused)
{
  (void)unused;
  deck d;
  hydro *h = run_create(&d, "problem: {name: saltzman}\nmesh: {dim: 2, zones: [8, 2]}\nkernels: {backend: host}\n");
  run_start(h);
  for (int i = 0; i < 2; i++) run_step(h);
  h->dt = 0.3;
  assert_true(run_step(h) > 0);
  assert_int_equal(h->cuts, 0);
  for (int64_t i = 0; i < h->nstate; i++) assert_true(isfinite(h->state[i]));
  hydro_destroy(&h);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_number_is_noticed_in_its_step),
    cmocka_unit_test(tangling_is_noticed_in_its_step),
    cmocka_unit_test(a_shorter_step_heals_tangling),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
