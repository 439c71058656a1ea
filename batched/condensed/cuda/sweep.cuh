/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a step of the reductions is made of, for a block that has a matrix in shared or global memory: the reflector of
 * a column, and one sweep over the columns behind it.
 *
 * A two-sided step needs A^H u and A v.  Both come out of one sweep over A, since a warp that has a column a_c in
 * registers knows (A^H u)_c as soon as it has summed, and adds a_c v_c to its part of A v at once (Howell, Demmel,
 * Fulton, Hammarling, Marmol, ACM TOMS 34, 2008).  The sweep also makes the update by the step before,
 * A -= p alpha^T + q beta^T, so that it reads and writes each element once per step.
 */
#ifndef BATCHED_CONDENSED_CUDA_SWEEP_CUH
#define BATCHED_CONDENSED_CUDA_SWEEP_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/reduce.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::condensed
{

/* A matrix in canonical form: dense, its largest element near 1. */
template <class T> struct dense_matrix {
  T *at;
  int64_t ld;

  __device__ __forceinline__ T &operator()(int i, int j) const
  {
    return at[i + j * ld];
  }
};

/* The columns of a matrix that a block copies, where `parts` blocks share them: one for each warp in turn. */
struct share {
  int part = 0, parts = 1;

  __device__ __forceinline__ int first_column() const
  {
    return part * (int)(blockDim.x / 32) + (int)threadIdx.x / 32;
  }
  __device__ __forceinline__ int columns() const
  {
    return parts * (int)(blockDim.x / 32);
  }
};

/* True where sums of squares in a matrix whose largest element is near 1 lose nothing to underflow. */
template <class R> __device__ __forceinline__ bool is_safe(R squares)
{
  return squares > (sizeof(R) == 4 ? R(0x1p-90) : R(0x1p-900)) || squares != squares;
}

/* A reflector of a vector that was scaled first. */
template <class T> struct scaled_reflector {
  qr::reflector<T> h;
  real_of<T> scale;
};

/* The reflector of n elements element(0), ..., by a warp; each lane calls. */
template <class T, class F> __device__ __forceinline__ scaled_reflector<T> reflector_of(int n, F element)
{
  using R = real_of<T>;
  const int lane = threadIdx.x % 32;
  const T alpha = element(0);
  R tail = 0;
  for (int i = 1 + lane; i < n; i += 32) tail += square(element(i));
  tail = sum_lanes(tail);
  if (is_safe(tail + square(alpha))) return {qr::reflect(alpha, tail), R(1)};
  maximum_of<R> size;
  for (int i = lane; i < n; i += 32) size.add(qr::largest_part(element(i)));
  const R scale = qr::column_scale(merge_lanes(size).result());
  tail = 0;
  for (int i = 1 + lane; i < n; i += 32) tail += square(scale * element(i));
  return {qr::reflect(scale * alpha, sum_lanes(tail)), scale};
}

/* The update of the step before, A -= p alpha^T + q beta^T. */
template <class T> struct pending {
  const T *p, *q;
};

/* By one warp: updates column j from row `first` on, and makes its part from row `head` on a reflector, in place and
 * with its one in u.  Returns tau; beta, unscaled, in column j. */
template <class T>
static __device__ T make_column(const dense_matrix<T> &a, int rows, int j, int first, int head, const pending<T> &old,
                                T alpha, T beta, T *u)
{
  const int lane = threadIdx.x % 32;
  T *const column = &a(0, j);
  for (int i = first + lane; i < rows; i += 32) column[i] = mad(-beta, old.q[i], mad(-alpha, old.p[i], column[i]));
  __syncwarp();
  const scaled_reflector<T> s = reflector_of<T>(rows - head, [&](int i) { return column[head + i]; });
  __syncwarp();
  const T last = make<T>(s.h.beta * qr::inverse_scale(s.scale));
  for (int i = head + lane; i < rows; i += 32) {
    const T v = i == head ? make<T>(1) : (s.scale * column[i]) * s.h.inverse;
    u[i] = v;
    column[i] = i == head ? last : v;
  }
  __syncwarp();
  return s.h.tau;
}

/* Number of columns that a warp has at a time, with R rows of each in a lane. */
template <int R, class T> constexpr int columns_at_once = R * sizeof(T) <= 32 ? 4 : R * sizeof(T) <= 128 ? 2 : 1;

/* Number of parts of a sum over columns that a block of threads makes. */
template <int R> __device__ __forceinline__ int parts_of_block()
{
  return R > 0 ? blockDim.x / 32 : 1;
}

/* For columns c = first .. last - 1: A -= p alpha^T + q beta^T; sum = (column c)^H u; f = s.finish(c, sum, the element
 * in row s.head), and part w of the result += f (column c) over the columns of warp w.  S has
 *   alpha(c), beta(c)   factors of the update
 *   low(c)              first row of column c that counts
 *   sums_diagonal       does row low(c) count in `sum`?  If not, it is the diagonal, and real
 *   needs_row           does `finish` take that element?
 *   factor(c)           f again
 * and rows, head, old, u.  Rows of the parts are those of A.  R: 32 R >= rows; 0: any, and then A is read twice. */
template <int R, class T, class S>
static __device__ void sweep(const dense_matrix<T> &a, int first, int last, const S &s, T *parts)
{
  constexpr int N = R > 0 ? R : 1, G = columns_at_once<N, T>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  T u[N], p[N], q[N], sum[N];
#pragma unroll
  for (int k = 0; k < N; k++) {
    const int i = lane + 32 * k;
    const bool in = i < s.rows;
    u[k] = in ? s.u[i] : make<T>(0);
    p[k] = in ? s.old.p[i] : make<T>(0);
    q[k] = in ? s.old.q[i] : make<T>(0);
    sum[k] = make<T>(0);
  }
  for (int c0 = first + warp * G; c0 < last; c0 += warps * G) {
    T x[G][N], dot[G];
#pragma unroll
    for (int t = 0; t < G; t++) {
      const int c = c0 + t, low = c < last ? s.low(c) : s.rows;
      const T alpha = c < last ? s.alpha(c) : make<T>(0), beta = c < last ? s.beta(c) : make<T>(0);
      dot[t] = make<T>(0);
#pragma unroll
      for (int k = 0; k < N; k++) {
        const int i = lane + 32 * k;
        x[t][k] = make<T>(0);
        if (i < low || i >= s.rows) continue;
        T y = mad(-beta, q[k], mad(-alpha, p[k], a(i, c)));
        if (!S::sums_diagonal && i == low) y = make<T>(real(y));
        a(i, c) = x[t][k] = y;
        if (S::sums_diagonal || i > low) dot[t] = qr::conj_mad(y, u[k], dot[t]);
      }
    }
    /* lane t finishes column t */
    const T mine = sum_transposed<G, 32>(dot);
    const int own = c0 + lane % G;
    __syncwarp();
    T f = make<T>(0);
    if (own < last) {
      T top = make<T>(0);
      if constexpr (S::needs_row) top = a(s.head, own);
      f = s.finish(own, mine, top, lane < G);
    }
#pragma unroll
    for (int t = 0; t < G; t++) {
      const T factor = shuffle(f, t);
#pragma unroll
      for (int k = 0; k < N; k++) sum[k] = mad(x[t][k], factor, sum[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < N; k++)
    if (lane + 32 * k < s.rows) parts[warp * s.rows + lane + 32 * k] = sum[k];
}

/* The sums of a sweep again, without an update: parts of sum f(c) (column c). */
template <int R, class T, class S>
static __device__ void multiply_again(const dense_matrix<T> &a, int first, int last, const S &s, T *parts)
{
  const int n = parts_of_block<R>(), threads = blockDim.x / n, part = threadIdx.x / threads;
  for (int i = threadIdx.x % threads; i < s.rows; i += threads) {
    T sum = make<T>(0);
    for (int c = first + part; c < last && s.low(c) <= i; c += n) sum = mad(a(i, c), s.factor(c), sum);
    parts[part * s.rows + i] = sum;
  }
}

/* The sweep for matrices of any height: a warp per column, then a thread per row. */
template <class T, class S>
static __device__ void sweep_twice(const dense_matrix<T> &a, int first, int last, const S &s, T *parts)
{
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int c = first + threadIdx.x / 32; c < last; c += warps) {
    const int low = s.low(c);
    const T alpha = s.alpha(c), beta = s.beta(c);
    T dot = make<T>(0), head = make<T>(0);
    for (int i = low + lane; i < s.rows; i += 32) {
      T y = mad(-beta, s.old.q[i], mad(-alpha, s.old.p[i], a(i, c)));
      if (!S::sums_diagonal && i == low) y = make<T>(real(y));
      a(i, c) = y;
      if (S::sums_diagonal || i > low) dot = qr::conj_mad(y, s.u[i], dot);
      if (i == s.head) head = y;
    }
    const T total = sum_lanes(dot), top = sum_lanes(head);
    s.finish(c, total, top, lane == 0);
  }
  __syncthreads();
  multiply_again<0>(a, first, last, s, parts);
}

template <int R, class T, class S>
static __device__ __forceinline__ void sweep_columns(const dense_matrix<T> &a, int first, int last, const S &s,
                                                     T *parts)
{
  if constexpr (R > 0)
    sweep<R>(a, first, last, s, parts);
  else
    sweep_twice(a, first, last, s, parts);
}

/* Row i of the sum of the parts. */
template <int R, class T> __device__ __forceinline__ T sum_of_parts(const T *parts, int rows, int i)
{
  T x = parts[i];
  for (int w = 1; w < parts_of_block<R>(); w++) x += parts[w * rows + i];
  return x;
}

/* x^H y of n elements, by each warp for itself. */
template <class T> __device__ __forceinline__ T dot_of(int n, const T *x, const T *y)
{
  T sum = make<T>(0);
#pragma unroll 8
  for (int i = threadIdx.x % 32; i < n; i += 32) sum = qr::conj_mad(x[i], y[i], sum);
  return sum_lanes(sum);
}

} // namespace batched_cuda::condensed

#endif
