/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.packed of gemm: matrices of up to 128 x 128 without gaps between their columns, of an odd number of rows, in
 * double precision on the tensor cores.  Such columns start at any multiple of 8 bytes, which is bad for tiles; but the
 * whole matrix is one piece of memory, which the bulk copy engine fetches as it is, but for its ends.  In shared memory
 * columns are an odd number apart, too, which avoids bank conflicts.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_PACKED_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_PACKED_CUH

#include <algorithm>

#include "batched/cuda/mma.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* A block's shared memory, in doubles: op(A) from 0 on, in `panels` pieces of panel_k of its k, `stages` of which are
 * held at a time; op(B) from b_at on; in the end C from 0 on; then the barriers. */
struct packed_shape {
  int k, panels, panel_k, panel, panel_size, stages, b_at, b_size, numbers;
  int a_x, a_k, b_x, b_k; /* strides along C's rows or columns, and along k */
  int warps_m;
};

/* A warp's part of C is WM x WN; THREADS per block at most, BLOCKS per multiprocessor. */
template <int WM, int WN, int THREADS, int BLOCKS = 1> struct packed_tile {
  static constexpr int wm = WM, wn = WN, threads = THREADS, blocks = BLOCKS;
};

/* The row, or column, of 16 that is element h of lane group g.  With an odd number d between columns, 16 lanes that
 * read place(g, h) * d + 2 t or place(g, h) + 2 t * d, g < 4 and t < 4, have no bank conflicts. */
static DEVICE int packed_place(int g, int h)
{
  return (g & 1) + 8 * ((g >> 1) & 1) + 2 * (g >> 2) + 4 * h;
}

/* Products of 8 columns come in pairs, each with every other four of 16: where those of product j of columns wj are,
 * relative to packed_place(g, 0). */
static DEVICE int packed_column(int wj, int j)
{
  const int product = wj / 8 + j;
  return 16 * (product / 2) + 4 * (product % 2);
}

/* True where p is at 8 bytes beyond a multiple of 16; in shared memory, data have the same place relative to that. */
static __device__ __forceinline__ int is_odd_place(const double *p)
{
  return (int)(reinterpret_cast<uintptr_t>(p) / 8 % 2);
}

/* Fetches `size` numbers from p on, by lanes 0 and 1 of a warp; both arrive at the barrier.  Where p is odd, the 8
 * bytes before it come along, which belong to the same sector; the 8 behind the end do not, as they may not be
 * allocated. */
static __device__ __forceinline__ void fetch_piece(double *to, const double *p, int size, bool is_end, unsigned barrier)
{
  const int odd = is_odd_place(p), all = odd + size, alone = is_end ? all % 2 : 0;
  if (threadIdx.x % 32 == 0) {
    const int bytes = (all - alone + 1) / 2 * 16;
    barrier_arrive_expecting(barrier, bytes);
    if (bytes) bulk_load(shared_address(to), p - odd, bytes, barrier);
  } else if (threadIdx.x % 32 == 1) {
    if (alone) copy_async(shared_address(to + all - 1), p + size - 1, true);
    barrier_arrive_copied(barrier);
  }
}

/* op(A)'s panel i. */
static __device__ __forceinline__ void fetch_panel(const packed_shape &s, double *shared, const double *p, int size,
                                                   int i, unsigned full)
{
  const bool last = i == s.panels - 1;
  fetch_piece(shared + i % s.stages * s.panel_size, p + (int64_t)i * s.panel, last ? size - i * s.panel : s.panel, last,
              full + 8 * (i % s.stages));
}

/* C = alpha op(A) op(B) + beta C.
 *   algorithm  the whole op(B), and op(A) in panels of 16 of k, in shared memory; C goes back through it
 *   grid       a block per matrix; warp 0 also produces: it fetches a panel as soon as all warps have left its place
 *   registers  WM WN / 32 doubles of C per lane
 *   shared     packed_bytes(): op(B), the panels of op(A), or C
 *   takes      double, up to 128 x 128 x 128, uniform, m = ld (no gaps); best where leading dimensions are odd
 *   memory     A and B once, C once from (beta != 0) and to global memory
 *   accuracy   sums in the order of k, by eights */
template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
  packed_kernel(const __grid_constant__ product<double> p, const packed_shape s)
{
  double *const shared = shared_array<double>();
  const unsigned full = shared_address(shared + s.numbers), b_full = full + 8 * s.stages, empty = b_full + 8;
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int m = p.c.m, n = p.c.n, wi = warp % s.warps_m * S::wm, wj = warp / s.warps_m * S::wn;
  const int64_t matrix = blockIdx.x;
  const double *const pa = p.a.at(matrix), *const pb = p.b.at(matrix);
  if (threadIdx.x == 0) {
    for (int i = 0; i <= s.stages; i++) barrier_init(full + 8 * i, 2);
    for (int i = 0; i < s.stages; i++) barrier_init(empty + 8 * i, warps);
    barrier_init_fence();
  }
  __syncthreads();
  if (warp == 0) {
    fetch_piece(shared + s.b_at, pb, s.b_size, true, b_full);
    for (int i = 0; i < s.stages; i++) fetch_panel(s, shared, pa, m * s.k, i, full);
  }
  double d[S::wm / 16][S::wn / 8][4] = {};
  /* columns beyond the last one, and k, repeat it */
  int col_at[S::wn / 8];
#pragma unroll
  for (int j = 0; j < S::wn / 8; j++) col_at[j] = min(packed_place(g, 0) + packed_column(wj, j), n - 1) * s.b_x;
  barrier_wait(b_full, 0);
  for (int i = 0; i < s.panels; i++) {
    const int stage = i % s.stages, k_end = min(s.k, (i + 1) * s.panel_k), more = i - 1 + s.stages;
    const double *a =
      shared + stage * s.panel_size + is_odd_place(pa) - i * s.panel_k * s.a_k + (wi + packed_place(g, 0)) * s.a_x;
    const double *b = shared + s.b_at + is_odd_place(pb);
    if (warp == 0 && i >= 1 && more < s.panels) {
      barrier_wait(empty + 8 * (more % s.stages), (more / s.stages - 1) & 1);
      fetch_panel(s, shared, pa, m * s.k, more, full);
    }
    barrier_wait(full + 8 * stage, i / s.stages & 1);
#pragma unroll 1
    for (int k = i * s.panel_k; k < k_end; k += 8) {
      const int k0 = min(k + 2 * t, s.k - 1), on = min(k0 + 1, s.k - 1) - k0;
      const double *ak[2] = {a + k0 * s.a_k, a + (k0 + on) * s.a_k}, *bk[2] = {b + k0 * s.b_k, b + (k0 + on) * s.b_k};
      double x[S::wm / 16][2][2], y[S::wn / 8][2];
#pragma unroll
      for (int r = 0; r < 2; r++)
#pragma unroll
        for (int i = 0; i < S::wm / 8; i++) x[i / 2][r][i % 2] = ak[r][(16 * (i / 2) + i % 2 * 4) * s.a_x];
#pragma unroll
      for (int j = 0; j < S::wn / 8; j++)
#pragma unroll
        for (int r = 0; r < 2; r++) y[j][r] = bk[r][col_at[j]];
      if (k + 8 > s.k) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
          if (k + 2 * t + r < s.k) continue;
#pragma unroll
          for (int i = 0; i < S::wm / 16; i++) x[i][r][0] = x[i][r][1] = 0;
#pragma unroll
          for (int j = 0; j < S::wn / 8; j++) y[j][r] = 0;
        }
      }
#pragma unroll
      for (int i = 0; i < S::wm / 16; i++)
#pragma unroll
        for (int j = 0; j < S::wn / 8; j++) multiply_16x8x8(d[i][j], x[i][0], y[j]);
    }
    __syncwarp();
    if (lane == 0) barrier_arrive(empty + 8 * stage);
  }
  double *const c = p.c.at(matrix);
  const int odd = is_odd_place(c);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < S::wn / 8; j++)
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int row = wi + 16 * i + packed_place(g, e / 2),
                  col = packed_column(wj, j) + packed_place(2 * t + e % 2, 0);
        if (row >= m || col >= n) continue;
        const int at = row + col * m;
        shared[odd + at] = p.result(d[i][j][e], p.beta != 0 ? c[at] : d[i][j][e], row, col);
      }
  bulk_fence();
  __syncthreads();
  const int size = odd + m * n, end = size / 2 * 2;
  if (threadIdx.x == 0) {
    if (end > 2 * odd) bulk_store(c + odd, shared_address(shared + 2 * odd), (end - 2 * odd) * 8);
    if (odd) c[0] = shared[1];
    if (size > end) c[size - 1 - odd] = shared[size - 1];
    bulk_store_wait();
  }
}

/* ------------------------------------------------------------------ on the host */

/* True where it has no gaps; a shared operand is read by each block. */
static inline bool is_packed(const batch<double> &x, int rows, int cols)
{
  return !x.is_variable() && x.ld == rows && x.m == rows && x.n == cols && x.i0 == 0 && x.j0 == 0;
}

/* The products of 8 columns that cover n: of 16, the first one has 0 .. 3 and 8 .. 11. */
static constexpr int packed_products(int n)
{
  return n / 16 * 2 + (n % 16 > 4 ? 2 : n % 16 > 0);
}

/* The parts of C that warps have, by its larger order. */
using packed_32 = packed_tile<16, 32, 512>;
using packed_36 = packed_tile<48, 8, 160, 6>;
using packed_48 = packed_tile<48, 16, 512>;
using packed_64 = packed_tile<32, 32, 512>;
using packed_96 = packed_tile<48, 24, 256, 2>;
using packed_112 = packed_tile<16, 56, 448>;
using packed_128 = packed_tile<64, 32, 256>;

struct part_size {
  int m, n;
};
static inline part_size packed_part(int m, int n)
{
  const int most = m > n ? m : n;
  return most <= 32    ? part_size{packed_32::wm, packed_32::wn}
         : most <= 36  ? part_size{packed_36::wm, packed_36::wn}
         : most <= 48  ? part_size{packed_48::wm, packed_48::wn}
         : most <= 64  ? part_size{packed_64::wm, packed_64::wn}
         : most <= 96  ? part_size{packed_96::wm, packed_96::wn}
         : most <= 112 ? part_size{packed_112::wm, packed_112::wn}
                       : part_size{packed_128::wm, packed_128::wn};
}

static inline size_t packed_bytes(const packed_shape &s)
{
  return 8 * ((size_t)s.numbers + 2 * (size_t)s.stages + 1);
}

/* In whole pairs, with room for an odd address, and for reading rows beyond the end of op(A).  As many panels as leave
 * room for two blocks per multiprocessor, if three do: one computes while the other waits for its operands. */
static inline packed_shape packed_layout(const product<double> &p)
{
  const int m = p.c.m, n = p.c.n, k = p.transa ? p.a.m : p.a.n;
  const size_t most = most_shared(), half = most / 2 - 1024;
  packed_shape s = {};
  const part_size part = packed_part(m, n);
  s.warps_m = (m + part.m - 1) / part.m;
  s.k = k;
  s.a_x = p.transa ? k : 1, s.a_k = p.transa ? 1 : m;
  s.b_x = p.transb ? 1 : k, s.b_k = p.transb ? n : 1;
  s.b_size = k * n;
  s.panel_k = p.transa ? k : 16;
  s.panel = s.panel_k * m;
  s.panel_size = (s.panel + (s.warps_m * part.m - m) * s.a_x + 3) / 2 * 2;
  s.panels = (k + s.panel_k - 1) / s.panel_k;
  const auto take = [&](int stages) {
    s.stages = stages;
    s.b_at = stages * s.panel_size;
    s.numbers = (std::max(s.b_at + s.b_size, m * n) + 3) / 2 * 2;
    return packed_bytes(s);
  };
  const int few = std::min(3, s.panels);
  const size_t room = take(few) <= half ? half : most - 256;
  for (int stages = s.panels; take(stages) > room && stages > few;) stages--;
  return s;
}

bool packed_fits(const product<double> &p)
{
  const int m = p.c.m, n = p.c.n, k = p.transa ? p.a.m : p.a.n;
  if (p.alpha == 0 || p.which != WHOLE || m < 1 || n < 1 || k < 1 || m > 128 || n > 128 || k > 128) return false;
  return is_packed(p.a, p.transa ? k : m, p.transa ? m : k) && is_packed(p.b, p.transb ? n : k, p.transb ? k : n) &&
         is_packed(p.c, m, n) && p.c.count <= INT_MAX && packed_bytes(packed_layout(p)) <= most_shared();
}

template <class S> int launch_packed(batched_ctx *ctx, const product<double> &p, const packed_shape &s)
{
  const int64_t warps = s.warps_m * ceil_div(packed_products(p.c.n), S::wn / 8);
  return launch(ctx, packed_kernel<S>, p.c.count, dim3((unsigned)(32 * warps)), packed_bytes(s), p, s);
}

static inline int launch_packed(batched_ctx *ctx, const product<double> &p)
{
  const packed_shape s = packed_layout(p);
  const int most = p.c.m > p.c.n ? p.c.m : p.c.n;
  return most <= 32    ? launch_packed<packed_32>(ctx, p, s)
         : most <= 36  ? launch_packed<packed_36>(ctx, p, s)
         : most <= 48  ? launch_packed<packed_48>(ctx, p, s)
         : most <= 64  ? launch_packed<packed_64>(ctx, p, s)
         : most <= 96  ? launch_packed<packed_96>(ctx, p, s)
         : most <= 112 ? launch_packed<packed_112>(ctx, p, s)
                       : launch_packed<packed_128>(ctx, p, s);
}

} // namespace batched_cuda::products

#endif
