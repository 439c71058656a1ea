/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a run follow each other and add up to the time since the process began.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>

#include "app/results/parts.h"
#include "batched/variant.h"

static void sleep_for(double seconds)
{
  nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

static void they_add_up(void **state)
{
  (void)state;
  run_parts p;
  sleep_for(0.05);
  const double before = batched_seconds();
  parts_begin(&p);
  const double launch = p.seconds[PART_LAUNCH];
  assert_true(launch >= 0.03); // the system counts in hundredths
  sleep_for(0.02);
  parts_take(&p, PART_MESH);
  parts_take(&p, PART_STATE);
  sleep_for(0.01);
  parts_take(&p, PART_MESH); // comes again: adds to it
  assert_true(p.seconds[PART_MESH] >= 0.03 && p.seconds[PART_STATE] >= 0.0);
  const double sum = parts_sum(&p, PART_LAUNCH, PART_LIMITS), passed = batched_seconds() - before;
  assert_true(sum >= launch + 0.03 && sum <= launch + passed + 1e-6); // also where others had the core in between
  assert_true(parts_sum(&p, PART_STATE, PART_STATE) == p.seconds[PART_STATE]);
}

static void they_have_names(void **state)
{
  (void)state;
  for (int i = 0; i < RUN_PARTS; i++) assert_non_null(part_names[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(they_add_up),
    cmocka_unit_test(they_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
