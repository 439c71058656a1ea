/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.spectral of energy_mass for few unknowns: all of it, eigenvectors included, in one cluster of blocks, whose
 * dot products are messages between multiprocessors, and of several ranks go to the other GPUs behind that; contract:
 * energy_spectral.cu.
 */
#ifndef FEM_CUDA_ENERGY_CLUSTER_CUH
#define FEM_CUDA_ENERGY_CLUSTER_CUH

#include "batched/cuda/cluster.cuh"
#include "batched/cuda/reduce.cuh"
#include "fem/mass/cuda/energy_spectral.cuh"

namespace fem_cuda
{

enum { CLUSTER = 8, CLUSTER_THREADS = CLUSTER * THREADS, CLUSTER_MOST = 8 }; // MOST: unknowns per thread

/* The eigenvectors of the zones. */
struct zone_bases {
  int nt;
  const double *basis; // [nzones][nt][nt]: eigenvectors are columns, which are contiguous
};

/* The sums of all blocks, and ranks, by the first warp of each; every lane has them.  of_warps: of this block. */
static __device__ __forceinline__ void add_up_cluster(const double (&of_warps)[THREADS / 32][NDOTS],
                                                      const companions &others, int before,
                                                      cluster_post<NDOTS / 2> &post, double (&block_sums)[NDOTS],
                                                      double (&sums)[NDOTS])
{
  static_assert(NDOTS == 4 && CLUSTER * NDOTS == 32, "a lane a number");
  const int lane = (int)threadIdx.x % 32;
  double sum = 0.0;
  for (int w = lane / NDOTS; w < THREADS / 32; w += 32 / NDOTS) sum += of_warps[w][lane % NDOTS];
  for (int other = NDOTS; other < 32; other *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
  if (lane < NDOTS) block_sums[lane] = sum;
  __syncwarp();
  const message_part(*box)[NDOTS / 2] = post.exchange([&](int i) {
    return message_part{(unsigned long long)__double_as_longlong(block_sums[2 * i]),
                        (unsigned long long)__double_as_longlong(block_sums[2 * i + 1])};
  });
  const message_part part = box[lane / NDOTS][lane % NDOTS / 2];
  sum = __longlong_as_double((long long)(lane % 2 ? part.y : part.x));
  for (int other = NDOTS; other < 32; other *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
  sum = sum_over_companions(others, before, sum);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < NDOTS; k++) sums[k] = __shfl_sync(0xffffffffu, sum, k);
}

/* A whole solve: b to x [n], outcome to *out; v.x keeps x in the eigenvectors.  One cluster; EACH: unknowns per
 * thread. */
template <int EACH>
static __global__ void __launch_bounds__(THREADS, 1)
  iterate_cluster(vectors v, zone_bases zones, companions others, const double *__restrict__ b,
                  double *__restrict__ x_out, double tolerance2, int max_iterations, solver_outcome *out)
{
  __shared__ double of_warps[THREADS / 32][NDOTS], block_sums[NDOTS];
  __shared__ cluster_mail<NDOTS / 2> mail;
  __shared__ step shared_step;
  __shared__ bool shared_more;
  cluster_post<NDOTS / 2> post = {&mail, CLUSTER, cluster_rank()};
  post.open();
  const int mine = (int)blockIdx.x * THREADS + (int)threadIdx.x, warp = (int)threadIdx.x / 32, nt = zones.nt;
  double lambda[EACH], r[EACH], p[EACH], x[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int at = mine + e * CLUSTER_THREADS, first = at / nt * nt;
    lambda[e] = r[e] = x[e] = 0.0;
    if (at < v.n) {
      lambda[e] = v.lambda[at];
      const double *vector = zones.basis + (int64_t)at * nt;
#pragma unroll 8
      for (int i = 0; i < nt; i++) r[e] = fma(vector[i], b[first + i], r[e]);
    }
    p[e] = r[e];
  }
  cluster_sync(); // the mailboxes are open
  progress g = {tolerance2, 0.0, INFINITY, max_iterations, 0, false};
  bool more = max_iterations > 0;
  while (more) {
    double dots[NDOTS] = {};
#pragma unroll
    for (int e = 0; e < EACH; e++) add_dots(lambda[e], r[e], p[e], dots);
    const double sum = sum_transposed<NDOTS, 32>(dots);
    if (threadIdx.x % 32 < NDOTS) of_warps[warp][threadIdx.x % 32] = sum;
    __syncthreads();
    if (warp == 0) {
      double sums[NDOTS];
      step next;
      add_up_cluster(of_warps, others, g.sums, post, block_sums, sums);
      const bool goes_on = take(sums, &g, &next);
      if (threadIdx.x == 0) shared_step = next, shared_more = goes_on;
    }
    __syncthreads();
    const step s = shared_step;
    more = shared_more;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      x[e] = fma(s.alpha, p[e], x[e]);
      r[e] = fma(-s.alpha * lambda[e], p[e], r[e]);
      p[e] = fma(s.beta, p[e], r[e]);
    }
  }
#pragma unroll
  for (int e = 0; e < EACH; e++)
    if (mine + e * CLUSTER_THREADS < v.n) v.x[mine + e * CLUSTER_THREADS] = x[e];
  cluster_sync(); // x is there
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int at = mine + e * CLUSTER_THREADS, zone = at / nt;
    if (at >= v.n) continue;
    const double *row = zones.basis + (int64_t)zone * nt * nt + at % nt;
    double sum = 0.0;
#pragma unroll 8
    for (int k = 0; k < nt; k++) sum = fma(row[k * nt], __ldcg(v.x + zone * nt + k), sum);
    x_out[at] = sum;
  }
  if (mine == 0) tell(g, out);
}

/* True where this is the kernel for n unknowns. */
static inline bool fits_cluster(int64_t n)
{
  return n > 0 && n <= (int64_t)CLUSTER_MOST * CLUSTER_THREADS;
}

static inline int solve_in_cluster(const batched_ctx *ctx, const vectors &v, const zone_bases &zones,
                                   const companions &others, const double *b, double *x, double tolerance,
                                   int max_iterations, solver_outcome *out)
{
  const auto kernel = v.n <= CLUSTER_THREADS       ? iterate_cluster<1>
                      : v.n <= 4 * CLUSTER_THREADS ? iterate_cluster<4>
                                                   : iterate_cluster<CLUSTER_MOST>;
  return launch_clusters(ctx, kernel, 1, CLUSTER, THREADS, 0, v, zones, others, b, x, tolerance * tolerance,
                         max_iterations, out);
}

} // namespace fem_cuda

#endif
