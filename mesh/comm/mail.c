/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/mail.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/comm/comm.h"

enum { COUNT_TAG = 74, ITEMS_TAG = 75, BARRIER_TAG = 76 };

void mail_free(mail *m)
{
  free(m->rank);
  free(m->first);
  free(m->items);
  *m = (mail){0};
}

/* ------------------------------------------------------------------ sorting */

typedef struct place {
  int to;
  int64_t item;
} place;

static int compare_places(const void *a, const void *b)
{
  const place *x = a, *y = b;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static void fill(mail *m, int64_t n, const place *sorted, const int64_t *items)
{
  const size_t width = (size_t)m->width;
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 || sorted[i].to != sorted[i - 1].to) {
      m->rank[m->nranks] = sorted[i].to;
      m->first[m->nranks++] = i;
    }
    memcpy(m->items + (size_t)i * width, items + (size_t)sorted[i].item * width, width * sizeof *items);
  }
  m->first[m->nranks] = n;
}

bool mail_create(mail *m, int width, int64_t n, const int *to, const int64_t *items)
{
  *m = (mail){.width = width};
  place *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
  int nranks = 0;
  for (int64_t i = 0; sorted && i < n; i++) sorted[i] = (place){to[i], i};
  if (sorted) qsort(sorted, (size_t)n, sizeof *sorted, compare_places);
  for (int64_t i = 0; sorted && i < n; i++) nranks += i == 0 || sorted[i].to != sorted[i - 1].to;
  m->rank = malloc(((size_t)nranks + 1) * sizeof *m->rank);
  m->first = malloc(((size_t)nranks + 1) * sizeof *m->first);
  m->items = malloc(((size_t)n * (size_t)width + 1) * sizeof *m->items);
  const bool enough = sorted && m->rank && m->first && m->items;
  if (enough)
    fill(m, n, sorted, items);
  else
    mail_free(m);
  free(sorted);
  return enough;
}

/* ------------------------------------------------------------------ exchange */

/* The number of items that a rank has for this one. */
typedef struct notice {
  int from;
  int64_t count;
} notice;

typedef struct notices {
  int n, room;
  notice *list; /* owned */
  bool enough;  /* memory */
} notices;

/* Keeps a notice, or drops it where there is no memory: it has been received, as others wait for that. */
static void keep_notice(notices *all, notice got)
{
  if (all->n == all->room) {
    const int room = 2 * all->room + 16;
    // no realloc: to SimGrid 3.32 the place that it leaves has its old size for ever, too short for later messages
    notice *more = malloc((size_t)room * sizeof *more);
    all->enough = all->enough && more;
    if (!more) return;
    if (all->n) memcpy(more, all->list, (size_t)all->n * sizeof *more);
    free(all->list);
    all->list = more;
    all->room = room;
  }
  all->list[all->n++] = got;
}

/* Requests that a rank waits for: the next notice, a round of the barrier, and the arrival of its own notices. */
enum { NOTICE, ROUND_IN, ROUND_OUT, SENDS };

static void expect_notice(int64_t *count, MPI_Request *requests)
{
  MPI_Irecv(count, 1, MPI_INT64_T, MPI_ANY_SOURCE, COUNT_TAG, MPI_COMM_WORLD, &requests[NOTICE]);
}

/* A round of a barrier by dissemination: tells the rank that is `distance` further on that all so far have come. */
static void begin_round(int distance, MPI_Request *requests)
{
  const int size = comm_size(), rank = comm_rank();
  MPI_Irecv(NULL, 0, MPI_BYTE, (rank + size - distance) % size, BARRIER_TAG, MPI_COMM_WORLD, &requests[ROUND_IN]);
  MPI_Isend(NULL, 0, MPI_BYTE, (rank + distance) % size, BARRIER_TAG, MPI_COMM_WORLD, &requests[ROUND_OUT]);
}

/* Tells each rank in `out` how many items to expect, by nonblocking consensus: a synchronous send is done when it is
 * received; once all of a rank's are, it enters the barrier, and once that is done, nothing is on its way but what the
 * rank sends itself, so that it expects no more.  It waits and never asks: MPI_Ibarrier and MPI_Test would do, were it
 * not for SimGrid 3.32, whose ranks leave the first once rank 0 has come, and keep all that ended by the second in a
 * list.  requests has shape [SENDS + out->nranks]. */
static void exchange_notices(const mail *out, const int64_t *counts, MPI_Request *requests, notices *in)
{
  int64_t count, none = 0;
  expect_notice(&count, requests);
  requests[ROUND_IN] = requests[ROUND_OUT] = MPI_REQUEST_NULL;
  for (int i = 0; i < out->nranks; i++)
    MPI_Issend(&counts[i], 1, MPI_INT64_T, out->rank[i], COUNT_TAG, MPI_COMM_WORLD, &requests[SENDS + i]);
  int missing = out->nranks;
  for (int distance = 1; missing > 0 || distance < comm_size();) {
    MPI_Status status;
    int which = NOTICE;
    if (missing == 0) {
      begin_round(distance, requests);
      distance *= 2;
      missing = 2;
    }
    MPI_Waitany(SENDS + out->nranks, requests, &which, &status);
    if (which == NOTICE) {
      keep_notice(in, (notice){status.MPI_SOURCE, count});
      expect_notice(&count, requests);
    } else {
      missing--;
    }
  }
  MPI_Send(&none, 1, MPI_INT64_T, comm_rank(), COUNT_TAG, MPI_COMM_WORLD);
  MPI_Wait(&requests[NOTICE], MPI_STATUS_IGNORE);
}

static int compare_notices(const void *a, const void *b)
{
  const notice *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* Room for the items of all notices, in the order of ranks. */
static bool make_room(mail *in, const notices *all)
{
  in->rank = malloc(((size_t)all->n + 1) * sizeof *in->rank);
  in->first = malloc(((size_t)all->n + 1) * sizeof *in->first);
  if (!in->rank || !in->first) return false;
  if (all->n) qsort(all->list, (size_t)all->n, sizeof *all->list, compare_notices);
  in->nranks = all->n;
  in->first[0] = 0;
  for (int i = 0; i < all->n; i++) {
    in->rank[i] = all->list[i].from;
    in->first[i + 1] = in->first[i] + all->list[i].count;
  }
  in->items = malloc(((size_t)in->first[all->n] * (size_t)in->width + 1) * sizeof *in->items);
  return in->items;
}

/* MPI counts in int: in items, whose words may be more. */
static void exchange_items(const mail *out, mail *in, MPI_Request *requests)
{
  MPI_Request *next = requests;
  MPI_Datatype item;
  MPI_Type_contiguous(out->width, MPI_INT64_T, &item);
  MPI_Type_commit(&item);
  for (int i = 0; i < in->nranks; i++)
    MPI_Irecv(in->items + in->first[i] * in->width, (int)(in->first[i + 1] - in->first[i]), item, in->rank[i],
              ITEMS_TAG, MPI_COMM_WORLD, next++);
  for (int i = 0; i < out->nranks; i++)
    MPI_Isend(out->items + out->first[i] * out->width, (int)(out->first[i + 1] - out->first[i]), item, out->rank[i],
              ITEMS_TAG, MPI_COMM_WORLD, next++);
  MPI_Waitall((int)(next - requests), requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&item);
}

static int all_have(bool enough)
{
  return comm_worst(enough ? STATUS_OK : STATUS_MACHINE);
}

int mail_exchange(const mail *out, mail *in)
{
  *in = (mail){.width = out->width};
  notices expected = {.enough = true};
  int64_t *counts = malloc(((size_t)out->nranks + 1) * sizeof *counts);
  MPI_Request *requests = malloc(((size_t)out->nranks + SENDS) * sizeof *requests);
  int status = all_have(counts && requests);
  if (!status) {
    for (int i = 0; i < out->nranks; i++) counts[i] = out->first[i + 1] - out->first[i];
    exchange_notices(out, counts, requests, &expected);
    bool enough = expected.enough && make_room(in, &expected);
    free(requests);
    requests = enough ? malloc(((size_t)out->nranks + (size_t)in->nranks + 1) * sizeof *requests) : NULL;
    /* No rank begins the next exchange before all have ended this one's notices. */
    status = all_have(requests);
  }
  if (!status) exchange_items(out, in, requests);
  if (status) mail_free(in);
  free(requests);
  free(counts);
  free(expected.list);
  return status;
}
