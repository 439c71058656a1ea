/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A whole run: set up, step to the end, say and write what came out.
 */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "app/checkpoint/restart.h"

typedef struct run_settings {
  bool quiet;
  const char *report;  /* borrowed; NULL: no report */
  const restart *from; /* borrowed; what to go on from; NULL: from the start */
  bool *unusable;      /* out: the state can't be taken from there, and nothing was done; NULL: that ends the program */
} run_settings;

/* Collective; returns the exit_status of the program, after one sentence on stderr if it is not STATUS_OK. */
int run_deck(deck *d, const run_settings *settings);

/* Room for a sentence: the longest deck and mesh file, and what is said of them. */
enum { RUN_MESSAGE = 2 * DECK_PATH + 1024 };

/* One sentence on one line of stderr, from the first rank; returns status.  Control characters, which the name of a
 * file may have, become blanks. */
int run_refuse(int status, const char *message);

#endif
