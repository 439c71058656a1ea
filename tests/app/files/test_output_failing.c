/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Field files that can't be written: every rank is told why, and what was there before stays.
 * ranks: 1 2 3 4
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/app/files/output_samples.h"

static bool exists(const char *path)
{
  return access(path, F_OK) == 0;
}

static void a_directory_that_cannot_be_is_an_error(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[PATH];
  in_folder(path, "file");
  if (comm_rank() == 0) fclose(fopen(path, "w"));
  comm_barrier();
  in_folder(path, "file/below");
  output_series *series;
  assert_int_equal(output_create(&series, path, "x", &run, 0, message, sizeof message), 3);
  assert_null(series);
  assert_non_null(strstr(message, path));
  assert_non_null(strstr(message, "Not a directory"));
}

static void a_directory_that_vanishes_is_an_error(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[PATH];
  in_folder(path, "gone");
  output_series *series = open_series(path, "x", 0);
  comm_barrier();
  if (comm_rank() == 0) rmdir(path);
  comm_barrier();
  assert_int_equal(write_sample(series, 2, 2, 0, message), 3);
  assert_non_null(strstr(message, "gone/x_000000.vtkhdf"));
  assert_non_null(strstr(message, "No such file"));
  output_destroy(&series);
}

/* Files may grow to this size and no further. */
static void limit_files(rlim_t bytes)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* Temporary files in the folder. */
static int count_parts(void)
{
  int n = 0;
  DIR *opened = opendir(folder);
  assert_non_null(opened);
  for (struct dirent *entry; (entry = readdir(opened));) n += strstr(entry->d_name, ".part") != NULL;
  closedir(opened);
  return n;
}

/* Runs last: HDF5 may keep a file open that it could not write. */
static void a_full_disk_is_an_error_and_leaves_the_rest_alone(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[PATH], first[PATH];
  output_series *series = open_series(folder, "full", 0);
  assert_int_equal(write_sample(series, 2, 1, 0, message), 0);
  signal(SIGXFSZ, SIG_IGN);
  for (int bytes = 100; bytes < 9000; bytes += 2100) {
    limit_files((rlim_t)bytes);
    const int status = write_sample(series, 3, 2, 1, message);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, 3);
    assert_non_null(strstr(message, "full_000001.vtkhdf"));
    assert_non_null(strstr(message, "too large"));
    in_folder(path, "full_000001.vtkhdf"), in_folder(first, "full_000000.vtkhdf");
    comm_barrier();
    assert_true(!exists(path) && exists(first) && count_parts() == 0);
  }
  const char *expected =
    "{\"file-series-version\":\"1.0\",\"files\":[\n{\"name\":\"full_000000.vtkhdf\",\"time\":0}\n]}\n";
  assert_true(everywhere(comm_rank() != 0 || series_is("full.vtkhdf.series", expected)));
  output_destroy(&series);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_directory_that_cannot_be_is_an_error),
    cmocka_unit_test(a_directory_that_vanishes_is_an_error),
    cmocka_unit_test(a_full_disk_is_an_error_and_leaves_the_rest_alone),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  comm_finalize();
  return failed;
}
