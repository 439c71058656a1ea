/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a halo does where all ranks are on one machine and their vectors are on the host: messages are not sent.  Each
 * rank packs what its neighbours are to have into memory that all share, and raises its number; they read it there.
 * For halo_host.c alone.
 */
#ifndef MESH_HALO_MEMORY_H
#define MESH_HALO_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct halo_memory halo_memory;

/* Collective.  first [nneighbours + 1]: slots of each, as in halo.c; both lists are borrowed.  ncomp: most numbers per
 * slot.  *shared is NULL, on all ranks, where they don't share a machine's memory, or it has no room. */
void halo_memory_create(halo_memory **shared, int nneighbours, const int *neighbours, const int *first, int ncomp);
void halo_memory_destroy(halo_memory **shared);

/* Where the next exchange is to be packed, [slot][numbers]; behind that it is posted, once for each exchange. */
double *halo_memory_out(halo_memory *b);
void halo_memory_post(halo_memory *b);
/* What neighbour j has posted for this rank in the exchange under way, [slot of j][numbers]; waits for it.  To be read
 * before this rank begins the next exchange. */
const double *halo_memory_in(const halo_memory *b, int j, int numbers);

#ifdef __cplusplus
}
#endif

#endif
