/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run's claim to output.directory, on all ranks.  For run_files.c only.
 */
#ifndef APP_RUN_CLAIM_H
#define APP_RUN_CLAIM_H

#include "app/checkpoint/restart.h"
#include "app/files/run_folder.h"

typedef struct run_claim {
  bool held;
  run_folder folder;      // on rank 0
  checkpoint_shelf shelf; // owned, on rank 0
  const restart *from;    // borrowed; NULL: the run starts from the beginning
  bool goes_on;           // what is in the folder is of the run that goes on
} run_claim;

/* All but destroy are collective, and return STATUS_OK, or a status with a sentence in message[size] of every rank. */

/* Before set-up, where the deck asks for files: see run_folder_claim.  `from` outlives the claim.  Files in
 * the folder of the checkpoint that a run goes on from are its own; of another folder if the history there knows that
 * checkpoint, else they are set aside. */
int run_claim_begin(run_claim *c, const deck *d, const restart *from, char *message, size_t size);

/* Before the first file. */
int run_claim_clear(run_claim *c, char *message, size_t size);

/* Before each file: the folder is still there, and is this run's.  A run that had not asked for files claims one now,
 * for a checkpoint on request: where output.directory is another run's, output.directory-2 or so, which the deck then
 * says. */
int run_claim_check(run_claim *c, deck *d, char *message, size_t size);

/* The last step of which a table of a run that goes on has a row, one row being every `every` steps; -1: that is not
 * known. */
int64_t run_claim_due(const run_claim *c, int64_t every);

void run_claim_destroy(run_claim *c, bool ended);

#endif
