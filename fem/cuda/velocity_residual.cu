/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The residual pass of solvers/cuda/pcg_split.cuh for cuda.sumfact: the sums of slots are made where they are needed, and w itself is
 * never complete in memory.
 */
#include "velocity_sumfact.cuh"

namespace fem_cuda
{

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 528; /* four on each of an H100's multiprocessors */

struct residual_arguments {
  const int *start, *slot; /* the slots of each dof */
  const unsigned char *essential;
  const double *slots; /* [dim][nslots] */
  int64_t nslots;
};

/* From the last dof to the first: what the product wrote last is still in the cache, and so the next product finds the first. */
template <int DIM>
static __global__ void __launch_bounds__(THREADS, 4) residual(residual_arguments a, solvers_cuda::split_vectors v)
{
  __shared__ double shared[32 * DIM];
  const double *__restrict__ w = v.w, *__restrict__ inverse_diagonal = v.inverse_diagonal;
  double *__restrict__ r = v.r;
  double alpha[DIM], sums[DIM] = {};
#pragma unroll
  for (int c = 0; c < DIM; c++) alpha[c] = v.state->alpha[c];
  for (int64_t left = blockIdx.x * (int64_t)THREADS + threadIdx.x; left < v.n; left += (int64_t)THREADS * gridDim.x) {
    const int64_t i = v.n - 1 - left;
    const int first = a.start[i], last = a.start[i + 1], essential = a.essential[i];
    const double d = inverse_diagonal[i];
    double next[DIM], sum[DIM];
#pragma unroll
    for (int c = 0; c < DIM; c++) next[c] = r[c * v.n + i], sum[c] = first == last ? w[c * v.n + i] : 0.0;
    for (int j = first; j < last; j++) {
      const int slot = a.slot[j];
#pragma unroll
      for (int c = 0; c < DIM; c++) sum[c] += a.slots[c * a.nslots + slot];
    }
#pragma unroll
    for (int c = 0; c < DIM; c++) {
      if (!(essential >> c & 1)) next[c] -= alpha[c] * sum[c];
      sums[c] += next[c] * d * next[c];
      r[c * v.n + i] = next[c];
    }
  }
  const double sum = solvers_cuda::sum_block(sums, shared);
  __syncthreads();
  solvers_cuda::finish_residual<DIM>(v, sum, shared);
}

int residual_blocks(const fem_space *s)
{
  const int64_t most = ceil_div(s->ndofs, THREADS);
  return most < 1 ? 1 : most < MOST_BLOCKS ? (int)most : MOST_BLOCKS;
}

int launch_residual(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store,
                    const solvers_cuda::split_vectors &v)
{
  const fem_space *s = m->space;
  const residual_arguments a = {store->slot_start, store->slot_of_dof, store->step_essential, store->slots,
                                store->nslots};
  return launch(ctx,
                s->dim == 1   ? residual<1>
                : s->dim == 2 ? residual<2>
                              : residual<3>,
                residual_blocks(s), THREADS, 0, a, v);
}

} // namespace fem_cuda
