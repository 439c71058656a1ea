/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared, cuda.block and cuda.native of hb2st: what chase.cuh and chase_native.cuh chase for it.  The band is a
 * lower one.  A task applies the reflector that the one before left to the kd columns of its inner block from the right,
 * and has one from the left for that block, and from both sides for the one on the diagonal.
 *
 *   memory     2 kd elements per column, and a vector, a product and tau per sweep; in shared memory d to n = 850, 430
 *              for kd = 16, 32
 *   reads      ab once; writes d, e, and half of v
 *   accuracy   |B - Q2 T Q2^H| < 30 n eps |B|, of any scale: the largest element is brought near 1 first
 */
#ifndef BATCHED_TWO_STAGE_CUDA_HB2ST_CUH
#define BATCHED_TWO_STAGE_CUDA_HB2ST_CUH

#include "batched/two_stage/cuda/chase_native.cuh"

namespace batched_cuda::two_stage
{

/* A sweep's vector, with its 1, and tau; w: for products. */
template <class T> struct sweep_slot {
  T *v, *w, *tau;
};

/* A = H^H A H, the lower triangle of order m: w = tau A v - 1/2 tau (w^H v) v, A -= v w^H + w v^H. */
template <int N, class T, int G>
static __device__ __forceinline__ void turn_from_both(const team<G> &team, int m, T *diagonal, int ld,
                                                      const sweep_slot<T> &slot)
{
  using R = real_of<T>;
  const T tau = m > 0 ? *slot.tau : make<T>(0);
  T dot = make<T>(0), x[N];
  for (int i = team.lane; i < m; i += G) {
    T sums[4] = {make<T>(0), make<T>(0), make<T>(0), make<T>(0)};
    for (int from = 0; from < m; from += N) {
#pragma unroll
      for (int u = 0; u < N; u++) {
        const int j = from + u;
        x[u] = j < m ? conj_if(j > i, diagonal[j <= i ? i + j * ld : j + i * ld]) : make<T>(0);
      }
#pragma unroll
      for (int u = 0; u < N; u++) sums[u % 4] = mad(x[u], from + u < m ? slot.v[from + u] : make<T>(0), sums[u % 4]);
    }
    const T w = tau * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    slot.w[i] = w;
    dot = mad(conj(w), slot.v[i], dot);
  }
  const T f = R(-0.5) * (tau * team.sum(dot));
  for (int i = team.lane; i < m; i += G) slot.w[i] = mad(f, slot.v[i], slot.w[i]);
  __syncwarp();
  for (int i = team.lane; i < m; i += G) {
    T *const row = diagonal + i;
    const T v = -slot.v[i], w = -slot.w[i];
    for (int from = 0; from <= i; from += N) {
#pragma unroll
      for (int u = 0; u < N; u++) x[u] = from + u <= i ? row[(from + u) * ld] : make<T>(0);
#pragma unroll
      for (int u = 0; u < N; u++)
        if (from + u < m) x[u] = mad(v, conj(slot.w[from + u]), mad(w, conj(slot.v[from + u]), x[u]));
#pragma unroll
      for (int u = 0; u < N; u++)
        if (from + u <= i) row[(from + u) * ld] = from + u == i ? make<T>(real(x[u])) : x[u];
    }
  }
  __syncwarp();
}

template <class T> struct hb2st_task {
  using scalar = T;
  static constexpr bool last_is_row = true;

  bool lower, vectors;
  int kd;
  batch<T> ab;
  batch<real_of<T>> d, e;
  batch<T> v;

  static DEVICE int64_t band_elements(int n, int kd)
  {
    return 2 * (int64_t)kd * n;
  }
  static DEVICE int slot_elements(int kd)
  {
    return 2 * kd + 1;
  }
  static DEVICE int leading(int kd)
  {
    return 2 * kd - 1;
  }
  static DEVICE int origin(int)
  {
    return 0;
  }
  static DEVICE int64_t block_at(int64_t row, int height, int ld)
  {
    return row + (row - height) * ld;
  }
  static DEVICE int beside(int)
  {
    return 1;
  }

  /* Of a task: the inner block, or column, and the lower triangle beside it. */
  static DEVICE int rows(const chase_place &p)
  {
    return p.m;
  }
  static DEVICE int cols(const chase_place &p)
  {
    return p.height + p.m;
  }
  static DEVICE bool has(const chase_place &p, int i, int j)
  {
    return j - i <= p.height;
  }

  template <int N, int G>
  __device__ __forceinline__ void chase(const team<G> &team, const chase_place &p, T *block, int ld, T *slot) const
  {
    const sweep_slot<T> s = {slot, slot + p.kd, slot + 2 * p.kd};
    T *const diagonal = block + (int64_t)p.height * ld;
    for (int i = team.lane; p.inner && i < p.m; i += G) turn_line<false, N>(p.height, block + i, ld, s.v, *s.tau);
    __syncwarp();
    annihilate<false>(team, p.m, block, 1, s.v, s.tau);
    for (int j = 1 + team.lane; j < p.height; j += G) turn_line<true, N>(p.m, block + (int64_t)j * ld, 1, s.v, *s.tau);
    __syncwarp();
    turn_from_both<N>(team, p.m, diagonal, ld, s);
    T *const to = vector_at(vectors, v, p);
    for (int i = team.lane; to && i < p.m; i += G) to[i] = i == 0 ? *s.tau : s.v[i];
    __syncwarp();
  }
  __device__ real_of<T> load(int64_t b, int n, int width, T *a) const
  {
    const int64_t ld = ab.leading(b), elements = band_elements(n, width);
    const T *const from = ab.at(b);
    maximum_of<real_of<T>> size;
    for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) {
      const int64_t i = e % (2 * width), j = e / (2 * width);
      T x = make<T>(0);
      if (i <= width && i + j < n) x = lower ? from[i + j * ld] : conj(from[kd - i + (i + j) * ld]);
      a[e] = x = i == 0 ? make<T>(real(x)) : x;
      size.add(fabs(real(x)));
      size.add(fabs(imag(x)));
    }
    return scale_band(size, elements, a);
  }
};

} // namespace batched_cuda::two_stage

#endif
