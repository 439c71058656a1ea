/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/halo_messages.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "batched/variant.h"
#include "mesh/comm/traffic.h"

enum { HALO_TAG = 72 };

struct halo_messages {
  const halo_plan *plan; /* borrowed */
  MPI_Request *requests; /* owned, [2 * nneighbours] */
};

bool halo_messages_create(halo_messages **result, const halo_plan *plan)
{
  halo_messages *m = *result = calloc(1, sizeof *m);
  if (!m) return false;
  m->plan = plan;
  m->requests = malloc((2 * (size_t)plan->nneighbours + 1) * sizeof(MPI_Request));
  if (!m->requests) halo_messages_destroy(result);
  return *result;
}

void halo_messages_destroy(halo_messages **m)
{
  if (!*m) return;
  free((*m)->requests);
  free(*m);
  *m = NULL;
}

void halo_messages_post(halo_messages *m, int ncomp, double *in, const double *out)
{
  const double start = batched_seconds();
  const halo_plan *p = m->plan;
  for (int j = 0; j < p->nneighbours; j++) {
    const size_t at = (size_t)p->first[j] * (size_t)ncomp;
    const int count = (p->first[j + 1] - p->first[j]) * ncomp, to = p->neighbours[j];
    MPI_Irecv(in + at, count, MPI_DOUBLE, to, HALO_TAG, MPI_COMM_WORLD, &m->requests[2 * j]);
    MPI_Isend(out + at, count, MPI_DOUBLE, to, HALO_TAG, MPI_COMM_WORLD, &m->requests[2 * j + 1]);
  }
  halo_plan_count_traffic(p, ncomp, batched_seconds() - start);
}

void halo_messages_wait(halo_messages *m)
{
  const double start = batched_seconds();
  const int count = 2 * m->plan->nneighbours;
#ifdef SMPI_H /* whose MPI_Waitall looks at all that are left whenever one is done */
  for (int i = 0; i < count; i++) MPI_Wait(&m->requests[i], MPI_STATUS_IGNORE);
#else
  MPI_Waitall(count, m->requests, MPI_STATUSES_IGNORE);
#endif
  comm_traffic_add(0, 0, batched_seconds() - start);
}

void halo_messages_give_up(int ncomp)
{
  fprintf(stderr, "shocklet: rank %d, out of memory for the messages of %d components\n", comm_rank(), ncomp);
  comm_abort(STATUS_MACHINE);
}
