/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over the ranks that share a node, and over a rank's own images of one node.
 */
#ifndef MESH_HALO_H
#define MESH_HALO_H

#include "batched/batched.h"
#include "mesh/comm/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct halo halo;

/* Collective.  id has shape [n]: global ids of this rank's nodes, each once, in any order; -1: one that is not shared.
 * Two ranks share a node when both name its id.  Returns STATUS_OK, or STATUS_MACHINE when memory is out. */
int halo_create(halo **h, int n, const int64_t *id);
/* The same where ids may repeat: nodes of one rank with one id are images of the first of them, which alone may be
 * shared with other ranks.  Sums are those over the images, too, and all images get them. */
int halo_create_joint(halo **h, int n, const int64_t *id);
void halo_destroy(halo **h);

int halo_neighbours(const halo *h);
/* True where there is nothing to sum: no other ranks and no images. */
bool halo_alone(const halo *h);
/* Nodes shared with another rank; index has shape [return value], ascending, borrowed. */
int halo_shared(const halo *h, const int **index);
/* mark[i] = 1 where a sum changes node i: it is shared, or an image, or has one.  Other marks stay.  shape [n] */
void halo_mark_summed(const halo *h, int *mark);
/* owner[i]: is this rank the owner (the lowest rank that shares it) of node i, and it no image?  shape [n] */
void halo_owned(const halo *h, bool *owner);

/* For sums of vectors in the memory of a GPU: what they need there, and whether MPI may read and write that memory
 * itself, which is tried out.  Collective; returns a batched_status, this rank's own.  On the host:
 * halo_take_shared_memory.  Without it, the first sum does what it needs, and messages pass through the host.  The
 * context outlives the halo. */
int halo_place(batched_ctx *ctx, halo *h);
/* From here on, sums on the host of up to three components go through memory that all ranks share, if they are on one
 * machine.  Collective. */
void halo_take_shared_memory(halo *h);
/* From here on, messages between GPUs go by NCCL.  Returns NULL, or why not: see nccl.h.  Collective, behind
 * halo_place. */
const char *halo_take_nccl(batched_ctx *ctx, halo *h);
/* From here on, sums between GPUs that can write into each other's memory go that way, and the host does not wait for
 * them; others as before.  Collective, behind halo_place, unless NCCL has been taken. */
void halo_take_peers(halo *h);
/* True where work between begin and end of a sum in the memory of the GPU gains nothing: so it is where sums
 * take a few microseconds, and nothing waits for messages. */
bool halo_is_immediate(const halo *h);
/* True where all ranks are on one machine, each with a GPU of its own; known once the halo is placed, on all ranks. */
bool halo_apart(const halo *h);
/* Where messages lie, in words. */
const char *halo_path(const halo *h);

/* Gives every node of x [ncomp][n], on the host, the value that its owner has. */
void halo_take_owners(halo *h, int ncomp, double *x);
/* Replaces every entry of x [n], on the host, by the largest that a sharer of the node or an image of it has. */
void halo_max(halo *h, double *x);

/* x has shape [ncomp][n].  begin adds up images and packs the shared entries; end exchanges them and replaces each
 * shared entry by the sum over the ranks, added in the order of ranks, so that all sharers get the same bits.  Between
 * the two, shared entries of x, and images with their firsts, must not change; others may.  x lives in the memory of
 * the context (NULL: on the host); work that the context was given between begin and end overlaps with the messages.
 * One sum at a time for each halo.  Both return a batched_status; messages are exchanged even where it is not 0, as the
 * other ranks wait for them. */
int halo_sum_begin(batched_ctx *ctx, halo *h, int ncomp, double *x);
int halo_sum_end(batched_ctx *ctx, halo *h, int ncomp, double *x);

#ifdef __cplusplus
}
#endif

#endif
