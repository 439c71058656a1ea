/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One rank runs out of memory while a run is set up, at its k-th allocation for every k: all ranks give up with the
 * same sentence, and none waits for another.
 * ranks: 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/app/runs.h"

static deck the_deck;

/* The set-up with variants of the operators; -1: none fails. */
static int create(const char *variants, int k)
{
  char text[512], message[1024] = "", first[1024];
  hydro *h = NULL;
  snprintf(text, sizeof text, "problem: {name: rayleigh-taylor}\nmesh: {zones: [2, 4]}\nkernels: {backend: host%s}\n",
           variants);
  if (deck_parse(&the_deck, "test", text, strlen(text), 0, NULL, message, sizeof message)) fail_msg("%s", message);
  if (comm_rank() == comm_size() - 1) batched_fail_allocation(k);
  const int status = hydro_create(&h, &the_deck, message, sizeof message);
  batched_fail_allocation(-1);
  hydro_destroy(&h);
  memcpy(first, message, sizeof first);
  comm_broadcast(first, sizeof first, 0);
  assert_int_equal(comm_worst(status), status);
  if (!status) return 0;
  assert_int_equal(status, 3);
  assert_string_equal(message, first);
  assert_non_null(strstr(message, "out of memory"));
  return status;
}

/* Variants that assemble or invert allocate more than the others, and between other messages. */
static void each_allocation(void **state)
{
  static const char *const variants[] = {"", ", velocity_mass: host.csr, energy_mass: host.potrs",
                                         ", corner_force: host.batched, velocity_mass: host.ref"};
  (void)state;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    int k = 0;
    assert_int_equal(create(variants[i], -1), 0);
    while (create(variants[i], k)) k++;
    if (comm_rank() == 0) printf("set-up%s: %d allocations\n", variants[i], k);
    assert_true(k > 6); // the state alone
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_allocation),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
