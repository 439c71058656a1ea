/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of gttrf, and of gttrs with A itself: LU of tridiagonal matrices with partial pivoting, and solves
 * with it, a thread per matrix (gttrs: per right-hand side), eight of them a warp, whose rows pass through shared
 * memory.
 *
 * Row k makes row k - 1 final, which takes its place there.
 *
 * grid      a block per eight systems
 * block     32 threads
 * shared    two stages of 4 x 8 x 17 numbers and 8 x 17 pivots (10 KB in double precision)
 * takes     all four types, any n, uniform and variable; gttrs: a number of right-hand sides that all matrices share
 * reads     gttrf: d, dl, du; writes them, du2, ipiv (from 1), info (first pivot that is zero or NaN)
 *           gttrs: dl, d, du, du2, ipiv, b; writes b
 * accuracy  |P L U - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_GTTRF_THREAD_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_GTTRF_THREAD_CUH

#include "batched/band/cuda/tridiagonal/staged.cuh"

namespace batched_cuda::band
{

template <class T> struct lu_stage {
  staged_rows<T> dl, d, du, more; /* more: du2, or b */
  staged_rows<int> ipiv;
};

/* A lane's system, of which the first STAGED_SYSTEMS lanes have one; n = 0 where there is none. */
template <class T> struct lu_systems {
  lu_stage<T> *stages;
  int lane, n;
  line<T> dl, d, du, du2, b;
  line<int> ipiv;

  __device__ __forceinline__ void load_matrix(lu_stage<T> &s, int k0) const
  {
    each_staged(s.dl, dl, n - 1, k0 - 1, copy_staged());
    each_staged(s.d, d, n, k0, copy_staged());
    each_staged(s.du, du, n - 1, k0, copy_staged());
    copy_commit();
  }
  /* The first pivot that is zero or NaN; most: the largest n. */
  __device__ __forceinline__ int factor(int most) const
  {
    T first = make<T>(0), second = first;
    int info = 0, turn = 0;
    load_matrix(stages[0], 0);
    for (int k0 = 0; k0 <= most; k0 += STAGED_ROWS, turn ^= 1) {
      lu_stage<T> &s = stages[turn];
      load_matrix(stages[turn ^ 1], k0 + STAGED_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int i = 0; i < STAGED_ROWS && k0 + i <= n && n > 0; i++) {
        const int k = k0 + i; /* the row that comes */
        T &own = s.d[lane][i], &beside = s.du[lane][i], &below = s.dl[lane][i];
        if (k == 0) {
          first = own;
          second = n > 1 ? beside : make<T>(0);
        } else if (k < n) {
          const eliminated<T> e = eliminate_row<T>({below, first, second, own, k < n - 1 ? beside : make<T>(0)});
          own = e.d, beside = e.u, below = e.l;
          s.more[lane][i] = e.fill;
          s.ipiv[lane][i] = k + e.exchanged;
          if (is_bad_pivot(e.d) && !info) info = k;
          first = e.next;
          second = e.beside;
        } else {
          own = first;
          s.ipiv[lane][i] = n;
          if (is_bad_pivot(first) && !info) info = n;
        }
      }
      __syncwarp();
      each_staged(s.dl, dl, n - 1, k0 - 1, keep_staged());
      each_staged(s.d, d, n, k0 - 1, keep_staged());
      each_staged(s.du, du, n - 1, k0 - 1, keep_staged());
      each_staged(s.more, du2, n - 2, k0 - 1, keep_staged());
      each_staged(s.ipiv, ipiv, n, k0 - 1, keep_staged());
      __syncwarp();
    }
    copy_wait<0>();
    return info;
  }

  __device__ __forceinline__ void load_multipliers(lu_stage<T> &s, int k0) const
  {
    each_staged(s.dl, dl, n - 1, k0 - 1, copy_staged());
    each_staged(s.ipiv, ipiv, n, k0 - 1, copy_staged());
    each_staged(s.more, b, n, k0, copy_staged());
    copy_commit();
  }
  __device__ __forceinline__ void forward(int most) const
  {
    T y = make<T>(0);
    int turn = 0;
    load_multipliers(stages[0], 0);
    for (int k0 = 0; k0 <= most; k0 += STAGED_ROWS, turn ^= 1) {
      lu_stage<T> &s = stages[turn];
      load_multipliers(stages[turn ^ 1], k0 + STAGED_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int i = 0; i < STAGED_ROWS && k0 + i <= n && n > 0; i++) {
        T &own = s.more[lane][i];
        if (k0 + i == 0) {
          y = own;
        } else if (k0 + i < n) {
          const bool exchange = s.ipiv[lane][i] > k0 + i;
          const T z = own, first = select(exchange, z, y), next = select(exchange, y, z);
          own = first;
          y = mad(-s.dl[lane][i], first, next);
        } else {
          own = y;
        }
      }
      __syncwarp();
      each_staged(s.more, b, n, k0 - 1, keep_staged());
      __syncwarp();
    }
    copy_wait<0>();
  }

  __device__ __forceinline__ void load_upper(lu_stage<T> &s, int k0) const
  {
    each_staged(s.dl, du2, n - 2, k0, copy_staged());
    each_staged(s.d, d, n, k0, copy_staged());
    each_staged(s.du, du, n - 1, k0, copy_staged());
    each_staged(s.more, b, n, k0, copy_staged());
    copy_commit();
  }
  __device__ __forceinline__ void backward(int most) const
  {
    T x1 = make<T>(0), x2 = x1;
    int turn = 0;
    const int last = (most - 1) / STAGED_ROWS * STAGED_ROWS;
    load_upper(stages[0], last);
    for (int k0 = last; k0 >= 0; k0 -= STAGED_ROWS, turn ^= 1) {
      lu_stage<T> &s = stages[turn];
      load_upper(stages[turn ^ 1], k0 - STAGED_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int i = min(STAGED_ROWS, n - k0) - 1; i >= 0; i--) {
        const int k = k0 + i;
        T sum = s.more[lane][i];
        if (k < n - 2) sum = mad(-s.dl[lane][i], x2, sum);
        if (k < n - 1) sum = mad(-s.du[lane][i], x1, sum);
        x2 = x1;
        s.more[lane][i] = x1 = diagonal<T>(s.d[lane][i]).solve(sum);
      }
      __syncwarp();
      each_staged(s.more, b, n, k0, keep_staged());
      __syncwarp();
    }
    copy_wait<0>();
  }
};

template <class T> __global__ void __launch_bounds__(32) gttrf_by_thread(gttrf_call<T> c)
{
  const int lane = threadIdx.x;
  for (int64_t first = (int64_t)blockIdx.x * STAGED_SYSTEMS; first < c.d.count;
       first += (int64_t)gridDim.x * STAGED_SYSTEMS) {
    const int64_t b = first + lane;
    const bool exists = lane < STAGED_SYSTEMS && b < c.d.count;
    lu_systems<T> x = {shared_array<lu_stage<T>>(), lane, exists ? c.d.length(b) : 0, {}, {}, {}, {}, {}, {}};
    if (x.n > 0) {
      x.dl = line_of(c.dl, b), x.d = line_of(c.d, b), x.du = line_of(c.du, b), x.du2 = line_of(c.du2, b);
      x.ipiv = {c.ipiv + b * c.npivots, 1};
    }
    const int most = (int)__reduce_max_sync(all_lanes, (unsigned)x.n), info = most > 0 ? x.factor(most) : 0;
    if (exists) c.info[b] = info;
    __syncwarp();
  }
}

template <class T> __global__ void __launch_bounds__(32) gttrs_by_thread(gttrs_call<T> c)
{
  const int lane = threadIdx.x, sides = c.b.n;
  const int64_t count = c.b.count * sides;
  for (int64_t first = (int64_t)blockIdx.x * STAGED_SYSTEMS; first < count;
       first += (int64_t)gridDim.x * STAGED_SYSTEMS) {
    const int64_t g = first + lane, b = g / sides, j = g - b * sides;
    const bool exists = lane < STAGED_SYSTEMS && g < count;
    lu_systems<T> x = {shared_array<lu_stage<T>>(), lane, exists ? c.b.rows(b) : 0, {}, {}, {}, {}, {}, {}};
    if (x.n > 0) {
      x.dl = line_of(c.dl, b), x.d = line_of(c.d, b), x.du = line_of(c.du, b), x.du2 = line_of(c.du2, b);
      x.ipiv = {const_cast<int *>(c.pivots.at(b)), 1};
      x.b = {c.b.at(b) + j * c.b.leading(b), 1};
    }
    const int most = (int)__reduce_max_sync(all_lanes, (unsigned)x.n);
    if (most > 0) {
      x.forward(most);
      x.backward(most);
    }
    __syncwarp();
  }
}

template <class T> int launch_gttrf_thread(batched_ctx *ctx, const gttrf_call<T> &c)
{
  return launch(ctx, gttrf_by_thread<T>, ceil_div(c.d.count, STAGED_SYSTEMS), warp_size, 2 * sizeof(lu_stage<T>), c);
}
template <class T> int launch_gttrs_thread(batched_ctx *ctx, const gttrs_call<T> &c)
{
  return launch(ctx, gttrs_by_thread<T>, ceil_div(c.b.count * c.b.n, STAGED_SYSTEMS), warp_size,
                2 * sizeof(lu_stage<T>), c);
}

} // namespace batched_cuda::band

#endif
