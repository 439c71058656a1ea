/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sketch of lrbasis.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRBASIS_SKETCH_CUH
#define BATCHED_LOWRANK_CUDA_LRBASIS_SKETCH_CUH

#include "batched/lowrank/compose.h"
#include "batched/lowrank/cuda/sketch.cuh"

namespace batched_cuda::lowrank
{

/* A = X with X C orthonormal, but for columns of 0
 *   algorithm  X = A R1^-1 with R1 of the sketch; X^H X = R2^H R2 by Cholesky's method, C = R2^-1.  Where the sketch
 *              has lost a direction, X is divided by R2, and so on; a column that stays within the span of those
 *              before it gets a 0
 *   grid       a block of 8 warps per matrix (complex: 4), two per SM; 16 rows per warp
 *   registers  rows of X and X^H X
 *   shared     R, X^H X, and 16 rows for each warp
 *   memory     A once read and once written, C written
 *   accuracy   X C is orthonormal to some n eps, and spans A to n eps of its largest column */
template <class T, int S>
__global__ void __launch_bounds__(sketch_shape<T, S>::threads, 2) divide_by_sketch(sketched<T, S> f)
{
  constexpr int width = sketch_shape<T, S>::width;
  const gram_room<T, S> room;
  const int m = f.a.m, n = f.a.n;
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    const eigen::power_scale<double> scale(f.largest[b], 1.0);
    start_gram(f.triangle(b), room);
    for (int round = 0;; round++) {
      divide(f.a.at(b), f.a.leading(b), m, n, scale, round == 0, room);
      const bool again = factor_gram(n, room) && round + 1 < gram_rounds;
      if (!again) break;
      for (int e = threadIdx.x; e < width * width; e += blockDim.x) {
        const int i = e / width, j = e % width;
        room.gram[e] = j > i && i < n ? room.gram[e] * room.root[i] : make<wide_of<T>>(0);
      }
      __syncthreads();
    }
    T *const c = f.c.at(b);
    const int64_t ldc = f.c.leading(b);
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
      const int i = e % n, j = e / n;
      const wide_of<T> x = i < j ? conj(room.at(j, i)) : make<wide_of<T>>(1);
      const double root = i <= j ? room.root[j] : 0;
      c[i + j * ldc] = make<T>(real_of<T>(real(x) * root), real_of<T>(imag(x) * root));
    }
    __syncthreads();
  }
}

static inline bool fits_lrbasis_sketch(const batched_lrbasis_args &p)
{
  return fits_sketch(p.a);
}

static inline int run_lrbasis_sketch(batched_ctx *ctx, const batched_lrbasis_args &p)
{
  *p.orthonormal = false;
  return with_sketch(ctx, p.a, p.c, [&](const auto &f, auto shape) {
    return launch(ctx, divide_by_sketch<typename decltype(shape)::type, shape.groups>, f.a.count, shape.threads,
                  shape.bytes, f);
  });
}

} // namespace batched_cuda::lowrank

#endif
