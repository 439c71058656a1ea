/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bits that flip in memory: whatever never changes in a run, with every variant of the operators, the state before a
 * step, and a solve that went wrong are noticed; and nothing is where nothing flipped.
 * ranks: 1 2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/app/runs.h"

static deck the_deck;

static hydro *start(const char *kernels)
{
  char text[400];
  snprintf(text, sizeof text,
           "{problem: {name: saltzman}, mesh: {dim: 2, zones: [6, 3], refine: 0}, kernels: {backend: host, %s}}",
           kernels);
  hydro *h = run_create(&the_deck, text);
  run_start(h);
  assert_int_equal(balance_begin(h, false), 0);
  guard_create(h);
  assert_non_null(h->guard);
  return h;
}

static bool everywhere(bool good)
{
  return comm_worst(!good) == 0;
}

/* What is visited, to be changed. */
typedef struct places {
  void *data[64];
  size_t bytes[64];
  int n;
} places;

static void collect(void *user, const char *what, const void *data, size_t bytes)
{
  places *p = user;
  assert_non_null(what);
  if (!data || bytes == 0) return;
  assert_true(p->n < 64);
  p->data[p->n] = (void *)(uintptr_t)data;
  p->bytes[p->n++] = bytes;
}

static places collect_all(const hydro *h)
{
  places p = {.n = 0};
  fem_space_constants(h->space, collect, &p);
  fem_material_constants(h->space, h->material, collect, &p);
  fem_force_constants(h->force, collect, &p);
  fem_mass_constants(h->velocity_mass, collect, &p);
  fem_mass_constants(h->energy_mass, collect, &p);
  return p;
}

static void flip(unsigned char *byte, int bit)
{
  *byte ^= (unsigned char)(1 << bit);
}

/* The first, a middle and the last byte of each array, and back again. */
static void check_constants(hydro *h)
{
  char message[1024];
  const places p = collect_all(h);
  int most = p.n;
  comm_broadcast(&most, sizeof most, 0);
  for (int i = 0; i < most; i++)
    for (int part = 0; part < 3; part++) {
      // on one rank alone; the others hear of it
      const bool mine = comm_rank() == comm_size() - 1 && i < p.n;
      unsigned char *at = mine ? (unsigned char *)p.data[i] + (p.bytes[i] - 1) * (size_t)part / 2 : NULL;
      const bool any = comm_worst(mine) != 0;
      if (at) flip(at, (i + part) % 8);
      const int status = guard_check_constants(h, message, sizeof message);
      if (at) flip(at, (i + part) % 8);
      h->damage = NULL;
      assert_true(everywhere(status == (any ? STATUS_MACHINE : STATUS_OK)));
      if (any) assert_true(everywhere(strstr(message, "changed in memory where the program changed nothing")));
    }
  assert_true(everywhere(guard_check_constants(h, message, sizeof message) == STATUS_OK));
}

static void what_never_changes_is_watched(void **state)
{
  (void)state;
  static const char *const kernels[] = {
    "velocity_mass: host.sumfact", "velocity_mass: host.csr",    "velocity_mass: host.ref", "energy_mass: host.potrs",
    "energy_mass: host.pcg",       "energy_mass: host.spmv",     "energy_mass: host.ref",   "corner_force: host.ref",
    "corner_force: host.batched",  "corner_force: host.sumfact", "corner_force: host.dense"};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    hydro *h = start(kernels[i]);
    char message[1024];
    for (int step = 0; step < 2; step++) run_step(h);
    assert_true(everywhere(guard_check_constants(h, message, sizeof message) == STATUS_OK));
    check_constants(h);
    hydro_destroy(&h);
  }
}

/* One rank: where there are several, the one that notices ends all. */
static void the_state_before_a_step_is_watched(void **state)
{
  (void)state;
  if (comm_size() > 1) skip();
  for (int which = 0; which < 3; which++) {
    hydro *h = start("corner_force: auto");
    char message[1024];
    run_step(h);
    const int64_t at[] = {0, h->nkinematic + 1, h->nstate - 1};
    flip((unsigned char *)(h->state + at[which]), 3); // of the last bits
    assert_int_equal(hydro_step(h), HYDRO_FAILED);
    assert_int_equal(hydro_explain(h, message, sizeof message), STATUS_MACHINE);
    assert_non_null(strstr(message, "the state at the start of the step on rank 0 changed"));
    hydro_destroy(&h);
  }
}

static void derivatives_are_watched(void **state)
{
  (void)state;
  if (comm_size() > 1) skip();
  hydro *h = start("corner_force: auto");
  run_step(h);
  double *before = h->before;
  for (int which = 0; which < 2; which++) {
    double *of[] = {before, h->stages};
    h->damage = NULL;
    h->before = h->state; // which is as it was
    assert_int_equal(guard_begin_stage(h, before), 0);
    if (which == 0) flip((unsigned char *)(of[which] + 5), 0);
    assert_int_equal(guard_end_stage(h, before, h->stages), 0);
    if (which == 1) flip((unsigned char *)(of[which] + 5), 0);
    assert_int_equal(guard_sum_attempt(h), 0);
    assert_int_equal(guard_check_attempt(h), BATCHED_DEVICE_FAILED);
    assert_string_equal(h->damage, which ? "the derivative of a stage" : "the state of a stage");
    h->before = before;
  }
  hydro_destroy(&h);
}

static void solves_are_watched(void **state)
{
  (void)state;
  hydro *h = start("corner_force: auto");
  h->space->blocking = true;                         // force_one stays what was solved for, no next step's F 1
  for (int step = 0; step < 40; step++) run_step(h); // 160 solves, two of them looked at
  double *a = hydro_v(h, h->stages);
  while (h->velocity_mass->solves % 64 != 0)
    assert_int_equal(fem_velocity_mass_solve(h->ctx, h->velocity_mass, h->force_one, a), 0);
  assert_int_equal(fem_velocity_mass_solve(h->ctx, h->velocity_mass, h->force_one, a), 0);
  h->velocity_mass->solves--;
  assert_true(everywhere(guard_check_solve(h, a) == 0 && !h->damage));
  for (int i = 0; i < h->space->ndofs; i++) a[i] *= 1.01;
  assert_true(everywhere(guard_check_solve(h, a) == BATCHED_DEVICE_FAILED && h->damage));
  hydro_destroy(&h);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_never_changes_is_watched),
    cmocka_unit_test(the_state_before_a_step_is_watched),
    cmocka_unit_test(derivatives_are_watched),
    cmocka_unit_test(solves_are_watched),
  };
  comm_init(NULL, NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
