/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared of heev and gesvd: one-sided Jacobi by one block per matrix of any size.
 *
 * Columns are in shared memory, or in global scratch memory where that is too small. A team of 4 to 32 lanes rotates a
 * pair; rounds follow the circle method, in which all columns meet once in k - 1 rounds.
 *
 * grid      a block per matrix, or as many as have scratch memory at a time (launch_block)
 * block     up to block_most_threads threads
 * shared    the columns (and V), norms and places
 * takes     all four types, any m and n, uniform and variable
 * reads     heev: a; writes w, a (with vectors), info. gesvd: a; writes s, u, vt (with vectors), info
 * accuracy  residual and orthogonality < 30 n eps
 */
#ifndef BATCHED_EIGEN_CUDA_SHARED_CUH
#define BATCHED_EIGEN_CUDA_SHARED_CUH

#include "batched/eigen/cuda/jacobi.cuh"

namespace batched_cuda::eigen
{

constexpr int block_sweeps = 40;
constexpr int block_most_threads = 512;

/* Shape for matrices of at most rows x k, with rows_v x k (0 or k rows) rotated along; `elements` of T in all. */
struct block_shape {
  int rows, k, rows_v, lanes;
  bool shared;
  size_t bytes;
};

template <class T> struct jacobi_block {
  using R = real_of<T>;
  T *x, *v;
  R *norm2;
  int *place; /* where column j goes */
  int ld, rows, k, rows_v, lanes;
  R largest;
  bool finite, vectors;

  __device__ jacobi_block(const block_shape &s, T *scratch)
  {
    x = s.shared ? shared_array<T>() : scratch + blockIdx.x * (int64_t)(s.bytes / sizeof(T));
    ld = s.rows;
    v = x + (int64_t)ld * s.k;
    norm2 = reinterpret_cast<R *>(v + (int64_t)s.rows_v * s.k);
    place = reinterpret_cast<int *>(norm2 + s.k);
    lanes = s.lanes;
    vectors = s.rows_v > 0;
  }

  /* Calls f(i, j) for all elements, a warp per column. */
  template <class F> __device__ void each_element(int m, int n, F f) const
  {
    for (int j = (int)threadIdx.x / 32; j < n; j += (int)blockDim.x / 32)
      for (int i = (int)threadIdx.x % 32; i < m; i += 32) f(i, j);
  }

  /* Loads the matrix; finds its largest element and whether all are finite. */
  template <class F> __device__ void load(int rows_, int k_, F element)
  {
    rows = rows_;
    k = k_;
    rows_v = vectors ? k : 0;
    R most = 0;
    bool good = true;
    each_element(rows, k, [&](int i, int j) {
      const T e = element(i, j);
      good = good && is_finite(e);
      most = fmax(most, magnitude(e));
      x[i + (int64_t)j * ld] = e;
    });
    finite = !__syncthreads_or(!good);
    largest = reduce(most, true);
  }

  /* Scales the matrix, and sets v = I. A matrix that is not finite becomes zero. */
  __device__ void scale(const power_scale<R> &s)
  {
    each_element(rows, k, [&](int i, int j) {
      T &e = x[i + (int64_t)j * ld];
      e = finite ? s.up(e) : make<T>(0);
    });
    if (vectors) each_element(k, k, [&](int i, int j) { v[i + (int64_t)j * k] = make<T>(i == j); });
    __syncthreads();
  }

  __device__ R frobenius2() const
  {
    R sum = 0;
    each_element(rows, k, [&](int i, int j) { sum += square(x[i + (int64_t)j * ld]); });
    return reduce(sum, false);
  }

  /* Returns false if it did not converge. */
  __device__ bool orthogonalize()
  {
    const int players = k + (k & 1), teams = (int)blockDim.x / lanes, team = (int)threadIdx.x / lanes;
    const R tolerance = jacobi_tolerance<R>(rows), near = jacobi_near<R>(players);
    for (int sweep = 0; sweep < block_sweeps; sweep++) {
      bool rotated = false;
      for (int round = 0; round < players - 1; round++) {
        for (int first = 0; first < players / 2; first += teams) {
          int p = k, q = k;
          if (first + team < players / 2) meet(players - 1, round, first + team, &p, &q);
          rotated |= orthogonalize_pair(p < k && q < k, p, q, tolerance, near);
        }
        __syncthreads();
      }
      if (!__syncthreads_or(rotated)) return true;
    }
    return false;
  }

  /* Squared norms of the columns, and their ranks. */
  __device__ void sort(bool descending)
  {
    const int lane = (int)threadIdx.x % 32;
    for (int j = (int)threadIdx.x / 32; j < k; j += (int)blockDim.x / 32) {
      R sum = 0;
      for (int i = lane; i < rows; i += 32) sum += square(x[i + (int64_t)j * ld]);
      sum = sum_lanes(sum);
      if (lane == 0) norm2[j] = sum;
    }
    __syncthreads();
    for (int j = (int)threadIdx.x; j < k; j += (int)blockDim.x) {
      const R mine = norm2[j];
      int before = 0;
      for (int i = 0; i < k; i++)
        before += (descending ? norm2[i] > mine : norm2[i] < mine) || (norm2[i] == mine && i < j);
      place[j] = before;
    }
    __syncthreads();
  }

  /* Sum or maximum over the block, in all threads. */
  static __device__ R reduce(R value, bool most)
  {
    __shared__ R parts[block_most_threads / 32];
    const int warps = (int)blockDim.x / 32;
    for (int half = 16; half > 0; half /= 2) {
      const R other = shuffle_xor(value, half);
      value = most ? fmax(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (int i = 1; i < warps; i++) value = most ? fmax(value, parts[i]) : value + parts[i];
    return value;
  }

private:
  /* Pair number i of a round among `circle` + 1 players. */
  static __device__ __forceinline__ void meet(int circle, int round, int i, int *p, int *q)
  {
    const int a = round + i, b = round - i;
    *p = i == 0 ? circle : a >= circle ? a - circle : a;
    *q = b < 0 ? b + circle : b;
  }

  /* Rotates a pair; returns whether by more than a tiny angle. All lanes of a warp take part. Up to `held` elements
   * per lane stay in registers between the two passes. */
  __device__ __forceinline__ bool orthogonalize_pair(bool there, int p, int q, R tolerance, R near)
  {
    constexpr int held = sizeof(T) == 16 ? 4 : 8;
    const int lane = (int)threadIdx.x % lanes, mine = there ? rows : 0;
    T *const xp = x + (int64_t)p * ld, *const xq = x + (int64_t)q * ld;
    T a[held], b[held], xy = make<T>(0);
    R xx = 0, yy = 0;
    auto add = [&](T s, T t) {
      xx += square(s);
      yy += square(t);
      xy = mad(conj(s), t, xy);
    };
#pragma unroll
    for (int e = 0; e < held; e++) {
      const int i = lane + e * lanes;
      a[e] = i < mine ? xp[i] : make<T>(0);
      b[e] = i < mine ? xq[i] : make<T>(0);
    }
#pragma unroll
    for (int e = 0; e < held; e++) add(a[e], b[e]);
    for (int i = lane + held * lanes; i < mine; i += lanes) add(xp[i], xq[i]);
    xx = sum_lanes(xx, lanes);
    yy = sum_lanes(yy, lanes);
    xy = sum_lanes(xy, lanes);
    const R xy2 = square(xy);
    if (!(xy2 > tolerance * (xx * yy) && xx >= jacobi_tiny<R> && yy >= jacobi_tiny<R>)) return false;
    const rotation<T> r = jacobi_rotation(xx, yy, xy, xy2);
#pragma unroll
    for (int e = 0; e < held; e++)
      if (lane + e * lanes < rows) rotate(r, a[e], b[e], xp + lane + e * lanes, xq + lane + e * lanes);
    for (int i = lane + held * lanes; i < rows; i += lanes) rotate(r, xp[i], xq[i], xp + i, xq + i);
    T *const vp = v + (int64_t)p * rows_v, *const vq = v + (int64_t)q * rows_v;
#pragma unroll 4
    for (int i = lane; i < rows_v; i += lanes) rotate(r, vp[i], vq[i], vp + i, vq + i);
    return xy2 > near * (xx * yy) || square(r.s) > near;
  }

  static __device__ __forceinline__ void rotate(const rotation<T> &r, T a, T b, T *p, T *q)
  {
    *p = mad(-r.s, b, r.c * a);
    *q = mad(conj(r.s), a, r.c * b);
  }
};

/* Launches kernel(shape, scratch, args...) with a block per matrix, or as many as have scratch memory at a time. */
template <class T, class... P, class... A>
int launch_block(batched_ctx *ctx, void (*kernel)(block_shape, T *, P...), int64_t count, int rows, int k, bool vectors,
                 A... args)
{
  constexpr size_t most_scratch = (size_t)1 << 30;
  const int lanes = rows <= 32 ? 4 : rows <= 64 ? 8 : rows <= 128 ? 16 : 32, wanted = (k + 1) / 2 * lanes;
  const int threads = wanted <= 64 ? 64 : wanted <= 128 ? 128 : wanted <= 256 ? 256 : block_most_threads;
  block_shape shape = {rows, k, vectors ? k : 0, lanes, false, 0};
  const size_t bytes = (size_t)(rows + shape.rows_v) * (size_t)k * sizeof(T) + (size_t)k * (sizeof(real_of<T>) + 4);
  shape.bytes = (size_t)ceil_div((int64_t)bytes, 16) * 16;
  shape.shared = shape.bytes + 1024 <= most_shared();
  if (shape.shared) return launch(ctx, kernel, count, threads, shape.bytes, shape, (T *)nullptr, args...);
  int64_t blocks = (int64_t)(most_scratch / shape.bytes);
  blocks = blocks < 1 ? 1 : blocks > 264 ? 264 : blocks;
  blocks = blocks < count ? blocks : count;
  T *scratch = static_cast<T *>(batched_scratch_push(ctx, (size_t)blocks * shape.bytes));
  if (!scratch) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, kernel, blocks, threads, 0, shape, scratch, args...);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::eigen

#endif
