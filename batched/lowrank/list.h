/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches of matrices that are anywhere, put together on the host: pointers and sizes, copied to the context's space.
 */
#ifndef BATCHED_LOWRANK_LIST_H
#define BATCHED_LOWRANK_LIST_H

#include "batched/lowrank/compose.h"

typedef struct lowrank_list {
  batched_type type;
  int64_t count, room;
  void **pointers; /* owned, with the sizes behind them */
  int *ms, *ns, *lds;
} lowrank_list;

/* Room for so many; BATCHED_NO_MEMORY. */
int lowrank_list_create(lowrank_list *list, batched_type type, int64_t room);
void lowrank_list_destroy(lowrank_list *list);
void lowrank_list_add(lowrank_list *list, void *p, int m, int n, int ld);
/* The batch, whose arrays are in scratch memory, or, on the host, in the list, which must stay as it is.  A size that
 * all matrices share is uniform; m, n: the bounds, at least as large as all sizes (-1: the largest). */
batched_matrix lowrank_list_batch(lowrank_work *w, const lowrank_list *list, int m, int n);

/* Products C = alpha op(A) op(B) + beta C of matrices that are anywhere, one call of gemm for all. */
typedef struct lowrank_products {
  batched_trans transa, transb;
  lowrank_list a, b, c;
} lowrank_products;

/* The work's status tells of failures; after one, nothing is added. */
void lowrank_products_create(lowrank_work *w, lowrank_products *p, batched_type type, batched_trans transa,
                             batched_trans transb, int64_t room);
/* C is m x n, and k what is summed over. */
void lowrank_products_add(lowrank_products *p, int m, int n, int k, const void *a, int lda, const void *b, int ldb,
                          void *c, int ldc);
/* Computes them, and forgets them: the next ones may be added. */
void lowrank_products_run(lowrank_work *w, lowrank_products *p, batched_scalar alpha, batched_scalar beta);
void lowrank_products_destroy(lowrank_products *p);

/* Copies of what may be in another space: NULL where `from` is, or where memory is out, which sets the status. */
int *lowrank_fetch_ints(lowrank_work *w, const int *from, int64_t count);
void **lowrank_fetch_pointers(lowrank_work *w, batched_matrix a);

#endif
