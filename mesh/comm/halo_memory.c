/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank's piece has its number, then room for two exchanges, for even and odd numbers: who begins an exchange has
 * ended the one before, in which each neighbour took part that has read the one before that.
 */
#include "mesh/comm/halo_memory.h"

#include <stdlib.h>

#include "mesh/comm/comm.h"
#include "mesh/comm/node_memory.h"

struct halo_memory {
  node_memory memory;
  int nneighbours, rank;
  const int *neighbours; /* [nneighbours]: ranks */
  int *theirs;           /* owned, [nneighbours]: where this rank's slots begin among those of each neighbour */
  size_t room;           /* of one exchange, in numbers */
  uint64_t number;       /* of the exchange under way, or of the last one */
};

static double *room_of(const halo_memory *b, int rank)
{
  return node_memory_room(&b->memory, rank) + b->number % 2 * b->room;
}

/* Where each neighbour's slots for this rank begin. */
static bool exchange_places(halo_memory *b, const int *first)
{
  const size_t size = (size_t)comm_size();
  int *mine = calloc(size, sizeof *mine), *theirs = calloc(size, sizeof *theirs);
  const bool ok = !comm_worst(!(mine && theirs && b->theirs));
  if (ok) {
    for (int j = 0; j < b->nneighbours; j++) mine[b->neighbours[j]] = first[j];
    comm_exchange_counts(mine, theirs);
    for (int j = 0; j < b->nneighbours; j++) b->theirs[j] = theirs[b->neighbours[j]];
  }
  free(mine);
  free(theirs);
  return ok;
}

static bool set_up(halo_memory *b, const int *first)
{
  int64_t room = first[b->nneighbours];
  comm_max_int64(&room, 1);
  b->room *= (size_t)room;
  node_memory_create(&b->memory, NODE_MEMORY_LINE + 2 * b->room * sizeof(double));
  return b->memory.base && exchange_places(b, first);
}

void halo_memory_create(halo_memory **shared, int nneighbours, const int *neighbours, const int *first, int ncomp)
{
  *shared = NULL;
  if (comm_size() == 1 || !comm_shares_memory()) return;
  halo_memory *b = *shared = calloc(1, sizeof *b);
  if (b)
    *b = (halo_memory){.nneighbours = nneighbours,
                       .rank = comm_rank(),
                       .neighbours = neighbours,
                       .theirs = malloc(((size_t)nneighbours + 1) * sizeof(int)),
                       .room = (size_t)ncomp};
  if (comm_worst(!b) || !set_up(b, first)) halo_memory_destroy(shared);
}

void halo_memory_destroy(halo_memory **shared)
{
  halo_memory *b = *shared;
  *shared = NULL;
  if (!b) return;
  node_memory_destroy(&b->memory);
  free(b->theirs);
  free(b);
}

double *halo_memory_out(halo_memory *b)
{
  b->number++;
  return room_of(b, b->rank);
}

void halo_memory_post(halo_memory *b)
{
  node_memory_raise(&b->memory, b->rank, b->number);
}

const double *halo_memory_in(const halo_memory *b, int j, int numbers)
{
  const int rank = b->neighbours[j];
  node_memory_await(&b->memory, rank, b->number);
  return room_of(b, rank) + (size_t)b->theirs[j] * (size_t)numbers;
}
