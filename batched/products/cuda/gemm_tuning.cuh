/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of a family's tiles a product takes: by the table of the GPU at hand, and where it says nothing by what they
 * are expected to cost.
 */
#ifndef BATCHED_CUDA_GEMM_CHOICE_CUH
#define BATCHED_CUDA_GEMM_CHOICE_CUH

#include "batched/tuning/tuning.h"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* The elements of products that tiles of bm x bn compute for m x n ones, in steps of bk. */
static inline double covered(int m, int n, int k, int bm, int bn, int bk)
{
  return (double)(ceil_div(m, bm) * bm) * (double)(ceil_div(n, bn) * bn * ceil_div(k, bk) * bk);
}

template <class T> int choose(batched_ctx *ctx, const batched_family *family, const product<T> &p)
{
  constexpr bool is_double = std::is_same_v<real_of<T>, double>;
  constexpr batched_type type = is_complex<T> ? is_double ? BATCHED_Z : BATCHED_C : is_double ? BATCHED_D : BATCHED_S;
  const int m = p.c.m, n = p.c.n, k = p.transa ? p.a.m : p.a.n;
  int best = 0;
  for (int c = 1; c < family->nconfigs; c++)
    if (family->cost(c, type, m, n, k) < family->cost(best, type, m, n, k)) best = c;
  return batched_tuned(ctx, family, type, m, n, k, best);
}

} // namespace batched_cuda::products

#endif
