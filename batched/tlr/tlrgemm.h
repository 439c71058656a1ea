/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The product of tile low-rank matrices: what its rows are called with, and the rows, one code for both spaces.
 */
#ifndef BATCHED_TLR_TLRGEMM_H
#define BATCHED_TLR_TLRGEMM_H

#include "batched/batched_lowrank.h"
#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha A B + beta C of tile low-rank matrices; tlr: C, or NULL, and then it is `dense`.  An operation on one large
 * matrix, which is not in batched_operations: its rows share out work by the operations that they call. */
typedef struct batched_tlrgemm_args {
  batched_scalar alpha, beta;
  const batched_tlr *a, *b;
  batched_tlr *tlr;
  batched_matrix dense;
  batched_truncation t;
  int *info;
} batched_tlrgemm_args;

BATCHED_DECLARE(tlrgemm)

int tlr_gemm_inner(batched_ctx *ctx, const void *args);
int tlr_gemm_outer(batched_ctx *ctx, const void *args);
/* True where all tiles are of low rank, but for a dense C. */
bool tlr_can_be_outer(const void *args);

#ifdef __cplusplus
}
#endif

#endif
