/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/halo_plan.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/comm/sharing.h"
#include "mesh/comm/traffic.h"

static void set_neighbours(halo_plan *p, const sharing *s, int count)
{
  for (int i = 0; i < count; i++) {
    if (i > 0 && s[i].other == s[i - 1].other) continue;
    p->first[p->nneighbours] = i;
    p->neighbours[p->nneighbours++] = (int)s[i].other;
  }
  p->first[p->nneighbours] = count;
}

/* slot_of has shape [n], zeros. */
static void set_slots(halo_plan *p, const sharing *s, int count, int *slot_of)
{
  for (int i = 0; i < count; i++) slot_of[s[i].at] = 1;
  for (int i = 0; i < p->n; i++) {
    if (!slot_of[i]) continue;
    slot_of[i] = p->nshared;
    p->shared[p->nshared++] = i;
  }
  for (int i = 0; i < count; i++) p->slots[i] = slot_of[s[i].at];
}

static bool fill(halo_plan *p, const sharing *s, int count)
{
  int neighbours = 0;
  for (int i = 0; i < count; i++) neighbours += i == 0 || s[i].other != s[i - 1].other;
  size_t most_shared = (size_t)(count < p->n ? count : p->n) + 1;
  p->shared = malloc(most_shared * sizeof *p->shared);
  p->neighbours = malloc(((size_t)neighbours + 1) * sizeof *p->neighbours);
  p->first = malloc(((size_t)neighbours + 1) * sizeof *p->first);
  p->slots = malloc(((size_t)count + 1) * sizeof *p->slots);
  int *slot_of = calloc((size_t)p->n + 1, sizeof *slot_of);
  const bool enough = p->shared && p->neighbours && p->first && p->slots && slot_of;
  if (enough) {
    set_neighbours(p, s, count);
    set_slots(p, s, count, slot_of);
  }
  free(slot_of);
  return enough;
}

/* Who else has the ids of all nodes but images. */
static int find_sharings(const halo_plan *p, const int64_t *id, sharing **sharings, int *count)
{
  const halo_images *m = &p->images;
  if (m->nfirsts == 0) return comm_worst(sharing_find(p->n, id, sharings, count));
  const int status = comm_worst(sharing_find(m->nkept, m->kept_id, sharings, count));
  for (int i = 0; !status && i < *count; i++) (*sharings)[i].at = m->kept[(*sharings)[i].at];
  return status;
}

int halo_plan_find(halo_plan *p, int n, const int64_t *id, bool joint)
{
  sharing *sharings = NULL;
  int count = 0;
  p->n = n;
  p->rank = comm_rank();
  int status = comm_worst(!joint || halo_images_find(&p->images, n, id) ? STATUS_OK : STATUS_MACHINE);
  if (!status) status = find_sharings(p, id, &sharings, &count);
  if (!status) status = comm_worst(fill(p, sharings, count) ? STATUS_OK : STATUS_MACHINE);
  free(sharings);
  return status;
}

void halo_plan_free(halo_plan *p)
{
  halo_images_free(&p->images);
  free(p->shared);
  free(p->neighbours);
  free(p->first);
  free(p->slots);
}

int halo_plan_lower(const halo_plan *p)
{
  int count = 0;
  while (count < p->nneighbours && p->neighbours[count] < p->rank) count++;
  return count;
}

int halo_plan_lower_slots(const halo_plan *p)
{
  return p->first[halo_plan_lower(p)];
}

void halo_plan_count_traffic(const halo_plan *p, int ncomp, double seconds)
{
  comm_traffic_add(p->nneighbours, (int64_t)p->first[p->nneighbours] * ncomp * (int64_t)sizeof(double), seconds);
}

/* start [nshared + 1], zeros: where the entries of each shared node begin; entry [nslots]: its slots by ascending rank;
 * own [nshared]: where this rank's own would stand.  at [nshared]: work. */
static void sort_slots(const halo_plan *p, int *start, int *entry, int *own, int *at)
{
  const int nslots = p->first[p->nneighbours], nlower = halo_plan_lower_slots(p);
  for (int i = 0; i < nslots; i++) start[p->slots[i] + 1]++;
  for (int i = 0; i < p->nshared; i++) {
    start[i + 1] += start[i];
    at[i] = start[i];
  }
  for (int i = 0; i < nslots; i++) {
    if (i == nlower) memcpy(own, at, (size_t)p->nshared * sizeof *own);
    entry[at[p->slots[i]]++] = i;
  }
  if (nlower == nslots) memcpy(own, at, (size_t)p->nshared * sizeof *own);
}

int *halo_plan_lists(const halo_plan *p, halo_lists *lists)
{
  const size_t nslots = (size_t)p->first[p->nneighbours], nshared = (size_t)p->nshared;
  int *block = calloc(2 * nslots + 2 * nshared + 2, sizeof *block), *at = malloc((nshared + 1) * sizeof *at);
  if (block && at) {
    int *node = block, *entry = node + nslots, *own = entry + nslots, *start = own + nshared;
    for (size_t i = 0; i < nslots; i++) node[i] = p->shared[p->slots[i]];
    sort_slots(p, start, entry, own, at);
    *lists = (halo_lists){.nshared = p->nshared,
                          .nslots = (int)nslots,
                          .nneighbours = p->nneighbours,
                          .neighbours = p->neighbours,
                          .first = p->first,
                          .node = node,
                          .shared = p->shared,
                          .start = start,
                          .entry = entry,
                          .own = own,
                          .nfirsts = p->images.nfirsts,
                          .images_first = p->images.first,
                          .images_start = p->images.start,
                          .image = p->images.image};
  } else {
    free(block);
    block = NULL;
  }
  free(at);
  return block;
}
