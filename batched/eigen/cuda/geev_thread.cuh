/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of geev: A = Z T Z^H of order 1, 2 or 3 by a thread, in its registers.
 *
 *   algorithm  order 2 in closed form: the eigenvalue of Wilkinson's shift, and the rotation whose first column is its
 *              vector.  Order 3: a rotation to Hessenberg form, explicit QR with such shifts until an element below the
 *              diagonal vanishes, and the block of order 2 that is left as above; the roots of a cubic polynomial would
 *              lose digits where they are close.  Vectors of T by substitution
 *   grid       a thread per matrix, blocks of 64
 *   registers  H, and with vectors Z: 9 complex numbers each
 *   takes      all four types, n <= 3, uniform and variable
 *   memory     a once; writes w, vl, vr, info
 *   accuracy   |A V - V W| < 30 n eps |A|
 */
#ifndef BATCHED_EIGEN_CUDA_GEEV_THREAD_CUH
#define BATCHED_EIGEN_CUDA_GEEV_THREAD_CUH

#include "batched/eigen/cuda/geev_pair.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{

constexpr int geev_thread_block = 64;
constexpr int geev_thread_turns = 60; /* of QR */

/* The first column (x, y) of a rotation [x -conj(y); y conj(x)]. */
template <class R> struct unit_pair {
  complex<R> x, y;
};
template <class R> __device__ __forceinline__ unit_pair<R> unit_of(complex<R> x, complex<R> y)
{
  const R inverse = inverse_root(square(x) + square(y));
  return {x * inverse, y * inverse};
}

template <int N, bool VECTORS, class R> struct schur_thread {
  using C = complex<R>;
  C h[N][N], z[N][N]; /* by rows */

  __device__ __forceinline__ void turn_rows(int k, unit_pair<R> q)
  {
#pragma unroll
    for (int j = 0; j < N; j++) {
      const C above = h[k][j], below = h[k + 1][j];
      h[k][j] = mad(conj(q.x), above, conj(q.y) * below);
      h[k + 1][j] = mad(q.x, below, -(q.y * above));
    }
  }
  static __device__ __forceinline__ void turn_pair(C &left, C &right, unit_pair<R> q)
  {
    const C x = left;
    left = mad(x, q.x, right * q.y);
    right = mad(right, conj(q.x), -(x * conj(q.y)));
  }
  __device__ __forceinline__ void turn_columns(int k, unit_pair<R> q)
  {
#pragma unroll
    for (int i = 0; i < N; i++) {
      turn_pair(h[i][k], h[i][k + 1], q);
      if (VECTORS) turn_pair(z[i][k], z[i][k + 1], q);
    }
  }

  /* Element (k + 1, k) becomes 0 where it is negligible: is it 0 then? */
  __device__ __forceinline__ bool splits(int k)
  {
    constexpr R smallest = eps_of<R> * eps_of<R>; /* the largest element of A is near 1 */
    const R size = abs1(h[k + 1][k]), around = abs1(h[k][k]) + abs1(h[k + 1][k + 1]);
    const bool small = !(size > eps_of<R> / 2 * around && size > smallest);
    if (small) h[k + 1][k] = {0, 0};
    return small;
  }

  /* Of block k, the distance t of the eigenvalue d - t that is nearer to the last element d, divided by `most`; its
   * element below the diagonal is not negligible. */
  __device__ __forceinline__ C distance(int k, R &most) const
  {
    return distance_in_pair(h[k][k], h[k][k + 1], h[k + 1][k], h[k + 1][k + 1], most);
  }

  /* Block k to a triangle: the vector is orthogonal to the longer one of the rows of the block less its eigenvalue. */
  __device__ __forceinline__ void finish_block(int k)
  {
    R most;
    const C t = distance(k, most);
    const R inverse = 1 / most;
    const C above = (h[k][k] - h[k + 1][k + 1]) * inverse + t, b = h[k][k + 1] * inverse, c = h[k + 1][k] * inverse;
    const unit_pair<R> q = square(above) + square(b) > square(t) + square(c) ? unit_of(b, -above) : unit_of(-t, c);
    turn_rows(k, q);
    turn_columns(k, q);
    h[k + 1][k] = {0, 0};
  }

  /* H - s I = Q R, H = R Q + s I */
  __device__ __forceinline__ void step(C shift)
  {
    unit_pair<R> q[N];
#pragma unroll
    for (int i = 0; i < N; i++) h[i][i] -= shift;
#pragma unroll
    for (int k = 0; k + 1 < N; k++) {
      q[k] = unit_of(h[k][k], h[k + 1][k]);
      turn_rows(k, q[k]);
      h[k + 1][k] = {0, 0};
    }
#pragma unroll
    for (int k = 0; k + 1 < N; k++) turn_columns(k, q[k]);
#pragma unroll
    for (int i = 0; i < N; i++) h[i][i] += shift;
  }

  /* To upper triangular form: 0, or how many values are not found. */
  __device__ __forceinline__ int to_triangle()
  {
    if constexpr (N == 3) {
      constexpr R smallest = eps_of<R> * eps_of<R>;
      if (abs1(h[2][0]) > smallest) {
        const unit_pair<R> q = unit_of(h[1][0], h[2][0]);
        turn_rows(1, q);
        turn_columns(1, q);
      }
      h[2][0] = {0, 0};
      int turn = 0;
#pragma unroll 1
      for (;;) {
        const bool first = splits(0), second = splits(1);
        if (first || second) break;
        if (turn == geev_thread_turns) return N;
        R most;
        const C t = distance(1, most);
        step(turn++ % 10 == 9 ? h[2][2] + C{R(0.75) * abs1(h[2][1]), 0} : h[2][2] - t * most);
      }
      if (abs1(h[2][1]) > 0) finish_block(1);
      if (abs1(h[1][0]) > 0) finish_block(0);
    }
    if constexpr (N == 2)
      if (!splits(0)) finish_block(0);
    return 0;
  }

  /* Vector k of the triangle, or of its adjoint (LEFT), times Z, of norm 1, its largest component real. */
  template <bool LEFT> __device__ __forceinline__ void store_vector(int k, R least, C *to) const
  {
    C x[N], v[N];
#pragma unroll
    for (int i = 0; i < N; i++) x[i] = {R(i == k), 0};
#pragma unroll
    for (int u = 1; u < N; u++) {
      const int i = LEFT ? k + u : k - u;
      if (i < 0 || i >= N) continue;
      C sum = {0, 0}, gap = h[i][i] - h[k][k];
#pragma unroll
      for (int j = 0; j < N; j++)
        if (LEFT ? j < i : j > i) sum = mad(LEFT ? conj(h[j][i]) : h[i][j], x[j], sum);
      if (abs1(gap) < least) gap = {least, 0};
      x[i] = -divide(sum, conj_if(LEFT, gap));
    }
    R most = 0, norm2 = 0, largest = -1;
    C at = {1, 0};
    int place = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
      v[i] = {0, 0};
#pragma unroll
      for (int j = 0; j < N; j++) v[i] = mad(z[i][j], x[j], v[i]);
      most = fmax(most, abs1(v[i]));
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
      v[i] = v[i] * (1 / most);
      const R size2 = square(v[i]);
      norm2 += size2;
      if (size2 > largest) largest = size2, place = i, at = v[i];
    }
    const R size = sqrt(largest), norm = sqrt(norm2);
    const C turn = conj(at) * (1 / (size * norm));
#pragma unroll
    for (int i = 0; i < N; i++) to[i] = i == place ? C{size / norm, 0} : v[i] * turn;
  }

  template <bool LEFT> __device__ __forceinline__ void store_vectors(bool good, C *to, int64_t ld) const
  {
    R size = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
      for (int j = i; j < N; j++) size = fmax(size, abs1(h[i][j]));
    const R least = (size > 0 ? size : R(1)) * eps_of<R> / 2;
#pragma unroll
    for (int k = 0; k < N; k++) {
      if (good) store_vector<LEFT>(k, least, to + k * ld);
#pragma unroll
      for (int i = 0; i < N; i++)
        if (!good) to[i + k * ld] = not_a_number<C>();
    }
  }
};

template <class T> struct geev_task {
  batch<const T> a;
  batch<complex<real_of<T>>> w, vl, vr;
  int *info;
};

template <int N, bool VECTORS, class T> __device__ __forceinline__ void solve_alone(const geev_task<T> &g, int64_t b)
{
  using R = real_of<T>;
  using C = complex<R>;
  schur_thread<N, VECTORS, R> s;
  const T *const from = g.a.at(b);
  const int64_t ld = g.a.leading(b);
  R largest = 0;
  bool good = true;
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < N; j++) {
      const T e = from[i + j * ld];
      good = good && is_finite(e);
      largest = fmax(largest, magnitude(e));
      s.h[i][j] = {real(e), imag(e)};
      if (VECTORS) s.z[i][j] = {R(i == j), 0};
    }
  const power_scale<R> scale(largest, 1);
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < N; j++) s.h[i][j] = good ? scale.up(s.h[i][j]) : C{0, 0};
  const int missing = good ? s.to_triangle() : N;
  g.info[b] = missing;
#pragma unroll
  for (int i = 0; i < N; i++) {
    const C value = missing ? not_a_number<C>() : s.h[i][i];
    g.w.at(b)[i * (int64_t)g.w.increment(b)] = {scale.down(value.re), scale.down(value.im)};
  }
  if constexpr (VECTORS) {
    if (g.vl.count > 0) s.template store_vectors<true>(!missing, g.vl.at(b), g.vl.leading(b));
    if (g.vr.count > 0) s.template store_vectors<false>(!missing, g.vr.at(b), g.vr.leading(b));
  }
}

template <bool VECTORS, class T>
static __global__ void __launch_bounds__(geev_thread_block) geev_thread(const __grid_constant__ geev_task<T> g)
{
  for (int64_t b = blockIdx.x * (int64_t)geev_thread_block + threadIdx.x; b < g.a.count;
       b += gridDim.x * (int64_t)geev_thread_block) {
    const int n = g.a.rows(b);
    if (n == 0) g.info[b] = 0;
    if (n == 1) solve_alone<1, VECTORS>(g, b);
    if (n == 2) solve_alone<2, VECTORS>(g, b);
    if (n == 3) solve_alone<3, VECTORS>(g, b);
  }
}

template <class T> static int run_geev_thread(batched_ctx *ctx, const batched_geev_args &g)
{
  using C = complex<real_of<T>>;
  const geev_task<T> task = {view<const T>(g.a), view<C>(g.w), view<C>(g.vl), view<C>(g.vr), g.info};
  const bool vectors = g.vl.count > 0 || g.vr.count > 0;
  return launch(ctx, vectors ? geev_thread<true, T> : geev_thread<false, T>, ceil_div(g.a.count, geev_thread_block),
                geev_thread_block, 0, task);
}

} // namespace batched_cuda::eigen

#endif
