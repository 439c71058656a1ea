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

/* The last place [nzones][nd] of each dof, [ndofs], the caller's: where zones that share a dof write it in turn, this
 * one's value stays, and zones at the same time may write none but these.  NULL: no memory, or too many places. */
int *fem_last_touches(const fem_space *s);

#endif
