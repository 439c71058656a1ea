/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests between two steps.  Where the clock counts, the run is said to have begun days ago, so that no test waits.
 * ranks: 1 2
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/machine/stop.h"
#include "batched/batched.h"
#include "mesh/comm/comm.h"

enum { NOTHING, CHECKPOINT, STOP };

/* A stop comes with a checkpoint. */
static int look(stop_watch *w, int64_t step)
{
  const stop_request asked = stop_look(w, step);
  assert_true(asked.checkpoint || !asked.stop);
  return asked.stop ? STOP : asked.checkpoint ? CHECKPOINT : NOTHING;
}

/* A run whose limit is 1e6 s and which began `ago` seconds before now; its folder does not exist. */
static stop_watch begun(deck *d, double ago)
{
  *d = (deck){.time.wall_limit = 1e6, .output.directory = "/nowhere"};
  return stop_begin(d, batched_seconds() - ago);
}

/* Half of the limit is over and nobody knows how long a checkpoint takes: one is written, and only one. */
static void a_trial_at_half_of_the_limit(void **state)
{
  (void)state;
  deck d;
  stop_watch w = begun(&d, 4e5);
  assert_int_equal(look(&w, 1), NOTHING);
  w = begun(&d, 6e5);
  assert_int_equal(look(&w, 1), CHECKPOINT);
  stop_saved(&w, 10.0);
  assert_int_equal(look(&w, 2), NOTHING);
  w = begun(&d, 4e5);
  stop_saved(&w, 10.0); // one of those that come every so often tells as well
  w.started -= 2e5;
  assert_int_equal(look(&w, 1), NOTHING);
}

/* The last step and the last checkpoint have to end before the limit, and take as long as the longest so far. */
static void a_stop_before_the_limit(void **state)
{
  (void)state;
  deck d;
  stop_watch w = begun(&d, 7e5);
  stop_saved(&w, 2e5);
  assert_int_equal(look(&w, 1), NOTHING);
  w.started -= 2e5;
  assert_int_equal(look(&w, 2), STOP);
  w = begun(&d, 7e5);
  stop_saved(&w, 2e5);
  w.last_step -= 2e5;
  assert_int_equal(look(&w, 1), STOP);
  w = begun(&d, 2e6);
  assert_int_equal(look(&w, 1), STOP);
  d.time.wall_limit = 0.0;
  assert_int_equal(look(&w, 1), NOTHING);
}

/* A checkpoint that is due, after which there is no time for another step and the last checkpoint, is the last. */
static void a_due_checkpoint_may_be_the_last(void **state)
{
  (void)state;
  deck d;
  stop_watch w = begun(&d, 7e5);
  d.output.checkpoint_every = 10;
  stop_saved(&w, 2e5);
  assert_int_equal(look(&w, 9), NOTHING);
  assert_int_equal(look(&w, 10), STOP);
  w.longest = 1e5;
  assert_int_equal(look(&w, 20), CHECKPOINT);
}

/* One rank's clock is that of all. */
static void checkpoints_by_the_clock(void **state)
{
  (void)state;
  deck d;
  stop_watch w = begun(&d, 1e5);
  d.output.checkpoint_seconds = 1e5;
  assert_int_equal(look(&w, 1), NOTHING);
  if (comm_rank() == 0) w.saved -= 2e5;
  assert_int_equal(look(&w, 2), CHECKPOINT);
  stop_saved(&w, 1.0);
  assert_int_equal(look(&w, 3), NOTHING);
}

/* Each file is a request once. */
static void files_are_requests(void **state)
{
  (void)state;
  static const char *const names[] = {"checkpoint", "stop"};
  char folder[] = "/tmp/shocklet-stop-XXXXXX", path[sizeof folder + 16];
  deck d;
  stop_watch w = begun(&d, 0.0);
  if (comm_rank() == 0) assert_non_null(mkdtemp(folder));
  comm_broadcast(folder, sizeof folder, 0);
  strcpy(d.output.directory, folder);
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    FILE *made = comm_rank() == 0 ? fopen(path, "w") : NULL;
    assert_true(comm_rank() > 0 || (made && fclose(made) == 0));
    w.looked = -INFINITY;
    assert_int_equal(look(&w, 1), i ? STOP : CHECKPOINT);
    w.looked = -INFINITY;
    assert_int_equal(look(&w, 2), NOTHING);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  if (comm_rank() == 0) assert_int_equal(rmdir(folder), 0);
}

/* A folder of that name is none, and stays; that is said once. */
static void a_folder_is_no_request(void **state)
{
  (void)state;
  char folder[] = "/tmp/shocklet-stop-XXXXXX", path[sizeof folder + 16];
  deck d;
  stop_watch w = begun(&d, 0.0);
  if (comm_rank() == 0) assert_non_null(mkdtemp(folder));
  comm_broadcast(folder, sizeof folder, 0);
  strcpy(d.output.directory, folder);
  snprintf(path, sizeof path, "%s/stop", folder);
  if (comm_rank() == 0) assert_int_equal(mkdir(path, 0700), 0);
  for (int time = 0; time < 2; time++) {
    assert_int_equal(w.told, comm_rank() == 0 && time > 0);
    w.looked = -INFINITY;
    assert_int_equal(look(&w, 1), NOTHING);
  }
  if (comm_rank() == 0) assert_true(rmdir(path) == 0 && rmdir(folder) == 0);
}

/* What is ignored when the program starts, as by nohup, is ignored. */
static void an_ignored_signal_is_none(void **state)
{
  (void)state;
  deck d;
  signal(SIGHUP, SIG_IGN);
  stop_watch w = begun(&d, 0.0);
  raise(SIGHUP);
  assert_int_equal(look(&w, 1), NOTHING);
  signal(SIGHUP, SIG_DFL);
}

/* Comes last, as a signal is not forgotten: each in a process of its own.  After the last step it is nothing. */
static void a_signal_to_one_rank_stops_all(void **state)
{
  (void)state;
  deck d;
  stop_watch w = begun(&d, 0.0);
  assert_int_equal(look(&w, 1), NOTHING);
  if (comm_rank() == comm_size() - 1) raise(SIGTERM);
  assert_int_equal(look(&w, 2), STOP);
  stop_end();
  raise(SIGTERM);
}

/* On one rank: each signal ends in a request, and not in the end of the process. */
static void every_signal_is_a_request(void **state)
{
  (void)state;
  static const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, SIGXCPU, SIGALRM, SIGINT};
  for (size_t i = 0; comm_size() == 1 && i < sizeof signals / sizeof *signals; i++) {
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
      deck d;
      signal(signals[i], SIG_DFL);
      stop_listen();
      stop_watch w = begun(&d, 0.0);
      raise(signals[i]);
      _exit(stop_look(&w, 1).stop ? 17 : 1);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 17) fail_msg("signal %d: status %d", signals[i], status);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_trial_at_half_of_the_limit),
    cmocka_unit_test(a_stop_before_the_limit),
    cmocka_unit_test(a_due_checkpoint_may_be_the_last),
    cmocka_unit_test(checkpoints_by_the_clock),
    cmocka_unit_test(files_are_requests),
    cmocka_unit_test(a_folder_is_no_request),
    cmocka_unit_test(an_ignored_signal_is_none),
    cmocka_unit_test(every_signal_is_a_request),
    cmocka_unit_test(a_signal_to_one_rank_stops_all),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
