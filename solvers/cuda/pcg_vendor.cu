/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row vendor.cublas of pcg: conjugate gradients of Hestenes and Stiefel, every vector operation a call of cuBLAS, the
 * loop on the host.  It is the CUDA-PCG of Dong, Dobrev, Kolev, Rieben, Tomov and Dongarra, A step towards energy
 * efficient computing, IPDPS 2014.
 *   takes      any operator and preconditioner, 1 to 3 components; double precision
 *   memory     per entry and component of an iteration, beside A and P: 32 bytes for two dot products, 72 for three
 *              axpy, 16 for a scaling, and 24 for D^-1 r
 */
#include "solvers/pcg.h"
#include "batched/cuda/cublas.cuh"
#include "solvers/cuda/pcg.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

struct vendor_solve {
  batched_ctx *ctx;
  const solver_pcg_args *args;
  const solver_operator *a;
  cublasHandle_t blas;
  double *r, *p, *w; /* [ncomp][n] */
};

/* One dot product a component, summed over ranks, and over coupled components. */
static int dots(const vendor_solve &s, const double *x, const double *y, double *sums)
{
  const solver_operator *a = s.a;
  int status = BATCHED_SUCCESS;
  for (int c = 0; c < a->ncomp; c++) {
    sums[c] = 0.0;
    if (!status) status = status_of(cublasDdot_64(s.blas, a->nowned, x + c * a->n, 1, y + c * a->n, 1, &sums[c]));
  }
  pcg_reduce(s.args, 1, sums);
  return status;
}

/* z = D^-1 r, or P r */
static int precondition(const vendor_solve &s, double *z)
{
  const solver_operator *a = s.a;
  if (a->precondition) return a->precondition(s.ctx, a->data, s.r, z);
  const int64_t n = a->n;
  if (n == 0) return BATCHED_SUCCESS;
  if (!a->inverse_diagonal) return batched_copy_within(s.ctx, z, s.r, sizeof(double) * (size_t)(a->ncomp * n));
  return status_of(cublasDdgmm_64(s.blas, CUBLAS_SIDE_LEFT, n, a->ncomp, s.r, n, a->inverse_diagonal, 1, z, n));
}

static int begin(const vendor_solve &s, double *rz)
{
  const solver_operator *a = s.a;
  const size_t bytes = sizeof(double) * (size_t)(a->ncomp * a->n);
  int status = batched_fill_zero(s.ctx, s.args->x, bytes);
  if (!status) status = batched_copy_within(s.ctx, s.r, s.args->b, bytes);
  if (!status) status = precondition(s, s.p);
  if (!status) status = dots(s, s.r, s.p, rz);
  return status;
}

/* One iteration; the product's vector serves as z when the product is done with. */
static int iterate(const vendor_solve &s, double *rz, int iteration)
{
  const solver_operator *a = s.a;
  double pw[SOLVER_MAX_COMPONENTS], next[SOLVER_MAX_COMPONENTS];
  int status = a->apply(s.ctx, a->data, s.p, s.w);
  if (!status) status = dots(s, s.p, s.w, pw);
  for (int c = 0; c < a->ncomp && !status; c++) {
    if (s.args->converged[c]) continue;
    const int64_t o = c * a->n;
    const double alpha = rz[c] / pw[c], minus = -alpha;
    status = status_of(cublasDaxpy_64(s.blas, a->n, &alpha, s.p + o, 1, s.args->x + o, 1));
    if (!status) status = status_of(cublasDaxpy_64(s.blas, a->n, &minus, s.w + o, 1, s.r + o, 1));
  }
  if (!status) status = precondition(s, s.w);
  if (!status) status = dots(s, s.r, s.w, next);
  for (int c = 0; c < a->ncomp && !status; c++) {
    if (s.args->converged[c]) continue;
    const int64_t o = c * a->n;
    const double beta = next[c] / rz[c], one = 1.0;
    status = status_of(cublasDscal_64(s.blas, a->n, &beta, s.p + o, 1));
    if (!status) status = status_of(cublasDaxpy_64(s.blas, a->n, &one, s.w + o, 1, s.p + o, 1));
    rz[c] = next[c];
    s.args->iterations[c] = iteration;
  }
  return status;
}

static int run_vendor(batched_ctx *ctx, const solver_pcg_args *args)
{
  const int ncomp = args->matrix->ncomp;
  const int64_t size = ncomp * args->matrix->n;
  const vendor_solve s = {
    ctx, args, args->matrix, cublas_of(ctx), args->work, args->work + size, args->work + 2 * size};
  double rz[SOLVER_MAX_COMPONENTS], limit[SOLVER_MAX_COMPONENTS];
  if (!s.blas) return BATCHED_NO_MEMORY;
  for (int c = 0; c < ncomp; c++) args->iterations[c] = 0, args->converged[c] = false;
  int status = begin(s, rz);
  for (int c = 0; c < ncomp; c++) limit[c] = args->tolerance * args->tolerance * rz[c];
  for (int iteration = 1; !status && pcg_any_left(args, rz, limit) && iteration <= args->max_iterations; iteration++)
    status = iterate(s, rz, iteration);
  return status;
}

} // namespace solvers_cuda

int solver_cuda_pcg_vendor(batched_ctx *ctx, const void *args)
{
  return solvers_cuda::run_vendor(ctx, static_cast<const solver_pcg_args *>(args));
}
