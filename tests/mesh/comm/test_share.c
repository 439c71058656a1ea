/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops on several threads: everything once, the worst status; the cores of a rank that is bound to one.
 * ranks: 1 2
 */
#define _GNU_SOURCE // sched_getaffinity
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/comm/comm.h"
#include "mesh/comm/share.h"

enum { EACH = 100 };

typedef struct seen {
  int *times; /* [nzones] */
  int bad;    /* chunk whose status is 5 */
} seen;

static int count(void *data, int chunk, int first, int end)
{
  const seen *x = data;
  for (int z = first; z < end; z++) x->times[z]++;
  return chunk == x->bad ? 5 : chunk % 2;
}

static void all_once(void **state)
{
  (void)state;
  static const int sizes[] = {0, 1, EACH, EACH + 1, 9 * EACH - 7};
  for (int i = 0; i < 5; i++)
    for (int threads = 1; threads <= 5; threads += 2) {
      seen x = {calloc((size_t)sizes[i] + 1, sizeof(int)), sizes[i] > 3 * EACH ? 4 : -1};
      assert_non_null(x.times);
      const int expected = x.bad >= 0 ? 5 : sizes[i] > EACH;
      assert_int_equal(comm_share_out(threads, sizes[i], EACH, count, &x), expected);
      for (int z = 0; z < sizes[i]; z++) assert_int_equal(x.times[z], 1);
      free(x.times);
    }
}

static void set_variable(const char *name, const char *value)
{
  assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

/* A launcher that binds without being asked to does not take the other cores away from the helpers. */
static void cores_of_a_bound_rank(void **state)
{
  (void)state;
  static const char bound[] = "OMPI_MCA_orte_bound_at_launch", policy[] = "OMPI_MCA_hwloc_base_binding_policy";
  char *before[2] = {getenv(bound), getenv(policy)};
  for (int i = 0; i < 2; i++) before[i] = before[i] ? strdup(before[i]) : NULL;
  const int ranks = comm_local_size();
  cpu_set_t mine, parents, first;
  assert_true(!sched_getaffinity(0, sizeof mine, &mine) && !sched_getaffinity(getppid(), sizeof parents, &parents));
  CPU_ZERO(&first);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&first) == 0; i++)
    if (CPU_ISSET(i, &mine)) CPU_SET(i, &first);
  const int fair = CPU_COUNT(&parents) / ranks, most = fair < 1 ? 1 : fair < 64 ? fair : 64;
  assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
  set_variable(bound, "1"), set_variable(policy, NULL);
  assert_int_equal(comm_share_cores(), most);
  set_variable(policy, "core"); // the user's word
  assert_int_equal(comm_share_cores(), 1);
  set_variable(bound, NULL), set_variable(policy, NULL);
  assert_int_equal(comm_share_cores(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof mine, &mine), 0);
  set_variable(bound, before[0]), set_variable(policy, before[1]);
  for (int i = 0; i < 2; i++) free(before[i]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_once), cmocka_unit_test(cores_of_a_bound_rank)};
  comm_init(&argc, &argv);
  const int status = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return status;
}
