/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The energy meter on made-up counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/machine/energy_meter.h"

static char root[64];

static void write_file(const char *zone, const char *name, const char *text)
{
  char path[192];
  snprintf(path, sizeof path, "%s/%s", root, zone);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/%s/%s", root, zone, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void make_zone(const char *zone, const char *name, const char *energy)
{
  write_file(zone, "name", name);
  write_file(zone, "max_energy_range_uj", "262143328850\n");
  write_file(zone, "energy_uj", energy);
}

static int set_up(void **state)
{
  (void)state;
  strcpy(root, "/tmp/test_energy_meter.XXXXXX");
  return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  static const char *const zones[] = {"intel-rapl:0", "intel-rapl:1", "intel-rapl:2", "intel-rapl:0:0",
                                      "intel-rapl-mmio:0"};
  static const char *const names[] = {"/name", "/max_energy_range_uj", "/energy_uj", ""};
  for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
    for (size_t k = 0; k < 4; k++) {
      char path[192];
      snprintf(path, sizeof path, "%s/%s%s", root, zones[i], names[k]);
      remove(path);
    }
  return rmdir(root);
}

static energy_meter *meter(void)
{
  energy_meter *m = energy_meter_create(&(energy_meter_source){.powercap = root});
  assert_non_null(m);
  return m;
}

/* Two packages are added up; cores, the platform and the second interface to a package are parts of others. */
static void packages(void **state)
{
  (void)state;
  make_zone("intel-rapl:0", "package-0\n", "1000000\n");
  make_zone("intel-rapl:1", "package-1\n", "5000000\n");
  make_zone("intel-rapl:2", "psys\n", "0\n");
  make_zone("intel-rapl:0:0", "core\n", "0\n");
  make_zone("intel-rapl-mmio:0", "package-0\n", "0\n");
  energy_meter *m = meter();
  assert_true(energy_meter_cpu_joules(m) == 0);
  write_file("intel-rapl:0", "energy_uj", "3500000\n");
  write_file("intel-rapl:1", "energy_uj", "5250000\n");
  write_file("intel-rapl:2", "energy_uj", "99000000\n");
  write_file("intel-rapl:0:0", "energy_uj", "99000000\n");
  write_file("intel-rapl-mmio:0", "energy_uj", "99000000\n");
  assert_true(energy_meter_cpu_joules(m) == 2.75);
  energy_meter_start(m);
  assert_true(energy_meter_cpu_joules(m) == 0);
  energy_meter_destroy(&m);
  assert_null(m);
}

static void the_counter_comes_round(void **state)
{
  (void)state;
  make_zone("intel-rapl:0", "package-0\n", "262143000000\n");
  energy_meter *m = meter();
  write_file("intel-rapl:0", "energy_uj", "671150\n"); /* 328850 to the end, then 671150 */
  assert_float_equal(energy_meter_cpu_joules(m), 1.0, 1e-12);
  write_file("intel-rapl:0", "energy_uj", "262143328850\n");
  assert_float_equal(energy_meter_cpu_joules(m), 262143.6577, 1e-6);
  energy_meter_destroy(&m);
}

static void not_allowed(void **state)
{
  (void)state;
  make_zone("intel-rapl:0", "package-0\n", "1\n");
  write_file("intel-rapl:1", "name", "package-1\n"); /* its counter can't be read */
  energy_meter *m = meter();
  assert_true(energy_meter_cpu_joules(m) == -1);
  energy_meter_destroy(&m);
}

static void lost_on_the_way(void **state)
{
  (void)state;
  make_zone("intel-rapl:0", "package-0\n", "1\n");
  energy_meter *m = meter();
  write_file("intel-rapl:0", "energy_uj", "\n");
  assert_true(energy_meter_cpu_joules(m) == -1);
  write_file("intel-rapl:0", "energy_uj", "7\n");
  assert_true(energy_meter_cpu_joules(m) == -1); /* a part is missing: no number rather than a wrong one */
  energy_meter_destroy(&m);
}

static void no_counters(void **state)
{
  (void)state;
  energy_meter *m = meter();
  energy_meter_sample(m);
  assert_true(energy_meter_cpu_joules(m) == -1);
  assert_true(energy_meter_gpu_joules(m) == -1);
  energy_meter_destroy(&m);
  m = energy_meter_create(&(energy_meter_source){.powercap = "/nowhere", .nvml = "/nowhere.so", .gpu_bus_id = "0"});
  assert_non_null(m);
  assert_true(energy_meter_cpu_joules(m) == -1);
  assert_true(energy_meter_gpu_joules(m) == -1);
  energy_meter_destroy(&m);
  assert_true(energy_meter_cpu_joules(NULL) == -1 && energy_meter_gpu_joules(NULL) == -1);
  energy_meter_start(NULL);
  energy_meter_sample(NULL);
}

/* This machine's own counters, whatever they are: never negative, and -1 if there are none. */
static void this_machine(void **state)
{
  (void)state;
  energy_meter *m = energy_meter_create(&(energy_meter_source){.gpu_bus_id = "0000:00:00.0"});
  assert_non_null(m);
  double cpu = energy_meter_cpu_joules(m), gpu = energy_meter_gpu_joules(m);
  assert_true(cpu == -1 || cpu >= 0);
  assert_true(gpu == -1 || gpu >= 0);
  energy_meter_destroy(&m);
}

static void a_gpu(void **state)
{
  (void)state;
  energy_meter *m =
    energy_meter_create(&(energy_meter_source){.powercap = "", .nvml = FAKE_NVML, .gpu_bus_id = "0000:41:00.0"});
  assert_non_null(m);
  assert_true(energy_meter_gpu_joules(m) == 2.5);
  assert_true(energy_meter_gpu_joules(m) == 5.0);
  energy_meter_start(m);
  assert_true(energy_meter_gpu_joules(m) == 2.5);
  assert_true(energy_meter_cpu_joules(m) == -1);
  energy_meter_destroy(&m);
  m = energy_meter_create(&(energy_meter_source){.powercap = "", .nvml = FAKE_NVML, .gpu_bus_id = "0000:42:00.0"});
  assert_true(energy_meter_gpu_joules(m) == -1);
  energy_meter_destroy(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(packages, set_up, tear_down),
    cmocka_unit_test_setup_teardown(the_counter_comes_round, set_up, tear_down),
    cmocka_unit_test_setup_teardown(not_allowed, set_up, tear_down),
    cmocka_unit_test_setup_teardown(lost_on_the_way, set_up, tear_down),
    cmocka_unit_test_setup_teardown(no_counters, set_up, tear_down),
    cmocka_unit_test(this_machine),
    cmocka_unit_test(a_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
