/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --restart: which checkpoint, and which deck.
 */
#ifndef APP_RESTART_H
#define APP_RESTART_H

#include "app/results/checkpoint.h"
#include "app/deck/options.h"

typedef struct restart {
  char path[CHECKPOINT_PATH];
  deck then; /* in the checkpoint */
} restart;

/* Finds and verifies the checkpoint of o->restart and fills *now: the deck that is named, or else the one in the
 * checkpoint, with the overrides.  Keys that have changed are listed in `to` (may be NULL).  Returns STATUS_OK, or
 * STATUS_INPUT (STATUS_MACHINE: memory) with a sentence: no such checkpoint, or a key has changed that the state
 * depends on.  One rank's business. */
int restart_read(restart *r, deck *now, const options *o, FILE *to, char *message, size_t size);

#endif
