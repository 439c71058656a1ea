/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expansions of a few zones at a time by a block of threads, for operations that bytes decide or that are rare; factor
 * by factor, which are the directions of a tensor zone, or the one dense table of a simplex.
 * Fields of the zones stand one after another, [zones][nodes], in memory that the whole block sees: shared, or, where
 * that is too small, global.  Sizes are run-time numbers; where the caller passes constants, the compiler folds them
 * in.
 */
#ifndef FEM_CUDA_ZONES_CUH
#define FEM_CUDA_ZONES_CUH

#include "fem/fem.h"
#include "batched/cuda/launch.cuh"

namespace fem_cuda
{

using batched_cuda::ceil_div;
using batched_cuda::launch;

static constexpr int ZONE_THREADS = 256;

static __host__ __device__ constexpr int power(int base, int exponent)
{
  int n = 1;
  for (int i = 0; i < exponent; i++) n *= base;
  return n;
}

/* One direction: out [outer][to][inner] = sum_i table[o * row + i * column] in[outer][from][inner], o a place among
 * `to`, i among `from`. */
static __device__ __forceinline__ void contract_with(const double *__restrict__ table, int row, int column, int outer,
                                                     int inner, int from, int to, const double *__restrict__ in,
                                                     double *__restrict__ out)
{
#pragma unroll 2
  for (int at = threadIdx.x; at < outer * to * inner; at += ZONE_THREADS) {
    const int b = at % inner, o = at / inner % to, a = at / (inner * to);
    double sum = 0.0;
#pragma unroll 4
    for (int i = 0; i < from; i++) sum = fma(table[o * row + i * column], in[(a * from + i) * inner + b], sum);
    out[at] = sum;
  }
}

/* To be followed by a barrier: out [outer][q1][inner] = sum_i table[q][i] in[outer][n][inner], table [q1][n]. */
static __device__ __forceinline__ void contract(int outer, int inner, int n, int q1, const double *table,
                                                const double *in, double *out)
{
  contract_with(table, n, 1, outer, inner, n, q1, in, out);
}

/* The transpose: out [outer][n][inner] = sum_q table[q][i] in[outer][q1][inner]. */
static __device__ __forceinline__ void contract_back(int outer, int inner, int n, int q1, const double *table,
                                                     const double *in, double *out)
{
  contract_with(table, 1, n, outer, inner, q1, n, in, out);
}

/* Values at the points, [zones][q1^factors], of coefficients in [zones][n^factors]; in one of the two spare fields,
 * which is returned.  `in` may be spare[1].  Factor `special` (-1: none) takes its functions from `other`. */
static __device__ __forceinline__ double *expand(int factors, int zones, int n, int q1, const double *table,
                                                 int special, const double *other, const double *in,
                                                 double *const (&spare)[2])
{
#pragma unroll
  for (int d = 0; d < 3; d++)
    if (d < factors) {
      contract(zones * power(n, factors - 1 - d), power(q1, d), n, q1, d == special ? other : table, in, spare[d % 2]);
      __syncthreads();
      in = spare[d % 2];
    }
  return factors == 2 ? spare[1] : spare[0];
}

/* Integrals against the functions, [zones][n^factors], of in [zones][q1^factors], as expand in reverse; `in` may be
 * spare[1]. */
static __device__ __forceinline__ double *integrate(int factors, int zones, int n, int q1, const double *table,
                                                    const double *in, double *const (&spare)[2])
{
#pragma unroll
  for (int d = 0; d < 3; d++)
    if (d < factors) {
      contract_back(zones * power(q1, factors - 1 - d), power(n, d), n, q1, table, in, spare[d % 2]);
      __syncthreads();
      in = spare[d % 2];
    }
  return factors == 2 ? spare[1] : spare[0];
}

/* Launch plan: zones per block at a time, blocks, and where the fields are. */
struct zone_plan {
  int zones;     // at a time
  int field;     // doubles of a field: zones x the most nodes, points or coefficients of a zone
  int blocks;    // in the grid; they go over the groups of zones with the grid as stride
  size_t shared; // bytes; 0: the fields are in global memory
};

/* For `fields` fields a block. */
static inline zone_plan plan_zones(const fem_space *s, int fields)
{
  const int n1 = s->d1 > s->t1 ? s->d1 : s->t1, most = power(n1 > s->q1 ? n1 : s->q1, s->factors);
  zone_plan p;
  p.zones = most >= 2 * ZONE_THREADS ? 1 : 2 * ZONE_THREADS / most;
  p.field = p.zones * most;
  const size_t bytes = sizeof(double) * (size_t)fields * (size_t)p.field;
  p.shared = bytes <= 96 * 1024 ? bytes : 0;
  const int64_t groups = ceil_div(s->nzones, p.zones),
                most_blocks = batched_cuda::multiprocessors() * (p.shared ? 8 : 1);
  p.blocks = (int)(groups < most_blocks ? groups : most_blocks);
  return p;
}

/* The fields in global memory, if they are there: to be popped in any case.  Not NULL unless memory is out. */
static inline double *push_fields(batched_ctx *ctx, const zone_plan &p, int fields)
{
  const size_t doubles = p.shared ? 1 : (size_t)fields * (size_t)p.field * (size_t)p.blocks;
  return static_cast<double *>(batched_scratch_push(ctx, sizeof(double) * doubles));
}

/* Field i of this block. */
static __device__ __forceinline__ double *field_of(const zone_plan &p, double *global, int fields, int i)
{
  double *base = p.shared ? batched_cuda::shared_array<double>() : global + (int64_t)blockIdx.x * fields * p.field;
  return base + i * p.field;
}

} // namespace fem_cuda

#endif
