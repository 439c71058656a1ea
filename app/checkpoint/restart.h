/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --restart: which checkpoint, and which deck.
 */
#ifndef APP_RESTART_H
#define APP_RESTART_H

#include "app/checkpoint/checkpoint.h"
#include "app/deck/options.h"

typedef struct restart {
  char path[CHECKPOINT_PATH];
  int64_t step;  /* of the checkpoint */
  double time;   /* of it */
  uint64_t mesh; /* its checksum */
  bool latest;   /* it was asked for the latest one */
  deck then;     /* in the checkpoint */
  bool is_read;  /* the deck that is named: it may be a pipe */
  deck given;
} restart;

/* Finds and verifies the checkpoint of o->restart, of a step before `below` where that is the latest, and fills *now:
 * the deck that is named, or else the one in the checkpoint, with the overrides.  Keys that have changed are listed in
 * `to` (may be NULL), as is another version of the program.  Returns STATUS_OK, or STATUS_INPUT (STATUS_MACHINE:
 * memory) with a sentence: no such checkpoint, or a key has changed that the state depends on.  One rank's business. */
int restart_read(restart *r, deck *now, const options *o, int64_t below, FILE *to, char *message, size_t size);

/* Compares the mesh that was read from a file with the checkpoint's.  STATUS_OK, or STATUS_INPUT with a sentence. */
int restart_compare_mesh(const restart *r, const hydro *h, char *message, size_t size);

/* Collective: rank 0's on all ranks. */
void restart_broadcast(restart *r);

#endif
