/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests from outside, looked at between two steps: SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, SIGXCPU, SIGALRM and SIGINT,
 * files named `stop` and `checkpoint` in the output folder, and the limits by the clock.
 */
#ifndef APP_STOP_H
#define APP_STOP_H

#include "app/deck/deck.h"

typedef struct stop_watch {
  const deck *deck; // borrowed
  // When these were, in seconds by the clock:
  double started;   // the begin of the run
  double saved;     // the last checkpoint
  double looked;    // the last look for files
  double last_step; // the end of the last step
  // How long the longest so far took, in seconds:
  double longest; // a checkpoint
  double slowest_step;
  bool told; // of a `stop` that is no file
} stop_watch;

typedef struct stop_request {
  bool stop, checkpoint;
} stop_request;

/* From here on SIGUSR1 and SIGUSR2 are requests, also those that come before the first step; after the last they are
 * nothing. */
void stop_listen(void);

/* From here on the others are, too, until the program ends: after the last step they are nothing, lest its report is
 * lost.  Of SIGINT that is the first one; a second one ends the program.  started: when the run began,
 * by batched_seconds, which time.wall_limit counts from. */
stop_watch stop_begin(const deck *d, double started);

/* The request that holds after `step` steps.  Collective: one rank's request is that of all.  A `stop` comes with a
 * checkpoint. */
stop_request stop_look(stop_watch *w, int64_t step);

/* A checkpoint was written in so many seconds. */
void stop_saved(stop_watch *w, double seconds);

/* After the last step: SIGINT means again what it meant. */
void stop_end(void);

#endif
