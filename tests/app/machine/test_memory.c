/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine says that it has left, by files that stand for those of Linux, and a limit that makes allocations
 * fail.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "app/files/file_replace.h"
#include "app/machine/memory.h"

static char folder[64];

static int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/test_memory.XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void say(const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s%s", folder, name);
  char *end = strrchr(path, '/');
  *end = '\0';
  assert_true(file_make_folders(path));
  *end = '/';
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void by_the_machine(void **state)
{
  (void)state;
  assert_true(isinf(memory_left(folder)));
  say("/proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    5000 kB\nSwapFree:  0 kB\n");
  assert_true(memory_left(folder) == 5000 * 1024.0);
  say("/proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    5000 kB\nSwapFree:  100 kB\n");
  assert_true(memory_left(folder) == 5100 * 1024.0);
}

static void by_groups(void **state)
{
  (void)state;
  say("/proc/meminfo", "MemAvailable:    5000 kB\nSwapFree:  0 kB\n");
  say("/proc/self/cgroup", "9:cpu:/x\n4:memory:/a/b\n0::/job/step\n");
  say("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  say("/sys/fs/cgroup/memory/a/b/memory.stat", "cache 77\ntotal_rss 1000\n");
  assert_true(memory_left(folder) == 5000 * 1024.0);
  say("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4000\n");
  assert_true(memory_left(folder) == 4000.0);
  say("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "4500\n");
  assert_true(memory_left(folder) == 3500.0);
  say("/sys/fs/cgroup/job/step/memory.max", "max\n");
  say("/sys/fs/cgroup/job/memory.max", "3300\n");
  say("/sys/fs/cgroup/job/memory.stat", "anon 300\nfile 900\n");
  assert_true(memory_left(folder) == 3000.0);
  say("/sys/fs/cgroup/memory.max", "2000\n"); // of the container
  assert_true(memory_left(folder) == 2000.0);
  say("/sys/fs/cgroup/memory.stat", "anon 300\nfile 900\nshmem 500\n"); // what is shared can't be dropped, either
  assert_true(memory_left(folder) == 1200.0);
  say("/proc/meminfo", "MemAvailable:    5000 kB\nSwapFree:  100 kB\n"); // of the machine, not of the group
  assert_true(memory_left(folder) == 1200.0);
}

static bool can_have(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  munmap(p, bytes);
  return true;
}

static void a_limit_holds(void **state)
{
  (void)state;
  enum { MB = 1 << 20 };
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY || !can_have(200 * MB)) skip(); // there is a limit
  assert_true(memory_left("") > 0.0);
  memory_limit(INFINITY);
  assert_true(can_have(200 * MB));
  memory_limit(100.0 * MB);
  const double allowed = memory_allowed();
  assert_true(isfinite(allowed));
  assert_true(can_have(80 * MB));
  assert_false(can_have(200 * MB));
  memory_limit(300.0 * MB);
  assert_true(memory_allowed() == allowed);
  assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
}

/* Where a limit may be raised, and where it may not. */
static void a_stack_grows(void **state)
{
  (void)state;
  enum { KB = 1 << 10 };
  struct rlimit before, low;
  assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
  if (before.rlim_max != RLIM_INFINITY && before.rlim_max < 4096 * KB) skip();
  low = before;
  low.rlim_cur = 512 * KB;
  assert_int_equal(setrlimit(RLIMIT_STACK, &low), 0);
  assert_true(memory_raise_stack(4096.0 * KB) == 4096.0 * KB);
  assert_true(memory_raise_stack(1024.0 * KB) == 4096.0 * KB);
  assert_int_equal(getrlimit(RLIMIT_STACK, &low), 0);
  assert_true(low.rlim_cur == 4096 * KB && low.rlim_max == before.rlim_max);
  assert_int_equal(setrlimit(RLIMIT_STACK, &before), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(by_the_machine, set_up, tear_down),
    cmocka_unit_test_setup_teardown(by_groups, set_up, tear_down),
    cmocka_unit_test(a_limit_holds),
    cmocka_unit_test(a_stack_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
