/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As test_setup_ranks.c, for memory that is not the context's: malloc, calloc and realloc of our own code are wrapped
 * (tests/app/CMakeLists.txt), and the k-th of them on one rank finds none, for every k.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runs.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

/* How many are left before the one that fails, and then -1; other negative numbers: none does. */
enum { FAILED = -1, NONE_FAILS = -2 };
static int left = NONE_FAILS;

static bool fails(void)
{
  return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
  return fails() ? NULL : __real_realloc(p, size);
}

static deck the_deck;

/* The set-up and the first estimate; false if there were fewer than k allocations. */
static bool create(const char *text, int k)
{
  char message[1024] = "", first[1024];
  hydro *h = NULL;
  if (deck_parse(&the_deck, "test", text, strlen(text), 0, NULL, message, sizeof message)) fail_msg("%s", message);
  left = comm_rank() == comm_size() - 1 ? k : NONE_FAILS;
  const int status = hydro_create(&h, &the_deck, message, sizeof message);
  int failed = left == FAILED;
  left = NONE_FAILS;
  hydro_destroy(&h);
  memcpy(first, message, sizeof first);
  comm_broadcast(first, sizeof first, 0);
  assert_int_equal(comm_worst(status), status);
  failed = comm_worst(failed);
  if (!status) return failed;
  assert_true(failed);
  assert_int_equal(status, 3);
  assert_string_equal(message, first);
  if (!strstr(message, "out of memory")) fail_msg("allocation %d: %s", k, message);
  return true;
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
  for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) {
    int k = 0;
    while (create(decks[i], k)) k++;
    if (comm_rank() == 0) printf("deck %zu: %d allocations\n", i, k);
    assert_true(k > 50);
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
