/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensor maps, which tell the bulk copy engine where matrices lie.
 */
#ifndef BATCHED_CUDA_GEMM_BULK_MAP_CUH
#define BATCHED_CUDA_GEMM_BULK_MAP_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* A tensor map wants places and distances of whole 16 bytes, and equal distances. */
static inline bool can_map(const batch<double> &x)
{
  return !x.array && !x.is_variable() && x.ld % 2 == 0 && x.stride % 2 == 0 && x.count <= INT_MAX &&
         reinterpret_cast<uintptr_t>(x.data + x.i0 + (int64_t)x.j0 * x.ld) % 16 == 0;
}
/* alpha = 0 does not look at A and B. */
static inline bool bulk_fits(const product<double> &p, int depth)
{
  return depth > 0 && p.alpha != 0 && can_map(p.a) && can_map(p.b) && !p.c.is_variable() && p.c.count < INT_MAX / 2;
}

/* The driver's cuTensorMapEncodeTiled, asked for at run time so that nothing needs to be linked; NULL if it has none.
 * */
using encode_tiled = decltype(&cuTensorMapEncodeTiled);
static inline encode_tiled find_encode_tiled()
{
  void *f = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) != cudaSuccess)
    return nullptr;
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<encode_tiled>(f) : nullptr;
}

/* Boxes of 16 x `box` of rows x cols matrices; what lies outside is read as 0. */
static inline bool make_map(CUtensorMap *map, const batch<double> &x, int rows, int cols, int box)
{
  static const encode_tiled encode = find_encode_tiled();
  const bool same = x.stride == 0 || x.count == 1;
  const cuuint64_t sizes[3] = {(cuuint64_t)rows, (cuuint64_t)cols, same ? 1 : (cuuint64_t)x.count};
  const cuuint64_t strides[2] = {8 * (cuuint64_t)x.ld, same ? 16 : 8 * (cuuint64_t)x.stride};
  const cuuint32_t boxes[3] = {16, (cuuint32_t)box, 1}, steps[3] = {1, 1, 1};
  return encode && encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, x.data + x.i0 + (int64_t)x.j0 * x.ld, sizes, strides,
                          boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

} // namespace batched_cuda::products

#endif
