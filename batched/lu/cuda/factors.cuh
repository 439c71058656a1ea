/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the operations with LU factors call of each other.
 */
#ifndef BATCHED_LU_CUDA_FACTORS_CUH
#define BATCHED_LU_CUDA_FACTORS_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* The row of getrf that suits the size (getrf.cu). */
int getrf(batched_ctx *ctx, const batched_getrf_args *p);

/* The rows of cuBLAS, and what they are for (getrf.cu, getrs.cu). */
bool fits_cublas_getrf(const batched_getrf_args *p);
bool fits_cublas_getrs(const batched_getrs_args *p);
int cublas_getrf(batched_ctx *ctx, const batched_getrf_args *p);
int cublas_getrs(batched_ctx *ctx, const batched_getrs_args *p);

/* One solve with the factors and pivots of getrf, for the kernels (getrs.cu). */
template <class T> struct lu_system {
  batched_trans trans;
  batch<T> a, b;
  const int *ipiv, *skip; /* skip: B stays where this is not 0; NULL: nowhere */
  int npivots;            /* from one matrix's pivots to the next's; 0 where they are shared */
  bool identity;          /* B = A^-1: what was in it does not matter */
  int *report;            /* gets the place of the first zero on U's diagonal, and B stays there; NULL: nothing */
  int *sizes;             /* room for an int a matrix, needed where `skip` is given */
};
/* Up to this order the factors can be in registers: then B may be A, and `report` is known. */
enum { LU_REGISTER_SOLVE = 16 };
template <class T> int solve_lu(batched_ctx *ctx, const lu_system<T> &s);

} // namespace batched_cuda::lu

#endif
