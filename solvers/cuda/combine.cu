/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear combinations y = sum_k c_k x_k on a GPU.
 *   cuda.fused      one pass; the number of terms is a template argument
 *   vendor.cublas   a copy or a scaling, then an axpy per term
 *
 * cuda.fused: grid      a thread per four entries, blocks of 256; no shared memory
 *             takes     any n and alignment: pairs of 16 bytes where all vectors are aligned alike, else single entries
 *             memory    8 (nterms + 1) bytes per entry, each vector once
 *             accuracy  terms are added in their order, by fused multiply-adds
 */
#include "batched/cuda/cublas.cuh"
#include "solvers/solvers.h"
#include "solvers/tables.h"

namespace solvers_cuda
{

using namespace batched_cuda;

static constexpr int THREADS = 256, PAIRS = 2; // PAIRS: of entries per thread, loaded before the first is stored

struct terms {
  double c[SOLVER_MAX_TERMS];
  const double *x[SOLVER_MAX_TERMS];
};

/* Entry i of the sum, its terms in order. */
template <int N> __device__ __forceinline__ double entry(const terms &t, int64_t i)
{
  double sum = t.c[0] * t.x[0][i];
#pragma unroll
  for (int k = 1; k < N; k++) sum = fma(t.c[k], t.x[k][i], sum);
  return sum;
}

template <int N> __global__ void __launch_bounds__(THREADS) combine(int64_t n, terms t, double *y)
{
  const int64_t first = (int64_t)blockIdx.x * (THREADS * 2 * PAIRS) + threadIdx.x;
  double sum[2 * PAIRS];
#pragma unroll
  for (int u = 0; u < 2 * PAIRS; u++)
    if (first + u * THREADS < n) sum[u] = entry<N>(t, first + u * THREADS);
#pragma unroll
  for (int u = 0; u < 2 * PAIRS; u++)
    if (first + u * THREADS < n) y[first + u * THREADS] = sum[u];
}

/* The same by pairs.  All vectors are aligned alike: entry `skip` (0 or 1) is the first at a multiple of 16 bytes.
 * The first threads of the grid also do the single entries at both ends. */
template <int N> __global__ void __launch_bounds__(THREADS) combine_pairs(int64_t n, int skip, terms t, double *y)
{
  const int64_t pairs = (n - skip) / 2, first = (int64_t)blockIdx.x * (THREADS * PAIRS) + threadIdx.x;
  double2 sum[PAIRS];
#pragma unroll
  for (int u = 0; u < PAIRS; u++) {
    const int64_t i = first + u * THREADS;
    if (i >= pairs) continue;
#pragma unroll
    for (int k = 0; k < N; k++) {
      const double2 x = reinterpret_cast<const double2 *>(t.x[k] + skip)[i];
      sum[u].x = k == 0 ? t.c[0] * x.x : fma(t.c[k], x.x, sum[u].x);
      sum[u].y = k == 0 ? t.c[0] * x.y : fma(t.c[k], x.y, sum[u].y);
    }
  }
  double end = 0.0; // entry 0 if it is skipped, and the last one if it has no partner
  const int64_t at = first == 0 && skip ? 0 : first == 1 && (n - skip) % 2 ? n - 1 : -1;
  if (at >= 0) end = entry<N>(t, at);
#pragma unroll
  for (int u = 0; u < PAIRS; u++)
    if (first + u * THREADS < pairs) reinterpret_cast<double2 *>(y + skip)[first + u * THREADS] = sum[u];
  if (at >= 0) y[at] = end;
}

template <int N> static int run_terms(batched_ctx *ctx, const solver_combine_args *a)
{
  terms t = {};
  const uintptr_t place = (uintptr_t)a->y % 16;
  bool alike = true;
  for (int k = 0; k < N; k++) {
    t.c[k] = a->c[k], t.x[k] = a->x[k];
    alike = alike && (uintptr_t)a->x[k] % 16 == place;
  }
  const int64_t blocks = ceil_div(a->n, THREADS * 2 * PAIRS);
  if (!alike) return launch(ctx, combine<N>, blocks, THREADS, 0, a->n, t, a->y);
  return launch(ctx, combine_pairs<N>, blocks, THREADS, 0, a->n, place == 0 ? 0 : 1, t, a->y);
}

static int run_fused(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const solver_combine_args *>(p);
  static_assert(SOLVER_MAX_TERMS == 10, "a case for each number of terms");
  switch (a->nterms) {
  case 1: return run_terms<1>(ctx, a);
  case 2: return run_terms<2>(ctx, a);
  case 3: return run_terms<3>(ctx, a);
  case 4: return run_terms<4>(ctx, a);
  case 5: return run_terms<5>(ctx, a);
  case 6: return run_terms<6>(ctx, a);
  case 7: return run_terms<7>(ctx, a);
  case 8: return run_terms<8>(ctx, a);
  case 9: return run_terms<9>(ctx, a);
  default: return run_terms<10>(ctx, a);
  }
}

/* The coefficient with which y itself enters; a vector may stand in several terms. */
static double own_coefficient(const solver_combine_args *a)
{
  double c = 0.0;
  for (int k = 0; k < a->nterms; k++)
    if (a->x[k] == a->y) c += a->c[k];
  return c;
}

static int run_cublas(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const solver_combine_args *>(p);
  cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  int first = 0; // the first term that is still to be added
  while (first < a->nterms && a->x[first] != a->y) first++;
  const bool in_place = first < a->nterms;
  const double own = in_place ? own_coefficient(a) : a->c[0];
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (!in_place) status = cublasDcopy_64(handle, a->n, a->x[0], 1, a->y, 1);
  if (status == CUBLAS_STATUS_SUCCESS && own != 1.0) status = cublasDscal_64(handle, a->n, &own, a->y, 1);
  for (int k = in_place ? 0 : 1; k < a->nterms && status == CUBLAS_STATUS_SUCCESS; k++)
    if (a->x[k] != a->y) status = cublasDaxpy_64(handle, a->n, &a->c[k], a->x[k], 1, a->y, 1);
  return status_of(status);
}

} // namespace solvers_cuda

extern "C" const batched_variant solver_cuda_combine[] = {
  {"cuda.fused", nullptr, nullptr, solvers_cuda::run_fused},
  {"vendor.cublas", nullptr, nullptr, solvers_cuda::run_cublas},
  BATCHED_LAST_ROW,
};
