/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of the first element with the largest |re| + |im|, by a tree (tree.cuh).
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/tree.cuh"

namespace batched_cuda::vectors
{
namespace
{

/* An element's size, and its number, counted from 1; 0: no element. */
template <class R> struct numbered {
  R size;
  int number;
};

/* The first of the largest; a NaN is larger than any number. */
template <class R> struct first_largest {
  numbered<R> best = {0, 0};

  static __device__ __forceinline__ bool comes_before(const numbered<R> &x, const numbered<R> &y)
  {
    const bool x_is_nan = x.size != x.size, y_is_nan = y.size != y.size;
    if (x.number == 0 || y.number == 0) return x.number != 0;
    if (x_is_nan != y_is_nan) return x_is_nan;
    return x.size > y.size || ((x_is_nan || x.size == y.size) && x.number < y.number);
  }
  __device__ __forceinline__ void add(const numbered<R> &x)
  {
    if (comes_before(x, best)) best = x;
  }
  __device__ __forceinline__ void merge(const first_largest &a)
  {
    add(a.best);
  }
  __device__ __forceinline__ first_largest shuffled(int lanes, int width) const
  {
    first_largest a;
    a.best = {shuffle_xor(best.size, lanes, width), shuffle_xor(best.number, lanes, width)};
    return a;
  }
  __device__ __forceinline__ int result() const
  {
    return best.number;
  }
};

template <class T> struct sizes {
  static constexpr int together = 4;
  batch<T> x;
  int *index;
  int64_t count;

  struct matrix {
    const T *x;
    int64_t inc;

    __device__ __forceinline__ numbered<real_of<T>> load(int i, int) const
    {
      return {abs1(x[i * inc]), i + 1};
    }
  };
  __device__ __forceinline__ int rows(int64_t b) const
  {
    return x.length(b);
  }
  __device__ __forceinline__ int cols(int64_t) const
  {
    return 1;
  }
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {x.at(b), x.increment(b)};
  }
  __device__ __forceinline__ void store(int64_t b, int number) const
  {
    index[b] = number;
  }
};

int tree(batched_ctx *ctx, const batched_amax_args &d)
{
  return with_type(d.x.type, [&](auto t) {
    using T = decltype(t);
    const sizes<T> f = {view<T>(d.x), d.index, d.x.count};
    return reduce<first_largest<real_of<T>>>(ctx, f, batched_vector_bound(&d.x), 1);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_amax_cuda[] = {row<nullptr, nullptr, tree>("cuda.tree"), BATCHED_LAST_ROW};
