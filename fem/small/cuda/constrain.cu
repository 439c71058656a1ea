/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.entries of constrain: sets the entries of nodes that do not move to zero.
 *   grid       a thread per entry, blocks of 256; no shared memory
 *   takes      1 to 3 components, all in one launch
 *   memory     reads 4 bytes per entry, writes 8 at its place; nothing else of u
 *   accuracy   exact
 */
#include "fem/fem.h"
#include "fem/tables.h"
#include "batched/cuda/launch.cuh"

namespace fem_cuda
{

using namespace batched_cuda;

/* The lists of the components stand one after another; component c's end before start[c]. */
struct ends {
  int of[3];
};

static __global__ void constrain(ends end, int64_t ndofs, const int *__restrict__ list, double *u)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= end.of[2]) return;
  const int component = (i >= end.of[0]) + (i >= end.of[1]);
  u[component * ndofs + list[i]] = 0.0;
}

static int run_entries(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const fem_constrain_args *>(p);
  const fem_space *s = a->space;
  ends end;
  for (int c = 0; c < 3; c++) end.of[c] = s->constrained_start[c < s->dim ? c + 1 : s->dim];
  return launch(ctx, constrain, ceil_div(end.of[2], 256), 256, 0, end, s->ndofs, s->device->constrained, a->u);
}

static bool is_placed(const void *p)
{
  return static_cast<const fem_constrain_args *>(p)->space->device != nullptr;
}

} // namespace fem_cuda

extern "C" const batched_variant fem_cuda_constrain[] = {
  {"cuda.entries", fem_cuda::is_placed, nullptr, fem_cuda::run_entries},
  BATCHED_LAST_ROW,
};
