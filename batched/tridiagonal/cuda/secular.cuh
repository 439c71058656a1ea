/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Roots of the secular equation 1 / rho + sum z_i^2 / (p_i - x) = 0 with poles p ascending and rho > 0, each by some
 * neighbouring lanes that share the poles: root j lies above p_j and below p_{j+1}.  Li, "Solving secular equations
 * stably and efficiently", LAPACK Working Note 89 (1993): the middle way, from the nearer pole as origin, so that all
 * p_i - x have full relative accuracy.  A step of length s leaves an error of at most s^2 / distance, the distance to
 * the nearer of the two poles beside the root, so that a short one is the last.  Takes 3 to 10 evaluations.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_SECULAR_CUH
#define BATCHED_TRIDIAGONAL_CUDA_SECULAR_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/tridiagonal/cuda/rotation.cuh"

namespace batched_cuda::tridiagonal
{

/* The function at pole `origin` + x: its value, the derivatives of the sums over the poles up to j and beyond, and a
 * bound of the error. */
template <class R> struct secular_value {
  R f, slope_below, slope_above, error;
};

/* It is pole `origin` + x. */
template <class R> struct secular_root {
  int origin;
  R x;
};

/* The poles are d, or, where `squares`, the squares of d, which is not negative.  Lane `part` of `parts`, a power of
 * two, has every parts-th pole; all lanes of a warp call. */
template <class R, bool squares> struct secular_equation {
  int k;
  const R *d, *z;
  R rho;
  int part, parts;

  /* Of the poles of two numbers of d. */
  static __device__ __forceinline__ R difference(R x, R y)
  {
    return squares ? (x - y) * (x + y) : x - y;
  }
  /* Pole i - pole o. */
  __device__ __forceinline__ R gap(int i, int o) const
  {
    return difference(d[i], d[o]);
  }

  __device__ R sum_over_parts(R x) const
  {
    for (int half = parts / 2; half > 0; half /= 2) x += shuffle_xor(x, half);
    return x;
  }

  __device__ secular_value<R> at(int j, int origin, R x) const
  {
    R below = 0, above = 0, slope_below = 0, slope_above = 0, sums = 0;
    for (int i = part; i <= j; i += parts) {
      const R t = z[i] * inverse_of(gap(i, origin) - x);
      below += z[i] * t;
      slope_below += t * t;
      sums += fabs(below);
    }
    for (int i = k - 1 - part; i > j; i -= parts) {
      const R t = z[i] * inverse_of(gap(i, origin) - x);
      above += z[i] * t;
      slope_above += t * t;
      sums += fabs(above);
    }
    below = sum_over_parts(below);
    above = sum_over_parts(above);
    slope_below = sum_over_parts(slope_below);
    slope_above = sum_over_parts(slope_above);
    sums = sum_over_parts(sums);
    const R size = fabs(below) + fabs(above), error = 8 * size + sums + 1 / rho + fabs(x) * (slope_below + slope_above);
    return {1 / rho + below + above, slope_below, slope_above, error};
  }

  /* The root of c y^2 - a y + b between the poles p < 0 < q (or right of both: `last`), without cancellation. */
  static __device__ R quadratic_root(R a, R b, R c, bool last)
  {
    const R square = a * a - 4 * b * c, root = sqrt(square > 0 ? square : R(0));
    if (last) return a >= 0 ? (a + root) / (2 * c) : 2 * b / (a - root);
    return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
  }

  /* From the two nearest poles alone, what the others give at the middle of the gap taken as constant. */
  __device__ R guess(int j, bool from_below, R middle, R width) const
  {
    const R zz = z[j] * z[j], yy = z[j + 1] * z[j + 1], c = middle - zz / (-width / 2) - yy / (width / 2);
    if (from_below) return quadratic_root(c * width + zz + yy, zz * width, c, false);
    const R a = c * width - zz - yy, b = yy * width, square = a * a + 4 * b * c,
            root = sqrt(square > 0 ? square : R(0));
    return a < 0 ? 2 * b / (a - root) : -(a + root) / (2 * c);
  }

  /* The same above the last pole, of a root below hi. */
  __device__ R guess_last(R value, R hi) const
  {
    const R width = gap(k - 1, k - 2), zz = z[k - 2] * z[k - 2], yy = z[k - 1] * z[k - 1];
    const R c = value + zz / (width + hi / 2) + yy / (hi / 2), a = zz + yy - c * width, b = yy * width;
    const R root = sqrt(a * a + 4 * b * c);
    return a < 0 ? 2 * b / (root - a) : (a + root) / (2 * c);
  }

  /* rho |z|^2, by which the last root is above its pole at most; 0 in a warp that has not got it. */
  __device__ R reach(bool last) const
  {
    R sum = 0;
    if (!__any_sync(all_lanes, last)) return sum;
    for (int i = part; i < k; i += parts) sum += z[i] * z[i];
    return rho * sum_over_parts(sum);
  }

  /* `wanted` is the same for the lanes of a root, j < k for all. */
  __device__ secular_root<R> root(int j, bool wanted) const
  {
    constexpr R last_step = sizeof(R) == 4 ? R(0x1p-13) : R(0x1p-28); /* in distances */
    const bool last = j == k - 1;
    int origin = j;
    R lo = 0, hi, x;
    if (k == 1) return {origin, rho * z[0] * z[0]};
    hi = reach(last);
    const R width = last ? hi : gap(j + 1, j);
    const R middle = at(last ? j - 1 : j, origin, width / 2).f;
    if (last) {
      x = guess_last(middle, hi);
      (middle < 0 ? lo : hi) = width / 2;
    } else {
      if (middle < 0) origin = j + 1;
      lo = middle < 0 ? -width / 2 : R(0);
      hi = middle < 0 ? R(0) : width / 2;
      x = guess(j, middle >= 0, middle, width);
    }
    const int p = last ? j - 1 : j, q = last ? j : j + 1;
    const R below = gap(p, origin), above = gap(q, origin);
    R before = 0;
    bool done = !wanted;
    for (int turn = 0; turn < 100; turn++) {
      if (!done && !(x > lo && x < hi)) x = (lo + hi) / 2;
      done = done || !(x > lo && x < hi);
      if (__all_sync(all_lanes, done)) break;
      const secular_value<R> v = at(p, origin, x);
      done = done || !(fabs(v.f) > eps_of<R> / 2 * v.error);
      if (done) continue;
      (v.f < 0 ? lo : hi) = x;
      const R left = below - x, right = above - x, c = v.f - left * v.slope_below - right * v.slope_above;
      const R a = (left + right) * v.f - left * right * (v.slope_below + v.slope_above);
      const bool slow = turn > 0 && fabs(v.f) > before / 2;
      before = fabs(v.f);
      const R next = slow ? (lo + hi) / 2 : x + quadratic_root(a, left * right * v.f, c, last);
      done = !slow && next > lo && next < hi && fabs(next - x) <= last_step * fmin(fabs(left), fabs(right));
      x = next;
    }
    return {origin, x};
  }
};

} // namespace batched_cuda::tridiagonal

#endif
