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

#include "app/hydro.h"

typedef struct history history;

/* Collective, as all below.  Makes the file and its folder; a run that goes on keeps the rows of the steps that it has
 * done, of which there should be one of step `due`, or a later one; due < 0: nobody knows.  Returns STATUS_OK, or
 * STATUS_MACHINE with a sentence. */
int history_open(history **h, hydro *run, bool goes_on, int64_t due, char *message, size_t size);

/* After a step: writes the row if there is one for it. */
int history_add(history *h, hydro *run, char *message, size_t size);

/* After the last attempt, which was repeated and is not tried again: the row of the last step, if it has none. */
int history_add_last(history *h, hydro *run, char *message, size_t size);

/* Afterwards the rows written so far are on the disk.  NULL: there are none. */
int history_sync(history *h, char *message, size_t size);

/* Returns as above: some disks tell only now. */
int history_close(history **h, char *message, size_t size);

#endif
