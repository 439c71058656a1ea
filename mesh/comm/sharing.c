/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rendezvous: every rank tells the home of each id that it has it, and the home tells all who named the same id about
 * each other.  A home has consecutive ids, as many as any other: a rank, whose ids lie together, knows few homes.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh/comm/mail.h"
#include "mesh/comm/sharing.h"

/* My ids to their homes, each with its place on this rank; ids are below `end`. */
static bool tell_homes(int n, const int64_t *id, int64_t end, mail *out)
{
  const int64_t each = end / comm_size() + 1;
  int named = 0;
  for (int i = 0; i < n; i++) named += id[i] >= 0;
  int *to = malloc(((size_t)named + 1) * sizeof *to), at = 0;
  int64_t *items = malloc((2 * (size_t)named + 1) * sizeof *items);
  for (int i = 0; to && items && i < n; i++) {
    if (id[i] < 0) continue;
    to[at] = (int)(id[i] / each);
    items[2 * (int64_t)at] = id[i], items[2 * (int64_t)at + 1] = i;
    at++;
  }
  const bool enough = to && items && mail_create(out, 2, named, to, items);
  free(to);
  free(items);
  return enough;
}

static int compare_sharings(const void *a, const void *b)
{
  const sharing *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->other > y->other) - (x->other < y->other);
}

/* The items that a home received, sorted by id and then rank; NULL: out of memory. */
static sharing *sort_heard(const mail *in)
{
  sharing *s = malloc(((size_t)mail_total(in) + 1) * sizeof *s);
  if (!s) return NULL;
  for (int r = 0; r < in->nranks; r++)
    for (int64_t i = in->first[r]; i < in->first[r + 1]; i++)
      s[i] = (sharing){.id = in->items[2 * i], .at = in->items[2 * i + 1], .other = in->rank[r]};
  if (mail_total(in)) qsort(s, (size_t)mail_total(in), sizeof *s, compare_sharings);
  return s;
}

/* For every id that several ranks named, and every pair of these ranks, an answer to the first of the pair: {id, place
 * on the first, the second}.  Returns their number; to and items may be NULL. */
static int64_t answer(const sharing *s, int64_t n, int *to, int64_t *items)
{
  int64_t count = 0;
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && s[end].id == s[i].id;) end++;
    for (int64_t a = i; a < end; a++)
      for (int64_t b = i; b < end; b++) {
        if (a == b) continue;
        if (to) {
          to[count] = (int)s[a].other;
          items[3 * count] = s[a].id, items[3 * count + 1] = s[a].at, items[3 * count + 2] = s[b].other;
        }
        count++;
      }
  }
  return count;
}

static bool answer_all(const mail *in, mail *out)
{
  sharing *heard = sort_heard(in);
  const int64_t count = heard ? answer(heard, mail_total(in), NULL, NULL) : 0;
  int *to = malloc(((size_t)count + 1) * sizeof *to);
  int64_t *items = malloc((3 * (size_t)count + 1) * sizeof *items);
  bool enough = heard && to && items;
  if (enough) {
    answer(heard, mail_total(in), to, items);
    enough = mail_create(out, 3, count, to, items);
  }
  free(heard);
  free(to);
  free(items);
  return enough;
}

/* By neighbour, then by id: the order of the messages, the same on both sides. */
static int compare_by_neighbour(const void *a, const void *b)
{
  const sharing *x = a, *y = b;
  if (x->other != y->other) return x->other < y->other ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static int all_have(bool enough)
{
  return comm_worst(enough ? STATUS_OK : STATUS_MACHINE);
}

/* The answers as they are: three int64 each. */
static bool take(const mail *told, sharing **sharings, int *count)
{
  const size_t n = (size_t)mail_total(told);
  if (n > INT32_MAX) return false;
  *count = (int)n;
  *sharings = malloc((n + 1) * sizeof **sharings);
  if (!*sharings) return false;
  if (n) memcpy(*sharings, told->items, n * sizeof **sharings);
  if (n) qsort(*sharings, n, sizeof **sharings, compare_by_neighbour);
  return true;
}

int sharing_find(int n, const int64_t *id, sharing **sharings, int *count)
{
  mail asked = {0}, heard = {0}, answers = {0}, told = {0};
  if (comm_size() == 1) return take(&told, sharings, count) ? STATUS_OK : STATUS_MACHINE; // nobody to ask
  int64_t end = 0;
  for (int i = 0; i < n; i++) end = id[i] >= end ? id[i] + 1 : end;
  comm_max_int64(&end, 1);
  int status = all_have(tell_homes(n, id, end, &asked));
  if (!status) status = mail_exchange(&asked, &heard);
  mail_free(&asked);
  if (!status) status = all_have(answer_all(&heard, &answers));
  mail_free(&heard);
  if (!status) status = mail_exchange(&answers, &told);
  mail_free(&answers);
  if (!status) status = take(&told, sharings, count) ? STATUS_OK : STATUS_MACHINE;
  mail_free(&told);
  return status;
}
