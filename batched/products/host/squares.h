/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangles as parts of whole squares: what the SIMD rows of syrk and syr2k share.
 */
#ifndef BATCHED_PRODUCTS_HOST_SQUARES_H
#define BATCHED_PRODUCTS_HOST_SQUARES_H

#include "batched/products/products.h"

/* The transposition of the first and of the second factor of A A^T or A^T A, or of their Hermitian forms. */
static inline batched_trans batched_first_trans(batched_trans trans, bool hermitian)
{
  return trans == BATCHED_NO_TRANS ? BATCHED_NO_TRANS : hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}
static inline batched_trans batched_second_trans(batched_trans trans, bool hermitian)
{
  return trans != BATCHED_NO_TRANS ? BATCHED_NO_TRANS : hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

/* Makes the squares of matrices first .. first + to.count - 1 with gemm's row. */
typedef int batched_make_squares(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t first,
                                 batched_matrix to);

/* C = square + beta C in C's triangle, a few matrices at a time (syrk.c). */
int batched_take_triangles(batched_ctx *ctx, const batched_syrk_args *triangle, batched_make_squares *make,
                           const void *args);

#endif
