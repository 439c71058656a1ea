/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of a symmetric tridiagonal matrix, one per thread: Sturm counts, and determinants of leading blocks by
 * the recurrence of stebz.cu; for cuda.bisection of stebz and cuda.twisted of stedc.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_STURM_CUH
#define BATCHED_TRIDIAGONAL_CUDA_STURM_CUH

#include "batched/tridiagonal/cuda/isolate.cuh"

namespace batched_cuda::tridiagonal
{

/* For determinants a square of e is at least this, so that not both of two neighbours vanish; |d|, |e| <= 1. */
constexpr double LEAST_SQUARE = 0x1p-120, LEAST_PIVOT = 0x1p-1000;

/* The scaled matrix, (d_i, e_i-1^2) in row i; an interval with all its eigenvalues, and the modulus of an error. */
struct sturm {
  int n;
  const double2 *rows;
  double lo, hi, eps, error;

  /* How many eigenvalues are not larger than x. */
  __device__ int count_until(double x) const
  {
    double q = rows[0].x - x;
    if (fabs(q) <= LEAST_PIVOT) q = -LEAST_PIVOT;
    int count = q < 0;
    for (int i = 1; i < n; i++) {
      q = rows[i].x - x - rows[i].y / q;
      if (fabs(q) <= LEAST_PIVOT) q = -LEAST_PIVOT;
      count += q < 0;
    }
    return count;
  }

  __device__ __forceinline__ void step(int i, double x, double &p, double &q, int &below) const
  {
    const double2 row = rows[i];
    const double next = fma(row.x - x, q, -(row.y * p));
    below += differ(next, q);
    p = q;
    q = next;
  }

  __device__ evaluated at(double x) const
  {
    double p = 1, q = rows[0].x - x;
    int below = differ(p, q), exponent = 0, i = 1;
    for (; i + 3 < n; i += 4) {
#pragma unroll
      for (int l = 0; l < 4; l++) step(i + l, x, p, q, below);
      rescale(p, q, exponent);
    }
    for (; i < n; i++) step(i, x, p, q, below);
    return {q, exponent, below};
  }

  /* Point number i of m that are spread over the interval. */
  __device__ double point(int i, int m) const
  {
    return lo + (hi - lo) * ((i + 1) / (double)(m + 1));
  }

  /* Eigenvalue number k: the middle of an interval that rounding lets shrink no more. */
  __device__ double bisect(int k, const evaluated *points, int m) const
  {
    const int above = first_above(points, m, k);
    bracket<double> x = {lo, hi, {NAN, 0, 0}, {NAN, 0, n}};
    if (above > 0) x.a = point(above - 1, m), x.fa = points[above - 1];
    if (above < m) x.b = point(above, m), x.fb = points[above];
    narrow(
      x, k, [&](double y) { return at(y); }, [](double a, double b) { return (a + b) / 2; },
      [&](double a, double b) { return fmax(eps * fmax(fabs(a), fabs(b)), error); });
    return (x.a + x.b) / 2;
  }
};

/* The matrix with d_i and e_i-1 in row i, all of them of modulus 1 at most; squares the latter.  lo and hi are by
 * Gershgorin's circles, with something to spare, or 0 for a zero matrix.  `parts`: an accumulator a warp. */
static __device__ __forceinline__ sturm enclose(int n, double2 *rows, bool is_zero, double eps,
                                                maximum_of<double> *parts)
{
  __syncthreads();
  maximum_of<double> above, below; /* of d + r + 4 and of 4 - d + r, which are positive */
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const double r = fabs(rows[i].y) + (i < n - 1 ? fabs(rows[i + 1].y) : 0.0);
    above.add(rows[i].x + r + 4);
    below.add(r - rows[i].x + 4);
  }
  sturm x = {n, rows, 0, 0, eps, 0};
  x.hi = merge_block(above, parts).result() - 4;
  __syncthreads();
  x.lo = 4 - merge_block(below, parts).result();
  __syncthreads();
  const double spare = 2 * eps_of<double> * (n * fmax(fabs(x.lo), fabs(x.hi)) + 8);
  x.lo = is_zero ? 0 : x.lo - spare;
  x.hi = is_zero ? 0 : x.hi + spare;
  x.error = (x.hi - x.lo) * eps / 8;
  for (int i = threadIdx.x; i < n; i += blockDim.x) rows[i].y *= rows[i].y;
  __syncthreads();
  return x;
}

/* For determinants squares of e are at least LEAST_SQUARE. */
static __device__ __forceinline__ void raise_squares(int n, double2 *rows)
{
  for (int i = threadIdx.x; i < n; i += blockDim.x) rows[i].y = fmax(rows[i].y, LEAST_SQUARE);
  __syncthreads();
}

} // namespace batched_cuda::tridiagonal

#endif
