/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products in double precision on the tensor cores (gemm_tensor.cu, gemm_complex.cu).
 */
#ifndef BATCHED_CUDA_GEMM_TENSOR_CUH
#define BATCHED_CUDA_GEMM_TENSOR_CUH

#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

int multiply_tensor(batched_ctx *ctx, const product<double> &p);
int multiply_tensor(batched_ctx *ctx, const product<complex<double>> &p);
/* For few columns (gemm_bulk.cuh). */
int multiply_narrow(batched_ctx *ctx, const product<double> &p);
bool narrow_fits(const product<double> &p);
bool narrow_is_best(const product<double> &p);
/* For matrices without gaps between their columns (gemm_packed.cuh). */
int multiply_packed(batched_ctx *ctx, const product<double> &p);
bool packed_fits(const product<double> &p);
bool packed_is_best(const product<double> &p);

} // namespace batched_cuda::products

#endif
