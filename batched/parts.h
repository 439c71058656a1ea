/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For operations that are made of other operations and have intermediate matrices: a layout of scratch memory, and the
 * batch in parts for which there is enough of it.
 */
#ifndef BATCHED_PARTS_H
#define BATCHED_PARTS_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pieces of a block of scratch memory, one after the other; where there is no block yet, `used` counts what it has to
 * have. */
typedef struct batched_pile {
  char *at;
  size_t used;
} batched_pile;

static inline void *batched_pile_take(batched_pile *pile, size_t bytes)
{
  void *piece = pile->at ? pile->at + pile->used : NULL;
  pile->used += (bytes + 255) / 256 * 256;
  return piece;
}

/* m x n matrices of `type`, one after the other; sizes as of a batch, NULL where they are uniform. */
static inline batched_matrix batched_pile_matrices(batched_pile *pile, batched_type type, int m, int n, const int *ms,
                                                   const int *ns, int64_t count)
{
  const int ld = m > 0 ? m : 1;
  const int64_t stride = (int64_t)ld * n;
  void *data = batched_pile_take(pile, (size_t)stride * (size_t)count * batched_element_bytes(type));
  return batched_with_sizes(batched_make_strided(type, data, m, n, ld, stride, count), ms, ns, NULL);
}

static inline batched_matrix batched_pile_vectors(batched_pile *pile, batched_type type, int n, const int *ns,
                                                  int64_t count)
{
  return batched_pile_matrices(pile, type, n, 1, ns, NULL, count);
}

/* A driver on a part of its batch, with memory that `pile` stands for: lays it out, and, if the pile has a block, does
 * the work. */
typedef int batched_driver(batched_ctx *ctx, batched_pile *pile, const void *args);

/* Runs a driver on part after part of the batch, each of as many matrices as find room in some memory: all of a small
 * batch, or one at least. */
int batched_run_in_parts(batched_ctx *ctx, const batched_op *op, batched_driver *driver, const void *args);

#ifdef __cplusplus
}
#endif

#endif
