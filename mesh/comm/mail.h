/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Items from any rank to any rank, where each talks to few: memory and messages grow with those, not with all.
 */
#ifndef MESH_COMM_MAIL_H
#define MESH_COMM_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Items of `width` int64, those of one rank after those of another. */
typedef struct mail {
  int width, nranks;
  int *rank;      /* owned, [nranks]: ascending */
  int64_t *first; /* owned, [nranks + 1]: in items */
  int64_t *items; /* owned, [first[nranks]][width] */
} mail;

/* From n items, to[i] being the rank of item i; each rank's keep their order.  False: memory is out. */
bool mail_create(mail *m, int width, int64_t n, const int *to, const int64_t *items);
void mail_free(mail *m);

static inline int64_t mail_total(const mail *m)
{
  return m->nranks ? m->first[m->nranks] : 0;
}

/* Collective: `in` gets what the others had for this rank; mail_free frees it.  Counts travel by nonblocking consensus
 * (Hoefler, Siebert, Lumsdaine, Scalable communication protocols for dynamic sparse data exchange, PPoPP 2010), items
 * by the counts.  0, or STATUS_MACHINE on all ranks: memory is out on one, and `in` is empty. */
int mail_exchange(const mail *out, mail *in);

#ifdef __cplusplus
}
#endif

#endif
