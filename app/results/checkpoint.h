/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checkpoints: all that a run needs to go on with the same bits.  One HDF5 file for all ranks, sealed with a checksum;
 * with its final name it is complete.
 *
 *   /run                format, version, git; deck (the resolved deck as text)
 *   /run/clock          [3] time, length of the next step, initial energy
 *   /run/counters       [CHECKPOINT_COUNTERS]
 *   /run/parts          [ranks][2] nodes and zones of each rank; those of rank 0 come first in what follows
 *   /nodes/id           [nodes] number in the whole mesh; nodes that ranks share are there more than once
 *   /nodes/position, /nodes/velocity   [nodes][dim]
 *   /zones/id           [zones] number in the whole mesh
 *   /zones/energy       [zones][nt] Bernstein coefficients
 */
#ifndef APP_CHECKPOINT_H
#define APP_CHECKPOINT_H

#include "app/hydro.h"
#include "app/files/output.h"

enum { CHECKPOINT_PATH = DECK_PATH + 64 };

/* Collective; writes output.directory/checkpoint_STEP.h5, then deletes all but the newest output.keep ones.  Returns 0
 * with the name in path, or STATUS_MACHINE with a sentence, and then no earlier checkpoint was touched. */
int checkpoint_write(const hydro *h, const output_run *run, double energy_initial, char path[CHECKPOINT_PATH],
                     char *message, size_t size);

/* The same under any name in that folder, and nothing is deleted. */
int checkpoint_save(const hydro *h, const output_run *run, double energy_initial, const char *path, char *message,
                    size_t size);

/* The name of the checkpoint of a step, and the step of such a name; -1 for any other name. */
void checkpoint_path(const char *directory, int64_t step, char path[CHECKPOINT_PATH]);
int64_t checkpoint_step_of(const char *path);

/* After the checkpoint of this step was written: deletes those of later steps, which an earlier run left, and of the
 * others all but the newest `keep`.  One rank's business. */
void checkpoint_prune(const char *directory, int64_t step, int keep);

/* The newest checkpoint of a folder that is whole; *skipped: how many newer ones are not.  Returns STATUS_OK, or
 * STATUS_INPUT with a
 * sentence.  One rank's business. */
int checkpoint_latest(const char *directory, char path[CHECKPOINT_PATH], int *skipped, char *message, size_t size);

/* The deck in a checkpoint, after its seal was verified; to be freed.  NULL with a sentence: damaged, cut short, of
 * another version or of another step than its name says, or no checkpoint.  One rank's business. */
char *checkpoint_deck(const char *path, char *message, size_t size);

/* Collective; replaces the state and the clock of a run that was set up from the same deck.  On as many ranks as wrote
 * it the run goes on bit for bit; other numbers of ranks are as good, if the mesh does not depend on them.  The file is
 * taken as verified.  Returns STATUS_OK, STATUS_INPUT (not a checkpoint of this mesh) or STATUS_MACHINE, with a
 * sentence. */
int checkpoint_read(hydro *h, const char *path, double *energy_initial, char *message, size_t size);

#endif
