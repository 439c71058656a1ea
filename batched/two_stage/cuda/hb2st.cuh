/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.block of hb2st: bulge chasing in LAPACK's order of tasks (hb2st_kernels), many sweeps at
 * once, with a block per matrix.  Task k of sweep s works on rows from s + 1 + k kd on, and has to wait for task k + 1
 * of sweep s - 1: so the block does task t - 2 s of each sweep s in step t, and there is a barrier between steps.  A
 * team of 8, 16 or 32 lanes has a task: a lane per row or column of its kd x kd blocks.
 *
 *   grid       a block per matrix (block: so many as run at once)
 *   block      a team per sweep in flight, up to 512 threads
 *   registers  a line of a block, up to 32 numbers
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

/* Lanes that share a task; all teams of a warp are in the same place of the code, one without a task having no rows. */
template <int G> struct team {
  int lane;

  __device__ team() : lane(threadIdx.x % G)
  {
  }
  template <class T> __device__ __forceinline__ T sum(T x) const
  {
    for (int half = G / 2; half > 0; half /= 2) x += shuffle_xor(x, half, G);
    return x;
  }
};

/* Elements of a line that a lane has in registers at a time. */
template <class T, int G> constexpr int held = G < 256 / (int)sizeof(T) ? G : 256 / (int)sizeof(T);

/* A sweep's vector, with its 1, and tau; w: for products. */
template <class T> struct sweep_slot {
  T *v, *w, *tau;
};

/* Rows row .. row + m - 1 (m = 0: no task), of which `column` is reduced; is there a block beside that column, whose
 * first it is? */
template <class T> struct chase_task {
  int m, kd, ld;
  T *column, *diagonal;
  bool inner;
};

/* The reflector that makes zeros of the column but its first element, of a matrix whose largest element is near 1.
 * What is so small that squares underflow is 0. */
template <class T, int G>
static __device__ __forceinline__ void annihilate(const team<G> &team, const chase_task<T> &c,
                                                  const sweep_slot<T> &slot)
{
  using R = real_of<T>;
  constexpr R least = sizeof(R) == 4 ? R(0x1p-40) : R(0x1p-400), up = sizeof(R) == 4 ? R(0x1p40) : R(0x1p400);
  R scale = 1, tail = 0;
  T alpha = c.m > 0 ? c.column[0] : make<T>(1);
  for (int i = team.lane; i < c.m; i += G)
    if (i > 0) tail += square(c.column[i]);
  tail = team.sum(tail);
  if (__any_sync(~0u, tail + square(alpha) <= least)) {
    R larger = 0;
    for (int i = team.lane; i < c.m; i += G)
      if (i > 0) larger += square(up * c.column[i]);
    larger = team.sum(larger);
    if (tail + square(alpha) <= least) {
      const bool zero = larger + square(up * alpha) <= least;
      scale = up;
      alpha = up * (zero ? make<T>(real(alpha)) : alpha);
      tail = zero ? R(0) : larger;
    }
  }
  const qr::reflector<T> h = qr::reflect(alpha, tail);
  __syncwarp();
  for (int i = team.lane; i < c.m; i += G) {
    slot.v[i] = i == 0 ? make<T>(1) : (scale * c.column[i]) * h.inverse;
    c.column[i] = make<T>(i == 0 ? h.beta / scale : R(0));
  }
  if (team.lane == 0 && c.m > 0) *slot.tau = h.tau;
  __syncwarp();
}

/* A line of n elements: x = x H (a row) or H^H x (LEFT: a column). */
template <bool LEFT, int N, class T>
static __device__ __forceinline__ void turn_line(int n, T *line, int step, const T *v, T tau)
{
  T x[N], sums[4] = {make<T>(0), make<T>(0), make<T>(0), make<T>(0)};
  for (int from = 0; from < n; from += N) {
#pragma unroll
    for (int u = 0; u < N; u++) x[u] = from + u < n ? line[(from + u) * step] : make<T>(0);
#pragma unroll
    for (int u = 0; u < N; u++) {
      const T y = from + u < n ? v[from + u] : make<T>(0);
      sums[u % 4] = mad(conj_if(LEFT, y), x[u], sums[u % 4]);
    }
  }
  const T f = -((LEFT ? conj(tau) : tau) * ((sums[0] + sums[1]) + (sums[2] + sums[3])));
  for (int from = 0; from < n; from += N) {
    if (n > N) {
#pragma unroll
      for (int u = 0; u < N; u++) x[u] = from + u < n ? line[(from + u) * step] : make<T>(0);
    }
#pragma unroll
    for (int u = 0; u < N; u++) x[u] = mad(f, conj_if(!LEFT, from + u < n ? v[from + u] : make<T>(0)), x[u]);
#pragma unroll
    for (int u = 0; u < N; u++)
      if (from + u < n) line[(from + u) * step] = x[u];
  }
}

/* A = H^H A H, the lower triangle of order m: w = tau A v - 1/2 tau (w^H v) v, A -= v w^H + w v^H. */
template <class T, int G>
static __device__ __forceinline__ void turn_from_both(const team<G> &team, const chase_task<T> &c,
                                                      const sweep_slot<T> &slot)
{
  using R = real_of<T>;
  constexpr int N = held<T, G>;
  const int m = c.m, ld = c.ld;
  const T tau = m > 0 ? *slot.tau : make<T>(0);
  T dot = make<T>(0), x[N];
  for (int i = team.lane; i < m; i += G) {
    T sums[4] = {make<T>(0), make<T>(0), make<T>(0), make<T>(0)};
    for (int from = 0; from < m; from += N) {
#pragma unroll
      for (int u = 0; u < N; u++) {
        const int j = from + u;
        x[u] = j < m ? conj_if(j > i, c.diagonal[j <= i ? i + j * ld : j + i * ld]) : make<T>(0);
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
    T *const row = c.diagonal + i;
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

/* A task; to: where its vector goes, or nullptr. */
template <class T, int G>
static __device__ __forceinline__ void chase(const team<G> &team, const chase_task<T> &c, T *to,
                                             const sweep_slot<T> &slot)
{
  constexpr int N = held<T, G>;
  for (int i = team.lane; c.inner && i < c.m; i += G) turn_line<false, N>(c.kd, c.column + i, c.ld, slot.v, *slot.tau);
  __syncwarp();
  annihilate(team, c, slot);
  for (int j = 1 + team.lane; c.inner && j < c.kd; j += G)
    turn_line<true, N>(c.m, c.column + (int64_t)j * c.ld, 1, slot.v, *slot.tau);
  __syncwarp();
  turn_from_both(team, c, slot);
  for (int i = team.lane; to && i < c.m; i += G) to[i] = i == 0 ? *slot.tau : slot.v[i];
  __syncwarp();
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
static __global__ void __launch_bounds__(512)
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
      for (int s = min(t / 2, n - 2) - (int)threadIdx.x / G;; s -= teams) {
        const int64_t row = s + 1 + (t - 2 * (int64_t)s) * kd;
        const bool active = s >= 0 && row < n;
        if (!__any_sync(~0u, active)) break; /* earlier sweeps are done */
        const bool inner = active && row > s + 1;
        T *const at = vectors + (int64_t)(active ? s % in_flight : 0) * (2 * kd + 1);
        const int64_t ld = 2 * kd - 1;
        const chase_task<T> c = {active ? (int)min((int64_t)kd, n - row) : 0,
                                 kd,
                                 (int)ld,
                                 a + row + (inner ? row - kd : s) * ld,
                                 a + row + row * ld,
                                 inner};
        chase<T, G>(team, c, v && active ? v + row + s * (int64_t)g.v.leading(b) : nullptr, {at, at + kd, at + 2 * kd});
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
