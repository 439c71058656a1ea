/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of pttrf, pttrs and ptsv: A = L D L^H of positive definite tridiagonal matrices, and solves with it,
 * a thread per matrix (pttrs: per right-hand side), eight of them a warp, as few batches have more, whose rows pass
 * through shared memory; those that come next are copied meanwhile.
 *
 * Forward, a thread keeps what row k leaves to row k + 1, and eliminates its right-hand side in the same pass;
 * backward, an unknown.
 *
 * grid      a block per eight systems
 * block     32 threads
 * shared    two stages of 3 x 8 x 17 numbers (6 KB in double precision)
 * takes     all four types, any n, uniform and variable; ptsv: any number of right-hand sides that all matrices share
 * reads     d, e, b; then D, L and y; writes D over d, L over e, y and X over b, info (first pivot that is not
 *           positive)
 * accuracy  |L D L^H - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_PTTRF_THREAD_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_PTTRF_THREAD_CUH

#include "batched/band/cuda/tridiagonal/staged.cuh"

namespace batched_cuda::band
{

/* Rows of a warp's systems. */
template <class T> struct ldl_stage {
  staged_rows<real_of<T>> d;
  staged_rows<T> e, b;
};

/* By a real number. */
template <class T> __device__ __forceinline__ T quotient_by(const diagonal<real_of<T>> &d, T x)
{
  if constexpr (is_complex<T>)
    return {d.solve(x.re), d.solve(x.im)};
  else
    return d.solve(x);
}

/* A lane's system, of which the first STAGED_SYSTEMS lanes have one; n = 0 where there is none. */
template <class T> struct ldl_systems {
  ldl_stage<T> *stages;
  int lane, n;
  bool upper;
  line<real_of<T>> d;
  line<T> e, b;

  /* Starts to copy rows k0 and after. */
  template <bool SOLVES> __device__ __forceinline__ void load(ldl_stage<T> &s, int k0) const
  {
    const copy_staged copy;
    each_staged(s.d, d, n, k0, copy);
    each_staged(s.e, e, n - 1, k0, copy);
    if (SOLVES) each_staged(s.b, b, n, k0, copy);
    copy_commit();
  }

  /* Rows 0 to most - 1; the first pivot that is not positive, behind which nothing changes. */
  template <bool FACTORS, bool SOLVES> __device__ __forceinline__ int forward(int most) const
  {
    const keep_staged keep;
    T l = make<T>(0), y = l;
    real_of<T> less = 0; /* what row k - 1 takes from the diagonal's next element */
    int info = 0, turn = 0;
    load<SOLVES>(stages[0], 0);
    for (int k0 = 0; k0 < most; k0 += STAGED_ROWS, turn ^= 1) {
      ldl_stage<T> &s = stages[turn];
      load<SOLVES>(stages[turn ^ 1], k0 + STAGED_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int i = 0; i < STAGED_ROWS && k0 + i < n && !info; i++) {
        const T beside = k0 + i < n - 1 ? s.e[lane][i] : make<T>(0);
        if (SOLVES) s.b[lane][i] = y = mad(-l, y, s.b[lane][i]);
        if (FACTORS) {
          const real_of<T> pivot = s.d[lane][i] - less;
          s.d[lane][i] = pivot;
          if (!(pivot > 0)) {
            info = k0 + i + 1;
          } else {
            l = quotient_by<T>(diagonal<real_of<T>>(pivot), beside);
            less = real(l * conj(beside));
            s.e[lane][i] = l;
          }
        } else {
          l = conj_if(upper, beside);
        }
      }
      __syncwarp();
      if (FACTORS) each_staged(s.d, d, n, k0, keep);
      if (FACTORS) each_staged(s.e, e, n - 1, k0, keep);
      if (SOLVES) each_staged(s.b, b, n, k0, keep);
      __syncwarp();
    }
    copy_wait<0>();
    return info;
  }

  /* Rows most - 1 to 0, of the systems that are sound. */
  __device__ __forceinline__ void backward(int most, bool is_sound) const
  {
    T x = make<T>(0);
    int turn = 0;
    const int last = (most - 1) / STAGED_ROWS * STAGED_ROWS;
    load<true>(stages[0], last);
    for (int k0 = last; k0 >= 0; k0 -= STAGED_ROWS, turn ^= 1) {
      ldl_stage<T> &s = stages[turn];
      load<true>(stages[turn ^ 1], k0 - STAGED_ROWS);
      copy_wait<1>();
      __syncwarp();
      for (int i = min(STAGED_ROWS, n - k0) - 1; is_sound && i >= 0; i--) {
        const T own = quotient_by<T>(diagonal<real_of<T>>(s.d[lane][i]), s.b[lane][i]);
        s.b[lane][i] = x = k0 + i < n - 1 ? mad(-conj_if(!upper, s.e[lane][i]), x, own) : own;
      }
      __syncwarp();
      each_staged(s.b, b, n, k0, keep_staged());
      __syncwarp();
    }
    copy_wait<0>();
  }
};

template <class T, bool FACTORS, bool SOLVES> __global__ void __launch_bounds__(32) ldl_by_thread(ldl_call<T> c)
{
  const int sides = SOLVES ? c.b.n : 1, lane = threadIdx.x;
  const int64_t count = c.d.count * sides;
  for (int64_t first = (int64_t)blockIdx.x * STAGED_SYSTEMS; first < count;
       first += (int64_t)gridDim.x * STAGED_SYSTEMS) {
    const int64_t g = first + lane, b = sides == 1 ? g : g / sides, j = g - b * sides;
    const bool exists = lane < STAGED_SYSTEMS && g < count;
    ldl_systems<T> x = {shared_array<ldl_stage<T>>(), lane, exists ? c.d.length(b) : 0, c.upper, {}, {}, {}};
    if (x.n > 0) {
      x.d = line_of(c.d, b);
      x.e = line_of(c.e, b);
      if (SOLVES) x.b = {c.b.at(b) + j * c.b.leading(b), 1};
    }
    const int most = (int)__reduce_max_sync(all_lanes, (unsigned)x.n);
    const int info = most > 0 ? x.template forward<FACTORS, SOLVES>(most) : 0;
    if (SOLVES && most > 0) x.backward(most, info == 0);
    if (FACTORS && exists) c.info[b] = info;
    __syncwarp();
  }
}

template <class T, bool FACTORS, bool SOLVES> int launch_ldl_thread(batched_ctx *ctx, const ldl_call<T> &c)
{
  const int64_t systems = c.d.count * (SOLVES ? c.b.n : 1);
  return launch(ctx, ldl_by_thread<T, FACTORS, SOLVES>, ceil_div(systems, STAGED_SYSTEMS), warp_size,
                2 * sizeof(ldl_stage<T>), c);
}

} // namespace batched_cuda::band

#endif
