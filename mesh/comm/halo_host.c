/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/halo_host.h"

#include <stdlib.h>
#include <string.h>

#include "batched/variant.h"
#include "mesh/comm/halo_memory.h"
#include "mesh/comm/traffic.h"

struct halo_host {
  const halo_plan *plan;   /* borrowed */
  halo_messages *messages; /* borrowed */
  int ncomp_room;          /* components that the buffers hold */
  double *out, *in;        /* owned, [slot][ncomp]: what is sent and what came */
  double *sum;             /* owned, [nshared][ncomp] */
  halo_memory *by_memory;  /* owned; NULL: vectors are summed by messages, as are those of many components */
};

static bool make_room(halo_host *h, int ncomp)
{
  const halo_plan *p = h->plan;
  if (ncomp <= h->ncomp_room) return true;
  const size_t n = (size_t)p->first[p->nneighbours] * (size_t)ncomp + 1;
  const size_t nsum = (size_t)p->nshared * (size_t)ncomp + 1;
  free(h->out);
  free(h->in);
  free(h->sum);
  h->out = malloc(n * sizeof *h->out);
  h->in = malloc(n * sizeof *h->in);
  h->sum = malloc(nsum * sizeof *h->sum);
  const bool enough = h->out && h->in && h->sum;
  h->ncomp_room = enough ? ncomp : 0;
  return enough;
}

bool halo_host_create(halo_host **result, const halo_plan *plan, halo_messages *messages)
{
  halo_host *h = *result = calloc(1, sizeof *h);
  if (!h) return false;
  h->plan = plan;
  h->messages = messages;
  if (!make_room(h, HALO_FIRST_NCOMP)) halo_host_destroy(result);
  return *result;
}

void halo_host_destroy(halo_host **result)
{
  halo_host *h = *result;
  *result = NULL;
  if (!h) return;
  halo_memory_destroy(&h->by_memory);
  free(h->out);
  free(h->in);
  free(h->sum);
  free(h);
}

void halo_host_take_shared_memory(halo_host *h)
{
  const halo_plan *p = h->plan;
  halo_memory_destroy(&h->by_memory);
  halo_memory_create(&h->by_memory, p->nneighbours, p->neighbours, p->first, HALO_FIRST_NCOMP);
}

static bool in_shared_memory(const halo_host *h, int ncomp)
{
  return h->by_memory && ncomp <= HALO_FIRST_NCOMP;
}

/* Packs the messages to the neighbours.  Inlined, as are the sums below, where the number of components is a constant:
 * their loops are short. */
static inline __attribute__((always_inline)) void pack(const halo_plan *p, int ncomp, const double *x, double *out)
{
  for (int i = 0; i < p->first[p->nneighbours]; i++) {
    const double *xi = x + p->shared[p->slots[i]];
    for (int c = 0; c < ncomp; c++) *out++ = xi[(size_t)c * (size_t)p->n];
  }
}

static void pack_all(const halo_plan *p, int ncomp, const double *x, double *out)
{
  switch (ncomp) {
  case 1: pack(p, 1, x, out); break;
  case 2: pack(p, 2, x, out); break;
  case 3: pack(p, 3, x, out); break;
  default: pack(p, ncomp, x, out);
  }
}

void halo_host_begin(halo_host *h, int ncomp, const double *x)
{
  if (!in_shared_memory(h, ncomp)) {
    if (!make_room(h, ncomp)) halo_messages_give_up(ncomp);
    pack_all(h->plan, ncomp, x, h->out);
    halo_messages_post(h->messages, ncomp, h->in, h->out);
    return;
  }
  pack_all(h->plan, ncomp, x, halo_memory_out(h->by_memory));
  halo_memory_post(h->by_memory);
  halo_plan_count_traffic(h->plan, ncomp, 0.0);
}

/* Waits for the messages; what is in shared memory is waited for neighbour by neighbour, in in_from. */
static void await_messages(halo_host *h, int ncomp)
{
  if (!in_shared_memory(h, ncomp)) halo_messages_wait(h->messages);
}

/* What neighbour j has for this rank, once it is there. */
static const double *in_from(const halo_host *h, int j, int ncomp)
{
  if (!in_shared_memory(h, ncomp)) return h->in + (size_t)h->plan->first[j] * (size_t)ncomp;
  const double start = batched_seconds();
  const double *in = halo_memory_in(h->by_memory, j, ncomp);
  comm_traffic_add(0, 0, batched_seconds() - start);
  return in;
}

/* Adds what neighbour j sent to sum. */
static inline __attribute__((always_inline)) void add_neighbour(const halo_host *h, int j, int ncomp,
                                                                double *restrict sum)
{
  const halo_plan *p = h->plan;
  const double *restrict in = in_from(h, j, ncomp);
  for (int i = p->first[j]; i < p->first[j + 1]; i++)
    for (int c = 0; c < ncomp; c++) sum[(size_t)p->slots[i] * (size_t)ncomp + (size_t)c] += *in++;
}

/* Sums in the order of the ranks, so that all ranks have the same bits. */
static inline __attribute__((always_inline)) void add(const halo_host *h, int ncomp, double *restrict x)
{
  const halo_plan *p = h->plan;
  const int nlower = halo_plan_lower(p);
  double *restrict sum = h->sum;
  memset(sum, 0, (size_t)p->nshared * (size_t)ncomp * sizeof *sum);
  for (int j = 0; j < nlower; j++) add_neighbour(h, j, ncomp, sum);
  for (int i = 0; i < p->nshared; i++)
    for (int c = 0; c < ncomp; c++)
      sum[(size_t)i * (size_t)ncomp + (size_t)c] += x[(size_t)c * (size_t)p->n + (size_t)p->shared[i]];
  for (int j = nlower; j < p->nneighbours; j++) add_neighbour(h, j, ncomp, sum);
  for (int i = 0; i < p->nshared; i++)
    for (int c = 0; c < ncomp; c++)
      x[(size_t)c * (size_t)p->n + (size_t)p->shared[i]] = sum[(size_t)i * (size_t)ncomp + (size_t)c];
}

void halo_host_end(halo_host *h, int ncomp, double *x)
{
  await_messages(h, ncomp);
  switch (ncomp) {
  case 1: add(h, 1, x); break;
  case 2: add(h, 2, x); break;
  case 3: add(h, 3, x); break;
  default: add(h, ncomp, x);
  }
}

void halo_host_max(halo_host *h, double *x)
{
  const halo_plan *p = h->plan;
  halo_host_begin(h, 1, x);
  await_messages(h, 1);
  for (int j = 0; j < p->nneighbours; j++) {
    const double *in = in_from(h, j, 1);
    for (int i = p->first[j]; i < p->first[j + 1]; i++) {
      double *xi = x + p->shared[p->slots[i]];
      if (*in > *xi) *xi = *in;
      in++;
    }
  }
}
