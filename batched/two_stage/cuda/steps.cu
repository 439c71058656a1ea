/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of he2hb and unmtr_he2hb on a GPU: batched/two_stage/steps.h says what each does (multiply:
 * multiply_band.cuh, finish: finish_band.cuh, finish_band_tall.cuh).  The copies of he2hb are scaled by a power of two.
 *
 * form_factors, kd x kd: T by LAPACK's larft, column after column, a thread per row, and M = -1/2 T^H (K T).
 *
 * grid      a block per 65536 elements of a matrix, at least one; form_factors: a block per matrix
 * block     256 threads
 * shared    form_factors: K, V^H V and T where they fit into half of it, else they stay in place
 * takes     all four types, any n and kd, uniform and variable
 * memory    each reads and writes its elements once; take_whole reads the triangle once more for its largest element
 * accuracy  copies are exact, but for numbers that scaling makes denormal; the largest element does not depend on the
 *           order
 */
#include "batched/two_stage/cuda/elements.cuh"
#include "batched/two_stage/cuda/finish_band_tall.cuh"
#include "batched/two_stage/cuda/multiply_band.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::two_stage
{
namespace
{

__global__ void __launch_bounds__(step_threads)
  write_rest(int64_t count, int n, const int *ns, int first, int kd, int *rest, int *few)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x) {
    rest[b] = max((ns ? ns[b] : n) - first, 0);
    few[b] = min(rest[b], kd);
  }
}

int find_rest(batched_ctx *ctx, const batched_matrix *a, int first, int kd, int *rest, int *few)
{
  return launch(ctx, write_rest, ceil_div(a->count, step_threads), step_threads, 0, a->count, a->n, a->ns, first, kd,
                rest, few);
}

/* Element (i, j) of the Hermitian matrix of which the triangle is stored. */
template <class T> __device__ __forceinline__ T element_of(bool lower, const T *a, int64_t ld, int64_t i, int64_t j)
{
  const T y = lower == (i >= j) || i == j ? a[i + j * ld] : conj(a[j + i * ld]);
  return i == j ? make<T>(real(y)) : y;
}

/* largest: zeros before. */
template <class T>
__global__ void __launch_bounds__(step_threads)
  find_largest(bool lower, int parts, batch<T> a, unsigned long long *largest)
{
  for (int64_t unit = blockIdx.x; unit < a.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, n = a.cols(b);
    if (n == 0) continue;
    const T *const from = a.at(b);
    const int64_t lda = a.leading(b);
    unsigned long long most = 0;
    each_element(unit, parts, n, n, [&](int64_t i, int64_t j) {
      if (lower ? i < j : i > j) return;
      most = larger_bits(most, element_of(lower, from, lda, i, j));
    });
    raise_largest(most, largest + b);
  }
}

template <class T>
__global__ void __launch_bounds__(step_threads)
  write_whole(bool lower, int parts, batch<T> a, batch<T> x, const double *largest)
{
  for (int64_t unit = blockIdx.x; unit < a.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, n = a.cols(b);
    if (n == 0) continue;
    const real_of<T> scale = qr::column_scale((real_of<T>)largest[b]);
    const T *const from = a.at(b);
    T *const to = x.at(b);
    const int64_t lda = a.leading(b), ld = x.leading(b);
    each_element(unit, parts, n, n,
                 [&](int64_t i, int64_t j) { to[i + j * ld] = scale * element_of(lower, from, lda, i, j); });
  }
}

int take_whole(batched_ctx *ctx, batched_uplo uplo, const batched_matrix *a, const batched_matrix *x, double *largest)
{
  const int parts = parts_of((int64_t)a->n * a->n, a->count);
  const bool lower = uplo == BATCHED_LOWER;
  const int64_t blocks = a->count * parts;
  int status = launch(ctx, write_zeros, ceil_div(a->count, step_threads), step_threads, 0, a->count, largest);
  return status ? status : with_type(a->type, [&](auto t) {
    using T = decltype(t);
    auto *const bits = reinterpret_cast<unsigned long long *>(largest);
    status = launch(ctx, find_largest<T>, blocks, step_threads, 0, lower, parts, view<T>(*a), bits);
    if (status) return status;
    return launch(ctx, write_whole<T>, blocks, step_threads, 0, lower, parts, view<T>(*a), view<T>(*x),
                  (const double *)largest);
  });
}

template <class T>
__global__ void __launch_bounds__(step_threads) write_panel(int first, int kd, int parts, batch<T> x, batch<T> block)
{
  for (int64_t unit = blockIdx.x; unit < x.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, rest = max(x.cols(b) - first, 0), few = min((int)rest, kd);
    if (rest == 0) continue;
    const int64_t ldx = x.leading(b), ld = block.leading(b);
    const T *const from = x.at(b) + first + (first - kd) * ldx;
    T *const v = block.at(b) + kd * ld;
    each_element(unit, parts, rest, kd, [&](int64_t i, int64_t j) {
      const T e = j >= few || i < j ? make<T>(0) : i == j ? make<T>(1) : from[i + j * ldx];
      v[i + j * ld] = v[i + (j + 2 * kd) * ld] = e;
    });
  }
}

int take_panel(batched_ctx *ctx, const batched_band_panel *p)
{
  const int parts = parts_of((int64_t)(p->x.n - p->first) * p->kd, p->x.count);
  return with_type(p->x.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, write_panel<T>, p->x.count * parts, step_threads, 0, p->first, p->kd, parts, view<T>(p->x),
                  view<T>(p->block));
  });
}

/* kt = K T, in the place of V^H V, and m = -1/2 T^H kt. */
template <class T> __device__ void form_middle(int kd, const T *k, const T *t, int64_t ld, T *kt, T *m, int64_t ldm)
{
  for (int64_t e = threadIdx.x; e < (int64_t)kd * kd; e += blockDim.x) {
    const int64_t i = e % kd, j = e / kd;
    T sum = make<T>(0);
    for (int64_t l = 0; l <= j; l++) sum = mad(k[i + l * kd], t[l + j * ld], sum);
    kt[i + j * kd] = sum;
  }
  __syncthreads();
  for (int64_t e = threadIdx.x; e < (int64_t)kd * kd; e += blockDim.x) {
    const int64_t i = e % kd, j = e / kd;
    T sum = make<T>(0);
    for (int64_t l = 0; l <= i; l++) sum = mad(conj(t[l + i * ld]), kt[l + j * kd], sum);
    m[i + j * ldm] = real_of<T>(-0.5) * sum;
  }
}

template <class T>
__global__ void __launch_bounds__(step_threads)
  write_factors(bool copied, int first, int kd, batch<T> x, batch<T> tau, batch<T> products, batch<T> factors)
{
  const int64_t square = (int64_t)kd * kd, ld = 2 * (int64_t)kd;
  T *const shared = shared_array<T>();
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x) {
    const int few = min(max(x.cols(b) - first, 0), kd);
    T *const to = factors.at(b), *const k = copied ? shared : products.at(b), *const t = copied ? k + 2 * square : to;
    const int64_t ldt = copied ? kd : ld;
    for (int64_t e = threadIdx.x; copied && e < 2 * square; e += blockDim.x) k[e] = products.at(b)[e];
    __syncthreads();
    form_triangle(kd, few, k + square, tau.at(b), t, ldt);
    __syncthreads();
    for (int64_t e = threadIdx.x; copied && e < square; e += blockDim.x) to[e % kd + e / kd * ld] = t[e];
    form_middle(kd, k, t, ldt, k + square, to + kd, ld);
    __syncthreads();
  }
}

int form_factors(batched_ctx *ctx, const batched_band_panel *p)
{
  return with_type(p->x.type, [&](auto t) {
    using T = decltype(t);
    const size_t bytes = 3 * (size_t)p->kd * p->kd * sizeof(T);
    const bool copied = bytes <= half_shared();
    return launch(ctx, write_factors<T>, p->x.count, step_threads, copied ? bytes : 0, copied, p->first, p->kd,
                  view<T>(p->x), view<T>(p->tau), view<T>(p->products), view<T>(p->factors));
  });
}

template <class T>
__global__ void __launch_bounds__(step_threads) write_band(bool lower, int kd, int parts, batch<T> x, batch<T> factors,
                                                           batch<T> a, batch<T> ab, batch<T> tau, const double *largest)
{
  for (int64_t unit = blockIdx.x; unit < x.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, n = x.cols(b);
    if (n == 0) continue;
    const int64_t ld = x.leading(b), lda = a.leading(b), ldab = ab.leading(b);
    const T *const from = x.at(b);
    T *const to = a.at(b), *const band = ab.at(b);
    const real_of<T> back = qr::inverse_scale(qr::column_scale((real_of<T>)largest[b]));
    each_element(unit, parts, n, n, [&](int64_t i, int64_t j) {
      if (lower ? i < j : i > j) return;             /* not in the user's triangle */
      const int64_t outside = lower ? i - j : j - i; /* of the main diagonal, by so many */
      const T y = lower ? from[i + j * ld] : conj(from[j + i * ld]);
      const T e = (outside <= kd ? back : real_of<T>(1)) * (i == j ? make<T>(real(y)) : y);
      to[i + j * lda] = e;
      if (outside <= kd) band[(lower ? outside : kd - outside) + j * ldab] = e;
    });
    if (unit % parts == 0)
      for (int64_t i = threadIdx.x; i < n - kd; i += blockDim.x) tau.at(b)[i * tau.increment(b)] = factors.at(b)[i];
  }
}

/* The band alone: element k of the kd + 1 of column j, from the main diagonal on. */
template <class T>
__global__ void __launch_bounds__(step_threads)
  write_band_alone(bool lower, int kd, int parts, batch<T> x, batch<T> ab, const double *largest)
{
  for (int64_t unit = blockIdx.x; unit < x.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, n = x.cols(b);
    if (n == 0) continue;
    const int64_t ld = x.leading(b), ldab = ab.leading(b);
    const T *const from = x.at(b);
    T *const band = ab.at(b);
    const real_of<T> back = qr::inverse_scale(qr::column_scale((real_of<T>)largest[b]));
    each_element(unit, parts, kd + 1, n, [&](int64_t k, int64_t j) {
      const int64_t i = j + k;
      if (i >= n) return;
      const T y = from[i + j * ld], e = back * (k == 0 ? make<T>(real(y)) : y);
      band[lower ? k + j * ldab : kd - k + i * ldab] = lower ? e : conj(e);
    });
  }
}

int store_band(batched_ctx *ctx, const batched_he2hb_args *h, const batched_matrix *x, const batched_matrix *tau,
               const double *largest)
{
  const int64_t rows = h->band_alone ? h->kd + 1 : x->n;
  const int parts = parts_of(rows * x->n, x->count);
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    if (h->band_alone)
      return launch(ctx, write_band_alone<T>, x->count * parts, step_threads, 0, h->uplo == BATCHED_LOWER, h->kd, parts,
                    view<T>(*x), view<T>(h->ab), largest);
    return launch(ctx, write_band<T>, x->count * parts, step_threads, 0, h->uplo == BATCHED_LOWER, h->kd, parts,
                  view<T>(*x), view<T>(*tau), view<T>(h->a), view<T>(h->ab), view<T>(h->tau), largest);
  });
}

template <class T>
__global__ void __launch_bounds__(step_threads)
  write_reflectors(bool lower, int kd, int parts, batch<T> a, batch<T> tau, batch<T> v, batch<T> t)
{
  for (int64_t unit = blockIdx.x; unit < v.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, n = v.cols(b);
    if (n == 0) continue;
    const int64_t ld = v.leading(b), lda = a.leading(b);
    const T *const from = a.at(b);
    T *const to = v.at(b);
    each_element(unit, parts, n, n, [&](int64_t i, int64_t j) {
      if (i <= j) return;
      const int64_t column = j - kd;
      to[i + j * ld] = column < 0 ? make<T>(0) : lower ? from[i + column * lda] : conj(from[column + i * lda]);
    });
    if (unit % parts == 0)
      for (int64_t j = threadIdx.x; j < n; j += blockDim.x)
        t.at(b)[j] = j < kd ? make<T>(0) : tau.at(b)[(j - kd) * tau.increment(b)];
  }
}

int take_reflectors(batched_ctx *ctx, const batched_unmtr_he2hb_args *u, const batched_matrix *v,
                    const batched_matrix *t)
{
  const int parts = parts_of((int64_t)v->n * v->n, v->count);
  return with_type(v->type, [&](auto type) {
    using T = decltype(type);
    return launch(ctx, write_reflectors<T>, v->count * parts, step_threads, 0, u->uplo == BATCHED_LOWER, u->kd, parts,
                  view<T>(u->a), view<T>(u->tau), view<T>(*v), view<T>(*t));
  });
}

} // namespace
} // namespace batched_cuda::two_stage

using namespace batched_cuda;
using namespace batched_cuda::two_stage;

const batched_two_stage_steps batched_two_stage_cuda_steps = {
  find_rest,        take_whole, take_panel, form_factors, store_band, take_reflectors, multiply_band_product,
  finish_band_panel};
