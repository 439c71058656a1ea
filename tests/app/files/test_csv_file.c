/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A CSV file that a run goes on with: which rows stay, and what happens when the old ones can't be read.
 * ranks: 1 2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/files/csv_file.h"
#include "mesh/comm/comm.h"

static char folder[] = "/tmp/test_csv_file.XXXXXX", message[DECK_PATH + 256];
static const char head[] = "step,value\n";

static int make_folder(void **state)
{
  (void)state;
  bool good = comm_rank() != 0 || mkdtemp(folder);
  comm_broadcast(folder, sizeof folder, 0);
  return !good;
}

static int remove_folder(void **state)
{
  (void)state;
  char path[64];
  comm_barrier();
  if (comm_rank() != 0) return 0;
  snprintf(path, sizeof path, "%s/a.csv", folder);
  unlink(path);
  snprintf(path, sizeof path, "%s/loop.csv", folder);
  unlink(path);
  return rmdir(folder);
}

static csv_file open_file(int64_t last)
{
  csv_file f;
  if (csv_file_open(&f, folder, "a.csv", head, (csv_rows){last, -1}, message, sizeof message)) fail_msg("%s", message);
  assert_int_equal(f.file != NULL, comm_rank() == 0);
  return f;
}

/* Adds the text, and closes the file. */
static void add(csv_file *f, const char *text)
{
  if (f->file) fputs(text, f->file);
  assert_int_equal(csv_file_flush(f, message, sizeof message), 0);
  assert_int_equal(csv_file_sync(f, message, sizeof message), 0);
  assert_int_equal(csv_file_close(f, message, sizeof message), 0);
}

static void expect(const char *expected)
{
  char path[64], text[256] = "";
  if (comm_rank() != 0) return;
  snprintf(path, sizeof path, "%s/a.csv", folder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text, expected);
}

static void rows_up_to_the_checkpoint_stay(void **state)
{
  (void)state;
  csv_file f = open_file(-1);
  add(&f, "0,a\n5,b\n10,c\n15,cut of");
  f = open_file(5);
  add(&f, "6,d\n");
  expect("step,value\n0,a\n5,b\n6,d\n");
  f = open_file(20); // a row that was cut off is none, whatever its step
  add(&f, "7,e");
  f = open_file(20);
  add(&f, "8,f\n");
  expect("step,value\n0,a\n5,b\n6,d\n8,f\n");
  f = open_file(-1); // a new run
  add(&f, "");
  expect(head);
}

static void rows_of_a_step_are_written_once(void **state)
{
  (void)state;
  const bool root = comm_rank() == 0;
  csv_file f = open_file(-1);
  assert_int_equal(csv_file_begin_rows(&f, 0), root);
  assert_int_equal(csv_file_begin_rows(&f, 4), root);
  assert_false(csv_file_begin_rows(&f, 4));
  add(&f, "0,a\n4,b\n");
  f = open_file(5);
  assert_false(csv_file_begin_rows(&f, 4));
  assert_int_equal(csv_file_begin_rows(&f, 5), root);
  add(&f, "");
  f = open_file(3);
  assert_int_equal(csv_file_begin_rows(&f, 4), root);
  add(&f, "");
}

/* Rows are not dropped because they can't be read. */
static void a_file_that_cannot_be_read_is_an_error(void **state)
{
  (void)state;
  csv_file f;
  char path[64];
  snprintf(path, sizeof path, "%s/loop.csv", folder);
  if (comm_rank() == 0) assert_int_equal(symlink("loop.csv", path), 0);
  assert_int_equal(csv_file_open(&f, folder, "loop.csv", head, (csv_rows){3, -1}, message, sizeof message), 3);
  assert_null(f.file);
  assert_non_null(strstr(message, "loop.csv"));
  assert_non_null(strstr(message, "a link has this name"));
}

/* Removed, and removed with a new file in its place: both are noticed when rows are to be safe. */
static void a_file_that_vanishes_is_an_error(void **state)
{
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "%s/a.csv", folder);
  for (int replaced = 0; replaced < 2; replaced++) {
    csv_file f = open_file(-1);
    if (f.file) {
      fputs("0,a\n", f.file);
      assert_int_equal(unlink(path), 0);
      FILE *other = replaced ? fopen(path, "w") : NULL;
      if (other) fclose(other);
    }
    assert_int_equal(csv_file_flush(&f, message, sizeof message), 0);
    assert_int_equal(csv_file_sync(&f, message, sizeof message), 3);
    assert_non_null(strstr(message, "a.csv' was removed or replaced"));
    assert_int_equal(csv_file_close(&f, message, sizeof message), 3);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_file_that_vanishes_is_an_error),
    cmocka_unit_test(rows_up_to_the_checkpoint_stay),
    cmocka_unit_test(rows_of_a_step_are_written_once),
    cmocka_unit_test(a_file_that_cannot_be_read_is_an_error),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  comm_finalize();
  return failed;
}
