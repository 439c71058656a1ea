/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A call of an operation on data of the tuner's own.
 */
#ifndef BATCHED_TUNE_PROBLEM_H
#define BATCHED_TUNE_PROBLEM_H

#include "batched/operations.h"

enum { TUNE_MAX_OPERANDS = 4, TUNE_DISTINCT = 4 };

typedef struct tune_shape {
  int m, n, k;
} tune_shape;

typedef struct tune_operand {
  int m, n;
  bool changed;
  size_t bytes; /* of all matrices */
  void *data, *fresh;
} tune_operand;

/* `count` matrices in the space of a context, TUNE_DISTINCT of them different. */
typedef struct tune_problem {
  batched_ctx *ctx;
  const struct tune_call *call;
  batched_type type;
  tune_shape shape;
  int64_t count;
  int noperands;
  tune_operand x[TUNE_MAX_OPERANDS];
  int *ipiv, *info;
} tune_problem;

/* Can the tuner call this operation? */
bool tune_knows(const batched_op *op);
/* The shapes worth measuring, from the orders given; returns how many (at most `most`). */
int tune_shapes(const batched_op *op, const int *orders, int norders, tune_shape *out, int most);
int64_t tune_count(const batched_op *op, batched_type type, tune_shape shape, size_t bytes);

/* 0 or a status. */
int tune_open(tune_problem *p, batched_ctx *ctx, const batched_op *op, batched_type type, tune_shape shape,
              int64_t count);
void tune_close(tune_problem *p);
/* Puts the data back that a run has changed. */
int tune_restore(tune_problem *p);
int tune_run(tune_problem *p);
/* Largest difference from a run on the host with TUNE_DISTINCT matrices, in units of order * eps * largest element,
 * over the first and the last matrices.  Infinite where something is not a number. */
double tune_difference(const tune_problem *p, const tune_problem *host);

#endif
