/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over zones of the set-up and of the results, shared out among the cores that this rank may use.
 */
#ifndef FEM_SPACE_SHARE_H
#define FEM_SPACE_SHARE_H

#include "fem/fem.h"
#include "mesh/comm/share.h"

/* Zones of a chunk: as many whatever the number of threads, so that sums over chunks have the same bits. */
enum { FEM_CHUNK = 2048 };

/* Number of chunks. */
int fem_chunks(const fem_space *s);

/* A chunk's zones. */
typedef comm_share_task fem_chunk_task;

/* task for all chunks, on the space's number of threads; the worst status.  A task calls neither MPI nor `batched`, and
 * borrows the rules that it evaluates. */
int fem_for_chunks(const fem_space *s, fem_chunk_task *task, void *data);

/* For each dof its place [nzones][nd] in the zone of the largest number of the whole mesh that has it, [ndofs], the
 * caller's; -1: that zone is another rank's, or beyond a seam.  Where zones that share a dof differ by rounding, this
 * one's value stays, on any number of ranks as on one, where zones write it in turn; and zones at the same time may
 * write none but these.  NULL, on all ranks: one has no memory, or too many places.  Collective; `sharers` are those of
 * the dofs. */
int *fem_last_touches(const fem_space *s, const mesh *m, halo *sharers);

/* Gives all that share a dof of u [ncomp][ndofs] the value from its last place; without `last` that of its owner.
 * Collective. */
void fem_take_last(const fem_space *s, const int *last, halo *sharers, int ncomp, double *u);

#endif
