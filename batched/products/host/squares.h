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

/* Products by gemm's row, of which syrk and syr2k make C.  squares: of matrices first .. first + to.count - 1, whole.
 * block: to = beta to + rows i0 .. times columns j0 .. of the product, as many as `to` has, of matrix b alone. */
typedef struct batched_square_makers {
  int (*squares)(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t first, batched_matrix to);
  int (*block)(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t b, int i0, int j0,
               batched_scalar beta, batched_matrix to);
} batched_square_makers;

/* C = product + beta C in C's triangle (syrk.c): of whole squares, a few matrices at a time, or in large ones by block
 * columns, of which only the block on the diagonal is made as a square. */
int batched_take_triangles(batched_ctx *ctx, const batched_syrk_args *triangle, const batched_square_makers *make,
                           const void *args);

/* Rows i0 .. i0 + rows - 1 of op(A), for matrix b of a factor. */
static inline batched_matrix batched_rows_of(const batched_matrix *a, batched_trans trans, int64_t b, int i0, int rows)
{
  const bool plain = trans == BATCHED_NO_TRANS;
  const int ld = batched_ld(a, b);
  char *at = batched_at(a, b);
  if (at) at += (plain ? i0 : (int64_t)i0 * ld) * (int64_t)batched_element_bytes(a->type);
  return plain ? batched_make_strided(a->type, at, rows, batched_cols(a, b), ld, 0, 1)
               : batched_make_strided(a->type, at, batched_rows(a, b), rows, ld, 0, 1);
}

#endif
