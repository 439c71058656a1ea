/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile of gemm and syrk in single precision, real and complex, where the bulk copy engine can fetch the
 * operands: the tiles of gemm_tile.cuh without copies by threads, and without tests at the edges, where the engine
 * gives zeros.  Sums in the same order: both give the same bits.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_TILE_BULK_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_TILE_BULK_CUH

#include "batched/products/cuda/gemm_tile.cuh"

namespace batched_cuda::products
{

template <int N, class T> __device__ __forceinline__ run_of<N, T> load_run(unsigned from)
{
  run_of<N, T> v;
  float x[4] = {};
  if constexpr (sizeof v == 16)
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(from));
  else
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x[0]), "=f"(x[1]) : "r"(from));
#pragma unroll
  for (int i = 0; i < N; i++) {
    if constexpr (is_complex<T>)
      v.v[i] = {x[2 * i], x[2 * i + 1]};
    else
      v.v[i] = x[i];
  }
  return v;
}

/* An operand's numbers in a lane: N of them, in runs of RUN, LANES runs beside each other. */
template <bool k_fast, int X, int N, int RUN, int LANES, class T> struct lane_numbers {
  static constexpr int width = 16 / sizeof(T); /* of k in a chunk */
  T v[k_fast ? width : 1][N];
  unsigned at;

  /* x: the lane's first one, which run of LANES it is in */
  __device__ __forceinline__ lane_numbers(int x, int lane)
      : at(k_fast ? (unsigned)(x * 64 + (RUN == 2 ? lane % 4 : lane / 2 % 4) * 16) : (unsigned)(x * sizeof(T)))
  {
  }
  /* Those of k, chunk by chunk where it is the fast index. */
  __device__ __forceinline__ const T *load(unsigned from, int k)
  {
    if constexpr (k_fast) {
      if (k % width == 0)
#pragma unroll
        for (int i = 0; i < N; i++) {
          const auto w = load_run<width, T>(from + (at ^ (k / width * 16)) + (i / RUN * RUN * LANES + i % RUN) * 64);
#pragma unroll
          for (int q = 0; q < width; q++) v[q][i] = w.v[q];
        }
      return v[k % width];
    } else {
#pragma unroll
      for (int i = 0; i < N; i += RUN) {
        const auto w = load_run<RUN, T>(from + at + (k * X + i * LANES) * (unsigned)sizeof(T));
#pragma unroll
        for (int h = 0; h < RUN; h++) v[0][i + h] = w.v[h];
      }
      return v[0];
    }
  }
};

/* A warp's part of C.  A slice is 64 bytes deep.  Where k is the fast index, x has a line of 64 bytes, whose chunk c of
 * 16 bytes is at c ^ (x / 2 % 4), as the engine can do it; else k has a line of all x.  Sums in the order of
 * gemm_tile.cuh: both give the same bits. */
template <class S, bool ka, bool kb, class T> struct bulk_part {
  static constexpr int deep = 64, align = 512, most = 16 / sizeof(T);
  static constexpr int run = ka ? 1 : run_in(S::wm / 8, most), col_run = kb ? 2 : run_in(S::wn / 4, most);
  static_assert(S::bk * sizeof(T) == deep, "");
  using fragment = lane_fragment<S, T, run, col_run>;
  fragment f;
  lane_numbers<ka, S::bm, fragment::rows, run, 8, T> a;
  lane_numbers<kb, S::bn, fragment::cols, col_run, 4, T> b;

  __device__ __forceinline__ bulk_part(int wi, int wj, int lane)
      : a(wi + fragment::row(0, lane), fragment::row(0, lane) / run),
        b(wj + fragment::col(0, lane), fragment::col(0, lane) / col_run)
  {
  }
  __device__ __forceinline__ void add(unsigned as, unsigned bs, bool conj)
  {
    const auto add = [&](auto yes) {
#pragma unroll
      for (int k = 0; k < S::bk; k++) {
        const T *x = a.load(as, k), *y = b.load(bs, k);
        add_products<yes.value>(f, x, y);
      }
    };
    if (conj)
      add(std::true_type());
    else
      add(std::false_type());
  }
};

/* C = alpha op(A) op(B) + beta C, or a triangle of it.
 *   algorithm  tiles of C; slices of op(A) and op(B) through shared memory, fetched by the bulk copy engine STAGES - 1
 *              ahead, which one thread tells to
 *   grid       a block per tile of C
 *   registers  WM WN / 32 elements of C per lane, and as the shape's `blocks` allows
 *   shared     STAGES (BM + BN) 64 bytes
 *   takes      s and c; uniform strided batches with addresses, leading dimensions and strides of 16 bytes (bulk_fits)
 *   memory     A and B once per tile that they meet, C once from (beta != 0) and to global memory
 *   accuracy   sums in the order of k, bit by bit as gemm_tile.cuh */
template <class S, bool ka, bool kb, class T>
__global__ void __launch_bounds__(S::threads, S::blocks)
  bulk_tile_kernel(const __grid_constant__ product<T> p, const __grid_constant__ CUtensorMap map_a,
                   const __grid_constant__ CUtensorMap map_b, int depth, int tiles_m, int tiles_n)
{
  using part = bulk_part<S, ka, kb, T>;
  constexpr int a_bytes = S::bm * part::deep, bytes = (S::bm + S::bn) * part::deep;
  const unsigned shared = (shared_address(shared_array<T>()) + part::align - 1) / part::align * part::align;
  const unsigned full = shared + S::stages * bytes;
  const int slices = (depth + S::bk - 1) / S::bk, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::stages; s++) barrier_init(full + 8 * s, 1);
    barrier_init_fence();
  }
  __syncthreads();
  const int wi = warp % S::warps_m * S::wm, wj = warp / S::warps_m * S::wn, m = p.c.m, n = p.c.n;
  part own(wi, wj, threadIdx.x % 32);
  const bool conj_a = is_complex<T> && ka && p.conja, conj_b = is_complex<T> && !kb && p.conjb;
  int stage = 0, parity = 0;

  const int64_t tiles = (int64_t)tiles_m * tiles_n, work = tiles * p.c.count;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t matrix = tiles == 1 ? w : w / tiles;
    const int tile = (int)(w - matrix * tiles), i0 = tile % tiles_m * S::bm, j0 = tile / tiles_m * S::bn;
    if ((p.which == LOWER_PART && i0 + S::bm <= j0) || (p.which == UPPER_PART && i0 >= j0 + S::bn)) continue;
    const auto fetch = [&](int s, int to) {
      const unsigned place = shared + to * bytes, barrier = full + 8 * to;
      const int k = s * S::bk;
      barrier_arrive_expecting(barrier, bytes);
      bulk_load_box(place, &map_a, ka ? k : i0, ka ? i0 : k, p.a.stride ? (int)matrix : 0, barrier);
      bulk_load_box(place + a_bytes, &map_b, kb ? k : j0, kb ? j0 : k, p.b.stride ? (int)matrix : 0, barrier);
    };
    if (threadIdx.x == 0)
      for (int s = 0; s < S::stages - 1 && s < slices; s++) fetch(s, (stage + s) % S::stages);
    const bool idle = i0 + wi >= m || j0 + wj >= n || (p.which == LOWER_PART && i0 + wi + S::wm <= j0 + wj) ||
                      (p.which == UPPER_PART && i0 + wi >= j0 + wj + S::wn);
    own.f = {};
#pragma unroll 1
    for (int s = 0; s < slices; s++) {
      barrier_wait(full + 8 * stage, parity);
      __syncthreads(); /* all are done with the slice before, whose place is the next one's */
      if (threadIdx.x == 0 && s + S::stages - 1 < slices)
        fetch(s + S::stages - 1, stage == 0 ? S::stages - 1 : stage - 1);
      const unsigned as = shared + stage * bytes, bs = as + a_bytes;
      if (++stage == S::stages) stage = 0, parity ^= 1;
      if (!idle) own.add(as, bs, conj_a != conj_b);
    }
    if (!idle) store(p, own.f, conj_b, p.c.at(matrix), p.c.leading(matrix), i0 + wi, j0 + wj, m, n);
    if (w + gridDim.x < work) __syncthreads(); /* the next tile overwrites the slices */
  }
}

template <class S, bool ka, bool kb, class T> int launch_tile_bulk(batched_ctx *ctx, const product<T> &p, int depth)
{
  using part = bulk_part<S, ka, kb, T>;
  CUtensorMap map_a, map_b;
  const int m = p.c.m, n = p.c.n;
  const auto map = [&](CUtensorMap *to, const batch<T> &x, bool k_fast, int extent, int each) {
    return k_fast ? make_map(to, x, depth, extent, S::bk, each, CU_TENSOR_MAP_SWIZZLE_64B)
                  : make_map(to, x, extent, depth, each, S::bk, CU_TENSOR_MAP_SWIZZLE_NONE);
  };
  if (!map(&map_a, p.a, ka, m, S::bm) || !map(&map_b, p.b, kb, n, S::bn)) return BATCHED_DOES_NOT_FIT;
  const int64_t tiles_m = ceil_div(m, S::bm), tiles_n = ceil_div(n, S::bn);
  const size_t shared = part::align + S::stages * ((S::bm + S::bn) * part::deep + 8);
  return launch(ctx, bulk_tile_kernel<S, ka, kb, T>, tiles_m * tiles_n * p.c.count, S::threads, shared, p, map_a, map_b,
                depth, (int)tiles_m, (int)tiles_n);
}

/* By the bulk copy engine, if asked to and the driver describes the operands to it, and else by threads. */
template <class S, bool tensor, class T> int launch_tile(batched_ctx *ctx, const product<T> &p, bool bulk)
{
  if (bulk) {
    const int depth = p.transa ? p.a.m : p.a.n;
    const int status = p.transa   ? p.transb ? launch_tile_bulk<S, true, false>(ctx, p, depth)
                                             : launch_tile_bulk<S, true, true>(ctx, p, depth)
                         : p.transb ? launch_tile_bulk<S, false, false>(ctx, p, depth)
                                  : launch_tile_bulk<S, false, true>(ctx, p, depth);
    if (status != BATCHED_DOES_NOT_FIT) return status;
  }
  return launch_tile<S, tensor>(ctx, p);
}

} // namespace batched_cuda::products

#endif
