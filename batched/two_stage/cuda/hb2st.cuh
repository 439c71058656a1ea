/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.block of hb2st: bulge chasing in LAPACK's order of tasks (hb2st_kernels), many sweeps at
 * once, with a block per matrix.  Task k of sweep s works on rows from s + 1 + k kd on, and has to wait for task k + 1
 * of sweep s - 1: so the block does task t - 2 s of each sweep s in step t, and there is a barrier between steps.  A
 * team of 8, 16 or 32 lanes has a task: a lane per row or column of its kd x kd blocks.
 *
 *   grid       a block per matrix (block: so many as run at once)
 *   block      a team per sweep in flight, up to 1024 threads
 *   shared     shared: the band and its bulges, 2 kd n elements, and the vectors of the sweeps in flight (block: these
 *              are in scratch memory): d to n = 850, 430 for kd = 16, 32
 *   takes      all four types, any n and kd; shared: what fits
 *   reads      ab once; writes d, e, and half of v
 *   accuracy   |B - Q2 T Q2^H| < 30 n eps |B|, of any scale: the largest element is brought near 1 first
 */
#ifndef BATCHED_TWO_STAGE_CUDA_HB2ST_CUH
#define BATCHED_TWO_STAGE_CUDA_HB2ST_CUH

#include "batched/two_stage/steps.h"
#include "batched/cuda/reduce.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::two_stage
{

template <class T> struct hb2st_task {
  bool lower, vectors;
  int kd;
  batch<T> ab;
  batch<real_of<T>> d, e;
  batch<T> v;
};

static DEVICE int clamp_width(int n, int kd)
{
  return kd < n - 1 ? kd : n > 2 ? n - 1 : 1;
}

/* Elements for a matrix: the band, and behind it the sweeps' vectors v and w, and tau. */
static DEVICE int64_t chase_elements(int n, int kd)
{
  return 2 * (int64_t)kd * n + n + n / 2 + 3 * (int64_t)kd + 4;
}

/* Lanes that share a task. */
template <int G> struct team {
  int lane;
  unsigned mask;

  __device__ team() : lane(threadIdx.x % G), mask(G == 32 ? ~0u : ((1u << (G % 32)) - 1) << (threadIdx.x % 32 / G * G))
  {
  }
  __device__ __forceinline__ void wait() const
  {
    __syncwarp(mask);
  }
  template <class T> __device__ __forceinline__ T sum(T x) const
  {
    for (int half = G / 2; half > 0; half /= 2) x += shuffle_xor(x, half, G, mask);
    return x;
  }
};

/* The sweep's vector, with its 1, and tau; w: for products. */
template <class T> struct sweep_slot {
  T *v, *w, *tau;
};

/* The reflector that makes zeros of a column but its first element, of a matrix whose largest element is near 1.  What
 * is so small that squares underflow is 0. */
template <class T, int G>
static __device__ __forceinline__ void annihilate(const team<G> &team, int m, T *column, const sweep_slot<T> &slot)
{
  using R = real_of<T>;
  constexpr R least = sizeof(R) == 4 ? R(0x1p-40) : R(0x1p-400), up = sizeof(R) == 4 ? R(0x1p40) : R(0x1p400);
  R scale = 1, tail = 0;
  T alpha = column[0];
  for (int i = team.lane; i < m; i += G)
    if (i > 0) tail += square(column[i]);
  tail = team.sum(tail);
  if (tail + square(alpha) <= least) {
    scale = up;
    alpha = up * alpha;
    tail = 0;
    for (int i = team.lane; i < m; i += G)
      if (i > 0) tail += square(up * column[i]);
    tail = team.sum(tail);
    if (tail + square(alpha) <= least) {
      alpha = make<T>(real(alpha));
      tail = 0;
    }
  }
  const qr::reflector<T> h = qr::reflect(alpha, tail);
  team.wait();
  for (int i = team.lane; i < m; i += G) {
    slot.v[i] = i == 0 ? make<T>(1) : (scale * column[i]) * h.inverse;
    column[i] = make<T>(i == 0 ? h.beta / scale : R(0));
  }
  if (team.lane == 0) *slot.tau = h.tau;
  team.wait();
}

/* A = A H, m x n. */
template <class T, int G>
static __device__ __forceinline__ void turn_from_right(const team<G> &team, int m, int n, T *a, int ld,
                                                       const sweep_slot<T> &slot)
{
  const T tau = *slot.tau;
  for (int i = team.lane; i < m; i += G) {
    T *const row = a + i;
    T sum = make<T>(0);
#pragma unroll 8
    for (int j = 0; j < n; j++) sum = mad(row[(int64_t)j * ld], slot.v[j], sum);
    const T f = -(tau * sum);
#pragma unroll 8
    for (int j = 0; j < n; j++) row[(int64_t)j * ld] = mad(f, conj(slot.v[j]), row[(int64_t)j * ld]);
  }
  team.wait();
}

/* A = H^H A, m x n, without its first column, which has been reduced. */
template <class T, int G>
static __device__ __forceinline__ void turn_from_left(const team<G> &team, int m, int n, T *a, int ld,
                                                      const sweep_slot<T> &slot)
{
  const T tau = conj(*slot.tau);
  for (int j = 1 + team.lane; j < n; j += G) {
    T *const column = a + (int64_t)j * ld;
    T sum = make<T>(0);
#pragma unroll 8
    for (int i = 0; i < m; i++) sum = mad(conj(slot.v[i]), column[i], sum);
    const T f = -(tau * sum);
#pragma unroll 8
    for (int i = 0; i < m; i++) column[i] = mad(f, slot.v[i], column[i]);
  }
  team.wait();
}

/* A = H^H A H, the lower triangle of order m: w = tau A v - 1/2 tau (w^H v) v, A -= v w^H + w v^H. */
template <class T, int G>
static __device__ __forceinline__ void turn_from_both(const team<G> &team, int m, T *a, int ld,
                                                      const sweep_slot<T> &slot)
{
  using R = real_of<T>;
  const T tau = *slot.tau;
  T dot = make<T>(0);
  for (int i = team.lane; i < m; i += G) {
    const T *const row = a + i, *const column = a + (int64_t)i * ld;
    T sum = make<T>(0);
#pragma unroll 8
    for (int j = 0; j <= i; j++) sum = mad(row[(int64_t)j * ld], slot.v[j], sum);
#pragma unroll 8
    for (int j = i + 1; j < m; j++) sum = mad(conj(column[j]), slot.v[j], sum);
    sum = tau * sum;
    slot.w[i] = sum;
    dot = mad(conj(sum), slot.v[i], dot);
  }
  const T f = R(-0.5) * (tau * team.sum(dot));
  for (int i = team.lane; i < m; i += G) slot.w[i] = mad(f, slot.v[i], slot.w[i]);
  team.wait();
  for (int i = team.lane; i < m; i += G) {
    T *const row = a + i;
    const T v = -slot.v[i], w = -slot.w[i];
#pragma unroll 8
    for (int j = 0; j < i; j++)
      row[(int64_t)j * ld] = mad(v, conj(slot.w[j]), mad(w, conj(slot.v[j]), row[(int64_t)j * ld]));
    const T on = mad(v, conj(slot.w[i]), mad(w, conj(slot.v[i]), row[(int64_t)i * ld]));
    row[(int64_t)i * ld] = make<T>(real(on));
  }
  team.wait();
}

/* Task k of sweep s, on rows row .. row + m - 1; to: column s of v, or nullptr. */
template <class T, int G>
static __device__ __forceinline__ void chase(const team<G> &team, int n, int kd, int s, int k, T *a, T *to,
                                             const sweep_slot<T> &slot)
{
  const int ld = 2 * kd - 1, row = s + 1 + k * kd, m = min(kd, n - row);
  T *const column = a + row + (int64_t)(k == 0 ? s : row - kd) * ld;
  if (k > 0) turn_from_right(team, m, kd, column, ld, slot);
  annihilate(team, m, column, slot);
  if (k > 0) turn_from_left(team, m, kd, column, ld, slot);
  turn_from_both(team, m, a + row + (int64_t)row * ld, ld, slot);
  for (int i = team.lane; to && i < m; i += G) to[row + i] = i == 0 ? *slot.tau : slot.v[i];
}

/* The band in `a`, which is lower, scaled; returns by how much it was. */
template <class T> static __device__ real_of<T> load_band(const hb2st_task<T> &g, int64_t b, int n, int kd, T *a)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> of_warps[32];
  const int64_t ld = g.ab.leading(b), elements = 2 * (int64_t)kd * n;
  const T *const ab = g.ab.at(b);
  maximum_of<R> size;
  for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) {
    const int64_t i = e % (2 * kd), j = e / (2 * kd);
    T x = make<T>(0);
    if (i <= kd && i + j < n) x = g.lower ? ab[i + j * ld] : conj(ab[g.kd - i + (i + j) * ld]);
    a[e] = x = i == 0 ? make<T>(real(x)) : x;
    size.add(fabs(real(x)));
    size.add(fabs(imag(x)));
  }
  const R scale = qr::column_scale(merge_block(size, of_warps).result());
  for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) a[e] = scale * a[e];
  __syncthreads();
  return scale;
}

template <class T, int G>
static __global__ void __launch_bounds__(1024)
  chase_bulges(const __grid_constant__ hb2st_task<T> g, T *slots, int64_t elements)
{
  using R = real_of<T>;
  const team<G> team;
  const int teams = blockDim.x / G;
  for (int64_t b = blockIdx.x; b < g.ab.count; b += gridDim.x) {
    T *const a = slots ? slots + blockIdx.x * elements : shared_array<T>();
    const int n = g.ab.cols(b), kd = clamp_width(n, g.kd);
    if (n == 0) continue;
    const R back = qr::inverse_scale(load_band(g, b, n, kd, a));
    const int in_flight = (n - 1 + kd - 1) / kd / 2 + 1;
    T *const vectors = a + 2 * (int64_t)kd * n, *const v = g.vectors ? g.v.at(b) : nullptr;
    for (int t = 0; t < 2 * n - 3; t++) {
      for (int s = min(t / 2, n - 2) - (int)threadIdx.x / G; s >= 0; s -= teams) {
        const int k = t - 2 * s;
        if (s + 1 + (int64_t)k * kd >= n) break;
        T *const at = vectors + (int64_t)(s % in_flight) * (2 * kd + 1);
        chase<T, G>(team, n, kd, s, k, a, v ? v + s * (int64_t)g.v.leading(b) : nullptr, {at, at + kd, at + 2 * kd});
      }
      __syncthreads();
    }
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      g.d.at(b)[i * g.d.increment(b)] = back * real(a[i * 2 * kd]);
      if (i < n - 1) g.e.at(b)[i * g.e.increment(b)] = back * real(a[i * 2 * kd + 1]);
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::two_stage

#endif
