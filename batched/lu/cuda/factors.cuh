/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with LU factors, for getrs, gesv and getri (getrs.cu).
 */
#ifndef BATCHED_LU_CUDA_FACTORS_CUH
#define BATCHED_LU_CUDA_FACTORS_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* op(A) X = B with the factors and pivots of getrf. */
template <class T> struct lu_system {
  batched_trans trans;
  batch<T> a, b;
  const int *ipiv, *skip; /* skip: B is left alone where skip[b] != 0; NULL: nowhere */
  int npivots;            /* pivots from one matrix to the next; 0: all share one set */
  bool identity;          /* B is the identity, whatever it holds: X = op(A)^-1 */
  int *report;            /* the first zero on U's diagonal, where B is left alone, or 0; NULL: not wanted */
  int *sizes;             /* workspace, an int per matrix; needed with `skip` */
};

/* Up to this order factors fit in registers: B may be A then, and `report` is supported. */
enum { LU_LANES_SOLVE = 16 };

/* X, by the kernel that suits the order. */
template <class T> int solve_lu(batched_ctx *ctx, const lu_system<T> &s);

} // namespace batched_cuda::lu

#endif
