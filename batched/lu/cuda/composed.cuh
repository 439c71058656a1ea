/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.composed of getrs and getri: op(A) X = B with LU factors of any order: the row exchanges as one permutation
 * of B (LAPACK's laswp), and two triangular solves (trsm).
 *
 * launches  a permutation and two trsm
 * takes     all four types, any n and nrhs, A shared or not, uniform and variable
 * reads     a, ipiv, b; writes b; getri: from a copy of the factors in scratch memory, for the identity
 * accuracy  |op(A) X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_LU_CUDA_COMPOSED_CUH
#define BATCHED_LU_CUDA_COMPOSED_CUH

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/lu/cuda/factors.cuh"

namespace batched_cuda::lu
{

/* Permutes the rows of X by the pivots (forward) or back. Each block takes up to R right-hand sides of a matrix through
 * shared memory, or, where they do not fit, exchanges rows one by one in global memory, a thread each. Where B is the
 * identity, it is generated.
 *
 * grid: a block per R right-hand sides; block: 32 or 128 threads; shared: the permutation and R columns. */
template <class T>
__global__ void __launch_bounds__(128, 8)
  permute_rows(const __grid_constant__ lu_system<T> s, bool forward, int R, bool in_shared)
{
  T *const kept = shared_array<T>();
  int *const source = reinterpret_cast<int *>(kept + (in_shared && !s.identity ? (int64_t)R * s.b.m : 0)),
             *const pivots = source + s.b.m;
  const int64_t chunks = (s.b.n + R - 1) / R;
  for (int64_t w = blockIdx.x; w < s.b.count * chunks; w += gridDim.x) {
    const int64_t b = w / chunks;
    const int n = s.b.rows(b), j0 = (int)(w - b * chunks) * R, cols = s.b.cols(b), nrhs = min(R, cols - j0);
    const bool skipped = s.skip && s.skip[b] != 0;
    if (s.skip && j0 == 0 && threadIdx.x == 0) s.sizes[b] = skipped ? 0 : n;
    if (n <= 0 || nrhs <= 0 || skipped) continue;
    const int *own = s.ipiv + b * s.npivots;
    const int64_t ld = s.b.leading(b);
    T *const x = s.b.at(b) + j0 * ld;
    if (!in_shared) {
      for (int r = threadIdx.x; r < nrhs; r += blockDim.x) {
        for (int k = 0; k < n && s.identity; k++) x[k + r * ld] = make<T>(k == j0 + r);
        for (int k = 0; k < n; k++) {
          const int i = forward ? k : n - 1 - k, p = own[i] - 1;
          const T y = x[i + r * ld];
          x[i + r * ld] = x[p + r * ld];
          x[p + r * ld] = y;
        }
      }
      continue;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      source[i] = i;
      pivots[i] = own[i] - 1;
    }
    for (int r = 0; r < nrhs && !s.identity; r++)
      for (int i = threadIdx.x; i < n; i += blockDim.x) kept[r * n + i] = x[i + r * ld];
    __syncthreads();
    for (int k = 0; k < n && threadIdx.x == 0; k++) {
      const int p = pivots[k], i = source[k];
      source[k] = source[p];
      source[p] = i;
    }
    __syncthreads();
    for (int r = 0; r < nrhs; r++)
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int from = forward ? source[i] : i, to = forward ? i : source[i];
        x[to + r * ld] = s.identity ? make<T>(from == j0 + r) : kept[r * n + from];
      }
    __syncthreads();
  }
}

template <class T> int launch_permute(batched_ctx *ctx, const lu_system<T> &s, bool forward)
{
  const int most = 16;
  const size_t indices = 2 * (size_t)s.b.m * sizeof(int), each = s.identity ? 0 : (size_t)s.b.m * sizeof(T);
  int R = s.b.n < most ? s.b.n : most;
  while (R > 1 && indices + R * each > 48 * 1024) R /= 2;
  const size_t bytes = indices + R * each;
  const bool in_shared = bytes <= most_shared();
  return launch(ctx, permute_rows<T>, s.b.count * ceil_div(s.b.n, R), s.b.m <= 64 || R == 1 ? 32 : 128,
                in_shared ? bytes : 0, s, forward, R, in_shared);
}

/* Skipped systems get size 0, so that the two trsm leave them alone. */
template <class T> int solve_composed(batched_ctx *ctx, const lu_system<T> &s)
{
  if (s.b.m == 0 || s.b.n == 0 || s.b.count == 0) return BATCHED_SUCCESS;
  batch<T> b = s.b;
  if (s.skip) b.ms = s.sizes;
  const bool plain = s.trans == BATCHED_NO_TRANS;
  const auto solve = [&](batched_uplo uplo) {
    return triangular::trsm(ctx, BATCHED_LEFT, uplo, s.trans, uplo == BATCHED_LOWER ? BATCHED_UNIT : BATCHED_NON_UNIT,
                            make<T>(1), s.a, b);
  };
  int status = plain ? launch_permute(ctx, s, true) : BATCHED_SUCCESS;
  if (!status) status = solve(plain ? BATCHED_LOWER : BATCHED_UPPER);
  if (!status) status = solve(plain ? BATCHED_UPPER : BATCHED_LOWER);
  return status || plain ? status : launch_permute(ctx, s, false);
}

} // namespace batched_cuda::lu

#endif
