/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.elements of random: each element of A is a function of seed, row and column, by the counter of
 * random_bits.h; the grid is that of each_element (batched/vectors/cuda/elements.cuh).
 *
 * takes     all four types, any size, uniform and variable
 * writes    A, once; reads nothing
 * accuracy  exact in every type: the same numbers as on the host
 */
#include "batched/lowrank/lowrank.h"
#include "batched/lowrank/random_bits.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::lowrank
{
namespace
{

template <class T> struct draw {
  uint64_t seed;
  int64_t column;
  batch<T> y;

  struct matrix {
    uint64_t seed;
    int64_t column;
    T *y;
    int64_t ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      const uint64_t bits = lowrank_random_bits(seed, i, column + j);
      return make<T>(real_of<T>(lowrank_random_number(bits, __popcll(bits))) * real_of<T>(0x1p-20));
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ld] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {seed, column, y.at(b), y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_random_args &r)
{
  return with_type(r.a.type, [&](auto t) {
    using T = decltype(t);
    return vectors::for_each_element(ctx, draw<T>{r.seed, r.column, view<T>(r.a)});
  });
}

} // namespace
} // namespace batched_cuda::lowrank

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_random_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
