/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that a run writes while it makes its steps: fields, history, probes and checkpoints.  For run.c only.
 */
#ifndef APP_RUN_FILES_H
#define APP_RUN_FILES_H

#include "app/results/history.h"
#include "app/results/probes.h"
#include "app/run_claim.h"

typedef struct run_files {
  run_claim claim;             // to the folder
  output_series *fields;       // owned; NULL: none are written
  history *history;            // owned; NULL: none is written
  probes *probes;              // owned; NULL: there are none
  char *deck_text;             // owned, the resolved deck
  output_run origin;           // what every file says of the run
  char saved[CHECKPOINT_PATH]; // the last checkpoint; "": none
  double seconds;              // that writing took
} run_files;

/* All but destroy are collective, and return STATUS_OK, or STATUS_MACHINE with a sentence in message[size] of every
 * rank. */

/* Before set-up: claims the folder.  from: what the run goes on from; NULL: from the start.  STATUS_INPUT where the
 * folder is another run's. */
int run_files_claim(run_files *f, const deck *d, const restart *from, char *message, size_t size);

/* As the deck says.  A run that goes on keeps the files of the steps that it has done. */
int run_files_open(run_files *f, hydro *h, char *message, size_t size);

/* The fields of the state now, if fields are written at all. */
int run_files_write_fields(run_files *f, hydro *h, char *message, size_t size);

/* After a step: rows and fields where there are some for it. */
int run_files_add(run_files *f, hydro *h, char *message, size_t size);

/* After the last attempt, where that is repeated: what the last step would have left as the last. */
int run_files_add_last(run_files *f, hydro *h, char *message, size_t size);

/* A checkpoint of the state now, after all rows up to it are safe. */
int run_files_save(run_files *f, hydro *h, char *message, size_t size);

/* Writes the files of a step that can't be made: see fault.h. */
int run_files_dump(run_files *f, hydro *h, char *message, size_t size);

/* After the last step, which ended with `status`: closes the tables, and a run that went well writes its profile beside
 * its fields.  Returns `status` if it is not 0, and then leaves its sentence alone. */
int run_files_finish(run_files *f, hydro *h, int status, char *message, size_t size);

/* ended: the run came to an end of its own, good or bad, or was stopped. */
void run_files_destroy(run_files *f, bool ended);

#endif
