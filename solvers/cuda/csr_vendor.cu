/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row vendor.cusparse of spmv: cuSPARSE's products, by those of its algorithms that give the same bits every time
 * (CSR_ALG2 for one component, CSR_ALG3 for several).
 *
 * What cuSPARSE makes of a matrix is kept with it, a plan for each range of rows and number of components that was
 * asked for: the first product with them allocates.  A plan's rows start from 0 and so have their own start[], of ints,
 * which cuSPARSE reads fastest.
 *   takes      matrices of up to 2^31 - 1 entries, 1 to 3 components in one call; double precision
 *   memory     12 bytes per entry of the matrix, 4 per row; kept: up to 8 plans
 */
#include <cusparse.h>
#include <new>

#include "solvers/cuda/csr.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

static constexpr int MOST_PLANS = 8;

struct plan {
  int first, last, ncomp;
  int64_t stride;
  int *start;   // owned, [last - first + 1]
  void *buffer; // owned
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy; // one component
  cusparseDnMatDescr_t mx, my; // several
};

struct plans {
  batched_ctx *ctx; // borrowed
  cusparseHandle_t handle;
  int n;
  plan all[MOST_PLANS];
};

using batched_cuda::status_of;
static int status_of(cusparseStatus_t status)
{
  return status == CUSPARSE_STATUS_SUCCESS                  ? BATCHED_SUCCESS
         : status == CUSPARSE_STATUS_ALLOC_FAILED           ? BATCHED_NO_MEMORY
         : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? BATCHED_NO_MEMORY
                                                            : BATCHED_DEVICE_FAILED;
}

static void destroy_plan(batched_ctx *ctx, plan *p)
{
  if (p->a) cusparseDestroySpMat(p->a);
  if (p->vx) cusparseDestroyDnVec(p->vx);
  if (p->vy) cusparseDestroyDnVec(p->vy);
  if (p->mx) cusparseDestroyDnMat(p->mx);
  if (p->my) cusparseDestroyDnMat(p->my);
  batched_release(ctx, p->start);
  batched_release(ctx, p->buffer);
}

static void destroy_plans(void *vendor)
{
  auto *all = static_cast<plans *>(vendor);
  for (int i = 0; i < all->n; i++) destroy_plan(all->ctx, &all->all[i]);
  if (all->handle) cusparseDestroy(all->handle);
  delete all;
}

static plans *plans_of(batched_ctx *ctx, solver_device_csr *a)
{
  if (a->vendor) return static_cast<plans *>(a->vendor);
  auto *all = new (std::nothrow) plans();
  if (!all) return nullptr;
  all->ctx = ctx;
  if (cusparseCreate(&all->handle) != CUSPARSE_STATUS_SUCCESS ||
      cusparseSetStream(all->handle, stream_of(ctx)) != CUSPARSE_STATUS_SUCCESS) {
    destroy_plans(all);
    return nullptr;
  }
  a->vendor = all;
  a->destroy_vendor = destroy_plans;
  return all;
}

/* to = from - from[0] as ints, a thread per row; at set-up of a plan. */
static __global__ void shift(int n, const int64_t *from, int *to)
{
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = (int)(from[i] - from[0]);
}

/* Descriptors of the matrix and the vectors. */
static int describe(const solver_spmv_args *s, plan *p)
{
  const solver_device_csr *a = s->a->device;
  const int64_t rows = s->last - s->first, before = s->a->start[s->first], nonzeros = s->a->start[s->last] - before;
  auto *x = const_cast<double *>(s->x);
  int status =
    status_of(cusparseCreateCsr(&p->a, rows, s->a->ncols, nonzeros, p->start, a->column + before, a->value + before,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  if (status) return status;
  if (s->ncomp == 1) {
    status = status_of(cusparseCreateDnVec(&p->vx, s->a->ncols, x, CUDA_R_64F));
    return status ? status : status_of(cusparseCreateDnVec(&p->vy, rows, s->y + s->first, CUDA_R_64F));
  }
  status = status_of(cusparseCreateDnMat(&p->mx, s->a->ncols, s->ncomp, s->stride, x, CUDA_R_64F, CUSPARSE_ORDER_COL));
  return status ? status
                : status_of(cusparseCreateDnMat(&p->my, rows, s->ncomp, s->stride, s->y + s->first, CUDA_R_64F,
                                                CUSPARSE_ORDER_COL));
}

static const double one = 1.0, zero = 0.0;

/* The plan's working memory, and cuSPARSE's look at the matrix. */
static int prepare(batched_ctx *ctx, cusparseHandle_t handle, plan *p)
{
  const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  size_t bytes = 0;
  int status = status_of(p->ncomp == 1 ? cusparseSpMV_bufferSize(handle, plain, &one, p->a, p->vx, &zero, p->vy,
                                                                 CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, &bytes)
                                       : cusparseSpMM_bufferSize(handle, plain, plain, &one, p->a, p->mx, &zero, p->my,
                                                                 CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG3, &bytes));
  if (status) return status;
  p->buffer = batched_allocate(ctx, bytes + 1);
  if (!p->buffer) return BATCHED_NO_MEMORY;
  return status_of(p->ncomp == 1 ? cusparseSpMV_preprocess(handle, plain, &one, p->a, p->vx, &zero, p->vy, CUDA_R_64F,
                                                           CUSPARSE_SPMV_CSR_ALG2, p->buffer)
                                 : cusparseSpMM_preprocess(handle, plain, plain, &one, p->a, p->mx, &zero, p->my,
                                                           CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG3, p->buffer));
}

static int find_plan(batched_ctx *ctx, plans *all, const solver_spmv_args *s, plan **found)
{
  for (int i = 0; i < all->n; i++) {
    plan *p = &all->all[i];
    if (p->first != s->first || p->last != s->last || p->ncomp != s->ncomp || p->stride != s->stride) continue;
    *found = p;
    return BATCHED_SUCCESS;
  }
  if (all->n == MOST_PLANS) destroy_plan(ctx, &all->all[--all->n]);
  plan *p = *found = &all->all[all->n];
  *p = {s->first, s->last, s->ncomp, s->stride, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  const int rows = s->last - s->first;
  p->start = static_cast<int *>(batched_allocate(ctx, ((size_t)rows + 1) * sizeof(int)));
  int status =
    p->start ? launch(ctx, shift, ceil_div(rows + 1, 256), 256, 0, rows + 1, s->a->device->start + s->first, p->start)
             : BATCHED_NO_MEMORY;
  if (!status) status = describe(s, p);
  if (!status) status = prepare(ctx, all->handle, p);
  if (status)
    destroy_plan(ctx, p);
  else
    all->n++;
  return status;
}

int run_cusparse(batched_ctx *ctx, const void *args)
{
  const auto *s = static_cast<const solver_spmv_args *>(args);
  if (s->last <= s->first) return BATCHED_SUCCESS;
  if (s->a->start[s->last] == s->a->start[s->first])
    return status_of(cudaMemset2DAsync(s->y + s->first, (size_t)s->stride * sizeof(double), 0,
                                       (size_t)(s->last - s->first) * sizeof(double), (size_t)s->ncomp,
                                       stream_of(ctx)));
  plans *all = plans_of(ctx, s->a->device);
  plan *p;
  if (!all) return BATCHED_NO_MEMORY;
  int status = find_plan(ctx, all, s, &p);
  if (status) return status;
  const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  auto *x = const_cast<double *>(s->x);
  if (s->ncomp == 1) {
    cusparseDnVecSetValues(p->vx, x);
    cusparseDnVecSetValues(p->vy, s->y + s->first);
    return status_of(
      cusparseSpMV(all->handle, plain, &one, p->a, p->vx, &zero, p->vy, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, p->buffer));
  }
  cusparseDnMatSetValues(p->mx, x);
  cusparseDnMatSetValues(p->my, s->y + s->first);
  return status_of(cusparseSpMM(all->handle, plain, plain, &one, p->a, p->mx, &zero, p->my, CUDA_R_64F,
                                CUSPARSE_SPMM_CSR_ALG3, p->buffer));
}

} // namespace solvers_cuda
