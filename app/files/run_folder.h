/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run's claim to its folder.  While a run writes there it holds a lock on the file run.lock, which says who it is:
 * host, process, and a number of its deck.  A run that ends, well or not, takes the file away; one that was killed, or
 * that the machine failed, leaves it, without the lock.  All is one rank's business.
 */
#ifndef APP_RUN_FOLDER_H
#define APP_RUN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/deck/deck.h"

/* What the folder may hold. */
typedef enum run_folder_use {
  RUN_FOLDER_NEW, /* nothing of another run, but what an earlier try of this one left before its first checkpoint */
  RUN_FOLDER_OVERWRITE, /* anything: it is taken away */
  RUN_FOLDER_GOES_ON,   /* anything: it is of the run that goes on */
  RUN_FOLDER_SET_ASIDE  /* anything: it is moved to a folder old-N in this one */
} run_folder_use;

typedef struct run_folder {
  char path[DECK_PATH], lock[DECK_PATH + 16];
  uint64_t deck;  /* a number that belongs to the deck */
  uint64_t left;  /* the one in a lock that was left here; 0: there was none */
  int descriptor; /* of the lock; -1: nothing is claimed */
  int made;       /* how many of the folders of `path`, the innermost, were made for this */
  run_folder_use use;
  int aside; /* N of old-N, where something was moved to it; 0: nothing was */
} run_folder;

/* True for the name of a file that runs write to their folder, or look for there. */
bool run_folder_uses(const char *name);

/* Makes the folder where needed, and claims it.  Returns STATUS_OK; STATUS_INPUT with a sentence: it holds files of
 * another run; STATUS_MACHINE: another run writes there, it can't be written to, or what has the name of a run's file
 * is a link, a device, a pipe or a folder. */
int run_folder_claim(run_folder *f, const char *directory, uint64_t deck, run_folder_use use, char *message,
                     size_t size);

/* Before the run's first file: takes away temporary files of runs that were killed, and takes away or moves all files
 * of another run; *files: how many of those.  Returns STATUS_OK, or STATUS_MACHINE with a sentence. */
int run_folder_clear(run_folder *f, int *files, char *message, size_t size);

/* Moves a file of a folder to the folder old-N in it, N = *number; 0: the first that is not there, which is made, and
 * its number is left in *number.  Returns 0, or errno. */
int run_folder_set_aside(const char *directory, const char *name, int *number);

/* True while the folder is this run's: somebody may have removed it, or the lock. */
bool run_folder_is_held(const run_folder *f);

/* Gives the claim up.  ended: the run came to an end of its own, so the same deck does not begin again
 * here.  A claim that was never cleared leaves nothing behind.  Nothing to do where nothing is claimed. */
void run_folder_release(run_folder *f, bool ended);

#endif
