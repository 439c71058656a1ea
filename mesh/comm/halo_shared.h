/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a halo does where all ranks are on one machine and their vectors are on the host: messages are not sent.  Each
 * rank packs what its neighbours are to have into memory that all share, and raises its number; they read it there.
 * For halo.c alone.
 */
#ifndef MESH_HALO_SHARED_H
#define MESH_HALO_SHARED_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct halo_shared halo_shared;

/* Collective.  first [nneighbours + 1]: slots of each, as in halo.c; both lists are borrowed.  ncomp: most numbers per
 * slot.  *shared is NULL, on all ranks, where they don't share a machine's memory, or it has no room. */
void halo_shared_create(halo_shared **shared, int nneighbours, const int *neighbours, const int *first, int ncomp);
void halo_shared_destroy(halo_shared **shared);

/* Where the next exchange is to be packed, [slot][numbers]; behind that it is posted, once for each exchange. */
double *halo_shared_out(halo_shared *b);
void halo_shared_post(halo_shared *b);
/* What neighbour j has posted for this rank in the exchange under way, [slot of j][numbers]; waits for it.  To be read
 * before this rank begins the next exchange. */
const double *halo_shared_in(const halo_shared *b, int j, int numbers);

#ifdef __cplusplus
}
#endif

#endif
