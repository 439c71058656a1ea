/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of gtsv: tridiagonal systems with one right-hand side by elimination with partial pivoting, a thread
 * per matrix; a warp copies its 32 matrices through shared memory, sixteen rows of each at a time, so that global
 * memory is read and written in whole pieces.
 *
 * Forward, a thread keeps what elimination has left of row k in registers; row k + 1 makes U's row k of it and the next
 * one.  Backward, it keeps two unknowns.  The rows that come next are copied asynchronously meanwhile.
 *
 * grid      a block per 32 matrices
 * block     32 threads
 * shared    two stages of 4 x 32 x 16 numbers (33 KB in double precision)
 * takes     all four types, any n, one right-hand side, uniform and variable
 * reads     dl, d, du, b; then U and y; writes U over (d, du, dl), y and X over b, info (first pivot that is zero or
 *           NaN)
 * accuracy  |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_GTSV_THREAD_CUH
#define BATCHED_BAND_CUDA_GTSV_THREAD_CUH

#include "batched/band/cuda/tridiagonal.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

enum { STAGE_ROWS = 16, STAGE_PITCH = STAGE_ROWS + 1, STAGE_VECTORS = 4 };

/* The vectors dl, d, du, b of a warp's 32 matrices, STAGE_ROWS elements of each. */
template <class T> struct stage {
  T x[STAGE_VECTORS][32][STAGE_PITCH];
};

template <class T> struct gtsv_warp {
  stage<T> *stages;
  int lane, n;                  /* this lane's matrix: its order, */
  line<T> lines[STAGE_VECTORS]; /* and its vectors */

  /* f(element in the stage, element in memory) for rows k0 and after of matrices and vectors v0 and after. */
  template <class F> __device__ __forceinline__ void each(stage<T> &s, int k0, int v0, F f) const
  {
    const int e = lane % STAGE_ROWS, k = k0 + e;
#pragma unroll
    for (int v = 0; v < STAGE_VECTORS; v++) {
      if (v < v0) continue;
      const int64_t at = reinterpret_cast<int64_t>(lines[v].at), step = lines[v].step;
      const int length = v == 0 || v == 2 ? n - 1 : n;
#pragma unroll 8
      for (int pair = 0; pair < 16; pair++) {
        const int m = 2 * pair + lane / STAGE_ROWS;
        T *from = reinterpret_cast<T *>(__shfl_sync(all_lanes, at, m));
        const int64_t inc = __shfl_sync(all_lanes, step, m);
        const int end = __shfl_sync(all_lanes, length, m);
        if (k >= 0 && k < end) f(s.x[v][m][e], from[k * inc]);
      }
    }
  }
  /* Starts to copy rows k0 and after of all vectors. */
  __device__ __forceinline__ void load(stage<T> &s, int k0) const
  {
    each(s, k0, 0, [](T &staged, T &x) { start_copy(&staged, &x); });
    copy_commit();
  }
  /* Writes what is staged as rows k0 and after of vectors v0 and after. */
  __device__ __forceinline__ void store(stage<T> &s, int k0, int v0) const
  {
    each(s, k0, v0, [](T &staged, T &x) { x = staged; });
  }

  /* Rows 0 to most - 1; row k of U is staged in the place of row k + 1. */
  __device__ __forceinline__ int forward(int most)
  {
    T l = make<T>(0), d = l, u = l, y = l;
    int info = 0, turn = 0;
    load(stages[0], 0);
    for (int k0 = 0; k0 <= most; k0 += STAGE_ROWS, turn ^= 1) {
      stage<T> &s = stages[turn];
      load(stages[turn ^ 1], k0 + STAGE_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int e = 0; e < STAGE_ROWS && k0 + e <= n; e++) {
        const int k = k0 + e; /* the row that comes */
        T &sl = s.x[0][lane][e], &sd = s.x[1][lane][e], &su = s.x[2][lane][e], &sb = s.x[3][lane][e];
        if (k == 0) {
          l = sl, d = sd, u = n > 1 ? su : make<T>(0), y = sb;
          continue;
        }
        if (k == n) {
          if (is_bad_pivot(d) && !info) info = n;
          sd = d, sb = y;
          continue;
        }
        const T own = sl, beside = k < n - 1 ? su : make<T>(0), z = sb;
        const eliminated<T> x = eliminate_row<T>({l, d, u, sd, beside});
        const T top = select(x.exchanged, z, y), low = select(x.exchanged, y, z);
        if (is_bad_pivot(x.d) && !info) info = k;
        sd = x.d, su = x.u, sl = x.fill, sb = top;
        y = x.d == make<T>(0) ? low : mad(-x.l, top, low);
        l = own, d = x.next, u = x.beside;
      }
      __syncwarp();
      store(s, k0 - 1, 0);
      __syncwarp();
    }
    copy_wait<0>();
    return info;
  }

  /* Rows most - 1 to 0. */
  __device__ __forceinline__ void backward(int most, bool sound)
  {
    T x1 = make<T>(0), x2 = x1;
    int turn = 0;
    const int last = (most - 1) / STAGE_ROWS * STAGE_ROWS;
    load(stages[0], last);
    for (int k0 = last; k0 >= 0; k0 -= STAGE_ROWS, turn ^= 1) {
      stage<T> &s = stages[turn];
      load(stages[turn ^ 1], k0 - STAGE_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int e = min(STAGE_ROWS, n - k0) - 1; sound && e >= 0; e--) {
        const int k = k0 + e;
        T &sb = s.x[3][lane][e], sum = sb;
        if (k < n - 1) sum = mad(-s.x[2][lane][e], x1, sum);
        if (k < n - 2) sum = mad(-s.x[0][lane][e], x2, sum);
        x2 = x1;
        sb = x1 = diagonal<T>(s.x[1][lane][e]).solve(sum);
      }
      __syncwarp();
      store(s, k0, 3);
      __syncwarp();
    }
    copy_wait<0>();
  }
};

template <class T> __global__ void __launch_bounds__(32) gtsv_thread(gtsv_call<T> c)
{
  for (int64_t first = (int64_t)blockIdx.x * 32; first < c.d.count; first += (int64_t)gridDim.x * 32) {
    const int lane = threadIdx.x;
    const int64_t b = first + lane;
    const int n = b < c.d.count ? c.d.length(b) : -1, most = (int)__reduce_max_sync(all_lanes, (unsigned)max(n, 0));
    gtsv_warp<T> w = {shared_array<stage<T>>(), lane, n, {}};
    if (n > 0) {
      const batch<T> vectors[] = {c.dl, c.d, c.du};
#pragma unroll
      for (int v = 0; v < 3; v++) w.lines[v] = line_of(vectors[v], b);
      w.lines[3] = {c.b.at(b), 1};
    }
    const int info = most > 0 ? w.forward(most) : 0;
    __syncwarp();
    if (most > 0) w.backward(most, info == 0 && n > 0);
    if (n >= 0) c.info[b] = info;
    __syncwarp();
  }
}

template <class T> int launch_gtsv_thread(batched_ctx *ctx, const gtsv_call<T> &c)
{
  return launch(ctx, gtsv_thread<T>, ceil_div(c.d.count, 32), 32, 2 * sizeof(stage<T>), c);
}

} // namespace batched_cuda::band

#endif
