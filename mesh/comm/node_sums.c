/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank's piece has its number, then room for two sums, for even and odd numbers: who begins a sum has ended the one
 * before, in which all took part that have read the one before that.
 */
#include "mesh/comm/node_sums.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/comm/comm.h"
#include "mesh/comm/node_memory.h"

struct node_sums {
  node_memory memory;
  int rank, nranks;
  uint64_t number; /* of the last sum */
};

static double *room_of(const node_sums *s, int rank)
{
  return node_memory_room(&s->memory, rank) + s->number % 2 * NODE_SUMS_MOST;
}

void node_sums_create(node_sums **sums)
{
  *sums = NULL;
  const int nranks = comm_size();
  if (nranks == 1 || nranks > NODE_SUMS_RANKS || !comm_shares_memory()) return;
  node_sums *s = *sums = calloc(1, sizeof *s);
  if (comm_worst(!s)) {
    node_sums_destroy(sums);
    return;
  }
  s->rank = comm_rank();
  s->nranks = nranks;
  node_memory_create(&s->memory, NODE_MEMORY_LINE + 2 * NODE_SUMS_MOST * sizeof(double));
  if (!s->memory.base) node_sums_destroy(sums);
}

void node_sums_destroy(node_sums **sums)
{
  node_sums *s = *sums;
  *sums = NULL;
  if (!s) return;
  node_memory_destroy(&s->memory);
  free(s);
}

void node_sums_post(node_sums *s, const double *x, int n)
{
  s->number++;
  memcpy(room_of(s, s->rank), x, sizeof *x * (size_t)n);
  node_memory_raise(&s->memory, s->rank, s->number);
}

static double of_two(node_operation operation, double a, double b)
{
  switch (operation) {
  case NODE_LEAST: return b < a ? b : a;
  case NODE_LARGEST: return b > a ? b : a;
  default: return a + b;
  }
}

void node_sums_take(node_sums *s, node_operation operation, double *x, int n)
{
  for (int r = 0; r < s->nranks; r++) {
    node_memory_await(&s->memory, r, s->number);
    const double *theirs = room_of(s, r);
    for (int i = 0; i < n; i++) x[i] = r == 0 ? theirs[i] : of_two(operation, x[i], theirs[i]);
  }
}
