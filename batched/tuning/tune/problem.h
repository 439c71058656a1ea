/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A call of an operation on data of the tuner's own.
 */
#ifndef BATCHED_TUNE_PROBLEM_H
#define BATCHED_TUNE_PROBLEM_H

#include "batched/operations.h"

enum { TUNE_MAX_OPERANDS = 5, TUNE_DISTINCT = 4 };

typedef struct tune_shape {
  int m, n, k;     /* k: the inner extent of a product; of a band matrix the width on each side */
  bool transposed; /* the first operand, of a product */
  bool upper;      /* the triangle */
} tune_shape;

typedef struct tune_operand {
  int m, n;
  bool changed;
  bool dominant; /* a real diagonal that outweighs its column; in the first row where m < n, as in a lower band */
  bool real;     /* of the real type that belongs to the problem's */
  bool free;     /* may differ from row to row, as a vector's sign does */
  size_t bytes;  /* of all matrices */
  void *data, *fresh;
} tune_operand;

typedef struct tune_problem tune_problem;

/* Operands of a shape, and the call. */
typedef struct tune_call {
  const batched_op *op;
  int noperands;
  void (*operands)(tune_shape s, tune_operand *x);
  int (*run)(tune_problem *p, const batched_matrix *x);
  bool oblong;                       /* the sizes of a row are those of m and n, not of n alone */
  bool rhs, triangle, transposition; /* its rows may depend on these, too; n of a shape: the columns of `rhs` */
  bool band;                         /* and on its width, k of a shape */
  bool unstable; /* backward stable alone: rounding errors grow with the distance from the first column */
} tune_call;

/* `count` matrices in the space of a context, TUNE_DISTINCT of them different. */
struct tune_problem {
  batched_ctx *ctx;
  const tune_call *call;
  batched_type type;
  tune_shape shape;
  int64_t count;
  int noperands;
  tune_operand x[TUNE_MAX_OPERANDS];
  int *info, *pivots;
};

/* NULL: the tuner can't call this operation.  By its number: NULL at the end. */
const tune_call *tune_call_of(const batched_op *op);
const tune_call *tune_call_at(int i);
/* The shapes worth measuring, from the orders given; returns how many (at most `most`). */
int tune_shapes(const int *orders, int norders, tune_shape *out, int most);
/* Counts the matrices of a shape that `bytes` hold: within limits, so that a GPU is full and a run is short. */
int64_t tune_count(const batched_op *op, batched_type type, tune_shape shape, size_t bytes);

/* 0 or a status. */
int tune_open(tune_problem *p, batched_ctx *ctx, const batched_op *op, batched_type type, tune_shape shape,
              int64_t count);
void tune_close(tune_problem *p);
/* Puts the data back that a run has changed. */
int tune_restore(tune_problem *p);
int tune_run(tune_problem *p);
/* The shortest of some runs; INFINITY if one fails. */
double tune_seconds(tune_problem *p);
/* Largest difference from a run on the host with TUNE_DISTINCT matrices, in units of order * eps * largest element,
 * over the first and the last matrices.  Infinite where something is not a number. */
double tune_difference(const tune_problem *p, const tune_problem *host);
/* The largest difference of a result that is right. */
double tune_tolerance(const tune_problem *p);

#endif
