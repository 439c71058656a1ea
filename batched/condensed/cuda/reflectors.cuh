/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the reductions keep the reflectors of Q and P, and copies of them as columns that unmqr and ungqr take: vector
 * i becomes column first + i, and columns of H = I go in front, so that Q of gehrd, say, has the order of A.
 */
#ifndef BATCHED_CONDENSED_CUDA_REFLECTORS_CUH
#define BATCHED_CONDENSED_CUDA_REFLECTORS_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::condensed
{

/* Reflectors of one matrix. Element r of vector i, of which the first is 1, is at v[i * next + r * along], or its
 * conjugate is; i < k, i + r < order. */
template <class T> struct sequence {
  const T *v;
  int64_t next, along;
  const T *tau;
  int64_t step;
  int k, order, first;
};

enum reduction { OF_GEBRD, OF_UNGBR, OF_HETRD, OF_GEHRD };

/* Reflectors of a batch, in the a and tau that an operation was called with. */
template <class T> struct stored_reflectors {
  reduction of;
  batch<T> a, tau;
  bool is_q;  /* gebrd: of Q, by columns, or of P, by rows */
  bool tall;  /* ungbr: is Q that of a matrix with no more columns than rows? */
  bool upper; /* hetrd: reflectors and rows from the last one backward */
  int ilo, ihi;

  __device__ sequence<T> of_gebrd(int64_t b) const
  {
    const int64_t ld = a.leading(b);
    int m = a.rows(b), n = a.cols(b);
    bool shifted = is_q == (m < n);
    if (of == OF_UNGBR) {
      const int k = tau.m > 0 && tau.n > 0 ? tau.length(b) : 0;
      shifted = k == (is_q ? m : n) && !(is_q && tall);
      (is_q ? n : m) = k;
    }
    const int first = shifted ? 1 : 0, order = (is_q ? m : n) - first;
    return {a.at(b) + first * (is_q ? 1 : ld), ld + 1, is_q ? 1 : ld, tau.at(b), tau.increment(b),
            min(order, is_q ? n : m),          order,  first};
  }
  __device__ sequence<T> of_hetrd(int64_t b) const
  {
    const int64_t ld = a.leading(b), step = tau.m > 0 && tau.n > 0 ? tau.increment(b) : 0;
    const int n = a.rows(b), k = n - 1;
    if (k < 1) return {nullptr, 0, 0, nullptr, 0, 0, 0, 1};
    if (!upper) return {a.at(b) + 1, ld + 1, 1, tau.at(b), step, k, k, 1};
    return {a.at(b) + (k - 1) + k * ld, -(ld + 1), -1, tau.at(b) + (k - 1) * step, -step, k, k, 1};
  }
  __device__ sequence<T> of_gehrd(int64_t b) const
  {
    const int k = min(ihi, a.rows(b)) - ilo;
    if (k < 1) return {nullptr, 0, 0, nullptr, 0, 0, 0, ilo};
    const int64_t ld = a.leading(b), step = tau.increment(b);
    return {a.at(b) + ilo + (ilo - 1) * ld, ld + 1, 1, tau.at(b) + (ilo - 1) * step, step, k, k, ilo};
  }
  __device__ sequence<T> find(int64_t b) const
  {
    return of == OF_HETRD ? of_hetrd(b) : of == OF_GEHRD ? of_gehrd(b) : of_gebrd(b);
  }
};

constexpr int reflectors_tile = 32, reflectors_threads = 256;

/* Copies the reflectors of each matrix to the columns of v, with ones and zeros, and their factors to the vectors t;
 * columns without a reflector have the factor 0.
 *   algorithm  tiles of 32 x 32 through shared memory, so that rows and columns alike are read along memory
 *   grid       a block of 256 threads per matrix
 *   shared     a tile
 *   takes      all four types, any size
 *   accuracy   exact */
template <class T>
static __global__ void __launch_bounds__(reflectors_threads)
  collect_reflectors(stored_reflectors<T> q, batch<T> v, batch<T> t)
{
  constexpr int N = reflectors_tile;
  __shared__ T tile[N][N + 1];
  const int quick = threadIdx.x % N, slow = threadIdx.x / N;
  for (int64_t b = blockIdx.x; b < v.count; b += gridDim.x) {
    const int m = v.rows(b), n = v.cols(b);
    if (m == 0 || n == 0) continue;
    const sequence<T> s = q.find(b);
    const bool by_rows = !q.is_q; /* and then their conjugates are there */
    const int64_t ld = v.leading(b);
    T *const to = v.at(b), *const factors = t.at(b);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
      factors[j] = j >= s.first && j - s.first < s.k ? s.tau[(j - s.first) * s.step] : make<T>(0);
    for (int j0 = 0; j0 < n; j0 += N)
      for (int i0 = 0; i0 < m; i0 += N) {
        for (int l = slow; l < N; l += reflectors_threads / N) {
          const int row = by_rows ? l : quick, col = by_rows ? quick : l, i = i0 + row, j = j0 + col;
          const int vector = j - s.first, element = i - j;
          T x = make<T>(element == 0);
          if (element > 0 && vector >= 0 && vector < s.k && vector + element < s.order)
            x = conj_if(by_rows, s.v[vector * s.next + element * s.along]);
          tile[col][row] = x;
        }
        __syncthreads();
        for (int l = slow; l < N; l += reflectors_threads / N)
          if (i0 + quick < m && j0 + l < n) to[i0 + quick + (j0 + l) * ld] = tile[l][quick];
        __syncthreads();
      }
  }
}

/* B = A with its rows, its columns, or both in reverse order. */
template <class T>
static __global__ void __launch_bounds__(reflectors_threads) copy_reversed(bool rows, bool cols, batch<T> a, batch<T> b)
{
  for (int64_t x = blockIdx.x; x < b.count; x += gridDim.x) {
    const int m = b.rows(x), n = m > 0 ? b.cols(x) : 0;
    for (int j = threadIdx.x / 32; j < n; j += reflectors_threads / 32)
      for (int i = threadIdx.x % 32; i < m; i += 32)
        b.at(x)[i + j * (int64_t)b.leading(x)] =
          a.at(x)[(rows ? m - 1 - i : i) + (cols ? n - 1 - j : j) * (int64_t)a.leading(x)];
  }
}

} // namespace batched_cuda::condensed

#endif
