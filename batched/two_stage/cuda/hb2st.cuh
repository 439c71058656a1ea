/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared, cuda.block and cuda.native of hb2st: what chase.cuh and chase_native.cuh chase for it.  The band is
 * a lower one.  A task applies the reflector that the one before left to the kd columns of its inner block from the
 * right, and has one from the left for that block, and from both sides for the one on the diagonal.
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
template <int N, class T, int G, int P>
static __device__ __forceinline__ void turn_from_both(const team<G, P> &team, int m, T *diagonal, int ld,
                                                      const sweep_slot<T> &slot)
{
  using R = real_of<T>;
  constexpr int M = N / P;
  const T tau = m > 0 ? *slot.tau : make<T>(0);
  T dot = make<T>(0), x[M];
  for (int at = 0; at < m; at += team.lines) {
    const int i = at + team.line;
    if (P == 1 && i >= m) continue;
    T sums[team.sums];
    for (T &sum : sums) sum = make<T>(0);
    for (int from = 0; (P == 1 || i < m) && from < m; from += N) {
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int j = from + team.element(u);
        x[u] = j < m ? conj_if(j > i, diagonal[j <= i ? i + j * ld : j + i * ld]) : make<T>(0);
      }
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int j = from + team.element(u);
        T &sum = sums[u % team.sums];
        sum = mad(x[u], j < m ? slot.v[j] : make<T>(0), sum);
      }
    }
    const T w = tau * team.sum_line(sums);
    if (team.part > 0 || i >= m) continue;
    slot.w[i] = w;
    dot = mad(conj(w), slot.v[i], dot);
  }
  const T f = R(-0.5) * (tau * team.sum(dot));
  for (int i = team.lane; i < m; i += G) slot.w[i] = mad(f, slot.v[i], slot.w[i]);
  __syncwarp();
  for (int at = 0; at < m; at += team.lines) {
    const int i = at + team.line;
    if (i >= m) continue;
    T *const row = diagonal + i;
    const T v = -slot.v[i], w = -slot.w[i];
    for (int from = 0; from <= i; from += N) {
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int j = from + team.element(u);
        x[u] = j <= i ? row[j * ld] : make<T>(0);
      }
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int j = from + team.element(u);
        if (j < m) x[u] = mad(v, conj(slot.w[j]), mad(w, conj(slot.v[j]), x[u]));
      }
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int j = from + team.element(u);
        if (j <= i) row[j * ld] = j == i ? make<T>(real(x[u])) : x[u];
      }
    }
  }
  __syncwarp();
}

/* As chase(), where kd is the number of lines of a team: each element is read and written once.  Lines are rows of
 * the inner block, and then of the block on the diagonal. */
template <class T, int G, int P>
static __device__ __forceinline__ void chase_held(const team<G, P> &team, const chase_place &p, T *block, int ld,
                                                  const sweep_slot<T> &slot, T *to)
{
  using R = real_of<T>;
  constexpr int M = team.lines / P;
  const int i = team.line;
  const bool there = i<p.m, keeps = p.m> 0 && team.part == 0;
  T x[M], v[M], w[M], sums[team.sums];
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int j = team.element(u);
    x[u] = there && (p.inner || j == 0) ? block[i + j * ld] : make<T>(0);
  }
  turn_held<false>(team, p.inner, slot.v, slot.tau, x);
  const held_reflector<T> h = annihilate_held(team, p.m, x[0], slot.v, slot.tau);
  if (to && there && keeps) to[i] = i == 0 ? h.tau : h.mine;
  turn_across<true>(team, p.m, h, slot.w, x);
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int j = team.element(u);
    if (there && (p.inner || j == 0)) block[i + j * ld] = j > 0 ? x[u] : make<T>(i == 0 ? h.beta : R(0));
  }

  T *const diagonal = block + (int64_t)p.height * ld;
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int j = team.element(u);
    x[u] = there && j < p.m ? conj_if(j > i, diagonal[j <= i ? i + j * ld : j + i * ld]) : make<T>(0);
  }
  read_elements(team, slot.v, v);
  for (T &sum : sums) sum = make<T>(0);
#pragma unroll
  for (int u = 0; u < M; u++) sums[u % team.sums] = mad(x[u], v[u], sums[u % team.sums]);
  const T product = h.tau * team.sum_line(sums);
  const T dot = team.sum(team.part == 0 ? conj(product) * h.mine : make<T>(0));
  const T other = mad(R(-0.5) * (h.tau * dot), h.mine, product);
  __syncwarp();
  if (keeps) slot.w[i] = other;
  __syncwarp();
  read_elements(team, slot.v, v); /* again: registers are few */
  read_elements(team, slot.w, w);
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int j = team.element(u);
    x[u] = mad(-h.mine, conj(w[u]), mad(-other, conj(v[u]), x[u]));
    if (there && j <= i) diagonal[i + j * ld] = j == i ? make<T>(real(x[u])) : x[u];
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
    return 2 * kd + 2;
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

  /* Rows and columns of a task: the inner block, or column, and the lower triangle beside it. */
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

  template <int N, bool FAR, int G, int P>
  __device__ __forceinline__ void chase(const team<G, P> &team, const chase_place &p, T *block, int ld, T *slot,
                                        T *) const
  {
    const sweep_slot<T> s = {slot, slot + p.kd, slot + 2 * p.kd};
    T *const to = vector_at(vectors, v, p);
    if constexpr (holds_task<T, two_stage::team<G, P>>) {
      if (p.kd == team.lines) return chase_held(team, p, block, ld, s, to);
    }
    turn_lines<false, N>(team, 0, p.inner ? p.m : 0, p.kd, block, 1, ld, s.v, s.tau);
    __syncwarp();
    annihilate<false>(team, p.m, block, 1, s.v, s.tau);
    turn_lines<true, N>(team, 1, p.height, p.m, block, ld, 1, s.v, s.tau);
    __syncwarp();
    turn_from_both<N>(team, p.m, block + (int64_t)p.height * ld, ld, s);
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
