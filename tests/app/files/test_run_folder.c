/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The claim of a run to its folder: one run at a time, no files of another run, nothing that is no file of a run.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/files/run_folder.h"

enum { DECK = 7, OTHER_DECK = 8 };

static char top[64], folder[80], message[2 * DECK_PATH];

static int set_up(void **state)
{
  (void)state;
  strcpy(top, "/tmp/test_run_folder.XXXXXX");
  if (!mkdtemp(top)) return -1;
  snprintf(folder, sizeof folder, "%s/a/b", top);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", top);
  return system(command);
}

static void path_of(char path[160], const char *name)
{
  snprintf(path, 160, "%s/%s", folder, name);
}

static bool is_there(const char *name)
{
  char path[160];
  struct stat is;
  path_of(path, name);
  return lstat(path, &is) == 0;
}

static void put(const char *name)
{
  char path[160];
  path_of(path, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
}

static void make_folder(void)
{
  char path[160];
  snprintf(path, sizeof path, "mkdir -p %s", folder);
  assert_int_equal(system(path), 0);
}

static run_folder claimed(uint64_t deck, run_folder_use use)
{
  run_folder f;
  if (run_folder_claim(&f, folder, deck, use, message, sizeof message)) fail_msg("%s", message);
  assert_true(run_folder_is_held(&f));
  return f;
}

static void refused(uint64_t deck, run_folder_use use, int status, const char *words)
{
  run_folder f;
  assert_int_equal(run_folder_claim(&f, folder, deck, use, message, sizeof message), status);
  if (!strstr(message, words)) fail_msg("%s", message);
}

static int cleared(run_folder *f)
{
  int removed;
  if (run_folder_clear(f, &removed, message, sizeof message)) fail_msg("%s", message);
  return removed;
}

/* Runs in a process of its own and is killed there, as far as the lock goes. */
static void left_by_killed_run(uint64_t deck, const char *const *files)
{
  int status;
  const pid_t child = fork();
  if (child == 0) {
    run_folder f = claimed(deck, RUN_FOLDER_NEW);
    cleared(&f);
    for (; *files; files++) put(*files);
    _exit(0);
  }
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_true(is_there("run.lock"));
}

static void one_run_at_a_time(void **state)
{
  (void)state;
  char words[128];
  run_folder f = claimed(DECK, RUN_FOLDER_NEW);
  cleared(&f);
  snprintf(words, sizeof words, "another run writes here: process %ld on ", (long)getpid());
  refused(DECK, RUN_FOLDER_NEW, STATUS_MACHINE, words);
  refused(DECK, RUN_FOLDER_OVERWRITE, STATUS_MACHINE, words);
  refused(DECK, RUN_FOLDER_GOES_ON, STATUS_MACHINE, words);
  assert_true(run_folder_is_held(&f));
  run_folder_release(&f, true);
  assert_false(is_there("run.lock"));
  f = claimed(DECK, RUN_FOLDER_NEW);
  run_folder_release(&f, true);
}

/* Between taking the lock and writing its name, a run is waited for: the file is empty, or names one that is gone. */
static void a_holder_is_named_as_soon_as_it_writes(void **state)
{
  (void)state;
  char lock[160], host[64], words[128];
  make_folder();
  path_of(lock, "run.lock");
  assert_int_equal(gethostname(host, sizeof host), 0);
  for (int leftover = 0; leftover < 2; leftover++) {
    FILE *file = fopen(lock, "w");
    assert_non_null(file);
    if (leftover) fprintf(file, "00c0ffee00c0ffee %s 999999999\n", host);
    fflush(file);
    assert_int_equal(flock(fileno(file), LOCK_EX), 0);
    const pid_t child = fork();
    if (child == 0) {
      nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
      rewind(file);
      fprintf(file, "00c0ffee00c0ffee %s %ld\n", host, (long)getpid());
      fflush(file);
      pause();
    }
    snprintf(words, sizeof words, "another run writes here: process %ld on ", (long)child);
    refused(DECK, RUN_FOLDER_NEW, STATUS_MACHINE, words);
    assert_int_equal(kill(child, SIGKILL), 0);
    waitpid(child, NULL, 0);
    fclose(file);
    assert_int_equal(remove(lock), 0);
  }
}

/* A process that is killed as it writes its line leaves the line's beginning; a text of somebody else's is none. */
static void a_line_that_was_cut_short(void **state)
{
  (void)state;
  static const char line[] = "00c0ffee00c0ffee host 123456";
  static const struct {
    const char *text;
    size_t length;
  } foreign[] = {{"123456", 6}, {"00c0ffee\n", 9}, {"00c0ffee a text", 15}, {"00c0ffee00c0ffee00", 18}};
  char lock[160];
  make_folder();
  path_of(lock, "run.lock");
  for (size_t n = 8; n < sizeof line; n++) {
    FILE *file = fopen(lock, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(line, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    run_folder f = claimed(DECK, RUN_FOLDER_NEW);
    run_folder_release(&f, true);
    assert_false(is_there("run.lock"));
  }
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    FILE *file = fopen(lock, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(foreign[i].text, 1, foreign[i].length, file), foreign[i].length);
    assert_int_equal(fclose(file), 0);
    refused(DECK, RUN_FOLDER_NEW, STATUS_MACHINE, "run.lock");
    assert_int_equal(remove(lock), 0);
  }
}

/* What was claimed, and never used, leaves nothing behind. */
static void a_claim_alone_leaves_nothing(void **state)
{
  (void)state;
  run_folder f = claimed(DECK, RUN_FOLDER_NEW);
  run_folder_release(&f, false);
  snprintf(folder, sizeof folder, "%s/a", top);
  assert_int_not_equal(access(folder, F_OK), 0);
  snprintf(folder, sizeof folder, "%s/a/b", top);
}

static void files_of_another_run_are_refused(void **state)
{
  (void)state;
  static const char *const names[] = {"history.csv",          "probes.csv",      "profile.csv",
                                      "x_000010.vtkhdf",      "x.vtkhdf.series", "x_000010.0003.vtkhdf",
                                      "checkpoint_000010.h5", "fault_000003.h5"};
  static const char *const others[] = {"report.json",   "deck.yaml",       "my.vtkhdf",
                                       "checkpoint.h5", "history.csv.txt", NULL};
  make_folder();
  for (const char *const *name = others; *name; name++) put(*name);
  run_folder f = claimed(DECK, RUN_FOLDER_NEW);
  run_folder_release(&f, true);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    put(names[i]);
    refused(DECK, RUN_FOLDER_NEW, STATUS_INPUT, names[i]);
    assert_true(is_there(names[i]) && !is_there("run.lock"));
    f = claimed(DECK, RUN_FOLDER_GOES_ON);
    assert_int_equal(cleared(&f), 0);
    run_folder_release(&f, true);
    assert_true(is_there(names[i]));
    f = claimed(DECK, RUN_FOLDER_OVERWRITE);
    assert_true(is_there(names[i])); // until the run is set up
    assert_int_equal(cleared(&f), 1);
    run_folder_release(&f, true);
    assert_false(is_there(names[i]));
  }
  for (int time = 1; time <= 2; time++) { // a run that goes on from a checkpoint elsewhere
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) put(names[i]);
    f = claimed(DECK, RUN_FOLDER_SET_ASIDE);
    assert_int_equal(cleared(&f), sizeof names / sizeof *names);
    assert_int_equal(f.aside, time);
    run_folder_release(&f, true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      char name[64];
      snprintf(name, sizeof name, "old-%d/%s", time, names[i]);
      assert_true(!is_there(names[i]) && is_there(name));
    }
  }
  for (const char *const *name = others; *name; name++) assert_true(is_there(*name));
}

/* A run that was killed before its first checkpoint may begin again, one of another deck may not take its place. */
static void a_try_without_checkpoint_begins_again(void **state)
{
  (void)state;
  static const char *const files[] = {"history.csv", "x_000000.vtkhdf", "history.csv.0123456789abcdef.part", NULL};
  static const char *const state_too[] = {"history.csv", "checkpoint_000001.h5", NULL};
  left_by_killed_run(DECK, files);
  refused(OTHER_DECK, RUN_FOLDER_NEW, STATUS_INPUT, "holds files of another run");
  assert_true(is_there("history.csv") && is_there("run.lock"));
  run_folder f = claimed(DECK, RUN_FOLDER_NEW);
  assert_int_equal(cleared(&f), 2);
  for (const char *const *name = files; *name; name++) assert_false(is_there(*name));
  run_folder_release(&f, true);
  left_by_killed_run(DECK, state_too);
  refused(DECK, RUN_FOLDER_NEW, STATUS_INPUT, "checkpoint_000001.h5 and 1 more); --restart latest goes on with it");
  f = claimed(DECK, RUN_FOLDER_GOES_ON);
  run_folder_release(&f, true);
  assert_true(is_there("checkpoint_000001.h5") && is_there("history.csv"));
}

/* `latest` takes no state of a fault: that is named. */
static void a_fault_is_gone_on_from_by_name(void **state)
{
  (void)state;
  static const char *const files[] = {"fault_000012.h5", "fault.vtkhdf.series", "fault_000003.h5", NULL};
  char words[192];
  left_by_killed_run(DECK, files);
  snprintf(words, sizeof words,
           "fault_000012.h5 and 2 more); --restart %s/fault_000012.h5 goes on from before its fault", folder);
  refused(OTHER_DECK, RUN_FOLDER_NEW, STATUS_INPUT, words);
  put("checkpoint_000001.h5");
  refused(DECK, RUN_FOLDER_NEW, STATUS_INPUT, "checkpoint_000001.h5 and 3 more); --restart latest goes on with it");
}

static void temporary_files_of_killed_runs_go(void **state)
{
  (void)state;
  static const char *const old[] = {"checkpoint_000003.h5.0123456789abcdef.part",
                                    "x_000003.vtkhdf.0123456789abcdef.part",
                                    "checkpoint_000003.h5.tmp",
                                    "history.csv.12345.part",
                                    "x.vtkhdf.series.tmp",
                                    NULL};
  static const char *const others[] = {
    "notes.tmp", "a.0123456789abcdef.part", "report.json.0123456789abcdef.part", "history.csv.part", ".part", "x.tmp",
    NULL};
  make_folder();
  for (const char *const *name = old; *name; name++) put(*name);
  for (const char *const *name = others; *name; name++) put(*name);
  run_folder f = claimed(DECK, RUN_FOLDER_NEW);
  assert_int_equal(cleared(&f), 0); // of what counts
  run_folder_release(&f, true);
  for (const char *const *name = old; *name; name++) assert_false(is_there(*name));
  for (const char *const *name = others; *name; name++) assert_true(is_there(*name));
}

static bool plant(int kind, const char *path)
{
  char outside[160];
  snprintf(outside, sizeof outside, "%s/outside", top);
  switch (kind) {
  case 0: return symlink(outside, path) == 0;
  case 1: return mkfifo(path, 0600) == 0;
  case 2: return mkdir(path, 0700) == 0;
  default: return mknod(path, S_IFCHR | 0600, makedev(1, 3)) == 0; // takes root
  }
}

static void what_is_no_file_is_refused(void **state)
{
  (void)state;
  static const char *const names[] = {"history.csv", "checkpoint_000010.h5", "x_000010.vtkhdf", "run.lock"};
  static const char *const kinds[] = {"link", "pipe", "directory", "device"};
  char path[160], outside[160];
  make_folder();
  snprintf(outside, sizeof outside, "%s/outside", top);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int kind = 0; kind < 4; kind++) {
      path_of(path, names[i]);
      if (!plant(kind, path)) continue;
      refused(DECK, RUN_FOLDER_NEW, STATUS_MACHINE, kinds[kind]);
      refused(DECK, RUN_FOLDER_GOES_ON, STATUS_MACHINE, names[i]);
      assert_true(is_there(names[i]));
      assert_int_not_equal(access(outside, F_OK), 0);
      assert_int_equal(remove(path), 0);
    }
}

/* Another name of a file elsewhere, and a file that somebody wrote: neither is a lock. */
static void a_lock_is_not_what_others_wrote(void **state)
{
  (void)state;
  char path[160], outside[160], text[16] = "";
  make_folder();
  path_of(path, "run.lock");
  snprintf(outside, sizeof outside, "%s/outside", top);
  for (int linked = 0; linked < 2; linked++) {
    FILE *file = fopen(outside, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    assert_int_equal(linked ? link(outside, path) : rename(outside, path), 0);
    refused(DECK, RUN_FOLDER_NEW, STATUS_MACHINE, "run.lock': File exists");
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "precious");
    unlink(path);
  }
}

static void a_folder_that_vanishes_is_not_held(void **state)
{
  (void)state;
  char command[128];
  run_folder f = claimed(DECK, RUN_FOLDER_NEW), other;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  assert_false(run_folder_is_held(&f));
  other = claimed(DECK, RUN_FOLDER_NEW);
  assert_false(run_folder_is_held(&f));
  run_folder_release(&f, true); // takes nothing of the other one away
  assert_true(run_folder_is_held(&other));
  run_folder_release(&other, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(one_run_at_a_time),
    TEST(a_holder_is_named_as_soon_as_it_writes),
    TEST(a_line_that_was_cut_short),
    TEST(a_claim_alone_leaves_nothing),
    TEST(files_of_another_run_are_refused),
    TEST(a_try_without_checkpoint_begins_again),
    TEST(a_fault_is_gone_on_from_by_name),
    TEST(temporary_files_of_killed_runs_go),
    TEST(what_is_no_file_is_refused),
    TEST(a_lock_is_not_what_others_wrote),
    TEST(a_folder_that_vanishes_is_not_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
