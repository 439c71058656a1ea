/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a halo exchanges: which nodes of this rank others have, too, and in which order a message holds them.  For
 * halo.c and what it is made of.
 */
#ifndef MESH_HALO_PLAN_H
#define MESH_HALO_PLAN_H

#include "mesh/comm/halo_device.h"
#include "mesh/comm/images.h"

enum { HALO_FIRST_NCOMP = 3 }; /* components that there is room for without asking for more */

typedef struct halo_plan {
  int n, rank; /* nodes of this rank, and its number */
  int nshared; /* nodes shared with other ranks */
  int *shared; /* owned, [nshared]: ascending */
  int nneighbours;
  int *neighbours; /* owned, [nneighbours]: ranks, ascending */
  int *first;      /* owned, [nneighbours + 1]: offsets into slots */
  int *slots;      /* owned, [first[nneighbours]]: places in shared, by neighbour and then by id */
  halo_images images;
} halo_plan;

/* From the ids [n] of nodes, as in halo_create; joint: as in halo_create_joint.  p is zero before, and to be freed in
 * any case.  Collective, as is the status: STATUS_OK or STATUS_MACHINE. */
int halo_plan_find(halo_plan *p, int n, const int64_t *id, bool joint);
void halo_plan_free(halo_plan *p);

/* Neighbours of lower rank than this one, which are the first; and their slots.  Nodes there belong to others. */
int halo_plan_lower(const halo_plan *p);
int halo_plan_lower_slots(const halo_plan *p);

/* Counts a message of ncomp numbers per slot to each neighbour, and the seconds that it took. */
void halo_plan_count_traffic(const halo_plan *p, int ncomp, double seconds);

/* See halo_make_lists. */
int *halo_plan_lists(const halo_plan *p, halo_lists *lists);

#endif
