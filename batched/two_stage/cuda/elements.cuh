/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernels of the steps share: a block per 65536 elements of a matrix, or, where matrices are few, so many that
 * they fill the GPU, at least one, of 256 threads.
 */
#ifndef BATCHED_TWO_STAGE_CUDA_ELEMENTS_CUH
#define BATCHED_TWO_STAGE_CUDA_ELEMENTS_CUH

#include "batched/two_stage/steps.h"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::two_stage
{

constexpr int step_threads = 256;

/* Blocks that share a matrix of a batch. */
constexpr int64_t step_elements = 1 << 16, least_elements = 1 << 10;
inline int parts_of(int64_t elements, int64_t count)
{
  const int64_t wanted = ceil_div(4 * multiprocessors(), count < 1 ? 1 : count),
                most = ceil_div(elements, least_elements);
  const int64_t parts = ceil_div(elements, step_elements), more = wanted < most ? wanted : most;
  return (int)(parts > more ? parts : more < 1 ? 1 : more);
}
/* f(b, i, j) for all elements of an m x n(b) block of each matrix, m(b) rows; several blocks share a large matrix. */
template <class F>
static __device__ __forceinline__ void each_element(int64_t unit, int parts, int64_t m, int64_t n, F f)
{
  const int64_t first = unit % parts * blockDim.x + threadIdx.x, step = (int64_t)parts * blockDim.x;
  if (m * n < INT_MAX) { /* divisions of 64 bits take longer than the memory */
    const unsigned rows = (unsigned)m, end = (unsigned)(m * n);
    for (unsigned e = (unsigned)first; e < end; e += (unsigned)step) f(e % rows, e / rows);
  } else {
    for (int64_t e = first; e < m * n; e += step) f(e % m, e / m);
  }
}

static __global__ void __launch_bounds__(step_threads) write_zeros(int64_t count, double *x)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x)
    x[b] = 0;
}

/* The larger one of a number and the parts of x, and that of a block's numbers to where it goes: as bits, which are in
 * the order of the numbers, a NaN behind an infinity. */
static __device__ __forceinline__ void raise_largest(unsigned long long most, unsigned long long *largest)
{
  for (int half = 16; half > 0; half /= 2) most = max(most, __shfl_xor_sync(~0u, most, half));
  if (threadIdx.x % 32 == 0) atomicMax(largest, most);
}
template <class T> static __device__ __forceinline__ unsigned long long larger_bits(unsigned long long most, T x)
{
  most = max(most, (unsigned long long)__double_as_longlong(fabs((double)real(x))));
  return max(most, (unsigned long long)__double_as_longlong(fabs((double)imag(x))));
}

/* t, upper triangular: column j = (-tau_j T v_j, tau_j) with v_j column j of V^H V; zeros beyond `few` columns. */
template <class T> static __device__ void form_triangle(int kd, int few, const T *gram, const T *tau, T *t, int64_t ld)
{
  for (int64_t e = threadIdx.x; e < (int64_t)kd * kd; e += blockDim.x) {
    const int64_t i = e % kd, j = e / kd;
    t[i + j * ld] = i == j && j < few ? tau[j] : make<T>(0);
  }
  __syncthreads();
  for (int j = 1; j < few; j++) {
    for (int i = threadIdx.x; i < j; i += blockDim.x) {
      T sum = make<T>(0);
      for (int l = i; l < j; l++) sum = mad(t[i + l * ld], gram[l + (int64_t)j * kd], sum);
      t[i + j * ld] = -(tau[j] * sum);
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::two_stage

#endif
