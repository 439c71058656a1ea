/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What divide and conquer of tridiagonal and of bidiagonal matrices (rows cuda.dc of stedc and bdsdc, which have the
 * contracts) share beside the merges: memory for a chunk of matrices, and how d and e come to it.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_DC_CUH
#define BATCHED_TRIDIAGONAL_CUDA_DC_CUH

#include "batched/tridiagonal/cuda/merge.cuh"

namespace batched_cuda::tridiagonal
{

/* Beside the conquest: by what each matrix was multiplied (0: it is not finite), and once more where its numbers were
 * denormal, for which one power of two does not reach; and how many e of leaves stayed. */
template <class R> struct conquest_state {
  R *scales, *more;
  int *failures;
};

/* d and e, with the largest of them near `unit`, a power of two.  A block per matrix; reads d and e twice. */
template <class R>
__global__ void __launch_bounds__(256)
  load_diagonals(conquest<R> c, conquest_state<R> s, batch<R> ds, batch<R> es, R unit)
{
  __shared__ maximum_of<R> parts[8];
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const int n = ds.length(b);
    R *const d = n > 0 ? ds.at(b) : nullptr, *const e = n > 1 ? es.at(b) : nullptr;
    const int64_t incd = ds.increment(b), ince = n > 1 ? es.increment(b) : 1;
    const R largest = largest_of(n, d, incd, e, ince, parts);
    const bool finite = largest - largest == 0;
    const R scale = finite ? power_near(largest) : R(0), more = unit * power_near(finite ? scale * largest : R(0));
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      c.d[b * c.n + i] = more * (scale * d[i * incd]);
      if (i < n - 1) c.e[b * c.n + i] = more * (scale * e[i * ince]);
    }
    if (threadIdx.x == 0) {
      s.scales[b] = scale;
      s.more[b] = more;
      s.failures[b] = 0;
      c.orders[b] = finite ? n : 0;
    }
    __syncthreads();
  }
}

/* Stores matrix b's values in order, e (zeros, or what leaves have left of it), and to `sorted` the places of vectors;
 * NaNs for a matrix that is not finite. */
template <class R>
__device__ void store_values(const conquest<R> &c, const conquest_state<R> &s, const batch<R> &ds, const batch<R> &es,
                             int64_t b, bool descending)
{
  const int n = ds.length(b);
  if (n == 0) return;
  const R scale = s.scales[b], more = s.more[b], *const w = c.d + b * c.n;
  const bool finite = scale != 0;
  R *const d = ds.at(b), *const e = n > 1 ? es.at(b) : nullptr;
  const int64_t incd = ds.increment(b), ince = n > 1 ? es.increment(b) : 1;
  int *const place = c.sorted + b * c.n;
  if (finite)
    rank_values(n, w, descending, place);
  else
    for (int i = threadIdx.x; i < n; i += blockDim.x) place[i] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    d[place[i] * incd] = finite ? w[i] / more / scale : not_a_number<R>();
    if (i < n - 1) e[i * ince] = !finite ? not_a_number<R>() : s.failures[b] ? c.e[b * c.n + i] / more / scale : R(0);
  }
}

/* Takes memory from a block piece by piece, or counts it where there is none. */
struct allotment {
  unsigned char *at;
  size_t used;

  template <class X> void take(X **x, size_t many)
  {
    used = (used + 15) / 16 * 16;
    *x = at ? reinterpret_cast<X *>(at + used) : nullptr;
    used += many * sizeof(X);
  }
};

/* Vectors and matrices of `c`, and numbers of `s`, for merges of so many levels. */
template <class R> void take_conquest(allotment *m, conquest<R> *c, conquest_state<R> *s, int levels)
{
  const size_t count = (size_t)c->count, places = count * (size_t)c->n, merges = count << (levels > 0 ? levels - 1 : 0);
  for (R **matrix : {&c->v, &c->s, &c->t}) m->take(matrix, places * (size_t)c->n);
  for (R **vector :
       {&c->d, &c->e, &c->z, &c->poles, &c->weights, &c->values, &c->nearest, &c->offsets, &c->cosines, &c->sines})
    m->take(vector, places);
  m->take(&s->scales, count);
  m->take(&s->more, count);
  for (R ***operand : {&c->a, &c->b, &c->c}) m->take(operand, 2 * merges);
  for (int **place : {&c->sorted, &c->kept, &c->dropped, &c->first, &c->second}) m->take(place, places);
  m->take(&c->pairs, 2 * places);
  m->take(&c->parts, MERGE_NUMBERS * merges);
  for (int **numbers : {&c->ks, &c->ms, &c->ones}) m->take(numbers, 2 * merges);
  m->take(&c->orders, count);
  m->take(&s->failures, count);
}

/* Levels of merges above leaves of order `most_leaf` at most, of a matrix of order n. */
static inline int levels_for(int n, int most_leaf)
{
  int levels = 0;
  while (ceil_div(n, (int64_t)1 << levels) > most_leaf) levels++;
  return levels;
}

/* Number of `count` matrices that have memory at a time, with so many bytes each. */
static inline int64_t chunk_of(int64_t count, size_t each)
{
  constexpr size_t most = (size_t)1 << 31;
  const int64_t fit = (int64_t)(most / each);
  return fit < 1 ? 1 : fit < count ? fit : count;
}

/* Matrices first .. first + count - 1. */
static inline batched_matrix part_of(batched_matrix x, int64_t first, int64_t count)
{
  if (batched_is_absent(&x)) return x;
  if (x.array)
    x.array += first;
  else
    x.data = static_cast<char *>(x.data) + first * x.stride * (int64_t)batched_element_bytes(x.type);
  if (x.ms) x.ms += first;
  if (x.ns) x.ns += first;
  if (x.lds) x.lds += first;
  x.count = count;
  return x;
}

} // namespace batched_cuda::tridiagonal

#endif
