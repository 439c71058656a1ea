/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checkpoints: all that a run needs to go on with the same bits.  One HDF5 file for all ranks, sealed with a checksum;
 * with its final name it is complete.
 *
 *   /run                format; deck, version, git (as texts; deck: the resolved one)
 *   /run/clock          [CHECKPOINT_CLOCK] time, length of the next step, initial energy, work from outside since then,
 *                       length of the last step
 *   /run/counters       [CHECKPOINT_COUNTERS]
 *   /run/mesh           [1] checksum of the mesh as it was read
 *   /run/parts          [ranks][4] nodes and zones of each rank, whose rows follow in this order; its step; the number
 *                       of its run
 *   /nodes/id           [nodes] number in the whole mesh; nodes that ranks share are there more than once
 *   /nodes/position, /nodes/velocity   [nodes][dim]
 *   /zones/id           [zones] number in the whole mesh
 *   /zones/energy       [zones][nt] Bernstein coefficients
 */
#ifndef APP_CHECKPOINT_H
#define APP_CHECKPOINT_H

#include "app/files/output.h"
#include "app/hydro.h"

enum { CHECKPOINT_PATH = DECK_PATH + 64 };

/* The checkpoints in a folder that are a run's own: those that it wrote, and where it goes on from one, that one and
 * those before.  It deletes no others. */
typedef struct checkpoint_shelf {
  int64_t *steps; // owned, [n], ascending
  int n, room;
  int aside; // N of the folder old-N that others are moved to; 0: none was
  int moved; // number of those
} checkpoint_shelf;

/* Collective; writes output.directory/checkpoint_STEP.h5, then deletes all of the shelf but the newest output.keep
 * ones, and sets aside those of this step and later ones in the folder that are not on it.  Returns STATUS_OK with the
 * name in path, or STATUS_MACHINE with a sentence, and then no earlier checkpoint was deleted. */
int checkpoint_write(const hydro *h, const output_run *run, checkpoint_shelf *shelf, char path[CHECKPOINT_PATH],
                     char *message, size_t size);

/* The same under any name in that folder, and nothing is deleted. */
int checkpoint_save(const hydro *h, const output_run *run, const char *path, char *message, size_t size);

/* The name of the checkpoint of a step, and the step of such a name; -1 for any other name. */
void checkpoint_path(const char *directory, int64_t step, char path[CHECKPOINT_PATH]);
int64_t checkpoint_step_of(const char *path);

/* One rank's business, as the next three.  Puts the checkpoints up to `last` of a folder on the shelf. */
void checkpoint_shelf_take(checkpoint_shelf *shelf, const char *directory, int64_t last);
void checkpoint_shelf_destroy(checkpoint_shelf *shelf);
/* Before the checkpoint of this step is written: moves one of that name that is not on the shelf, as below.  Returns
 * STATUS_OK, or STATUS_MACHINE with a sentence. */
int checkpoint_shelf_make_way(checkpoint_shelf *shelf, const char *directory, int64_t step, char *message, size_t size);
/* After the checkpoint of this step was written: moves the checkpoints of later steps, which a run leaves that goes
 * back behind them, to a new folder old-1 or so in this one; then puts the checkpoint on the shelf, of which it deletes
 * all but the newest `keep`.  Returns STATUS_OK, or STATUS_MACHINE with a sentence, and then none is deleted. */
int checkpoint_shelf_put(checkpoint_shelf *shelf, const char *directory, int64_t step, int keep, char *message,
                         size_t size);

/* Description of the run that wrote a checkpoint. */
typedef struct checkpoint_origin {
  char *deck, *version, *git; // owned
  int64_t step;
  double time;
  uint64_t mesh; // checksum of the mesh as it was read
} checkpoint_origin;

/* Verifies the seal of a checkpoint, and all that can be known to be right or wrong without its mesh.  False with a
 * sentence: damaged, cut short, of another version or of another step than its name says, of parts that several runs
 * wrote, with numbers that no run comes to, or no checkpoint.  Destroy in any case.  One rank's business. */
bool checkpoint_verify(const char *path, checkpoint_origin *origin, char *message, size_t size);
void checkpoint_origin_destroy(checkpoint_origin *origin);

/* The name of the newest checkpoint of a folder that is of a step before `below`; nothing of it is looked at.  Returns
 * STATUS_OK, or STATUS_INPUT with a sentence: there is none.  One rank's business. */
int checkpoint_before(const char *directory, int64_t below, char path[CHECKPOINT_PATH], char *message, size_t size);

/* The same for the last state before a fault, fault_STEP.h5; false: there is none. */
bool checkpoint_of_fault(const char *directory, char path[CHECKPOINT_PATH]);

/* Collective; replaces the state and the clock of a run that was set up from the same deck.  On as many ranks as wrote
 * it the run goes on bit for bit; other numbers of ranks are as good, if the mesh does not depend on them.  The file is
 * taken as verified.  Returns STATUS_OK, STATUS_INPUT (not a checkpoint of this mesh) or STATUS_MACHINE, with a
 * sentence. */
int checkpoint_read(hydro *h, const char *path, char *message, size_t size);

#endif
