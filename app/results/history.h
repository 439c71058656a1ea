/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output.directory/history.csv: a row every so many steps, the first at the start.
 *
 *   step, time
 *   dt                          of the step that was taken
 *   internal, kinetic, total    energies
 *   attempts                    to make this step
 *   velocity, energy            iterations of the conjugate gradients in these attempts
 *
 * Rows are on the disk before the checkpoint of their step is, so that a run that goes on from a checkpoint continues
 * the file as if it had never been cut.
 */
#ifndef APP_HISTORY_H
#define APP_HISTORY_H

#include "app/files/csv_file.h"
#include "app/hydro.h"

typedef struct history history;

/* Collective, as all below.  Makes the file and its folder, with the first row where no rows are to be kept.  Returns
 * STATUS_OK, or STATUS_MACHINE with a sentence. */
int history_open(history **h, hydro *run, csv_rows rows, char *message, size_t size);

/* After a step, and after the last attempt where that is repeated: writes the row if there is one for this step, which
 * the file does not have yet. */
int history_add(history *h, hydro *run, char *message, size_t size);

/* Afterwards the rows written so far are on the disk.  NULL: there are none. */
int history_sync(history *h, char *message, size_t size);

/* Returns as above: some disks tell only now. */
int history_close(history **h, char *message, size_t size);

#endif
