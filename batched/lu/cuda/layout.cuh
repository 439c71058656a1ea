/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block, left-looking by panels of W columns: what is where in shared memory.
 *
 * Rows are counted by where they are after the exchanges of the panels that are done; order[i] is the row of the matrix
 * that came to be row i.  A thread has R rows of the current panel.  Of each earlier panel, the rows of L below its
 * pivots are kept (its history), and the inverse of the unit triangle at its pivots.
 */
#ifndef BATCHED_LU_CUDA_LAYOUT_CUH
#define BATCHED_LU_CUDA_LAYOUT_CUH

#include <type_traits>

#include "batched/cuda/compiler.cuh"
#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::lu
{

/* Rows in a thread, rows in a warp, rows that a block can do. */
enum { LU_ROWS = 2, LU_WARP_ROWS = 32 * LU_ROWS, LU_MOST_ROWS = 512, LU_THREADS = LU_MOST_ROWS / LU_ROWS };

/* Columns of a panel. */
template <class T> constexpr int lu_width = sizeof(T) == 16 ? 8 : 16;

/* Do the tensor cores form the products? */
template <class T> constexpr bool lu_on_tensor = std::is_same_v<T, double>;

/* The size of a matrix, and its panels of W columns.  At most `limit` columns are factored, a multiple of W unless it
 * is no less than m or n; the others are brought up to date with them. */
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
  /* Those whose L is needed by later ones. */
  DEVICE int kept() const
  {
    const int before_last = n > 0 ? (n - 1) / W : 0;
    return panels() < before_last ? panels() : before_last;
  }
};

/* Offsets in bytes, for matrices of at most m x n; a parameter of the kernel, as registers are scarce. */
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
  /* Rows of the histories of the panels before K. */
  DEVICE int history(int K) const
  {
    const int full = K < m / W ? K : m / W;
    return full * m - W * (full * (full + 1) / 2);
  }
};

/* A thread's view of the block's matrix and memory. */
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
      : at(at), size(size), a(a), ld(ld), warp(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)), lane(threadIdx.x % 32)
  {
  }
  /* What follows from the thread's number is found again after this: registers are dearer. */
  __device__ __forceinline__ void forget()
  {
    recompute(lane);
  }
  static __device__ __forceinline__ unsigned char *memory()
  {
    return shared_array<unsigned char>();
  }
  /* Row number r of this thread. */
  __device__ __forceinline__ int row(int r) const
  {
    return LU_WARP_ROWS * warp + 32 * r + lane;
  }
  /* Units of 16 bytes of row s are exchanged, so that rows that follow each other are in different banks, and so are 4
   * units of two of them. */
  static __device__ __forceinline__ int turned(int s, int u)
  {
    return u ^ (UNITS == 4 ? s / 2 % 4 : s % 2 * 4 + s / 2 % 4);
  }
  /* Row s of panel K's history. */
  __device__ __forceinline__ pack<T> *history(int K, int s) const
  {
    return reinterpret_cast<pack<T> *>(memory()) + (at.history(K) + s) * UNITS;
  }
  __device__ __forceinline__ T *inverse(int K) const
  {
    return reinterpret_cast<T *>(memory() + at.inverses) + K * layout::INVERSE;
  }
  /* W rows of a panel: of each warp where tensor cores are used, else two. */
  __device__ __forceinline__ pack<T> *block(int i) const
  {
    return reinterpret_cast<pack<T> *>(memory() + at.blocks) + i * W * UNITS;
  }
  /* Rows of U of panel K.  Two buffers take turns, so that a warp can be one panel behind. */
  __device__ __forceinline__ T *product(int K) const
  {
    return reinterpret_cast<T *>(memory() + at.products + (at.warps > 1 ? K % 2 * at.product : 0));
  }
  /* What each warp has for a pivot row of panel J: W elements and the inverse of the pivot, twice, as steps take turns;
   * in the place of what the last product leaves free. */
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
  /* The warp that has the pivot rows of panel K; the rows of earlier warps are finished then. */
  static __device__ __forceinline__ int owner(int K)
  {
    return K * W / LU_WARP_ROWS;
  }
  /* The pivot rows of panel K, for its inverse. */
  __device__ __forceinline__ pack<T> *pivot_rows(int K) const
  {
    return block(lu_on_tensor<T> ? owner(K) : 1);
  }
  /* Asks for the columns of panel J of this warp's rows. */
  __device__ __forceinline__ void prefetch(int J) const
  {
    constexpr int each = 128 / sizeof(T); /* elements of a cache line */
    const int64_t column = (int64_t)(J * W + lane % W) * ld;
    if (J * W + lane % W < size.n)
#pragma unroll
      for (int i = lane / W * each; i < LU_WARP_ROWS; i += 32 / W * each)
        if (LU_WARP_ROWS * warp + i < size.m)
          asm volatile("prefetch.global.L2 [%0];" ::"l"(a + column + LU_WARP_ROWS * warp + i));
  }
  /* A barrier of the warps from `first` on. */
  __device__ __forceinline__ void meet(int first) const
  {
    __syncwarp();
    if (at.warps > 1) asm volatile("bar.sync 1, %0;" ::"r"(32 * (at.warps - first)) : "memory");
  }
};

} // namespace batched_cuda::lu

#endif
