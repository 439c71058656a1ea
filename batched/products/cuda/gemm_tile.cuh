/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile of gemm and syrk, and cuda.tile_tc where the bulk copy engine can't fetch the operands
 * (gemm_tile_tc.cuh): C in tiles, one block per tile.
 *
 * In tile/: slices.cuh (operands in shared memory, per block), fragments.cuh (C in registers, per warp).
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_TILE_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_TILE_CUH

#include "batched/products/cuda/tile/fragments.cuh"

namespace batched_cuda::products
{

/* store() where columns of C do not begin at multiples of 16 bytes: neighbouring lanes store neighbouring rows. */
template <class F, class T>
__device__ __forceinline__ void store_turned(const product<T> &p, F &f, bool conj, T *c, int64_t ld, int i0, int j0,
                                             int m, int n)
{
  constexpr int fit = 64 / (F::rows * (int)sizeof(T)), once = fit < 1 ? 1 : fit < F::cols ? fit : F::cols;
  const int lane = threadIdx.x % 32;
  const bool reads = !(p.beta == make<T>(0));
  f.turn(lane);
#pragma unroll
  for (int first = 0; first < F::cols; first += once) {
    T old[once][F::rows] = {};
    const auto visit = [&](auto act) {
#pragma unroll
      for (int j = 0; j < once && first + j < F::cols; j++)
#pragma unroll
        for (int i = 0; i < F::rows; i++) {
          const int row = i0 + f.turned_row(i, lane), col = j0 + f.turned_col(i, first + j, lane);
          if (row < m && col < n && p.is_wanted(row, col))
            act(c[row + col * ld], old[j][i], f.value(i, first + j), row, col);
        }
    };
    if (reads) visit([](const T &at, T &to, T, int, int) { to = at; });
    visit([&](T &at, const T &from, T x, int row, int col) { at = p.result(conj_if(conj, x), from, row, col); });
  }
}

/* Stores a fragment to C (m x n), whose part at (i0, j0) it is, a run of rows at a time where they are aligned; conj: f
 * is the conjugate of the product.  Some columns of C are read before one of them is written, since loads behind stores
 * would wait for memory one by one.  `anywhere`: columns of C may begin anywhere, as those of the operands do. */
template <bool anywhere = false, class F, class T>
__device__ __forceinline__ void store(const product<T> &p, F &f, bool conj, T *c, int64_t ld, int i0, int j0, int m,
                                      int n)
{
  constexpr int width = F::run * sizeof(T) <= 16 ? F::run : 16 / sizeof(T), runs = F::rows / width;
  constexpr int room = sizeof(real_of<T>) == 4 ? 64 : 128; /* bytes of registers that are free then */
  constexpr int fit = room / (F::rows * (int)sizeof(T)), once = fit < 1 ? 1 : fit < F::cols ? fit : F::cols;
  using run = run_of<width, T>;
  const int lane = threadIdx.x % 32;
  const bool reads = !(p.beta == make<T>(0));
  const bool aligned = (reinterpret_cast<uintptr_t>(c) | (uintptr_t)ld * sizeof(T)) % sizeof(run) == 0;
  const bool in_runs = aligned && p.which == WHOLE;
  if constexpr (anywhere && F::turns)
    if (!in_runs) return store_turned(p, f, conj, c, ld, i0, j0, m, n);
#pragma unroll
  for (int first = 0; first < F::cols; first += once) {
    run old[once][runs] = {};
#pragma unroll
    for (int j = 0; j < once && first + j < F::cols; j++)
#pragma unroll
      for (int i = 0; i < runs; i++) {
        const int row = i0 + f.row(i * width, lane), col = j0 + f.col(first + j, lane);
        if (reads && in_runs && col < n && row + width <= m)
          old[j][i] = *reinterpret_cast<const run *>(c + row + col * ld);
      }
#pragma unroll
    for (int j = 0; j < once && first + j < F::cols; j++) {
      const int col = j0 + f.col(first + j, lane);
      if (col >= n) continue;
#pragma unroll
      for (int i = 0; i < runs; i++) {
        const int row = i0 + f.row(i * width, lane);
        T *at = c + row + col * ld;
        if (in_runs && row + width <= m) {
          run v = old[j][i];
#pragma unroll
          for (int h = 0; h < width; h++)
            v.v[h] = p.result(conj_if(conj, f.value(i * width + h, first + j)), v.v[h], row + h, col);
          *reinterpret_cast<run *>(at) = v;
        } else {
#pragma unroll
          for (int h = 0; h < width; h++)
            if (row + h < m && p.is_wanted(row + h, col))
              at[h] =
                p.result(conj_if(conj, f.value(i * width + h, first + j)), reads ? at[h] : make<T>(0), row + h, col);
        }
      }
    }
  }
}

/* Whether the products of the last slice end where k does, and not with the slice.  In c alone, and not for 64 x 64:
 * its code costs other tiles 2 to 4 % (H200). */
template <class S, bool whole, class T>
constexpr bool ends_early = !whole && is_complex<T> && sizeof(T) == 8 && S::bm < 56;

/* One tile of one matrix, at row i0 and column j0 of C.  A conj(B) is the conjugate of conj(A) B, which fragments
 * add.  `whole`: of operands. */
template <class S, bool tensor, bool ka, bool kb, bool whole, class T>
__device__ __forceinline__ void compute_tile(const product<T> &p, int64_t matrix, int i0, int j0, int m, int n,
                                             typename slices_of<S, tensor, ka, kb, T>::number *shared)
{
  using slices_t = slices_of<S, tensor, ka, kb, T>;
  using A = typename slices_t::a;
  using B = typename slices_t::b;
  const int depth = p.depth(matrix), warp = threadIdx.x / 32;
  const int wi = warp % S::warps_m * S::wm, wj = warp / S::warps_m * S::wn;
  const int64_t lda = p.a.leading(matrix), ldb = p.b.leading(matrix);
  operand<S, A, S::bm, ka, whole, T> a(depth > 0 ? p.a.at(matrix) + (ka ? i0 * lda : i0) : nullptr, lda, m - i0);
  operand<S, B, S::bn, kb, whole, T> b(depth > 0 ? p.b.at(matrix) + (kb ? j0 * ldb : j0) : nullptr, ldb, n - j0);
  /* a warp whose part lies outside of C, or of the wanted triangle, computes nothing */
  const bool idle = i0 + wi >= m || j0 + wj >= n || (p.which == LOWER_PART && i0 + wi + S::wm <= j0 + wj) ||
                    (p.which == UPPER_PART && i0 + wi >= j0 + wj + S::wn);
  const int slices = (depth + S::bk - 1) / S::bk;
  const bool conj_a = is_complex<T> && ka && p.conja, conj_b = is_complex<T> && !kb && p.conjb;
  fragment_of<S, tensor, ka, kb, T> f = {};
  const unsigned stage_bytes = slices_t::size * (unsigned)sizeof *shared,
                 begin = (unsigned)__cvta_generic_to_shared(shared);
  unsigned to = begin; /* where the next slice goes */
  const auto fetch = [&](int s) {
    if (s < slices) {
      a.fetch(to, depth - s * S::bk);
      b.fetch(to + A::size * (unsigned)sizeof *shared, depth - s * S::bk);
      to = to == begin + (S::stages - 1) * stage_bytes ? begin : to + stage_bytes;
    }
    copy_commit();
  };
#pragma unroll
  for (int s = 0; s < S::stages - 1; s++) fetch(s);
  const int lane = threadIdx.x % 32;
  int stage = 0; /* where slice s is, and the warp's, or the lane's, part of it */
  int place_a = wi * A::x_step + (tensor ? 0 : f.row(0, lane));
  int place_b = A::size + wj * B::x_step + (tensor ? 0 : f.col(0, lane));
  if (whole) keep(place_a), keep(place_b);
#pragma unroll 1
  for (int s = 0; s < slices; s++) {
    copy_wait<S::stages - 2>();
    __syncthreads();
    constexpr bool late = tensor && is_complex<T>; /* fetches behind the first products */
    if (!late || idle) fetch(s + S::stages - 1);
    const auto *as = shared + (stage + place_a), *bs = shared + (stage + place_b);
    stage = stage == (S::stages - 1) * slices_t::size ? 0 : stage + slices_t::size;
    if (idle) continue;
    if constexpr (tensor && is_complex<T>)
      multiply_slice<S, A, B>(f, as, bs, conj_a != conj_b, [&] { fetch(s + S::stages - 1); });
    else if constexpr (tensor)
      multiply_slice<S, A, B>(f, as, bs);
    else {
      const auto add = [&](auto conj) {
        const int rest = depth - s * S::bk;
        if (ends_early<S, whole, T> && rest <= S::bk * 3 / 4)
          add_rest<conj.value, S, A, B>(f, as, bs, rest);
        else
          add_slice<conj.value, S, A, B>(f, as, bs);
      };
      if (conj_a != conj_b)
        add(std::true_type());
      else
        add(std::false_type());
    }
  }
  if (!idle) store<!whole>(p, f, conj_b, p.c.at(matrix), p.c.leading(matrix), i0 + wi, j0 + wj, m, n);
}

/* Whether a tile is of operands that are `whole`: the shapes that this is worth a second loop are large ones. */
template <class S, bool tensor, class T>
constexpr bool has_whole = S::bm >= 64 && (tensor ? is_complex<T> : sizeof(real_of<T>) == 4);

template <class S, bool ka, bool kb, class T>
__device__ __forceinline__ bool is_whole(const product<T> &p, int64_t matrix, int i0, int j0, int m, int n)
{
  const auto aligned = [&](const batch<T> &x) {
    return (reinterpret_cast<uintptr_t>(x.at(matrix)) | (uintptr_t)x.leading(matrix) * sizeof(T)) % 16 == 0;
  };
  const int depth = p.depth(matrix);
  return depth > 0 && depth % S::bk == 0 && i0 + S::bm <= m && j0 + S::bn <= n && (ka || aligned(p.a)) &&
         (kb || aligned(p.b));
}

/* C = alpha op(A) op(B) + beta C, or a triangle of it.
 *   algorithm  tiles of C; slices of op(A) and op(B) go through shared memory, copied asynchronously STAGES - 1 ahead
 *   grid       a block per tile of C
 *   registers  WM WN / 32 elements of C per lane, and as the shape's `blocks` allows
 *   shared     STAGES slices of (BM + BN) BK elements, padded
 *   takes      any size; all types with fused multiply-adds, double and complex double on the tensor cores
 *   memory     A and B once per tile that they meet, C once from (beta != 0) and to global memory
 *   accuracy   sums in the order of k; tensor: in the order of the instruction, the same in all shapes */
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
    bool whole = false;
    if constexpr (has_whole<S, tensor, T>) {
      whole = !outside && is_whole<S, ka, kb>(p, matrix, i0, j0, m, n);
      if (whole) compute_tile<S, tensor, ka, kb, true>(p, matrix, i0, j0, m, n, shared);
    }
    if (!outside && !whole) compute_tile<S, tensor, ka, kb, false>(p, matrix, i0, j0, m, n, shared);
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
