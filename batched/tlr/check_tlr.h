/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the calls on tile low-rank matrices ask of their arguments; a refusal leaves its reason (batched/check.h).
 */
#ifndef BATCHED_TLR_CHECK_TLR_H
#define BATCHED_TLR_CHECK_TLR_H

#include "batched/check.h"
#include "batched/lowrank/check_lowrank.h"
#include "batched/tlr/tlr.h"

/* True for one that is there and in the context's space, else told by the argument's name. */
bool lowrank_tlr_is_here(const batched_ctx *ctx, const batched_tlr *a, const char *name);
/* The same, and Hermitian. */
bool lowrank_tlr_is_hermitian(const batched_ctx *ctx, const batched_tlr *a, const char *name);
/* True for one m x n matrix of this type, in a strided view of fixed size.  n < 0: any number of columns. */
bool lowrank_tlr_is_dense(const batched_ctx *ctx, const batched_matrix *x, batched_type type, int m, int n);
/* True for these rows and columns (-1: any), and the type and tiles of another. */
bool lowrank_tlr_is_like(const batched_tlr *a, const batched_tlr *other, int m, int n);
/* True for a shape that m x n matrices have. */
bool lowrank_tlr_is_shape(batched_tlr_shape shape, int m, int n);
/* Arguments 2 to 7 of the calls that make one: a, type, m, n, tile, shape; 0 or -i. */
int lowrank_tlr_check_made(const batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                           batched_tlr_shape shape);
bool lowrank_tlr_is_tile(int tile);

#endif
