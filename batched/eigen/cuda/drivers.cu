/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.composed of the drivers that call other operations: <op>_composed.c, with steps.cu between.
 */
#include "batched/cuda/launch.cuh"
#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{
namespace
{

/* Row cuda.composed of hegst, hegv, heevx, gesvdx, gelsd and gelsy. */
template <class A, int (*run)(batched_ctx *, const void *)> int composed(batched_ctx *ctx, const A &args)
{
  return run(ctx, &args);
}

} // namespace
} // namespace batched_cuda::eigen

using namespace batched_cuda;
using namespace batched_cuda::eigen;

#define COMPOSED(op) \
  const batched_variant batched_##op##_cuda[] = { \
    row<nullptr, nullptr, composed<batched_##op##_args, batched_##op##_composed>>("cuda.composed"), \
    BATCHED_LAST_ROW, \
  };

COMPOSED(hegst)
COMPOSED(hegv)
COMPOSED(heevx)
COMPOSED(gesvdx)
COMPOSED(gelsd)
COMPOSED(gelsy)
