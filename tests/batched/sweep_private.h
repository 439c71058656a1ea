/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the files of the harness.
 */
#ifndef TESTS_BATCHED_SWEEP_PRIVATE_H
#define TESTS_BATCHED_SWEEP_PRIVATE_H

#include "sweep.h"

/* A number that no matrix has and no type holds: it is stored as a NaN with bits of its own. */
#define SWEEP_POISON 0x1.23456789p+5000L

/* An operand: a host image of everything that belongs to it, and the batch in the context's space. */
typedef struct sweep_batch {
  sweep_operand operand;
  batched_matrix view; /* in the context's space */
  size_t bytes;
  void *image;        /* host copy of the data, with poison between the matrices */
  int64_t *offset;    /* of matrix b in the image, in elements */
  int *ms, *ns, *lds; /* of matrix b */
  void *device[5];    /* data, pointers, ms, ns, lds */
} sweep_batch;

/* The shape of matrix b of the case. */
sweep_case sweep_matrix(const sweep_case *c, int64_t b);

/* A batch of the case's operand, filled; matrix `bad` (if >= 0) gets a NaN.  `first` is the number, in the case, of its
 * first matrix: a part of a batch has the same matrices as the whole. */
sweep_batch sweep_create(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int operand, int64_t first,
                         int64_t bad);
void sweep_destroy(batched_ctx *ctx, sweep_batch *x);
/* Reads the batch back into a new image. */
void *sweep_read(batched_ctx *ctx, const sweep_batch *x);
sweep_dense sweep_dense_of(const sweep_batch *x, const void *image, int64_t b);
/* Does what is outside of the matrices, or poisoned in them, have its old bits? */
bool sweep_poison_kept(const sweep_batch *x, const void *image);

/* The ints of a batch: `each` for a matrix.  Shared ones are those of matrix 0. */
typedef struct sweep_ints {
  int each;
  int64_t matrices; /* 1 if shared, else the count */
  int *image, *device;
} sweep_ints;

sweep_ints sweep_create_pivots(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int64_t first);
void sweep_destroy_ints(batched_ctx *ctx, sweep_ints *x);
int *sweep_read_ints(batched_ctx *ctx, const sweep_ints *x);

void sweep_free_temporaries(void);
int sweep_bench(int argc, char **argv, const sweep_family *f);

#endif
