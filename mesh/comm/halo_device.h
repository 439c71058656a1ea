/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a halo does on a GPU: packs messages from vectors there and adds what came.  For halo.c and mesh/comm/cuda/
 * alone.
 *
 * Messages lie in memory that MPI can read and write: the host's, which kernels reach through the bus, or the device's
 * where MPI takes it.  They have the shape [slot][ncomp], slots by neighbour and then by id.
 */
#ifndef MESH_HALO_DEVICE_H
#define MESH_HALO_DEVICE_H

#include "batched/batched.h"
#include "mesh/comm/halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On the host. */
typedef struct halo_lists {
  int nshared, nslots, nneighbours;
  const int *neighbours;   /* [nneighbours]: ranks, ascending */
  const int *first;        /* [nneighbours + 1]: slots of each */
  const int *node;         /* [nslots]: of each slot */
  const int *shared;       /* [nshared]: nodes, ascending */
  const int *start;        /* [nshared + 1]: into entry, */
  const int *entry;        /* [nslots]: the slots of each shared node, ascending by rank; */
  const int *own;          /* [nshared]: entries before this one come from lower ranks than this */
  int nfirsts;             /* images: see images.h */
  const int *images_first; /* [nfirsts] */
  const int *images_start; /* [nfirsts + 1] */
  const int *image;
} halo_lists;

/* The lists of a halo, which has to outlive them: they borrow from it, and from the memory that is returned, for the
 * caller to free.  NULL when memory is out. */
int *halo_make_lists(const halo *h, halo_lists *lists);

typedef struct halo_device halo_device;

/* The identity of the GPU that the calling thread uses; returns a batched_status. */
int halo_device_identity(int64_t identity[2]);

/* `lists` are borrowed for the call.  direct: messages lie in the device's memory.  Returns a batched_status. */
int halo_device_create(halo_device **d, batched_ctx *ctx, const halo_lists *lists, bool direct);
void halo_device_destroy(halo_device **d);

/* From here on sums of up to HALO_MOST_PEER_COMPONENTS components may go without messages: pass_on is enqueued, and has
 * the other GPUs' inboxes (cuda/peers.cuh) filled; take_in, enqueued, too, waits for this one's, and adds.  h is the
 * halo of the lists.  False, on all ranks: they can't.  Collective. */
enum { HALO_MOST_PEER_COMPONENTS = 3 };
bool halo_device_take_peers(halo_device *d, const halo *h);
int halo_device_pass_on(halo_device *d, int ncomp, int n, const double *x);
int halo_device_take_in(halo_device *d, int ncomp, int n, double *x);

/* Room for messages of ncomp components. */
int halo_device_make_room(halo_device *d, int ncomp);
double *halo_device_out(const halo_device *d);
double *halo_device_in(const halo_device *d);

/* x has shape [ncomp][n].  pack and add are enqueued; packed waits until the messages that go out are complete, and
 * until what came in before was read. */
int halo_device_pack(halo_device *d, int ncomp, int n, const double *x);
int halo_device_packed(halo_device *d);
int halo_device_add(halo_device *d, int ncomp, int n, double *x);

/* Images are added to their first; all get what the first has.  Enqueued. */
int halo_device_fold(halo_device *d, int ncomp, int n, double *x);
int halo_device_spread(halo_device *d, int ncomp, int n, double *x);

#ifdef __cplusplus
}
#endif

#endif
