/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks have the same ids.
 */
#ifndef MESH_SHARING_H
#define MESH_SHARING_H

#include "mesh/comm/comm.h"

/* "the node with this id, place `at` among those that this rank has, is also on rank `other`" */
typedef struct sharing {
  int64_t id;
  int64_t at;
  int64_t other;
} sharing;

/* All sharings of this rank's nodes, id having shape [n] (-1: a node that is not shared), sorted by rank and then id;
 * owned by the caller.  Collective.  Returns STATUS_OK, or STATUS_MACHINE when memory is out. */
int sharing_find(int n, const int64_t *id, sharing **sharings, int *count);

#endif
