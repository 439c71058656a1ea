/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of checkpoints, and which of them are deleted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/checkpoint/checkpoint.h"

static char folder[64];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/test_checkpoint_folder.XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  return rmdir(folder);
}

static void in_folder(char path[128], const char *name)
{
  snprintf(path, 128, "%s/%s", folder, name);
}

/* Makes empty files, names ended by NULL. */
static void make_files(const char *const *names)
{
  char path[128];
  for (; *names; names++) {
    in_folder(path, *names);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
  }
}

/* The file is there; it is taken away. */
static bool took(const char *name)
{
  char path[128];
  in_folder(path, name);
  return unlink(path) == 0;
}

/* Puts a step on the shelf, which keeps two; `later` checkpoints are moved. */
static void put(checkpoint_shelf *shelf, int64_t step, int later)
{
  char message[2 * CHECKPOINT_PATH];
  const int before = shelf->moved;
  assert_int_equal(checkpoint_shelf_put(shelf, folder, step, 2, message, sizeof message), STATUS_OK);
  assert_int_equal(shelf->moved - before, later);
}

static void names_hold_the_step(void **state)
{
  (void)state;
  static const char *const others[] = {"checkpoint_.h5", "checkpoint_7.h5.tmp", "checkpoint_-1.h5", "fault_000007.h5",
                                       "checkpoint_7",   "a/checkpoint_7.h5/b", "xcheckpoint_7.h5", ""};
  char path[CHECKPOINT_PATH];
  for (int64_t step = 0; step < INT64_C(20000000000); step = 7 * step + 1) {
    checkpoint_path("some/folder", step, path);
    assert_true(checkpoint_step_of(path) == step);
  }
  assert_string_equal((checkpoint_path(".", 12, path), path), "./checkpoint_000012.h5");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_true(checkpoint_step_of(others[i]) == -1);
}

/* A run deletes what is on its shelf, and nothing else. */
static void the_newest_are_kept(void **state)
{
  (void)state;
  static const char *const files[] = {
    "checkpoint_000002.h5", "checkpoint_000004.h5", "checkpoint_000006.h5", "checkpoint_000008.h5", "other.h5", NULL};
  checkpoint_shelf shelf = {0};
  make_files(files);
  put(&shelf, 8, 0);
  put(&shelf, 9, 0);
  put(&shelf, 10, 0);
  assert_false(took("checkpoint_000008.h5")); // its own
  for (const char *const *name = files; *name; name++) assert_int_equal(took(*name), strcmp(*name, files[3]) != 0);
  checkpoint_shelf_destroy(&shelf);
}

/* A run that goes back behind later checkpoints moves them to a folder, each time another one. */
static void later_ones_are_set_aside(void **state)
{
  (void)state;
  static const char *const files[] = {"checkpoint_000002.h5", "checkpoint_000004.h5",  "checkpoint_000006.h5",
                                      "checkpoint_000008.h5", "checkpoint_1000000.h5", NULL};
  checkpoint_shelf shelf = {0};
  for (int time = 1; time <= 2; time++) {
    make_files(files);
    checkpoint_shelf_take(&shelf, folder, 4);
    put(&shelf, 6, 2);
    put(&shelf, 7, 0);
    checkpoint_shelf_destroy(&shelf);
    assert_false(took("checkpoint_000002.h5"));
    assert_false(took("checkpoint_000004.h5"));
    assert_true(took("checkpoint_000006.h5"));
    assert_false(took("checkpoint_000008.h5"));
  }
  assert_true(took("old-1/checkpoint_000008.h5") && took("old-2/checkpoint_000008.h5"));
  assert_true(took("old-1/checkpoint_1000000.h5") && took("old-2/checkpoint_1000000.h5"));
  for (int i = 1; i <= 2; i++) {
    char path[128];
    in_folder(path, i == 1 ? "old-1" : "old-2");
    assert_int_equal(rmdir(path), 0);
  }
}

/* Checkpoints that can't be moved, as the folder for them is gone, stay, and a sentence tells. */
static void those_that_stay_are_told_of(void **state)
{
  (void)state;
  static const char *const files[] = {"checkpoint_000002.h5", "checkpoint_000004.h5", "checkpoint_000006.h5",
                                      "checkpoint_000008.h5", NULL};
  char message[2 * CHECKPOINT_PATH];
  checkpoint_shelf shelf = {0};
  make_files(files);
  checkpoint_shelf_take(&shelf, folder, 2);
  shelf.aside = 7;
  assert_int_equal(checkpoint_shelf_make_way(&shelf, folder, 4, message, sizeof message), STATUS_MACHINE);
  assert_non_null(strstr(message, "checkpoint_000004.h5"));
  assert_int_equal(checkpoint_shelf_put(&shelf, folder, 4, 1, message, sizeof message), STATUS_MACHINE);
  assert_non_null(strstr(message, "checkpoint_000008.h5"));
  assert_int_equal(checkpoint_shelf_put(&shelf, "/nowhere", 4, 1, message, sizeof message), STATUS_MACHINE);
  assert_int_equal(shelf.moved, 0);
  checkpoint_shelf_destroy(&shelf);
  for (const char *const *name = files; *name; name++) assert_true(took(*name));
}

/* Copies under similar names are neither counted nor deleted, nor taken for the newest checkpoint. */
static void copies_do_not_count(void **state)
{
  (void)state;
  static const char *const files[] = {"checkpoint_000002.h5", "checkpoint_000004.h5", "checkpoint_4.h5",
                                      "checkpoint_0000004.h5", NULL};
  char path[CHECKPOINT_PATH], message[CHECKPOINT_PATH + 256];
  checkpoint_shelf shelf = {0};
  make_files(files);
  assert_int_equal(checkpoint_before(folder, INT64_MAX, path, message, sizeof message), 0);
  assert_int_equal(checkpoint_step_of(path), 4);
  assert_int_equal(checkpoint_before(folder, 4, path, message, sizeof message), 0);
  assert_int_equal(checkpoint_step_of(path), 2);
  assert_int_equal(checkpoint_before(folder, 2, path, message, sizeof message), 2);
  checkpoint_shelf_take(&shelf, folder, 4);
  assert_int_equal(shelf.n, 2);
  put(&shelf, 4, 0);
  checkpoint_shelf_destroy(&shelf);
  for (const char *const *name = files; *name; name++) assert_true(took(*name));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_hold_the_step),      cmocka_unit_test(the_newest_are_kept),
    cmocka_unit_test(later_ones_are_set_aside), cmocka_unit_test(those_that_stay_are_told_of),
    cmocka_unit_test(copies_do_not_count),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
