/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensor maps: the operands of products as the bulk copy engine (TMA) sees them.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_MAPS_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_MAPS_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* A tensor map wants addresses and strides that are multiples of 16 bytes, and equal strides. */
template <class T> bool can_map(const batch<T> &x)
{
  return !x.array && !x.is_variable() && x.ld * sizeof(T) % 16 == 0 && x.stride * sizeof(T) % 16 == 0 &&
         x.count <= INT_MAX && reinterpret_cast<uintptr_t>(x.data + x.i0 + (int64_t)x.j0 * x.ld) % 16 == 0;
}
/* alpha = 0 does not look at A and B. */
template <class T> bool bulk_fits(const product<T> &p, int depth)
{
  return depth > 0 && !(p.alpha == make<T>(0)) && can_map(p.a) && can_map(p.b) && !p.c.is_variable() &&
         p.c.count < INT_MAX / 2;
}

/* The driver's cuTensorMapEncodeTiled, looked up at run time so that nothing needs to be linked; NULL if it has
 * none. */
using encode_tiled = decltype(&cuTensorMapEncodeTiled);
static inline encode_tiled find_encode_tiled()
{
  void *f = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) != cudaSuccess)
    return nullptr;
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<encode_tiled>(f) : nullptr;
}

/* Boxes of `high` x `wide` of rows x cols matrices, swizzled in shared memory; elements outside are read as 0. */
template <class T>
bool make_map(CUtensorMap *map, const batch<T> &x, int rows, int cols, int high, int wide, CUtensorMapSwizzle swizzle)
{
  static const encode_tiled encode = find_encode_tiled();
  static_assert(sizeof(T) <= 8, "elements as the engine has them");
  const auto type = sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const bool same = x.stride == 0 || x.count == 1;
  const cuuint64_t sizes[3] = {(cuuint64_t)rows, (cuuint64_t)cols, same ? 1 : (cuuint64_t)x.count};
  const cuuint64_t strides[2] = {sizeof(T) * (cuuint64_t)x.ld, same ? 16 : sizeof(T) * (cuuint64_t)x.stride};
  const cuuint32_t boxes[3] = {(cuuint32_t)high, (cuuint32_t)wide, 1}, steps[3] = {1, 1, 1};
  return encode && encode(map, type, 3, x.data + x.i0 + (int64_t)x.j0 * x.ld, sizes, strides, boxes, steps,
                          CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

} // namespace batched_cuda::products

#endif
