/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A CSV file that a run adds rows to, each of which starts with its step.  Rows are on the disk before the checkpoint
 * of their step is, so that a run that goes on from a checkpoint continues the file as if it had never been cut.
 */
#ifndef APP_CSV_FILE_H
#define APP_CSV_FILE_H

#include <stdint.h>

#include "app/deck/deck.h"

typedef struct csv_file {
  char path[DECK_PATH + 16];
  FILE *file; // owned, on rank 0; NULL on the others
} csv_file;

/* All are collective.  They return STATUS_OK, or STATUS_MACHINE with a sentence in message[size] of every rank. */

/* Makes the file and its folder, and keeps what is there of the rows of the steps up to `last`; -1: of none. */
int csv_file_open(csv_file *f, const char *directory, const char *name, const char *head, int64_t last, char *message,
                  size_t size);

/* After rank 0 wrote whole rows to f->file. */
int csv_file_flush(csv_file *f, char *message, size_t size);

/* Afterwards the rows written so far are on the disk. */
int csv_file_sync(csv_file *f, char *message, size_t size);

/* Some disks tell of a failure only now. */
int csv_file_close(csv_file *f, char *message, size_t size);

#endif
