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

int *fem_last_touches(const fem_space *s)
{
  const int64_t places = (int64_t)s->nzones * s->nd;
  int *last = places < INT_MAX ? malloc(sizeof *last * ((size_t)s->ndofs + 1)) : NULL;
  for (int i = 0; last && i < (int)places; i++) last[s->dofs[i]] = i;
  return last;
}
