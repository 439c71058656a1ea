/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the corner forces by dense tables share (cuda.base, cuda.batched, cuda.dense): their arrays, and the ways
 * between L-vectors and zones.
 */
#ifndef FEM_CUDA_FORCE_DENSE_CUH
#define FEM_CUDA_FORCE_DENSE_CUH

#include "batched/cuda/launch.cuh"
#include "fem/force/cuda/force.cuh"
#include "fem/space/dense.h"

namespace fem_cuda
{

using batched_cuda::ceil_div;
using batched_cuda::launch;

/* The arrays of a store, in the memory of the context. */
struct arrays {
  void *all[24];
  int n;
  bool out_of_memory;
};

template <class T> void take(batched_ctx *ctx, arrays *a, int64_t count, T **p)
{
  *p = static_cast<T *>(batched_allocate(ctx, sizeof(T) * (size_t)(count > 0 ? count : 1)));
  a->all[a->n++] = *p;
  a->out_of_memory = a->out_of_memory || !*p;
}

static inline void release(batched_ctx *ctx, arrays *a)
{
  while (a->n > 0) batched_release(ctx, a->all[--a->n]);
}

/* D and B of the reference zone (fem/space/dense.h), copied to d and b. */
int copy_tables(batched_ctx *ctx, const fem_space *s, double *d, double *b);

/* The number of zones, of `doubles` doubles each, that fit into `bytes` bytes; at least one, at most all. */
static inline int zones_in(const fem_space *s, int64_t bytes, int64_t doubles)
{
  const int64_t fitting = bytes / ((int64_t)sizeof(double) * doubles);
  return (int)(fitting < 1 ? 1 : fitting < s->nzones ? fitting : s->nzones > 0 ? s->nzones : 1);
}

/* The E-vector of zones [first, first + n) of the L-vector u [dim][ndofs]: out [n][dim][nd]. */
int gather_zones(batched_ctx *ctx, const fem_space *s, int first, int n, const double *u, double *out);

/* u [dim][ndofs] += the sum over zones [first, last) of an E-vector, in the order of the zones; zones
 * [nzones][dim][nd]. */
int add_zones(batched_ctx *ctx, const fem_space *s, int first, int last, const double *zones, double *u);

/* *time_step = the least of it and the steps of this block's threads, which all come here.  Steps are not negative, so
 * that they are in order as integers, and a minimum is the same whatever its order. */
static __device__ __forceinline__ void lower(double *time_step, double step)
{
  __shared__ double least[32];
  const int lane = (int)threadIdx.x % 32, warps = (int)blockDim.x / 32;
  for (int lanes = 16; lanes > 0; lanes /= 2) step = fmin(step, __shfl_xor_sync(0xffffffffu, step, lanes));
  if (lane == 0) least[threadIdx.x / 32] = step;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < warps; w++) step = fmin(step, least[w]);
  atomicMin(reinterpret_cast<unsigned long long *>(time_step), (unsigned long long)__double_as_longlong(step));
}

} // namespace fem_cuda

#endif
