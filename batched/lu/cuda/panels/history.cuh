/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finished panels of getrf_panels.cuh: pivot rows go to A; L below them goes to the history in shared memory, whose
 * rows follow the exchanges of later panels, and to A in the end; unit triangles L(K,K) are inverted.
 */
#ifndef BATCHED_LU_CUDA_PANELS_HISTORY_CUH
#define BATCHED_LU_CUDA_PANELS_HISTORY_CUH

#include "batched/lu/cuda/panels/columns.cuh"

namespace batched_cuda::lu
{

template <class T> struct lu_history : lu_panel<T> {
  using base = lu_panel<T>;
  using base::a, base::at, base::lane, base::ld, base::place, base::R, base::row, base::size, base::V, base::W,
    base::warp, base::x;

  __device__ __forceinline__ lu_history(const lu_layout<T> &at, lu_size<lu_width<T>> size, T *a, int64_t ld)
      : base(at, size, a, ld)
  {
  }
  /* Copies x[r] from (get) or to (put) a row of 16-byte units, swizzled as row s. */
  __device__ __forceinline__ void get(int r, const pack<T> *line, int s)
  {
#pragma unroll
    for (int u = 0; u < W / V; u++) {
      const pack<T> p = line[base::turned(s, u)];
#pragma unroll
      for (int v = 0; v < V; v++) x[r][V * u + v] = p.x[v];
    }
  }
  __device__ __forceinline__ void put(int r, pack<T> *line, int s) const
  {
#pragma unroll
    for (int u = 0; u < W / V; u++) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = x[r][V * u + v];
      line[base::turned(s, u)] = p;
    }
  }
  /* Stores final rows of panel J, appends its L to the history, and moves the histories of earlier panels to the new
   * order of rows. */
  __device__ __forceinline__ void keep(int J, int first)
  {
    unsigned short known[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - J * W;
      known[r] = place[r] >= 0 ? this->order()[row(r)] : 0;
      if (J < size.kept() && i >= 0) put(r, i < W ? this->pivot_rows(J) + i * base::UNITS : this->history(J, i - W), i);
      if (i >= 0 && (i < W || J >= size.kept())) {
        T *p = a + place[r] + (int64_t)J * W * ld;
#pragma unroll
        for (int c = 0; c < W; c++, p += ld)
          if (J * W + c < size.n) *p = x[r][c];
      }
    }
    this->meet(first);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0) this->order()[place[r]] = known[r];
    move_history(J, first);
  }
  __device__ __forceinline__ void move_history(int J, int first)
  {
    bool moved[R];
#pragma unroll
    for (int r = 0; r < R; r++) moved[r] = place[r] >= 0 && place[r] != row(r);
#pragma unroll 1
    for (int K = 0; K < J; K++) {
#pragma unroll
      for (int r = 0; r < R; r++)
        if (moved[r]) get(r, this->history(K, row(r) - (K + 1) * W), row(r));
      this->meet(first);
#pragma unroll
      for (int r = 0; r < R; r++)
        if (moved[r]) put(r, this->history(K, place[r] - (K + 1) * W), place[r]);
    }
  }
  /* Stores L below the pivots, once the order of its rows is final. */
  __device__ __forceinline__ void store_history()
  {
#pragma unroll 1
    for (int K = 0; K < size.kept(); K++)
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (row(r) < (K + 1) * W || row(r) >= size.m) continue;
        get(r, this->history(K, row(r) - (K + 1) * W), row(r));
        T *p = a + row(r) + (int64_t)K * W * ld;
#pragma unroll
        for (int c = 0; c < W; c++, p += ld) *p = x[r][c];
      }
  }

  /* Stores panel J below the pivots: columns behind the last pivot. */
  __device__ __forceinline__ void store_rest(int J) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (row(r) < size.pivots() || row(r) >= size.m) continue;
      T *p = a + row(r) + (int64_t)J * W * ld;
#pragma unroll
      for (int c = 0; c < W; c++, p += ld)
        if (J * W + c < size.n) *p = x[r][c];
    }
  }
  /* Applies the row exchanges to the `count` columns left of the block. */
  __device__ __forceinline__ void exchange_before(int count)
  {
    const unsigned short *order = this->order();
#pragma unroll 1
    for (int c0 = 0; c0 < count; c0 += W) {
      T *p = a - (c0 + 1) * ld;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < size.m) {
#pragma unroll
          for (int c = 0; c < W; c++)
            if (c0 + c < count) x[r][c] = p[order[row(r)] - c * ld];
        }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < size.m) {
#pragma unroll
          for (int c = 0; c < W; c++)
            if (c0 + c < count) p[row(r) - c * ld] = x[r][c];
        }
    }
  }

  /* Inverts the unit triangle L(K,K), a column per lane, by the warp that uses it next. */
  __device__ __forceinline__ void invert(int K) const
  {
    const pack<T> *rows = this->pivot_rows(K);
    const int c = lane % W, count = size.m - K * W;
    T y[W], *to = lu_memory<T>::inverse(K);
#pragma unroll
    for (int i = 0; i < W; i++) {
      T sum = make<T>(0);
#pragma unroll
      for (int u = 0; u < (i + V - 1) / V; u++) {
        const pack<T> p = rows[i * base::UNITS + base::turned(i, u)];
#pragma unroll
        for (int v = 0; v < V; v++)
          if (u * V + v < i) sum = mad(-p.x[v], y[u * V + v], sum);
      }
      y[i] = i <= c || i >= count ? make<T>(i == c) : sum;
      if (lane >= W) continue;
      if constexpr (lu_on_tensor<T>) {
        if (i / 8 >= c / 8) to[(i / 8 + c / 8) * 64 + (i % 8 * 4 + c % 8 / 2) * 2 + c % 2] = y[i];
      } else {
        to[i * W + c] = y[i];
      }
    }
    __syncwarp();
  }
};

} // namespace batched_cuda::lu

#endif
