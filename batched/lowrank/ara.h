/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive randomised approximation of many matrices, dense or given by products, to a tolerance: samples in blocks of
 * a few columns, until what is new in them is small enough (Boukaram, Turkiyyah, Keyes, SISC 41, 2019).
 */
#ifndef BATCHED_LOWRANK_ARA_H
#define BATCHED_LOWRANK_ARA_H

#include "batched/lowrank/list.h"

enum { LOWRANK_SAMPLES = 16 };

/* Matrices 0 .. count-1, at most m x n; all pointers are the host's, to memory in the context's space. */
typedef struct lowrank_target {
  batched_type type;
  int m, n;
  int64_t count;
  const int *ms, *ns; /* NULL: all m x n */
  void *const *u, *const *v;
  int ldu, ldv, room;  /* of the factors */
  int *ranks, *info;   /* results, on the host */
  bool by_gram;        /* round by lowrank_round_gram, where that will do */
  const int *expected; /* ranks, about: so many samples are taken at first; NULL: LOWRANK_SAMPLES */
} lowrank_target;

typedef struct lowrank_operator {
  /* Y_i = A_i Omega for the matrices that are named; omega is n x samples, one for all; y: where, zero, as high as all
   * are at most, with as many columns of it as y->ns says. */
  int (*sample)(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, batched_matrix omega,
                const lowrank_list *y);
  /* Z_i = A_i^H Q_i; z: n x k, strided, zero, with as many columns of it as q->ns says. */
  int (*project)(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, const lowrank_list *q,
                 batched_matrix z);
  void *self;
} lowrank_operator;

/* U V^H of each, rounded as by lrgemm.  BATCHED_NO_MEMORY also where the host's is out. */
int lowrank_ara(batched_ctx *ctx, const lowrank_operator *op, const lowrank_target *target, batched_truncation t);

#endif
