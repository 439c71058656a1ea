/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A CSV file that a run adds rows to, each of which starts with its step.  Rows are on the disk before the checkpoint
 * of their step is, so that a run that goes on from a checkpoint continues the file as if it had never been cut.
 */
#ifndef APP_CSV_FILE_H
#define APP_CSV_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "app/deck/deck.h"

typedef struct csv_file {
  char path[DECK_PATH + 16];
  FILE *file;    // owned, on rank 0; NULL on the others
  int64_t last;  // step of the last row, on rank 0; -1: there is none
  double looked; // when it was last seen under its name, by the clock
} csv_file;

/* State of the file that a restarted run continues. */
typedef struct csv_rows {
  int64_t last; // rows up to this step are kept; -1: there is nothing to keep
  int64_t due;  // there is a row of this step, or of a later one; -1: nobody knows
} csv_rows;

/* All are collective.  They return STATUS_OK, or STATUS_MACHINE with a sentence in message[size] of every rank: the
 * file can't be written, or it is no longer there under its name. */

/* Makes the file and its folder, and keeps rows of what is there; warns on stderr where some are missing. */
int csv_file_open(csv_file *f, const char *directory, const char *name, const char *head, csv_rows rows, char *message,
                  size_t size);

/* True if there is such a file, with a row of this step and this time to the last bit.  One rank's business. */
bool csv_file_has(const char *path, int64_t step, double time);

/* True if this rank is to write rows of this step: once, and on rank 0 alone.  Not collective. */
bool csv_file_begin_rows(csv_file *f, int64_t step);

/* After rank 0 wrote whole rows to f->file. */
int csv_file_flush(csv_file *f, char *message, size_t size);

/* Afterwards the rows written so far are on the disk. */
int csv_file_sync(csv_file *f, char *message, size_t size);

/* Some disks tell of a failure only now. */
int csv_file_close(csv_file *f, char *message, size_t size);

#endif
