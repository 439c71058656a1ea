/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rendezvous: every rank tells the home of each id (id modulo the number of ranks) that it has it, and the home tells
 * all who named the same id about each other.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh/comm/sharing.h"

/* Items of `width` int64 for each rank, one after the other. */
typedef struct mail {
  int width;
  int *count, *first; /* owned, [nranks] and [nranks + 1]: in items */
  int64_t *items;     /* owned, [first[nranks]][width] */
} mail;

static void mail_free(mail *m)
{
  free(m->count);
  free(m->first);
  free(m->items);
  *m = (mail){0};
}

static bool mail_count(mail *m, int width)
{
  size_t nranks = (size_t)comm_size();
  *m = (mail){.width = width};
  m->count = calloc(nranks, sizeof *m->count);
  m->first = calloc(nranks + 1, sizeof *m->first);
  return m->count && m->first;
}

/* After the counts are known. */
static bool mail_make_room(mail *m)
{
  int64_t total = 0;
  for (int r = 0; r < comm_size(); r++) {
    m->first[r] = (int)total;
    total += m->count[r];
    if (total > INT32_MAX / m->width) return false;
  }
  m->first[comm_size()] = (int)total;
  m->items = malloc(((size_t)total * (size_t)m->width + 1) * sizeof *m->items);
  return m->items != NULL;
}

static int mail_total(const mail *m)
{
  return m->first[comm_size()];
}

/* `first` counted up while the items were written: moves it back to where each rank's items begin. */
static void mail_rewind(mail *m)
{
  for (int r = comm_size(); r > 0; r--) m->first[r] = m->first[r - 1];
  m->first[0] = 0;
}

/* Sends every rank its items.  Collective, also where memory is out. */
static int mail_exchange(const mail *out, mail *in)
{
  int status = mail_count(in, out->width) ? STATUS_OK : STATUS_MACHINE;
  if (comm_worst(status)) return STATUS_MACHINE;
  comm_exchange_counts(out->count, in->count);
  status = mail_make_room(in) ? STATUS_OK : STATUS_MACHINE;
  if (comm_worst(status)) return STATUS_MACHINE;
  comm_exchange(out->width, out->items, out->count, out->first, in->items, in->count, in->first);
  return 0;
}

/* My ids to their homes, each with its place on this rank. */
static int tell_homes(int n, const int64_t *id, mail *out)
{
  int nranks = comm_size();
  bool ok = mail_count(out, 2);
  for (int i = 0; ok && i < n; i++) out->count[id[i] % nranks]++;
  ok = ok && mail_make_room(out);
  if (!ok) return STATUS_MACHINE;
  for (int i = 0; i < n; i++) {
    int64_t *item = out->items + 2 * (int64_t)out->first[id[i] % nranks]++;
    item[0] = id[i], item[1] = i;
  }
  mail_rewind(out);
  return 0;
}

static int compare_sharings(const void *a, const void *b)
{
  const sharing *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->other > y->other) - (x->other < y->other);
}

/* What a home heard, sorted by id and then rank. */
static sharing *sort_heard(const mail *in)
{
  sharing *s = malloc(((size_t)mail_total(in) + 1) * sizeof *s);
  if (!s) return NULL;
  for (int r = 0; r < comm_size(); r++) {
    for (int i = in->first[r]; i < in->first[r + 1]; i++)
      s[i] = (sharing){.id = in->items[2 * (int64_t)i], .at = in->items[2 * (int64_t)i + 1], .other = r};
  }
  qsort(s, (size_t)mail_total(in), sizeof *s, compare_sharings);
  return s;
}

/* For every id that several ranks named, and every pair of these ranks: counts the answers to the first of the pair, or
 * writes them, {id, place on the first, the second}. */
static void answer(const sharing *s, int n, mail *out, bool count_only)
{
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && s[end].id == s[i].id;) end++;
    for (int a = i; a < end; a++) {
      for (int b = i; b < end; b++) {
        if (a == b) continue;
        if (count_only) {
          out->count[s[a].other]++;
          continue;
        }
        int64_t *item = out->items + 3 * (int64_t)out->first[s[a].other]++;
        item[0] = s[a].id, item[1] = s[a].at, item[2] = s[b].other;
      }
    }
  }
}

static int answer_all(const mail *in, mail *out)
{
  sharing *heard = sort_heard(in);
  bool ok = heard && mail_count(out, 3);
  if (ok) answer(heard, mail_total(in), out, true);
  ok = ok && mail_make_room(out);
  if (ok) {
    answer(heard, mail_total(in), out, false);
    mail_rewind(out);
  }
  free(heard);
  return ok ? STATUS_OK : STATUS_MACHINE;
}

/* By neighbour, then by id: the order of the messages, the same on both sides. */
static int compare_by_neighbour(const void *a, const void *b)
{
  const sharing *x = a, *y = b;
  if (x->other != y->other) return x->other < y->other ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

int sharing_find(int n, const int64_t *id, sharing **sharings, int *count)
{
  mail asked = {0}, heard = {0}, answers = {0}, told = {0};
  int status = comm_worst(tell_homes(n, id, &asked));
  if (!status) status = mail_exchange(&asked, &heard);
  mail_free(&asked);
  if (!status) status = comm_worst(answer_all(&heard, &answers));
  mail_free(&heard);
  if (!status) status = mail_exchange(&answers, &told);
  mail_free(&answers);
  if (!status) {
    *count = mail_total(&told);
    *sharings = malloc(((size_t)*count + 1) * sizeof **sharings);
    if (*sharings) {
      if (*count) memcpy(*sharings, told.items, (size_t)*count * sizeof **sharings); // the same three int64
      qsort(*sharings, (size_t)*count, sizeof **sharings, compare_by_neighbour);
    } else {
      status = STATUS_MACHINE;
    }
  }
  mail_free(&told);
  return status;
}
