/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/mail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/comm/comm.h"

enum { MAIL_TAG = 74 };

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

/* What came, message by message. */
typedef struct letter {
  int from;
  int64_t count, first; /* items, and where they begin among all that came */
} letter;

typedef struct box {
  int width, nletters, letters_room;
  letter *letters; /* owned */
  int64_t total, room;
  int64_t *items; /* owned */
} box;

/* Others wait for this rank, which can't go on. */
static void give_up(void)
{
  fprintf(stderr, "rank %d: out of memory for the lists of shared nodes\n", comm_rank());
  comm_abort(STATUS_MACHINE);
}

static void make_room(box *b, int64_t count)
{
  if (b->nletters == b->letters_room) {
    b->letters_room = 2 * b->letters_room + 16;
    letter *more = realloc(b->letters, (size_t)b->letters_room * sizeof *more);
    if (!more) give_up();
    b->letters = more;
  }
  if (b->total + count > b->room) {
    b->room = 2 * (b->total + count);
    int64_t *more = realloc(b->items, (size_t)b->room * (size_t)b->width * sizeof *more);
    if (!more) give_up();
    b->items = more;
  }
}

/* Takes a message if one is there. */
static void receive(box *b)
{
  MPI_Status status;
  int waits, numbers;
  MPI_Iprobe(MPI_ANY_SOURCE, MAIL_TAG, MPI_COMM_WORLD, &waits, &status);
  if (!waits) return;
  MPI_Get_count(&status, MPI_INT64_T, &numbers);
  const int64_t count = numbers / b->width;
  make_room(b, count);
  MPI_Recv(b->items + b->total * b->width, numbers, MPI_INT64_T, status.MPI_SOURCE, MAIL_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  b->letters[b->nletters++] = (letter){status.MPI_SOURCE, count, b->total};
  b->total += count;
}

static int compare_letters(const void *a, const void *b)
{
  const letter *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* Messages in the order of their ranks. */
static void sort_box(box *b, mail *in)
{
  const size_t width = (size_t)b->width;
  *in = (mail){.width = b->width, .nranks = b->nletters};
  if (b->nletters) qsort(b->letters, (size_t)b->nletters, sizeof *b->letters, compare_letters);
  in->rank = malloc(((size_t)b->nletters + 1) * sizeof *in->rank);
  in->first = malloc(((size_t)b->nletters + 1) * sizeof *in->first);
  in->items = malloc(((size_t)b->total * width + 1) * sizeof *in->items);
  if (!in->rank || !in->first || !in->items) give_up();
  in->first[0] = 0;
  for (int i = 0; i < b->nletters; i++) {
    const letter *l = &b->letters[i];
    in->rank[i] = l->from;
    in->first[i + 1] = in->first[i] + l->count;
    memcpy(in->items + (size_t)in->first[i] * width, b->items + (size_t)l->first * width,
           (size_t)l->count * width * sizeof *in->items);
  }
}

void mail_exchange(const mail *out, mail *in)
{
  box b = {.width = out->width};
  MPI_Request *sends = malloc(((size_t)out->nranks + 1) * sizeof *sends), barrier = MPI_REQUEST_NULL;
  if (!sends) give_up();
  /* A synchronous send is done when it is being received: once all are, this rank enters the barrier, and once the
   * barrier is done, nothing is on its way. */
  for (int i = 0; i < out->nranks; i++)
    MPI_Issend(out->items + out->first[i] * out->width, (int)((out->first[i + 1] - out->first[i]) * out->width),
               MPI_INT64_T, out->rank[i], MAIL_TAG, MPI_COMM_WORLD, &sends[i]);
  for (int sent = 0, done = 0; !done;) {
    receive(&b);
    if (sent) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    } else {
      MPI_Testall(out->nranks, sends, &sent, MPI_STATUSES_IGNORE);
      if (sent) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    }
  }
  free(sends);
  sort_box(&b, in);
  free(b.letters);
  free(b.items);
  /* The next exchange must not begin while a rank is still in this one: its messages would be taken for ours. */
  comm_barrier();
}
