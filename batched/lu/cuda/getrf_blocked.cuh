/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices of up to 512 rows, right-looking.
 */
#ifndef BATCHED_LU_CUDA_GETRF_BLOCKED_CUH
#define BATCHED_LU_CUDA_GETRF_BLOCKED_CUH

#include "batched/lu/cuda/getrf_panels.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

enum { LU_LIMIT = 128 };

/* So many blocks shall share a multiprocessor: from times on an H200.  (Double precision has other rows for most.) */
static inline int lu_blocks(batched_type type, int m)
{
  if (type == BATCHED_D) return 1;
  if (m > 160) return 3;
  return type == BATCHED_S || m <= 80 ? 8 : m <= 128 ? 5 : 4;
}

/* How many columns of an m x n matrix one block factors at a time. */
template <class T> int lu_limit(batched_type type, int m, int n)
{
  int limit = LU_LIMIT;
  while (limit > lu_width<T> && !fits_lu_shared<T>(m, n, limit, lu_blocks(type, m))) limit -= lu_width<T>;
  return limit;
}

/* Steps of a few columns each, which the block of a matrix factors, and brings those to the right up to date with. */
template <class T> int run_getrf_blocked(batched_ctx *ctx, const batched_getrf_args *p)
{
  const batch<T> a = view<T>(p->a);
  const int k = a.m < a.n ? a.m : a.n;
  int status = BATCHED_SUCCESS;
  for (int j = 0, nb; (j < k || j == 0) && !status; j += nb) {
    nb = lu_limit<T>(p->a.type, a.m - j, a.n - j);
    status = launch_getrf_shared(ctx, a.block(j, j, a.m - j, a.n - j), nb, j, p->ipiv, k, p->info);
  }
  return status;
}

} // namespace batched_cuda::lu

#endif
