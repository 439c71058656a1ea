/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A batch as kernels see it: typed, in any layout, and cut down to a block of each matrix where asked.
 */
#ifndef BATCHED_CUDA_BATCH_CUH
#define BATCHED_CUDA_BATCH_CUH

#include "batched/cuda/scalar.cuh"
#include "batched/tuning/choice.h"

namespace batched_cuda
{

/* Like batched_matrix, passed to kernels by value.  The matrices are the blocks that start at element (i0, j0) of the
 * caller's matrices and are at most m x n; in a variable batch a matrix may have less of such a block, or nothing. */
template <class T> struct batch {
  T *data;
  T *const *array;
  int64_t stride, count;
  int m, n, ld;
  const int *ms, *ns, *lds;
  int i0, j0;

  DEVICE int leading(int64_t b) const
  {
    return lds ? lds[b] : ld;
  }
  DEVICE int rows(int64_t b) const
  {
    return ms ? max(0, min(m, ms[b] - i0)) : m;
  }
  DEVICE int cols(int64_t b) const
  {
    return ns ? max(0, min(n, ns[b] - j0)) : n;
  }
  /* Element (0, 0) of block b; not to be used where the block is empty. */
  DEVICE T *at(int64_t b) const
  {
    return (array ? array[b] : data + b * stride) + i0 + (int64_t)j0 * leading(b);
  }
  /* For vectors: the distance of neighbouring elements (batched_increment). */
  DEVICE int increment(int64_t b) const
  {
    return n == 1 && !ns ? 1 : leading(b);
  }
  DEVICE int length(int64_t b) const
  {
    return n == 1 && !ns ? rows(b) : cols(b);
  }
  DEVICE bool is_variable() const
  {
    return ms || ns || lds;
  }
  /* The block of rows x cols at (i, j) of each of these. */
  batch block(int i, int j, int rows, int cols) const
  {
    batch c = *this;
    c.i0 += i;
    c.j0 += j;
    c.m = rows;
    c.n = cols;
    return c;
  }

private:
  static DEVICE int min(int x, int y)
  {
    return x < y ? x : y;
  }
  static DEVICE int max(int x, int y)
  {
    return x > y ? x : y;
  }
};

/* Matrix b of a batch, alone. */
template <class T> batch<T> one_of(const batch<T> &x, int64_t b)
{
  batch<T> one = x;
  if (x.array)
    one.array += b;
  else
    one.data += b * x.stride;
  one.count = 1;
  return one;
}

/* Quantities that a choice of kernels can depend on, of a call whose first operand is a. */
template <class T> batched_shape shape_of(const batch<T> &a)
{
  batched_shape s = {};
  s.type = type_of<T>;
  s.count = a.count;
  s.m = a.m;
  s.n = a.n;
  s.variable = a.is_variable();
  return s;
}

template <class T> batch<T> view(const batched_matrix &a)
{
  return {static_cast<T *>(a.data),
          reinterpret_cast<T *const *>(a.array),
          a.stride,
          a.count,
          a.m,
          a.n,
          a.ld,
          a.ms,
          a.ns,
          a.lds,
          0,
          0};
}

} // namespace batched_cuda

#endif
