/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is there as a whole or not at all.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/files/file_new.h"
#include "app/files/file_replace.h"

static char folder[64], path[128];

static int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/test_file_replace.XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static int files_in_folder(void)
{
  int n = 0;
  DIR *d = opendir(folder);
  assert_non_null(d);
  while (readdir(d)) n++;
  closedir(d);
  return n - 2;
}

static void read_back(char *text, size_t size)
{
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static void commit_and_cancel(void **state)
{
  (void)state;
  file_replace f;
  char text[64];
  assert_int_equal(file_replace_begin(&f, path), 0);
  fputs("one", f.file);
  assert_int_equal(access(path, F_OK), -1); /* not yet */
  assert_int_equal(file_replace_commit(&f), 0);
  read_back(text, sizeof text);
  assert_string_equal(text, "one");
  assert_int_equal(file_replace_begin(&f, path), 0);
  fputs("two", f.file);
  file_replace_cancel(&f);
  read_back(text, sizeof text);
  assert_string_equal(text, "one");
  assert_int_equal(files_in_folder(), 1);
}

static void links_are_followed(void **state)
{
  (void)state;
  file_replace f;
  char name[128], text[64];
  struct stat status;
  snprintf(name, sizeof name, "%s/link", folder);
  assert_int_equal(symlink("file", name), 0);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(file_replace_begin_named(&f, name), 0);
  fputs("through", f.file);
  assert_int_equal(file_replace_commit(&f), 0);
  assert_int_equal(lstat(name, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  read_back(text, sizeof text);
  assert_string_equal(text, "through");
  unlink(name);
}

/* Of a run's own files a link is not followed, and nothing that is no regular file is written to. */
static void a_run_follows_no_links(void **state)
{
  (void)state;
  file_replace f;
  char name[128];
  snprintf(name, sizeof name, "%s/link", folder);
  for (int kind = 0; kind < 4; kind++) {
    assert_int_equal(kind == 0   ? symlink("file", name)
                     : kind == 1 ? symlink("nowhere", name)
                     : kind == 2 ? mkfifo(name, 0600)
                                 : mkdir(name, 0700),
                     0);
    const int reason = kind < 2 ? FILE_IS_LINK : kind == 2 ? FILE_IS_PIPE : EISDIR;
    assert_int_equal(file_replace_begin(&f, name), reason);
    assert_int_equal(file_publish("unused", name), reason);
    assert_null(file_append(name));
    assert_int_equal(errno, reason);
    assert_null(file_create(name));
    assert_int_equal(errno, EEXIST);
    assert_int_equal(remove(name), 0);
  }
  assert_int_equal(file_replace_begin(&f, "/dev/null"), FILE_IS_DEVICE);
  assert_null(file_open("/dev/zero", true));
  assert_int_equal(errno, FILE_IS_DEVICE);
}

/* What is planted while a file is written is not followed either. */
static void a_link_that_comes_later(void **state)
{
  (void)state;
  file_replace f;
  char target[128];
  struct stat status;
  snprintf(target, sizeof target, "%s/target", folder);
  unlink(path);
  assert_int_equal(file_replace_begin(&f, path), 0);
  fputs("x", f.file);
  assert_int_equal(symlink("target", path), 0);
  assert_int_equal(file_replace_commit(&f), FILE_IS_LINK);
  assert_int_equal(lstat(target, &status), -1);
  unlink(path);
  assert_int_equal(files_in_folder(), 0);
}

static void two_do_not_share_a_name(void **state)
{
  (void)state;
  file_replace a, b;
  char text[64];
  assert_int_equal(file_replace_begin(&a, path), 0);
  assert_int_equal(file_replace_begin(&b, path), 0);
  fputs("one", a.file);
  fputs("two", b.file);
  assert_int_equal(file_replace_commit(&a), 0);
  read_back(text, sizeof text);
  assert_string_equal(text, "one");
  assert_int_equal(file_replace_commit(&b), 0);
  read_back(text, sizeof text);
  assert_string_equal(text, "two");
}

/* The stream goes on where the file ended. */
static void a_file_stays_open(void **state)
{
  (void)state;
  file_replace f;
  char text[64];
  assert_int_equal(file_replace_begin(&f, path), 0);
  fputs("head ", f.file);
  assert_int_equal(file_replace_commit_open(&f), 0);
  fputs("more", f.file);
  assert_int_equal(fclose(f.file), 0);
  read_back(text, sizeof text);
  assert_string_equal(text, "head more");
}

static void devices_stay(void **state)
{
  (void)state;
  file_replace f;
  struct stat status;
  assert_int_equal(file_replace_begin_named(&f, "/dev/null"), 0);
  fputs("x", f.file);
  assert_int_equal(file_replace_commit(&f), 0);
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
  for (int bytes = 1; bytes <= 100000; bytes *= 10) { // more than a stream keeps, too
    assert_int_equal(file_replace_begin_named(&f, "/dev/full"), 0);
    fprintf(f.file, "%*s", bytes, "x");
    assert_int_equal(file_replace_commit(&f), ENOSPC);
  }
}

static void nowhere(void **state)
{
  (void)state;
  file_replace f;
  char name[5000];
  assert_int_equal(file_replace_begin(&f, folder), EISDIR);
  assert_int_equal(file_replace_begin_named(&f, folder), EISDIR);
  assert_int_equal(file_replace_begin_named(&f, ""), ENOENT);
  snprintf(name, sizeof name, "%s/no/such", folder);
  assert_int_equal(file_replace_begin(&f, name), ENOENT);
  assert_int_equal(file_replace_begin(&f, ""), ENOENT);
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  assert_int_equal(file_replace_begin(&f, name), ENAMETOOLONG);
}

/* The disk is full half-way: the old file is still there and nothing else. */
static void a_full_disk(void **state)
{
  (void)state;
  file_replace f;
  char text[64];
  struct rlimit before, little = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("old", file);
  fclose(file);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  little.rlim_max = before.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
  assert_int_equal(file_replace_begin(&f, path), 0);
  for (int i = 0; i < 10000; i++) fputs("more ", f.file);
  int reason = file_replace_commit(&f);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_not_equal(reason, 0);
  read_back(text, sizeof text);
  assert_string_equal(text, "old");
  assert_int_equal(files_in_folder(), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(commit_and_cancel),
    cmocka_unit_test(links_are_followed),
    cmocka_unit_test(a_run_follows_no_links),
    cmocka_unit_test(a_link_that_comes_later),
    cmocka_unit_test(two_do_not_share_a_name),
    cmocka_unit_test(a_file_stays_open),
    cmocka_unit_test(devices_stay),
    cmocka_unit_test(nowhere),
    cmocka_unit_test(a_full_disk),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
