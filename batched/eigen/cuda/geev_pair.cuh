/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A 2 x 2 block of geev: how far its nearer eigenvalue is from its last element.
 */
#ifndef BATCHED_EIGEN_CUDA_GEEV_PAIR_CUH
#define BATCHED_EIGEN_CUDA_GEEV_PAIR_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::eigen
{

/* Of [a b; c d], the distance t of the eigenvalue d - t that is nearer to d, divided by `most`; c is not negligible. */
template <class C>
__device__ __forceinline__ C distance_in_pair(const C &a, const C &b, const C &c, const C &d, real_of<C> &most)
{
  using R = real_of<C>;
  const C far_half = (a - d) * R(0.5);
  most = fmax(abs1(far_half), fmax(abs1(b), abs1(c)));
  const R inverse = 1 / most;
  const C half = far_half * inverse, product = (b * inverse) * (c * inverse), square2 = half * half + product;
  const R size = sqrt(sqrt(square(square2)));
  C root = {0, 0};
  if (size > 0) { /* of the principal branch */
    const R re = sqrt((fabs(square2.re) + size * size) / 2), im = square2.im / (2 * re);
    root = square2.re >= 0 ? C{re, im} : C{fabs(im), copysign(re, square2.im)};
  }
  if (half.re * root.re + half.im * root.im < 0) root = -root;
  const C far = half + root;
  return abs1(far) > 0 ? divide(product, far) : C{0, 0};
}

} // namespace batched_cuda::eigen

#endif
