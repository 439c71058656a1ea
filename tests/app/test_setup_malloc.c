/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As test_setup_ranks.c, for memory that is not the context's: the k-th malloc of one rank finds none, for every k.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/app/runs.h"
#include "tests/app/failing_malloc.h"

static deck the_deck;

/* The set-up; false if there were fewer than k allocations. */
static bool create(const char *text, int k)
{
  char message[1024] = "";
  hydro *h = NULL;
  if (deck_parse(&the_deck, "test", text, strlen(text), 0, NULL, message, sizeof message)) fail_msg("%s", message);
  failing_malloc_begin(k);
  const int status = hydro_create(&h, &the_deck, message, sizeof message);
  const bool failed = failing_malloc_end();
  hydro_destroy(&h);
  failing_malloc_check(k, status, failed, message, sizeof message);
  return failed;
}

static void each_allocation(void **state)
{
  static const char *const decks[] = {
    "problem: {name: rayleigh-taylor}\nmesh: {zones: [2, 4]}\nkernels: {backend: host}\n",
    "problem: {name: sedov}\nmesh: {dim: 2, zones: [3, 3], partition: rcb}\n"
    "kernels: {backend: host, velocity_mass: host.csr, energy_mass: host.potrs}\n",
    "problem: {name: noh}\nmesh: {dim: 1, zones: [7], partition: hilbert}\n"
    "kernels: {backend: host, corner_force: host.batched, energy_mass: host.spmv}\n"};
  (void)state;
  void *uneven = __real_malloc((size_t)(comm_rank() + 1) << 28); // no two ranks' limits are the same
  assert_non_null(uneven);
  for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) {
    int k = 0;
    while (create(decks[i], k)) k++;
    if (comm_rank() == 0) printf("deck %zu: %d allocations\n", i, k);
    assert_true(k > 50);
  }
  free(uneven);
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
