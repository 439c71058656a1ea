/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.elements of evaluate: each element of A is a function of two points (kernels.h); the grid is that of
 * each_element (batched/vectors/cuda/elements.cuh).
 *
 * takes     all four types, any size, uniform and variable
 * memory    the two points of each element, from cache but for the first time; writes A, once
 * accuracy  30 eps (1 + |A(i, j)|); computed in double precision
 */
#include "batched/lowrank/kernels.h"
#include "batched/lowrank/lowrank.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::lowrank
{
namespace
{

template <class T> struct evaluation {
  batched_kernel kernel;
  batched_extent row, column;
  batch<T> y;

  struct matrix {
    const evaluation &all;
    int64_t row, column;
    T *y;
    int64_t ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return make<T>(real_of<T>(lowrank_element(&all.kernel, row + i, column + j)));
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ld] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {*this, row.each ? row.each[b] : row.bound, column.each ? column.each[b] : column.bound, y.at(b),
            y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_evaluate_args &e)
{
  return with_type(e.a.type, [&](auto t) {
    using T = decltype(t);
    return vectors::for_each_element(ctx, evaluation<T>{e.kernel, e.row, e.column, view<T>(e.a)});
  });
}

} // namespace
} // namespace batched_cuda::lowrank

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_evaluate_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
