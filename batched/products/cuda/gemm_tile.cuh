/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C in tiles, one block a tile: slices of op(A) and op(B) go through shared memory, copied asynchronously some slices
 * ahead, and each warp keeps its part of the tile in registers.
 */
#ifndef BATCHED_CUDA_GEMM_TILE_CUH
#define BATCHED_CUDA_GEMM_TILE_CUH

#include "batched/products/cuda/gemm_fragment.cuh"

namespace batched_cuda::products
{

/* C's columns from c on, a run of rows at a time where they are aligned; i0, j0: where the warp's part is in C (m x n);
 * `conj`: f is the conjugate of the product. */
template <class F, class T>
__device__ __forceinline__ void store(const product<T> &p, const F &f, bool conj, T *c, int64_t ld, int i0, int j0,
                                      int m, int n)
{
  constexpr int width = F::run * sizeof(T) <= 16 ? F::run : 16 / sizeof(T);
  using run = run_of<width, T>;
  const int lane = threadIdx.x % 32;
  const bool reads = !(p.beta == make<T>(0));
  const bool aligned = (reinterpret_cast<uintptr_t>(c) | (uintptr_t)ld * sizeof(T)) % sizeof(run) == 0;
#pragma unroll
  for (int j = 0; j < F::cols; j++) {
    const int col = j0 + f.col(j, lane);
    if (col >= n) continue;
#pragma unroll
    for (int i = 0; i < F::rows; i += width) {
      const int row = i0 + f.row(i, lane);
      T *at = c + row + col * ld;
      if (width > 1 && aligned && p.which == WHOLE && row + width <= m) {
        run v = reads ? *reinterpret_cast<run *>(at) : run{};
#pragma unroll
        for (int h = 0; h < width; h++) v.v[h] = p.result(conj_if(conj, f.value(i + h, j)), v.v[h], row + h, col);
        *reinterpret_cast<run *>(at) = v;
      } else {
#pragma unroll
        for (int h = 0; h < width; h++)
          if (row + h < m && p.is_wanted(row + h, col))
            at[h] = p.result(conj_if(conj, f.value(i + h, j)), reads ? at[h] : make<T>(0), row + h, col);
      }
    }
  }
}

/* One tile of one matrix, at row i0 and column j0 of C.  A conj(B) is the conjugate of conj(A) B, which fragments
 * add. */
template <class S, bool tensor, bool ka, bool kb, class T>
__device__ __forceinline__ void compute_tile(const product<T> &p, int64_t matrix, int i0, int j0, int m, int n,
                                             typename slices_of<S, tensor, ka, kb, T>::number *shared)
{
  using slices_t = slices_of<S, tensor, ka, kb, T>;
  using A = typename slices_t::a;
  using B = typename slices_t::b;
  const int depth = p.depth(matrix), warp = threadIdx.x / 32;
  const int wi = warp % S::warps_m * S::wm, wj = warp / S::warps_m * S::wn;
  operand<T> a = {nullptr, p.a.leading(matrix), m - i0, depth};
  operand<T> b = {nullptr, p.b.leading(matrix), n - j0, depth};
  if (depth > 0) {
    a.p = p.a.at(matrix) + (ka ? i0 * a.ld : i0);
    b.p = p.b.at(matrix) + (kb ? j0 * b.ld : j0);
  }
  /* a warp with nothing of C but what is not wanted has no products to form */
  const bool idle = i0 + wi >= m || j0 + wj >= n || (p.which == LOWER_PART && i0 + wi + S::wm <= j0 + wj) ||
                    (p.which == UPPER_PART && i0 + wi >= j0 + wj + S::wn);
  const int slices = (depth + S::bk - 1) / S::bk;
  const bool conj_a = is_complex<T> && ka && p.conja, conj_b = is_complex<T> && !kb && p.conjb;
  fragment_of<S, tensor, ka, kb, T> f = {};
  const auto fetch = [&](int s) {
    if (s < slices) {
      const unsigned to = (unsigned)__cvta_generic_to_shared(shared + s % S::stages * slices_t::size);
      copy_slice<S, A, S::bm, ka>(to, a, s * S::bk);
      copy_slice<S, B, S::bn, kb>(to + A::size * (unsigned)sizeof *shared, b, s * S::bk);
    }
    copy_commit();
  };
#pragma unroll
  for (int s = 0; s < S::stages - 1; s++) fetch(s);
#pragma unroll 1
  for (int s = 0; s < slices; s++) {
    copy_wait<S::stages - 2>();
    __syncthreads();
    fetch(s + S::stages - 1);
    const auto *as = shared + s % S::stages * slices_t::size + wi * A::x_step;
    const auto *bs = shared + s % S::stages * slices_t::size + A::size + wj * B::x_step;
    if (idle) continue;
    if constexpr (tensor && is_complex<T>)
      multiply_slice<S, A, B>(f, as, bs, conj_a != conj_b);
    else if constexpr (tensor)
      multiply_slice<S, A, B>(f, as, bs);
    else if (conj_a != conj_b)
      add_slice<true, S, A, B>(f, as, bs);
    else
      add_slice<false, S, A, B>(f, as, bs);
  }
  if (!idle) store(p, f, conj_b, p.c.at(matrix), p.c.leading(matrix), i0 + wi, j0 + wj, m, n);
}

template <class S, bool tensor, bool ka, bool kb, class T>
__global__ void __launch_bounds__(S::threads, S::blocks)
  tile_kernel(const __grid_constant__ product<T> p, int tiles_m, int tiles_n)
{
  auto *shared = shared_array<typename slices_of<S, tensor, ka, kb, T>::number>();
  const int64_t tiles = (int64_t)tiles_m * tiles_n, work = tiles * p.c.count;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t matrix = tiles == 1 ? w : w / tiles;
    const int tile = (int)(w - matrix * tiles), i0 = tile % tiles_m * S::bm, j0 = tile / tiles_m * S::bn;
    const int m = p.c.rows(matrix), n = p.c.cols(matrix);
    const bool outside =
      i0 >= m || j0 >= n || (p.which == LOWER_PART && i0 + S::bm <= j0) || (p.which == UPPER_PART && i0 >= j0 + S::bn);
    if (!outside) compute_tile<S, tensor, ka, kb>(p, matrix, i0, j0, m, n, shared);
    if (w + gridDim.x < work) __syncthreads(); /* the next tile overwrites the slices */
  }
}

template <class S, bool tensor, bool ka, bool kb, class T> int launch_tile(batched_ctx *ctx, const product<T> &p)
{
  const int64_t tiles_m = ceil_div(p.c.m, S::bm), tiles_n = ceil_div(p.c.n, S::bn);
  using slices = slices_of<S, tensor, ka, kb, T>;
  return launch(ctx, tile_kernel<S, tensor, ka, kb, T>, tiles_m * tiles_n * p.c.count, S::threads,
                S::stages * slices::size * sizeof(typename slices::number), p, (int)tiles_m, (int)tiles_n);
}

template <class S, bool tensor, class T> int launch_tile(batched_ctx *ctx, const product<T> &p)
{
  if (p.transa)
    return p.transb ? launch_tile<S, tensor, true, false>(ctx, p) : launch_tile<S, tensor, true, true>(ctx, p);
  return p.transb ? launch_tile<S, tensor, false, false>(ctx, p) : launch_tile<S, tensor, false, true>(ctx, p);
}

} // namespace batched_cuda::products

#endif
