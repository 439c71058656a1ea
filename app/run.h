/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A whole run: set up, step to the end, say and write what came out.
 */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "app/deck/deck.h"

typedef struct run_settings {
  bool quiet;
  const char *report;  /* borrowed; NULL: no report */
  const char *restart; /* borrowed; the checkpoint to go on from; NULL: from the start */
  const deck *then;    /* borrowed; the deck in that checkpoint */
} run_settings;

/* Collective; returns the exit_status of the program, after one sentence on stderr if it is not STATUS_OK. */
int run_deck(deck *d, const run_settings *settings);

/* One sentence on stderr, from the first rank; returns status. */
int run_refuse(int status, const char *message);

#endif
