/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.blocked of getrf: right-looking, a launch of cuda.panels' kernel (getrf_panels.cuh) per block of columns,
 * which also updates the columns right of it and exchanges rows left of it.
 *
 * launches  one per nb columns, nb <= 128: as many as let lu_blocks() blocks share an SM
 * takes     all four types, m <= 512, any n, uniform and variable
 * otherwise as cuda.panels
 */
#ifndef BATCHED_LU_CUDA_GETRF_BLOCKED_CUH
#define BATCHED_LU_CUDA_GETRF_BLOCKED_CUH

#include "batched/lu/cuda/getrf_panels.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

enum { LU_LIMIT = 128 };

/* Blocks that should share an SM (measured on an H200; double precision has faster rows for most sizes). */
static inline int lu_blocks(batched_type type, int m)
{
  if (type == BATCHED_D) return 1;
  if (m > 160) return 3;
  return type == BATCHED_S || m <= 80 ? 8 : m <= 128 ? 5 : 4;
}

/* Columns per launch. */
template <class T> int lu_limit(batched_type type, int m, int n)
{
  int limit = LU_LIMIT;
  while (limit > lu_width<T> && !panels_fit<T>(m, n, limit, lu_blocks(type, m))) limit -= lu_width<T>;
  return limit;
}

template <class T> int run_getrf_blocked(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  const int k = a.m < a.n ? a.m : a.n;
  int status = BATCHED_SUCCESS;
  for (int j = 0, nb; (j < k || j == 0) && !status; j += nb) {
    nb = lu_limit<T>(p.a.type, a.m - j, a.n - j);
    status = launch_getrf_panels(ctx, a.block(j, j, a.m - j, a.n - j), nb, j, p.ipiv, k, p.info);
  }
  return status;
}

} // namespace batched_cuda::lu

#endif
