/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tensor of velocity_mass: the exact inverse for a box, direction by direction (fem/mass/tensor_box.h); its
 * products are calls of batched_gemm, between two permutations by the kernel of this file.
 *   grid       a thread per entry, which does all components; blocks of 256; no shared memory
 *   takes      boxes of a density that is a product of functions of one direction each, on one rank; double precision
 *   memory     permutation: 4 + 16 ncomp bytes per entry, 8 ncomp of them at random places
 *   accuracy   that of the row of gemm
 */
#include "batched/cuda/launch.cuh"
#include "fem/mass/cuda/mass.cuh"
#include "fem/mass/tensor_box.h"

namespace fem_cuda
{

using namespace batched_cuda;

constexpr int PERMUTE_THREADS = 256;

/* to[i] = from[order[i]] in each component; BACK: to[order[i]] = from[i]. */
template <bool BACK>
static __global__ void __launch_bounds__(PERMUTE_THREADS)
  permute_entries(const int *__restrict__ order, int64_t n, int ncomp, const double *__restrict__ from,
                  double *__restrict__ to)
{
  const int64_t i = blockIdx.x * (int64_t)PERMUTE_THREADS + threadIdx.x;
  if (i >= n) return;
  const int at = order[i];
  for (int c = 0; c < ncomp; c++)
    if (BACK)
      to[c * n + at] = from[c * n + i];
    else
      to[c * n + i] = from[c * n + at];
}

static int permute(batched_ctx *ctx, const int *order, int ncomp, int64_t n, bool back, const double *from, double *to)
{
  return launch(ctx, back ? permute_entries<true> : permute_entries<false>, ceil_div(n, PERMUTE_THREADS),
                PERMUTE_THREADS, 0, order, n, ncomp, from, to);
}

static int tensor_product(batched_ctx *ctx, fem_mass *m, fem_part, const double *x, double *y)
{
  return tensor_box_product(ctx, m, permute, x, y);
}

static int tensor_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  return tensor_box_solve(ctx, m, permute, b, x);
}

const fem_mass_functions velocity_tensor = {tensor_box_setup,    tensor_product, false, tensor_solve, true,
                                            tensor_box_teardown, nullptr};

} // namespace fem_cuda
