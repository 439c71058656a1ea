/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What getrf_panels.cuh keeps in shared memory: its size and offsets, computed on the host, and a thread's view of it.
 *
 * L of a finished panel (its history) is W elements per row below the pivots, in 16-byte units, swizzled so that
 * neither a thread per row nor the fragments of a tensor core meet bank conflicts.
 */
#ifndef BATCHED_LU_CUDA_PANELS_MEMORY_CUH
#define BATCHED_LU_CUDA_PANELS_MEMORY_CUH

#include <type_traits>

#include "batched/cuda/access.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/cuda/pivot.cuh"

namespace batched_cuda::lu
{

/* Rows per thread and per warp; most rows and threads of a block. */
enum { LU_ROWS = 2, LU_WARP_ROWS = 32 * LU_ROWS, LU_MOST_ROWS = 512, LU_THREADS = LU_MOST_ROWS / LU_ROWS };

/* Columns of a panel. */
template <class T> constexpr int lu_width = sizeof(T) == 16 ? 8 : 16;

/* True where tensor cores do the products. */
template <class T> constexpr bool lu_on_tensor = std::is_same_v<T, double>;

/* The size of a matrix, and its panels of W columns. Factors the first `limit` columns, a multiple of W unless limit
 * >= min(m, n), and updates the others. */
template <int W> struct lu_size {
  int m, n, limit;

  DEVICE int pivots() const
  {
    const int k = m < n ? m : n;
    return k < limit ? k : limit;
  }
  DEVICE int panels() const
  {
    return (pivots() + W - 1) / W;
  }
  /* Panels whose L later panels need. */
  DEVICE int kept() const
  {
    const int before_last = n > 0 ? (n - 1) / W : 0;
    return panels() < before_last ? panels() : before_last;
  }
};

/* Offsets in bytes into shared memory, for matrices of at most m x n; a kernel parameter, which costs no registers.
 * A row is known by its position after the exchanges of the panels that are done; order[i] is the row of A that is
 * now row i. */
template <class T> struct lu_layout {
  static constexpr int W = lu_width<T>, V = pack<T>::size, UNITS = W / V;
  static constexpr int INVERSE = lu_on_tensor<T> ? 3 * 64 : W * W;
  using line = shared_row<T, W>;
  int m, warps;
  int inverses, blocks, products, product, keys, order, bytes;

  lu_layout(int m, int n, int limit) : m(m), warps(m < 1 ? 1 : (int)ceil_div(m, LU_WARP_ROWS))
  {
    const int kept = lu_size<W>{m, n, limit}.kept(), lines = (warps == 1 ? W : 2 * warps) * (int)sizeof(line);
    product = W * W * (int)sizeof(T) > lines ? W * W * (int)sizeof(T) : lines;
    inverses = history(kept) * W * (int)sizeof(T);
    blocks = inverses + kept * INVERSE * (int)sizeof(T);
    products = blocks + (lu_on_tensor<T> ? warps : 2) * W * W * (int)sizeof(T);
    keys = products + (warps > 1 ? 2 : 1) * product;
    order = keys + 2 * warps * (int)sizeof(pivot_key);
    bytes = order + m * (int)sizeof(unsigned short);
  }
  /* First row of panel K's history: the sum of the rows of L below the pivots over earlier panels. */
  DEVICE int history(int K) const
  {
    const int full = K < m / W ? K : m / W;
    return full * m - W * (full * (full + 1) / 2);
  }
};

/* A thread's view of its block's matrix and shared memory. */
template <class T> struct lu_memory {
  using layout = lu_layout<T>;
  using line = typename layout::line;
  static constexpr int W = layout::W, V = layout::V, UNITS = layout::UNITS, R = LU_ROWS;
  const layout &at;
  const lu_size<W> size;
  T *const a;
  const int64_t ld;
  int warp, lane;

  __device__ __forceinline__ lu_memory(const layout &at, lu_size<W> size, T *a, int64_t ld)
      : at(at), size(size), a(a), ld(ld), warp(__shfl_sync(all_lanes, threadIdx.x / 32, 0)), lane(threadIdx.x % 32)
  {
  }
  /* Lets everything derived from the lane number be recomputed from here on, to free registers. */
  __device__ __forceinline__ void forget()
  {
    recompute(lane);
  }
  static __device__ __forceinline__ unsigned char *memory()
  {
    return shared_array<unsigned char>();
  }
  /* Position of row r of this thread. */
  __device__ __forceinline__ int row(int r) const
  {
    return LU_WARP_ROWS * warp + 32 * r + lane;
  }
  /* Swizzled position of 16-byte unit u in row s: consecutive rows, and four units of two rows, fall into different
   * banks. */
  static __device__ __forceinline__ int turned(int s, int u)
  {
    return u ^ (UNITS == 4 ? s / 2 % 4 : s % 2 * 4 + s / 2 % 4);
  }
  /* Row s of L in panel K's history. */
  __device__ __forceinline__ pack<T> *history(int K, int s) const
  {
    return reinterpret_cast<pack<T> *>(memory()) + (at.history(K) + s) * UNITS;
  }
  __device__ __forceinline__ T *inverse(int K) const
  {
    return reinterpret_cast<T *>(memory() + at.inverses) + K * layout::INVERSE;
  }
  /* W rows of a panel: one block per warp with tensor cores, else two blocks in all. */
  __device__ __forceinline__ pack<T> *block(int i) const
  {
    return reinterpret_cast<pack<T> *>(memory() + at.blocks) + i * W * UNITS;
  }
  /* Rows of U of panel K; double-buffered, so that a warp may lag by a panel. */
  __device__ __forceinline__ T *product(int K) const
  {
    return reinterpret_cast<T *>(memory() + at.products + (at.warps > 1 ? K % 2 * at.product : 0));
  }
  /* Candidates for the pivot row of panel J, one per warp: W elements and the pivot's reciprocal, double-buffered by
   * steps. Reuses the buffer of the last product. */
  __device__ __forceinline__ line *lines(int J) const
  {
    return reinterpret_cast<line *>(product(J));
  }
  __device__ __forceinline__ pivot_key *keys() const
  {
    return reinterpret_cast<pivot_key *>(memory() + at.keys);
  }
  __device__ __forceinline__ unsigned short *order() const
  {
    return reinterpret_cast<unsigned short *>(memory() + at.order);
  }
  /* The warp that owns the pivot rows of panel K; rows of earlier warps are final by then. */
  static __device__ __forceinline__ int owner(int K)
  {
    return K * W / LU_WARP_ROWS;
  }
  /* The pivot rows of panel K, input of invert(). */
  __device__ __forceinline__ pack<T> *pivot_rows(int K) const
  {
    return block(lu_on_tensor<T> ? owner(K) : 1);
  }
  /* Prefetches panel J into L2, the rows of this warp. */
  __device__ __forceinline__ void prefetch(int J) const
  {
    constexpr int each = 128 / sizeof(T); /* elements per cache line */
    const int64_t column = (int64_t)(J * W + lane % W) * ld;
    if (J * W + lane % W < size.n)
#pragma unroll
      for (int i = lane / W * each; i < LU_WARP_ROWS; i += 32 / W * each)
        if (LU_WARP_ROWS * warp + i < size.m)
          asm volatile("prefetch.global.L2 [%0];" ::"l"(a + column + LU_WARP_ROWS * warp + i));
  }
  /* Barrier of the warps `first` and above. */
  __device__ __forceinline__ void meet(int first) const
  {
    __syncwarp();
    if (at.warps > 1) asm volatile("bar.sync 1, %0;" ::"r"(32 * (at.warps - first)) : "memory");
  }
};

} // namespace batched_cuda::lu

#endif
