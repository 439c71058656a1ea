/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.block of gb2bd: bulge chasing of an upper band, B or B^H (host/gb2bd_ref.h), many sweeps at
 * once, with a block per matrix, after hb2st.  Task k of sweep s applies the reflector that task k - 1 left to kd rows,
 * and has one from the right and one from the left on rows, and columns, from s + 1 + k kd on; it has to wait for task
 * k + 1 of sweep s - 1: so the block does task t - 2 s of each sweep s in step t, and there is a barrier between steps.
 * A team of 8, 16 or 32 lanes has a task: a lane per row or column of its blocks.
 *
 *   grid       a block per matrix (block: so many as run at once)
 *   block      a team per sweep in flight, up to 512 threads
 *   registers  a line of a block, up to 32 numbers
 *   shared     shared: the band and its bulges, 3 kd n elements, and the vectors of the sweeps in flight (block: these
 *              are in scratch memory): d to n = 560, 280 for kd = 16, 32
 *   takes      all four types, any n and kd; shared: what fits
 *   reads      ab once; writes d, e, and half of vq and of vp
 *   accuracy   |B - Q2 T P2^H| < 30 n eps |B|, of any scale: the largest element is brought near 1 first
 */
#ifndef BATCHED_TWO_STAGE_CUDA_GB2BD_CUH
#define BATCHED_TWO_STAGE_CUDA_GB2BD_CUH

#include "batched/two_stage/cuda/hb2st.cuh"

namespace batched_cuda::two_stage
{

/* left, right: vectors of the upper band, vq and vp, or the other way round. */
template <class T> struct gb2bd_task {
  bool upper, vectors;
  int kd;
  batch<T> ab;
  batch<real_of<T>> d, e;
  batch<T> left, right;
};

static DEVICE int sweeps_in_flight(int n, int kd)
{
  return (n - 1 + kd - 1) / kd / 2 + 1;
}

/* Elements for a matrix: the band, 3 kd a column, and behind it two vectors and their factors of each sweep. */
static DEVICE int64_t general_elements(int n, int kd)
{
  return 3 * (int64_t)kd * n + (int64_t)sweeps_in_flight(n, kd) * (2 * kd + 2);
}

/* Of a sweep: vectors from the left and from the right, with their 1s. */
template <class T> struct sweep_vectors {
  T *v, *u, *tauq, *taup;
};

/* The m x m block on the diagonal from row `row` on (m = 0: no task), and `height` rows above it, of which the first is
 * reduced: kd (inner), or 1 in the first task of a sweep. */
template <class T> struct general_task {
  int m, height, ld;
  bool inner;
  T *block;
};

/* The reflector that makes zeros of a column, or (ROW) of the conjugate of a row, but its first element, of a matrix
 * whose largest element is near 1.  What is so small that squares underflow is 0. */
template <bool ROW, class T, int G>
static __device__ __forceinline__ void annihilate_line(const team<G> &team, int m, T *line, int step, T *v, T *tau)
{
  using R = real_of<T>;
  constexpr R least = sizeof(R) == 4 ? R(0x1p-40) : R(0x1p-400), up = sizeof(R) == 4 ? R(0x1p40) : R(0x1p400);
  R scale = 1, tail = 0;
  T alpha = m > 0 ? conj_if(ROW, line[0]) : make<T>(1);
  for (int i = team.lane; i < m; i += G)
    if (i > 0) tail += square(line[i * step]);
  tail = team.sum(tail);
  if (__any_sync(~0u, tail + square(alpha) <= least)) {
    R larger = 0;
    for (int i = team.lane; i < m; i += G)
      if (i > 0) larger += square(up * line[i * step]);
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
  for (int i = team.lane; i < m; i += G) {
    v[i] = i == 0 ? make<T>(1) : (scale * conj_if(ROW, line[i * step])) * h.inverse;
    line[i * step] = make<T>(i == 0 ? h.beta / scale : R(0));
  }
  if (team.lane == 0 && m > 0) *tau = h.tau;
  __syncwarp();
}

/* A task; left, right: where its vectors go, or nullptr. */
template <class T, int G>
static __device__ __forceinline__ void chase_general(const team<G> &team, const general_task<T> &c, T *left, T *right,
                                                     const sweep_vectors<T> &s)
{
  constexpr int N = held<T, G>;
  T *const diagonal = c.block + c.height;
  for (int j = team.lane; c.inner && j < c.m; j += G)
    turn_line<true, N>(c.height, c.block + (int64_t)j * c.ld, 1, s.v, *s.tauq);
  __syncwarp();
  annihilate_line<true>(team, c.m, c.block, c.ld, s.u, s.taup);
  for (int i = 1 + team.lane; c.m > 0 && i < c.height + c.m; i += G)
    turn_line<false, N>(c.m, c.block + i, c.ld, s.u, *s.taup);
  __syncwarp();
  annihilate_line<false>(team, c.m, diagonal, 1, s.v, s.tauq);
  for (int j = 1 + team.lane; j < c.m; j += G) turn_line<true, N>(c.m, diagonal + (int64_t)j * c.ld, 1, s.v, *s.tauq);
  for (int i = team.lane; left && i < c.m; i += G) {
    left[i] = i == 0 ? *s.tauq : s.v[i];
    right[i] = i == 0 ? *s.taup : s.u[i];
  }
  __syncwarp();
}

/* The band in `a`, which is upper, scaled; returns by how much it was. */
template <class T> static __device__ real_of<T> load_general(const gb2bd_task<T> &g, int64_t b, int n, int kd, T *a)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> of_warps[32];
  const int64_t ld = g.ab.leading(b), elements = 3 * (int64_t)kd * n;
  const T *const ab = g.ab.at(b);
  maximum_of<R> size;
  for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) {
    const int64_t j = e / (3 * kd), i = j + e % (3 * kd) - (2 * kd - 1);
    T x = make<T>(0);
    if (i >= 0 && i <= j && j - i <= kd) x = g.upper ? ab[g.kd + i - j + j * ld] : conj(ab[j - i + i * ld]);
    a[e] = x = i == 0 && j == 0 ? make<T>(real(x)) : x;
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
  chase_general_bulges(const __grid_constant__ gb2bd_task<T> g, T *slots, int64_t elements)
{
  using R = real_of<T>;
  const team<G> team;
  const int teams = blockDim.x / G;
  for (int64_t b = blockIdx.x; b < g.ab.count; b += gridDim.x) {
    T *const memory = slots ? slots + blockIdx.x * elements : shared_array<T>();
    const int n = g.ab.cols(b), kd = clamp_width(n, g.kd), ld = 3 * kd - 1;
    if (n == 0) continue;
    const R back = qr::inverse_scale(load_general(g, b, n, kd, memory));
    const int in_flight = sweeps_in_flight(n, kd);
    T *const a = memory + 2 * kd - 1, *const vectors = memory + 3 * (int64_t)kd * n;
    for (int t = 0; t < 2 * n - 3; t++) {
      for (int s = min(t / 2, n - 2) - (int)threadIdx.x / G;; s -= teams) {
        const int64_t row = s + 1 + (t - 2 * (int64_t)s) * kd;
        const bool active = s >= 0 && row < n;
        if (!__any_sync(~0u, active)) break; /* earlier sweeps are done */
        const bool inner = active && row > s + 1;
        const int height = inner ? kd : 1;
        T *const at = vectors + (int64_t)(active ? s % in_flight : 0) * (2 * kd + 2);
        const general_task<T> c = {active ? (int)min((int64_t)kd, n - row) : 0, height, ld, inner,
                                   active ? a + row - height + row * ld : a};
        T *const left = g.vectors && active ? g.left.at(b) + row + s * (int64_t)g.left.leading(b) : nullptr;
        T *const right = g.vectors && active ? g.right.at(b) + row + s * (int64_t)g.right.leading(b) : nullptr;
        chase_general<T, G>(team, c, left, right, {at, at + kd, at + 2 * kd, at + 2 * kd + 1});
      }
      __syncthreads();
    }
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      g.d.at(b)[i * g.d.increment(b)] = back * real(a[i + i * ld]);
      if (i < n - 1) g.e.at(b)[i * g.e.increment(b)] = back * real(a[i + (i + 1) * ld]);
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::two_stage

#endif
