/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/space/share.h"

#include <limits.h>
#include <stdlib.h>

int fem_chunks(const fem_space *s)
{
  return (s->nzones + FEM_CHUNK - 1) / FEM_CHUNK;
}

int fem_for_chunks(const fem_space *s, fem_chunk_task *task, void *data)
{
  return comm_share_out(s->threads, s->nzones, FEM_CHUNK, task, data);
}

/* number [ndofs]: of the zones. */
static void find_last(const fem_space *s, const mesh *m, halo *sharers, int *last, double *number)
{
  for (int dof = 0; dof < s->ndofs; dof++) number[dof] = -1.0;
  for (int z = 0, place = 0; z < s->nzones; z++)
    for (int i = 0; i < s->nd; i++, place++) {
      const int dof = s->dofs[place];
      if ((double)m->zone_ids[z] > number[dof]) number[dof] = (double)m->zone_ids[z], last[dof] = place;
    }
  halo_max(sharers, number);
  for (int dof = 0; dof < s->ndofs; dof++) {
    const int zone = last[dof] / s->nd;
    if (number[dof] > (double)m->zone_ids[zone]) last[dof] = -1;
  }
}

int *fem_last_touches(const fem_space *s, const mesh *m, halo *sharers)
{
  const bool fits = (int64_t)s->nzones * s->nd < INT_MAX;
  int *last = fits ? malloc(sizeof *last * ((size_t)s->ndofs + 1)) : NULL;
  double *number = malloc(sizeof *number * ((size_t)s->ndofs + 1));
  if (comm_worst(last && number ? STATUS_OK : STATUS_MACHINE)) {
    free(last);
    last = NULL;
  } else
    find_last(s, m, sharers, last, number);
  free(number);
  return last;
}

void fem_take_last(const fem_space *s, const int *last, halo *sharers, int ncomp, double *u)
{
  if (!last) {
    halo_take_owners(sharers, ncomp, u);
    return;
  }
  for (int c = 0; c < ncomp; c++)
    for (int dof = 0; dof < s->ndofs; dof++)
      if (last[dof] < 0) u[(int64_t)c * s->ndofs + dof] = 0.0;
  halo_sum_begin(NULL, sharers, ncomp, u);
  halo_sum_end(NULL, sharers, ncomp, u);
}
