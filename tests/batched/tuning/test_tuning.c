/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of tuned configurations: the nearest size that fits, tables that make no sense, and whose table it is.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "batched/tuning/tuning.h"
#include "tests/batched/host_context.h"

static const char *describe(int config)
{
  static const char *const names[] = {"small", "large tile", "huge"};
  return names[config];
}

/* "huge" is for products of 100 and more rows. */
static bool fits(int config, batched_type type, int m, int n, int k)
{
  (void)type, (void)n, (void)k;
  return config < 2 || m >= 100;
}

/* Tiles of 10 and of 16 columns. */
static double cost(int config, batched_type type, int m, int n, int k)
{
  (void)type, (void)m, (void)k;
  const int tile = config == 0 ? 10 : 16, columns = (n + tile - 1) / tile * tile;
  return columns;
}

static const batched_family tiles = {"tiles", NULL, "cuda.tile", 3, describe, fits, NULL, false};
static const batched_family other = {"other", NULL, "cuda.other", 2, describe, NULL, NULL, false};
static const batched_family wide = {"wide", NULL, "cuda.tile", 2, describe, NULL, cost, false};
static const batched_family *const families[] = {&tiles, &other, &wide, NULL};

static const char table[] = "# device: a\n"
                            "family,type,m,n,k,configuration,seconds\n"
                            "tiles,d,8,8,8,small,1e-6,more\n"
                            "tiles,d,8,8,8,large tile,2e-6\n"
                            "tiles,d,64,64,64,small,4e-4\n"
                            "tiles,d,64,64,64,large tile,3e-4\n"
                            "tiles,d,128,128,128,large tile,2.5e-3\n"
                            "tiles,d,128,128,128,huge,2e-3\n"
                            "tiles,s,8,8,8,large tile,1e-3\n"
                            "other,d,32,1,0,large tile,1e-3\n"
                            "wide,d,1,80,1,small,1e-3\n"
                            "wide,d,1,80,1,large tile,1.01e-3\n";

static int tuned(const batched_family *family, batched_type type, int m, int n, int k)
{
  return batched_tuned(ctx, family, type, m, n, k, 7);
}

static void test_nearest(void **unused)
{
  (void)unused;
  assert_int_equal(tuned(&tiles, BATCHED_D, 8, 8, 8), 7); /* no table yet */
  assert_int_equal(batched_load_tuning(ctx, families, table), 10);
  assert_int_equal(tuned(&tiles, BATCHED_D, 8, 8, 8), 0);
  assert_int_equal(tuned(&tiles, BATCHED_D, 1, 1, 1), 0);
  assert_int_equal(tuned(&tiles, BATCHED_D, 0, 5, 0), 0);
  assert_int_equal(tuned(&tiles, BATCHED_D, 22, 22, 22), 0); /* 8 * 64 = 22.6^2 */
  assert_int_equal(tuned(&tiles, BATCHED_D, 23, 23, 23), 1);
  assert_int_equal(tuned(&tiles, BATCHED_D, 512, 128, 64), 2);
  assert_int_equal(tuned(&tiles, BATCHED_D, 99, 128, 128), 1); /* the nearest does not fit */
  assert_int_equal(tuned(&tiles, BATCHED_S, 512, 512, 512), 1);
  assert_int_equal(tuned(&tiles, BATCHED_Z, 8, 8, 8), 7);
  assert_int_equal(tuned(&other, BATCHED_D, 300, 300, 300), 1);
}

/* What the nearest size says is corrected by what sizes cost; the family's own choice stays if it is as good. */
static void test_between(void **unused)
{
  (void)unused;
  batched_load_tuning(ctx, families, table);
  assert_int_equal(batched_tuned(ctx, &wide, BATCHED_D, 1, 80, 1, 7), 0);
  assert_int_equal(batched_tuned(ctx, &wide, BATCHED_D, 1, 80, 1, 1), 1);
  assert_int_equal(batched_tuned(ctx, &wide, BATCHED_D, 1, 90, 1, 1), 0);
  assert_int_equal(batched_tuned(ctx, &wide, BATCHED_D, 1, 96, 1, 0), 1);
}

static void test_forced(void **unused)
{
  (void)unused;
  int size[3] = {0};
  batched_load_tuning(ctx, families, table);
  assert_int_equal(batched_force_config(ctx, &tiles, 2), BATCHED_SUCCESS);
  assert_false(batched_asked_size(ctx, size));
  assert_int_equal(tuned(&other, BATCHED_D, 1, 1, 1), 1);
  assert_false(batched_asked_size(ctx, size));
  assert_int_equal(tuned(&tiles, BATCHED_D, 3, 4, 5), 2);
  assert_int_equal(tuned(&tiles, BATCHED_D, 1, 1, 1), 2);
  assert_true(batched_asked_size(ctx, size));
  assert_true(size[0] == 3 && size[1] == 4 && size[2] == 5);
  batched_force_config(ctx, &tiles, -1);
  assert_int_equal(tuned(&tiles, BATCHED_D, 8, 8, 8), 7);
  batched_force_config(ctx, NULL, -1);
  assert_int_equal(tuned(&tiles, BATCHED_D, 8, 8, 8), 0);
}

static void test_broken_tables(void **unused)
{
  (void)unused;
  static const char *const broken[] = {
    "",
    "\n\n\n",
    "no table at all",
    "tiles,d,8,8,8",
    "tiles,x,8,8,8,small,1",
    "tiles,d,-8,8,8,small,1",
    "tiles,d,8,8,99999999999999999999999,tiny,1",
    "tiles,d,eight,8,8,small,1",
    "unknown,d,8,8,8,small,1",
    ",d,8,8,8,small,1",
    "tiles,d,8,8,8,,1",
    "tiles,d,8,8,8,small",
    "tiles,d,8,8,8,small,0",
    "tiles,d,8,8,8,small,nan",
    "tiles\n,d,8,8,8,small,1",
    "\xff\xfe\x01tiles,d,8,8,8,small,1",
    "# tiles,d,8,8,8,small,1",
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    assert_int_equal(batched_load_tuning(ctx, families, broken[i]), 0);
    assert_int_equal(tuned(&tiles, BATCHED_D, 8, 8, 8), 7);
  }
  char *line = malloc(100001);
  memset(line, 'x', 100000);
  line[100000] = 0;
  assert_int_equal(batched_load_tuning(ctx, families, line), 0);
  free(line);
  assert_int_equal(batched_load_tuning(ctx, families, "broken\ntiles,d,8,8,8,small,1\nbroken"), 1);
  assert_int_equal(tuned(&tiles, BATCHED_D, 8, 8, 8), 0);
}

static void write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void test_file_of_the_environment(void **unused)
{
  (void)unused;
  char path[] = "/tmp/test_tuning_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  write_file(path, table);
  setenv("BATCHED_TUNING", path, 1);
  bool named;
  char *text = batched_read_tuning(&named);
  assert_true(named);
  assert_string_equal(text, table);
  free(text);
  setenv("BATCHED_TUNING", "/nonexistent/file", 1);
  assert_null(batched_read_tuning(&named));
  assert_true(named);
  setenv("BATCHED_TUNING", "/tmp", 1); /* a folder: opens, and reads as nothing */
  text = batched_read_tuning(&named);
  if (text) assert_int_equal(batched_load_tuning(ctx, families, text), 0);
  free(text);
  unsetenv("BATCHED_TUNING");
  assert_null(batched_read_tuning(&named));
  assert_false(named);
  unlink(path);
}

/* Lines of one's own replace the shipped ones of their family and type, and no others. */
static void check_own_lines(const char *shipped)
{
  char name[64], config[64], text[256];
  int size[3], own = 0;
  const char *line = strstr(shipped, "\ngemm.tile,d,");
  assert_non_null(line);
  assert_int_equal(sscanf(line, "\n%63[^,],d,%d,%d,%d,%63[^,]", name, &size[0], &size[1], &size[2], config), 5);
  const batched_family *family = batched_families[0], *others = batched_families[1];
  while (strcmp(family->describe(own), config) != 0) own++;
  assert_int_equal(batched_load_tuning(ctx, batched_families, ""), 0);
  const int before = batched_tuned(ctx, others, BATCHED_D, 300, 300, 300, -1);
  assert_true(before >= 0);
  snprintf(text, sizeof text, "%s,d,%d,%d,%d,%s,1\n", name, size[0], size[1], size[2], config);
  assert_int_equal(batched_load_tuning(ctx, batched_families, text), 1);
  assert_int_equal(batched_tuned(ctx, family, BATCHED_D, size[0], size[1], size[2], -1), own);
  assert_int_equal(batched_tuned(ctx, others, BATCHED_D, 300, 300, 300, -1), before);
}

/* Every shipped table is found by its device and by its neighbours, and most of its lines are understood. */
static void test_shipped_tables(void **unused)
{
  (void)unused;
  for (int i = 0; batched_tuning_tables[i]; i++) {
    char device[256] = "";
    int capability = 0, lines = 0, comments = 0;
    const char *at = strstr(batched_tuning_tables[i], "# device: ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "# device: %255[^\n]\n# capability: %d", device, &capability), 2);
    const char *text = batched_find_tuning(device, capability);
    assert_ptr_equal(text, batched_tuning_tables[i]);
    assert_non_null(batched_find_tuning("another", capability));
    assert_null(batched_find_tuning("another", 10));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
      comments += *line == '#' || strncmp(line, "family,", 7) == 0;
      lines++;
    }
    const int n = batched_load_tuning(ctx, batched_families, text);
    if (batched_families[0]) assert_true(2 * n > lines - comments);
    assert_int_equal(batched_ship_tuning(ctx, text), n);
    if (n > 0) check_own_lines(text);
  }
  assert_null(batched_find_tuning("another", 10));
  assert_int_equal(batched_ship_tuning(ctx, table), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_nearest, setup, teardown),
    cmocka_unit_test_setup_teardown(test_between, setup, teardown),
    cmocka_unit_test_setup_teardown(test_forced, setup, teardown),
    cmocka_unit_test_setup_teardown(test_broken_tables, setup, teardown),
    cmocka_unit_test_setup_teardown(test_file_of_the_environment, setup, teardown),
    cmocka_unit_test_setup_teardown(test_shipped_tables, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
