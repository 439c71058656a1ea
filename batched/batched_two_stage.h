/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bidiagonal reduction of general matrices in two stages, dense to band and band to bidiagonal; that of Hermitian
 * ones to tridiagonal form, he2hb and hb2st, is in batched.h.
 */
#ifndef BATCHED_TWO_STAGE_PUBLIC_H
#define BATCHED_TWO_STAGE_PUBLIC_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gebrd in two stages, A = Q1 Q2 T P2^H P1^H, for large matrices: ge2gb and gb2bd; the products with Q1, P1, Q2, P2.
 *
 * A = Q1 B P1^H, B k x k (k = min(m, n)) with kd >= 1 diagonals above the main one (m >= n), or below it, in LAPACK's
 * band storage, as he2hb's UPPER and LOWER; ab has kd + 1 rows or more and k columns.  A holds B, and outside of it the
 * vectors: for m >= n Q1's vector i in column i, from row i + 1 on, behind a 1 in row i, and P1's as its conjugate in
 * row i, from column i + kd + 1 on, behind a 1 in column i + kd; for m < n P1's begins at column i, and Q1's at row
 * i + kd.  tauq, taup: vectors of length k, the last kd of those of the side that begins at i + kd being zero.  B's
 * diagonal is real. */
int batched_ge2gb(batched_ctx *ctx, int kd, batched_matrix a, batched_matrix ab, batched_matrix tauq,
                  batched_matrix taup);

/* C = op(Q1) C (LEFT) or C op(Q1) (RIGHT), or with P1, out of what ge2gb left in A, m x n, and tauq, or taup. */
int batched_unmbr_ge2gb(batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, int kd,
                        batched_matrix a, batched_matrix tau, batched_matrix c);

/* B = Q2 T P2^H, B n x n with kd diagonals above the main one (UPPER) or below it, as ge2gb leaves it; T bidiagonal of
 * the same uplo, d and e its diagonals.  ab is only read; the imaginary part of B(0, 0) does not matter.  VECTORS: vq
 * and vp, n x n, get Q2 and P2, each the sweeps of reflectors that hb2st has, and as there; VALUES: they are not looked
 * at. */
int batched_gb2bd(batched_ctx *ctx, batched_job job, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix d,
                  batched_matrix e, batched_matrix vq, batched_matrix vp);

/* C = op(Q2) C (LEFT) or C op(Q2) (RIGHT) with the Q2 that gb2bd, with the same kd, left in vq; with P2 for its vp.
 * The same as unmtr_hb2st. */
int batched_unmbr_gb2bd(batched_ctx *ctx, batched_side side, batched_trans trans, int kd, batched_matrix v,
                        batched_matrix c);

#ifdef __cplusplus
}
#endif

#endif
