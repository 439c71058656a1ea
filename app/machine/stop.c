/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/stop.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh/comm/comm.h"

enum { PATH_SIZE = DECK_PATH + 16 };

/* The handlers only note that there was a signal; ranks act together, between two steps. */
static volatile sig_atomic_t signalled;
static const int always[] = {SIGUSR1, SIGUSR2};
static const int of_steps[] = {SIGTERM, SIGHUP, SIGXCPU, SIGALRM}; // before the steps these end the program
static struct sigaction before_interrupt;

static void note(int signal)
{
  (void)signal;
  signalled = 1;
}

/* Ctrl-C is for somebody who waits; what reads the output may be gone by it, and is not to end the run. */
static void note_and_say(int number)
{
  static const char sentence[] =
    "shocklet: interrupted; a checkpoint follows this step; once more ends the run at once\n";
  const int error = errno;
  note(number);
  signal(SIGPIPE, SIG_IGN);
  const ssize_t said = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  (void)said; // nobody may be there to read it
  errno = error;
}

/* Installs a handler, unless the signal is ignored: nohup ignores SIGHUP, a shell SIGINT of background jobs. */
static void handle(int signal, void (*handler)(int), int flags, struct sigaction *old)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};
  sigaction(signal, NULL, old);
  if (old->sa_handler == SIG_IGN) return;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

static void note_all(int n, const int *signals)
{
  struct sigaction old;
  for (int i = 0; i < n; i++) handle(signals[i], note, 0, &old);
}

void stop_listen(void)
{
  note_all(sizeof always / sizeof *always, always);
}

stop_watch stop_begin(const deck *d, double started)
{
  note_all(sizeof of_steps / sizeof *of_steps, of_steps);
  handle(SIGINT, comm_rank() == 0 ? note_and_say : note, (int)SA_RESETHAND, &before_interrupt);
  const double now = batched_seconds();
  return (stop_watch){.deck = d, .started = started, .saved = now, .looked = -INFINITY, .last_step = now};
}

void stop_end(void)
{
  sigaction(SIGINT, &before_interrupt, NULL);
}

/* Such a file is a request once: it is taken away.  Who made a folder should hear that it is none. */
static bool take_file(stop_watch *w, const char *name)
{
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", w->deck->output.directory, name);
  if (unlink(path) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR || w->told) return false;
  w->told = true;
  fprintf(stderr, "shocklet: warning: %s is no request, as it can't be taken away: %s\n", path,
          errno == EPERM ? strerror(EISDIR) : strerror(errno));
  return false;
}

/* Tests whether another step and a checkpoint would end after the limit. */
static bool out_of_time(stop_watch *w, double now)
{
  const double limit = w->deck->time.wall_limit, step = now - w->last_step;
  if (step > w->slowest_step) w->slowest_step = step;
  w->last_step = now;
  return limit > 0.0 && now - w->started + w->slowest_step + w->longest >= limit;
}

/* Tests whether a checkpoint now would leave too little time for another step and the last checkpoint. */
static bool leaves_no_time(const stop_watch *w, double now)
{
  const double limit = w->deck->time.wall_limit;
  return limit > 0.0 && now - w->started + w->slowest_step + 2.0 * w->longest >= limit;
}

/* Asks for a checkpoint halfway to the limit, so that its duration is known before the limit is near. */
static bool wants_trial(const stop_watch *w, double now)
{
  const double limit = w->deck->time.wall_limit;
  return limit > 0.0 && w->longest == 0.0 && now - w->started >= 0.5 * limit;
}

stop_request stop_look(stop_watch *w, int64_t step)
{
  const deck *d = w->deck;
  const double now = batched_seconds();
  double asked[3] = {signalled || out_of_time(w, now), wants_trial(w, now), leaves_no_time(w, now)};
  if (comm_rank() == 0 && now - w->looked >= 0.2) {
    w->looked = now;
    if (take_file(w, "stop")) asked[0] = 1.0;
    if (take_file(w, "checkpoint")) asked[1] = 1.0;
  }
  if (comm_rank() == 0 && d->output.checkpoint_seconds > 0.0 && now - w->saved >= d->output.checkpoint_seconds)
    asked[1] = 1.0;
  comm_max(asked, 3);
  const int64_t every = d->output.checkpoint_every;
  const bool due = asked[1] > 0.0 || (every > 0 && step % every == 0);
  const bool stop = asked[0] > 0.0 || (due && asked[2] > 0.0);
  return (stop_request){.stop = stop, .checkpoint = stop || due};
}

void stop_saved(stop_watch *w, double seconds)
{
  if (seconds > w->longest) w->longest = seconds;
  w->saved = w->last_step = batched_seconds();
}
