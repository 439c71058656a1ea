/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of getrf: LU of large matrices, each by as many blocks as there is work for.  Halves of the columns
 * (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997) as in getrf_recursive.cuh, down to the columns that the shared memory
 * of a cluster of blocks holds (cluster_panel.cuh).
 *
 * launches  per level: 2 exchanges, a trsm, a gemm; leaves of 128 columns up to 2900 rows (double), of 8 beyond 20000
 * takes     all four types, m <= 65536, any n, uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN); no workspace
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#ifndef BATCHED_LU_CUDA_GETRF_NATIVE_CUH
#define BATCHED_LU_CUDA_GETRF_NATIVE_CUH

#include "batched/lu/cuda/cluster_panel.cuh"
#include "batched/lu/cuda/getrf_recursive.cuh"
#include "batched/lu/cuda/native.cuh"

namespace batched_cuda::lu
{

template <class T> struct native_lu : recursive_lu<T> {
  explicit native_lu(const recursive_lu<T> &lu) : recursive_lu<T>(lu)
  {
  }
  /* Factors columns j .. j + count - 1 from row j on. */
  int factor(int j, int count) const
  {
    const int rows = this->a.m - j, held = cluster_columns<T>(rows);
    if (count <= held)
      return launch_getrf_cluster(this->ctx, this->a.block(j, j, rows, count), j, this->ipiv, this->npivots,
                                  this->info);
    int left = held;
    while (2 * left < count) left *= 2;
    const int middle = j + left, right = count - left;
    int status = factor(j, left);
    if (!status) status = this->update(j, left, middle, right);
    if (!status) status = factor(middle, right);
    return status ? status : launch_exchange(this->ctx, this->a, j, left, middle, right, this->ipiv, this->npivots);
  }
};

template <class T> int run_getrf_native(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  const int k = a.m < a.n ? a.m : a.n;
  const native_lu<T> lu(recursive_lu<T>{ctx, a, p.ipiv, k, p.info});
  const int status = lu.factor(0, k);
  return status ? status : lu.update(0, k, k, a.n - k);
}

} // namespace batched_cuda::lu

#endif
