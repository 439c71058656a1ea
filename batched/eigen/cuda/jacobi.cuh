/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Common parts of the Jacobi methods for eigenvalues and singular values: scaling, rotations, completion of orthonormal
 * columns.
 */
#ifndef BATCHED_EIGEN_CUDA_JACOBI_CUH
#define BATCHED_EIGEN_CUDA_JACOBI_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::eigen
{

/* One-sided Jacobi scales matrices to a largest element of about `lift`, so that fourth powers in a rotation stay in
 * range; a column with squared norm below `tiny` counts as zero. */
template <class R> constexpr R jacobi_lift = sizeof(R) == 4 ? R(0x1p15) : R(0x1p125);
template <class R> constexpr R jacobi_tiny = sizeof(R) == 4 ? R(0x1p-32) : R(0x1p-250);

/* Squared cosine below which columns of `rows` rows count as orthogonal. */
template <class R> __device__ __forceinline__ R jacobi_tolerance(int rows)
{
  const R cosine = eps_of<R> * (rows <= 16 ? R(2) : sqrt(R(rows)) / 2);
  return cosine * cosine;
}

/* Squared cosine and sine up to which a rotation is tiny. A rotation by a small angle changes other cosines of its
 * columns by at most that angle times a cosine: after a round of tiny rotations alone, every cosine among k columns
 * is at most 2 k times this, eps / 8. */
template <class R> __device__ __forceinline__ R jacobi_near(int k)
{
  return eps_of<R> / R(16 * k);
}

template <class T> __device__ __forceinline__ real_of<T> magnitude(T x)
{
  return fmax(fabs(real(x)), fabs(imag(x)));
}
template <class T> __device__ __forceinline__ bool is_finite(T x)
{
  return real(x) - real(x) == 0 && imag(x) - imag(x) == 0;
}
template <class T> __device__ __forceinline__ T not_a_number()
{
  return make<T>(real_of<T>(NAN), real_of<T>(NAN));
}

/* Powers of two that scale the largest element of a matrix to about 1 (times a power of two, `lift`); in two steps,
 * for denormal numbers. Exact. */
template <class R> struct power_scale {
  R first, second;

  __device__ __forceinline__ power_scale(R largest, R lift)
  {
    constexpr R far = sizeof(R) == 4 ? R(0x1p60) : R(0x1p500);
    first = largest < 1 / far ? far : largest > far ? 1 / far : R(1);
    second = (largest > 0 ? inverse_power(largest * first) : R(1)) * lift;
  }
  template <class T> __device__ __forceinline__ T up(T x) const
  {
    return x * first * second;
  }
  /* 1 / second is a power of two, and exact */
  __device__ __forceinline__ R down(R x) const
  {
    return x * (1 / second) * (1 / first);
  }

private:
  /* 2^-e for x = 2^e f, 1 <= f < 2. */
  static __device__ __forceinline__ float inverse_power(float x)
  {
    return __int_as_float((254 - ((__float_as_int(x) >> 23) & 255)) << 23);
  }
  static __device__ __forceinline__ double inverse_power(double x)
  {
    return __hiloint2double((2046 - ((__double2hiint(x) >> 20) & 2047)) << 20, 0);
  }
};

/* x' = c x - s y, y' = conj(s) x + c y */
template <class T> struct rotation {
  real_of<T> c;
  T s;
  real_of<T> shift; /* subtracted from xx and added to yy */
};

/* Rotation that diagonalises [xx, xy; conj(xy), yy], xy2 = |xy|^2 > 0, by the smaller of two angles: d = yy - xx,
 * h^2 = d^2 + 4 |xy|^2, c^2 = (1 + |d| / h) / 2, s = +-conj(xy) / (h c); then c^2 + |s|^2 = 1 is restored to working
 * accuracy. */
template <class T>
__device__ __forceinline__ rotation<T> jacobi_rotation(real_of<T> xx, real_of<T> yy, T xy, real_of<T> xy2)
{
  using R = real_of<T>;
  const R d = yy - xx, h = inverse_root(fma(d, d, 4 * xy2)), c2 = fma(R(0.5) * fabs(d), h, R(0.5));
  const R rc = inverse_root(c2), q = d < 0 ? -h * rc : h * rc;
  rotation<T> r = {c2 * rc, conj(xy) * q, xy2 * q * rc};
  const R e = R(0.5) * (fma(-r.c, r.c, R(1)) - square(r.s));
  r.c = fma(r.c, e, r.c);
  r.s = r.s + r.s * e;
  return r;
}

/* Completes columns from .. k - 1 of u (element (i, j) at u[i * row + j * col]) to an orthonormal set. Each starts
 * from the unit vector that the columns so far represent least. By `width` lanes: 1 or a warp. */
template <class T>
__device__ void complete_columns(int rows, int k, int from, T *u, int64_t row, int64_t col, int lane, int width)
{
  using R = real_of<T>;
  for (int j = from; j < k; j++) {
    R least = 2;
    int best = 0;
    for (int i = lane; i < rows; i += width) {
      R held = 0;
      for (int c = 0; c < j; c++) held += square(u[i * row + c * col]);
      if (held < least) least = held, best = i;
    }
    for (int half = width / 2; half > 0; half /= 2) {
      const R other = shuffle_xor(least, half);
      const int at = shuffle_xor(best, half);
      if (other < least || (other == least && at < best)) least = other, best = at;
    }
    for (int i = lane; i < rows; i += width) u[i * row + j * col] = make<T>(i == best);
    for (int twice = 0; twice < 2; twice++) {
      for (int c = 0; c < j; c++) {
        T dot = make<T>(0);
        for (int i = lane; i < rows; i += width) dot = mad(conj(u[i * row + c * col]), u[i * row + j * col], dot);
        dot = sum_lanes(dot, width);
        for (int i = lane; i < rows; i += width) u[i * row + j * col] -= dot * u[i * row + c * col];
      }
      R norm2 = 0;
      for (int i = lane; i < rows; i += width) norm2 += square(u[i * row + j * col]);
      const R inverse = inverse_root(sum_lanes(norm2, width));
      for (int i = lane; i < rows; i += width) u[i * row + j * col] = u[i * row + j * col] * inverse;
    }
  }
}

} // namespace batched_cuda::eigen

#endif
