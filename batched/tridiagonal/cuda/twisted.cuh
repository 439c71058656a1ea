/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.twisted of stedc and bdsdc: vectors of values that are apart from each other by twisted factorisations
 * (Fernando, Parlett, "Accurate singular values and differential qd algorithms", Numer. Math. 67, 1994; Dhillon,
 * Parlett, "Orthogonal eigenvectors and relative gaps", SIAM J. Matrix Anal. Appl. 25, 2004), a thread per value, which
 * a step of Newton's iteration then makes orthogonal, Z (3 I - Z^T Z) / 2, by tensor cores:
 *
 *   values    by bisection and the zero of the determinant (isolate.cuh)
 *   vectors   from L D L^T and U D U^T, both of the shifted matrix, joined where |gamma| is least: |gamma| / |z| is
 *             the residual.  For B, stationary and progressive qd transformations of B^T B, which give B v, too
 *   Z^T Z     differs from I by residuals over gaps, of which the step leaves the square; it changes residuals by what
 *             these were
 *
 * A matrix with a Z^T Z that is far from I, as with clusters of values, or with a large residual, goes through divide
 * and conquer (cuda.dc), whose launches find the others done.  All in double precision.
 *
 * grid      a block per matrix
 * block     a thread per value: 64 or 128
 * shared    Z, and U for B: 20 or 41 KB at order 48, 36 or 72 KB at 64, 135 KB at 128 (B to order 96)
 * takes     s and d, vectors of all four types, order 1 to 128 (bdsdc 96), uniform and variable
 * accuracy  residual and orthogonality < 30 n eps
 * Kernels: stedc_twisted.cuh, bdsdc_twisted.cuh.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_TWISTED_CUH
#define BATCHED_TRIDIAGONAL_CUDA_TWISTED_CUH

#include "batched/cuda/mma.cuh"
#include "batched/tridiagonal/cuda/dc.cuh"

namespace batched_cuda::tridiagonal
{

/* |Z^T Z - I| below which the square of it is forgotten, and residuals in units of n eps. */
constexpr double most_overlap = 0x1p-28, most_residual = 2.5;

/* Rows of vectors in shared memory, in whole tiles of 8; element (i, j) is z[i * ld + j]. */
struct twisted_shape {
  int n, blocks, ld;

  DEVICE explicit twisted_shape(int order) : n(order), blocks((order + 7) / 8), ld(8 * blocks + 4)
  {
  }
  DEVICE int elements() const
  {
    return 8 * blocks * ld;
  }
};

/* Zeros in rows and columns that fill the last tiles. */
static __device__ __forceinline__ void pad(const twisted_shape &s, double *z)
{
  const int t = threadIdx.x, all = 8 * s.blocks;
  if (t >= all) return;
  for (int i = t < s.n ? s.n : 0; i < all; i++) z[i * s.ld + t] = 0;
}

/* store(i, j, x) for the elements of Z (3 I - Z^T Z) / 2, by a block of whole warps; true if Z is near enough to
 * orthogonal.  BLOCKS: of 8 columns, at most. */
template <int BLOCKS, class F> __device__ bool orthonormalise(const twisted_shape &s, const double *z, F store)
{
  const int lane = threadIdx.x % 32, row = lane / 4, pair = lane % 4 * 2;
  bool good = true;
  for (int j = (int)threadIdx.x / 32; j < s.blocks; j += blockDim.x / 32) {
    double g[BLOCKS][2]; /* rows 8 j ... of Z^T Z, and of what multiplies Z */
#pragma unroll
    for (int k = 0; k < BLOCKS; k++) g[k][0] = g[k][1] = 0;
    for (int i = lane % 4; i < 8 * s.blocks; i += 4) {
      const double *const zi = z + i * s.ld + row;
      const double own = zi[8 * j];
#pragma unroll
      for (int k = 0; k < BLOCKS; k++)
        if (k < s.blocks) multiply_8x8x4(g[k], own, zi[8 * k]);
    }
#pragma unroll
    for (int k = 0; k < BLOCKS; k++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const double one = 8 * k + pair + h == 8 * j + row && 8 * j + row < s.n;
        const double over = g[k][h] - one;
        good = good && fabs(over) <= most_overlap;
        g[k][h] = fma(-0.5, over, one);
      }
#pragma unroll 2
    for (int i = 0; i < s.blocks; i++) {
      const double *const zi = z + (8 * i + row) * s.ld + pair;
      double y[2] = {0, 0};
#pragma unroll
      for (int k = 0; k < BLOCKS; k++)
        if (k < s.blocks) {
          const double2 x = *reinterpret_cast<const double2 *>(zi + 8 * k);
          multiply_8x8x4(y, x.x, g[k][0]);
          multiply_8x8x4(y, x.y, g[k][1]);
        }
#pragma unroll
      for (int h = 0; h < 2; h++)
        if (8 * i + row < s.n && 8 * j + pair + h < s.n) store(8 * i + row, 8 * j + pair + h, y[h]);
    }
  }
  return good;
}

/* 0 for all of x. */
template <class R> __device__ void clear_matrix(const conquest<R> &c, R *x)
{
  for (int i = threadIdx.x; i < c.n * c.n; i += blockDim.x) x[i] = 0;
}

} // namespace batched_cuda::tridiagonal

#endif
