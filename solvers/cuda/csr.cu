/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.csr of spmv: y = A x for a matrix in compressed rows, 2 to 32 lanes per row, chosen by the mean length of
 * rows.
 *   grid       blocks of 256 threads, each 256 / LANES rows; no shared memory
 *   takes      1 to 3 components, all in one pass, so that the matrix is read once
 *   memory     12 bytes per entry of the matrix, and gathers of x from the caches
 *   accuracy   lanes are added by a tree: the same bits in every run
 */
#include "solvers/cuda/csr.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

static constexpr int THREADS = 256;

/* Components [0, NC) of rows [first, last), LANES lanes each.  A lane loads two entries at a time. */
template <int NC, int LANES>
static __global__ void __launch_bounds__(THREADS)
  multiply_rows(const int64_t *__restrict__ start, const int *__restrict__ column, const double *__restrict__ value,
                int first, int last, int64_t stride, const double *__restrict__ x, double *__restrict__ y)
{
  const int64_t at = (int64_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  const int lane = threadIdx.x % LANES;
  const bool inside = at < last - first; // lanes beyond take part in the sums
  const int64_t row = inside ? first + at : first;
  const int64_t end = inside ? start[row + 1] : 0;
  double sum[NC] = {};
  int64_t j = inside ? start[row] + lane : 0;
  for (; j + LANES < end; j += 2 * LANES) {
    const double a = value[j], b = value[j + LANES];
    const double *p = x + column[j], *q = x + column[j + LANES];
#pragma unroll
    for (int c = 0; c < NC; c++) sum[c] = fma(b, q[c * stride], fma(a, p[c * stride], sum[c]));
  }
  if (j < end)
#pragma unroll
    for (int c = 0; c < NC; c++) sum[c] = fma(value[j], x[column[j] + c * stride], sum[c]);
#pragma unroll
  for (int c = 0; c < NC; c++) sum[c] = sum_lanes(sum[c], LANES);
  if (inside && lane == 0)
#pragma unroll
    for (int c = 0; c < NC; c++) y[row + c * stride] = sum[c];
}

template <int NC, int LANES>
static int multiply(batched_ctx *ctx, const solver_spmv_args *s, const double *x, double *y)
{
  const solver_device_csr *a = s->a->device;
  return launch(ctx, multiply_rows<NC, LANES>, ceil_div(s->last - s->first, THREADS / LANES), THREADS, 0, a->start,
                a->column, a->value, s->first, s->last, s->stride, x, y);
}

template <int NC> static int multiply_by_length(batched_ctx *ctx, const solver_spmv_args *s, int component)
{
  const double *x = s->x + component * s->stride;
  double *y = s->y + component * s->stride;
  const int64_t mean = (s->a->start[s->last] - s->a->start[s->first]) / (s->last - s->first);
  if (mean <= 4) return multiply<NC, 2>(ctx, s, x, y);
  if (mean <= 10) return multiply<NC, 4>(ctx, s, x, y);
  if (mean <= 20) return multiply<NC, 8>(ctx, s, x, y);
  if (mean <= 48) return multiply<NC, 16>(ctx, s, x, y);
  return multiply<NC, 32>(ctx, s, x, y);
}

static int run_csr(batched_ctx *ctx, const void *p)
{
  const auto *s = static_cast<const solver_spmv_args *>(p);
  if (s->last <= s->first) return BATCHED_SUCCESS;
  int status = BATCHED_SUCCESS;
  for (int c = 0; c < s->ncomp && !status; c += 3) {
    const int left = s->ncomp - c;
    status = left == 1   ? multiply_by_length<1>(ctx, s, c)
             : left == 2 ? multiply_by_length<2>(ctx, s, c)
                         : multiply_by_length<3>(ctx, s, c);
  }
  return status;
}

static bool is_placed(const void *p)
{
  return static_cast<const solver_spmv_args *>(p)->a->device != nullptr;
}

/* cuSPARSE counts entries in an int. */
static bool is_small(const void *p)
{
  const solver_csr *a = static_cast<const solver_spmv_args *>(p)->a;
  return a->device && a->start[a->nrows] <= INT_MAX;
}

} // namespace solvers_cuda

extern "C" const batched_variant solver_cuda_spmv[] = {
  {"cuda.csr", solvers_cuda::is_placed, nullptr, solvers_cuda::run_csr},
  {"vendor.cusparse", solvers_cuda::is_small, nullptr, solvers_cuda::run_cusparse},
  BATCHED_LAST_ROW,
};
