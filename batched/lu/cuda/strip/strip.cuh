/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strips of getrf in double precision: launching strip/panel.cuh and strip/update.cuh (getrf_strip.cu).
 */
#ifndef BATCHED_LU_CUDA_STRIP_STRIP_CUH
#define BATCHED_LU_CUDA_STRIP_STRIP_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::lu
{

/* Most rows and columns of a strip; most rows of what update_beside() takes, and columns of L of what form_row_tc(). */
enum { LU_STRIP_ROWS = 512, LU_STRIP_COLUMNS = 64, LU_BESIDE_ROWS = 320, LU_ROW_COLUMNS = 128 };

/* Columns of m rows that one block factors in its shared memory. */
int lu_strip_columns(int m);
/* Factors them; rows and columns of the caller's matrix start at `first`. */
int factor_strip(batched_ctx *ctx, const batch<double> &a, int first, int *ipiv, int npivots, int *info);

/* Columns c beside the strip l, after its factorisation: exchanges, U, products.  Both begin with row `first` of the
 * matrix, and have up to LU_BESIDE_ROWS rows. */
int update_beside(batched_ctx *ctx, const batch<double> &l, const batch<double> &c, const int *ipiv, int npivots,
                  int first);

/* The block row: exchanges of count <= LU_ROW_COLUMNS pivots (ipiv NULL: no row moves) and U = L^-1 A in columns c0 ..
 * c0 + cols - 1, by columns first .. first + count - 1. */
int form_row_tc(batched_ctx *ctx, const batch<double> &a, int c0, int cols, int first, int count, const int *ipiv,
                int npivots);

} // namespace batched_cuda::lu

#endif
