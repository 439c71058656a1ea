/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of ge2gb and unmbr_ge2gb on a GPU: batched/two_stage/general_steps.h says what each does.  The copies of
 * ge2gb are scaled by a power of two.
 *
 * form_factors: T column after column, a thread per row, and then -P^H T, a thread per element.
 *
 * grid      a block per 65536 elements of a matrix, at least one; form_factors: a block per matrix
 * block     256 threads
 * shared    form_factors: P, G and T where they fit into half of it, else they stay in place
 * takes     all four types, any m, n and kd, uniform and variable
 * memory    each reads and writes its elements once; take_tall reads A once more for its largest element
 * accuracy  copies are exact, but for numbers that scaling makes denormal; the largest element does not depend on the
 *           order
 */
#include "batched/two_stage/general_steps.h"
#include "batched/qr/cuda/householder.cuh"
#include "batched/two_stage/cuda/elements.cuh"

namespace batched_cuda::two_stage
{
namespace
{

__global__ void __launch_bounds__(step_threads)
  write_sizes(int64_t count, int m, int n, const int *ms, const int *ns, int first, int kd, batched_general_sizes s)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x) {
    const int rows = ms ? ms[b] : m, cols = ns ? ns[b] : n, longer = max(rows, cols), shorter = min(rows, cols);
    const int panel = min(max(shorter - first, 0), kd), rest = max(shorter - first - panel, 0);
    s.longer[b] = longer;
    s.shorter[b] = shorter;
    s.rows[b] = max(longer - first, 0);
    s.cols[b] = panel;
    s.rest[b] = rest;
    s.below[b] = max(longer - first - kd, 0);
    s.few[b] = min(rest, kd);
  }
}

int find_sizes(batched_ctx *ctx, const batched_matrix *a, int first, int kd, const batched_general_sizes *s)
{
  return launch(ctx, write_sizes, ceil_div(a->count, step_threads), step_threads, 0, a->count, a->m, a->n, a->ms, a->ns,
                first, kd, *s);
}

template <class T>
__global__ void __launch_bounds__(step_threads) find_largest(int parts, batch<T> a, unsigned long long *largest)
{
  for (int64_t unit = blockIdx.x; unit < a.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, m = a.rows(b), n = a.cols(b);
    if (m == 0 || n == 0) continue;
    const T *const from = a.at(b);
    const int64_t lda = a.leading(b);
    unsigned long long most = 0;
    each_element(unit, parts, m, n, [&](int64_t i, int64_t j) { most = larger_bits(most, from[i + j * lda]); });
    raise_largest(most, largest + b);
  }
}

template <class T>
__global__ void __launch_bounds__(step_threads) write_tall(int parts, batch<T> a, batch<T> x, const double *largest)
{
  for (int64_t unit = blockIdx.x; unit < a.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, m = a.rows(b), n = a.cols(b);
    if (m == 0 || n == 0) continue;
    const real_of<T> scale = qr::column_scale((real_of<T>)largest[b]);
    const T *const from = a.at(b);
    T *const to = x.at(b);
    const int64_t lda = a.leading(b), ld = x.leading(b);
    each_element(unit, parts, m, n, [&](int64_t i, int64_t j) {
      const T e = scale * from[i + j * lda];
      to[m >= n ? i + j * ld : j + i * ld] = conj_if(m < n, e);
    });
  }
}

int take_tall(batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, double *largest)
{
  const int parts = parts_of((int64_t)a->m * a->n, a->count);
  const int64_t blocks = a->count * parts;
  int status = launch(ctx, write_zeros, ceil_div(a->count, step_threads), step_threads, 0, a->count, largest);
  return status ? status : with_type(a->type, [&](auto t) {
    using T = decltype(t);
    auto *const bits = reinterpret_cast<unsigned long long *>(largest);
    status = launch(ctx, find_largest<T>, blocks, step_threads, 0, parts, view<T>(*a), bits);
    if (status) return status;
    return launch(ctx, write_tall<T>, blocks, step_threads, 0, parts, view<T>(*a), view<T>(*x),
                  (const double *)largest);
  });
}

/* Results of store_band: a, the band, and the factors of X's Q and P. */
template <class T> struct stored_band {
  int kd;
  batch<T> a, ab, tauq, taup;
};

/* The band alone: element i of the kd + 1 of column j, from the main diagonal on. */
template <class T>
__global__ void __launch_bounds__(step_threads)
  write_band_alone(const __grid_constant__ stored_band<T> g, int parts, batch<T> x, const double *largest)
{
  for (int64_t unit = blockIdx.x; unit < x.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, n = x.cols(b), kd = g.kd;
    if (n == 0) continue;
    const bool tall = g.a.rows(b) >= g.a.cols(b);
    const int64_t ld = x.leading(b), ldab = g.ab.leading(b);
    const T *const from = x.at(b);
    T *const ab = g.ab.at(b);
    const real_of<T> back = qr::inverse_scale(qr::column_scale((real_of<T>)largest[b]));
    each_element(unit, parts, kd + 1, n, [&](int64_t k, int64_t j) {
      const int64_t i = j - k;
      if (i < 0) return;
      const T y = from[i + j * ld], e = back * conj_if(!tall, k == 0 ? make<T>(real(y)) : y);
      ab[tall ? kd - k + j * ldab : k + i * ldab] = e;
    });
  }
}

template <class T>
__device__ __forceinline__ void write_factors(int k, int few, const T *from, const batch<T> &tau, int64_t b)
{
  T *const to = tau.at(b);
  for (int i = threadIdx.x; i < k; i += blockDim.x) to[i * (int64_t)tau.increment(b)] = i < few ? from[i] : make<T>(0);
}

template <class T>
__global__ void __launch_bounds__(step_threads)
  write_band(const __grid_constant__ stored_band<T> g, int parts, batch<T> x, batch<T> tauq, batch<T> taup,
             const double *largest)
{
  for (int64_t unit = blockIdx.x; unit < x.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, m = x.rows(b), n = x.cols(b), kd = g.kd;
    if (n == 0) continue;
    const bool tall = g.a.rows(b) >= g.a.cols(b);
    const int64_t ld = x.leading(b), lda = g.a.leading(b), ldab = g.ab.leading(b);
    const T *const from = x.at(b);
    T *const a = g.a.at(b), *const ab = g.ab.at(b);
    const real_of<T> back = qr::inverse_scale(qr::column_scale((real_of<T>)largest[b]));
    each_element(unit, parts, m, n, [&](int64_t i, int64_t j) {
      const bool inside = i <= j && j - i <= kd;
      const T y = from[i + j * ld], e = (inside ? back : real_of<T>(1)) * conj_if(!tall, i == j ? make<T>(real(y)) : y);
      a[tall ? i + j * lda : j + i * lda] = e;
      if (inside) ab[tall ? kd + i - j + j * ldab : j - i + i * ldab] = e;
    });
    if (unit % parts > 0) continue;
    write_factors((int)n, (int)n, tauq.at(b), tall ? g.tauq : g.taup, b);
    write_factors((int)n, (int)(n - kd), n > kd ? taup.at(b) : nullptr, tall ? g.taup : g.tauq, b);
  }
}

int store_band(batched_ctx *ctx, const batched_ge2gb_args *g, const batched_matrix *x, const batched_matrix *tauq,
               const batched_matrix *taup, const double *largest)
{
  const int64_t rows = g->band_alone ? g->kd + 1 : x->m;
  const int parts = parts_of(rows * x->n, x->count);
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    const stored_band<T> to = {g->kd, view<T>(g->a), view<T>(g->ab), view<T>(g->tauq), view<T>(g->taup)};
    if (g->band_alone)
      return launch(ctx, write_band_alone<T>, x->count * parts, step_threads, 0, to, parts, view<T>(*x), largest);
    return launch(ctx, write_band<T>, x->count * parts, step_threads, 0, to, parts, view<T>(*x), view<T>(*tauq),
                  view<T>(*taup), largest);
  });
}

template <class T>
__global__ void __launch_bounds__(step_threads)
  write_reflectors(bool is_q, int kd, int parts, batch<T> a, batch<T> tau, batch<T> v, batch<T> t)
{
  for (int64_t unit = blockIdx.x; unit < v.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, order = v.rows(b), k = v.cols(b);
    if (order == 0 || k == 0) continue;
    const int64_t shift = is_q == (a.rows(b) >= a.cols(b)) ? 0 : kd, ld = v.leading(b), lda = a.leading(b);
    const T *const from = a.at(b);
    T *const to = v.at(b);
    each_element(unit, parts, order, k, [&](int64_t i, int64_t j) {
      if (i <= j) return;
      const int64_t h = j - shift;
      to[i + j * ld] = h < 0 ? make<T>(0) : is_q ? from[i + h * lda] : conj(from[h + i * lda]);
    });
    if (unit % parts > 0) continue;
    for (int64_t j = threadIdx.x; j < k; j += blockDim.x)
      t.at(b)[j] = j < shift ? make<T>(0) : tau.at(b)[(j - shift) * tau.increment(b)];
  }
}

int take_reflectors(batched_ctx *ctx, const batched_unmbr_ge2gb_args *u, const batched_matrix *v,
                    const batched_matrix *t)
{
  const int parts = parts_of((int64_t)v->m * v->n, v->count);
  return with_type(v->type, [&](auto type) {
    using T = decltype(type);
    return launch(ctx, write_reflectors<T>, v->count * parts, step_threads, 0, u->which == BATCHED_Q, u->kd, parts,
                  view<T>(u->a), view<T>(u->tau), view<T>(*v), view<T>(*t));
  });
}

template <class T>
__global__ void __launch_bounds__(step_threads) write_vectors(int kd, int parts, batch<T> x, batch<T> tau, batch<T> v)
{
  for (int64_t unit = blockIdx.x; unit < v.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, m = v.rows(b), few = tau.rows(b), ldx = x.leading(b), ld = v.leading(b);
    if (m == 0) continue;
    const T *const from = x.at(b);
    T *const to = v.at(b);
    each_element(unit, parts, from == to ? min((int)m, kd) : m, kd, [&](int64_t i, int64_t j) {
      to[i + j * ld] = j >= few || i < j ? make<T>(0) : i == j ? make<T>(1) : from[i + j * ldx];
    });
  }
}

int take_vectors(batched_ctx *ctx, const batched_general_panel *p)
{
  const int parts = parts_of((int64_t)p->v.m * p->kd, p->v.count);
  return with_type(p->v.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, write_vectors<T>, p->v.count * parts, step_threads, 0, p->kd, parts, view<T>(p->x),
                  view<T>(p->tau), view<T>(p->v));
  });
}

template <class T>
__global__ void __launch_bounds__(step_threads)
  write_triangles(bool copied, bool both, int kd, batch<T> tau, batch<T> products, batch<T> factors)
{
  const int64_t square = (int64_t)kd * kd, ld = 2 * (int64_t)kd;
  T *const shared = shared_array<T>();
  for (int64_t b = blockIdx.x; b < factors.count; b += gridDim.x) {
    T *const to = factors.at(b), *const k = copied ? shared : products.at(b), *const t = copied ? k + 2 * square : to;
    const int64_t ldt = copied ? kd : ld;
    for (int64_t e = threadIdx.x + (both ? 0 : square); copied && e < 2 * square; e += blockDim.x)
      k[e] = products.at(b)[e];
    __syncthreads();
    form_triangle(kd, tau.rows(b), k + square, tau.at(b), t, ldt);
    __syncthreads();
    for (int64_t e = threadIdx.x; e < square; e += blockDim.x) {
      const int64_t i = e % kd, j = e / kd;
      if (copied) to[i + j * ld] = t[i + j * ldt];
      if (!both) continue;
      T sum = make<T>(0);
      for (int64_t l = 0; l <= j; l++) sum = mad(conj(k[l + i * kd]), t[l + j * ldt], sum);
      to[kd + i + j * ld] = -sum;
    }
    __syncthreads();
  }
}

int form_factors(batched_ctx *ctx, const batched_general_panel *p)
{
  return with_type(p->v.type, [&](auto t) {
    using T = decltype(t);
    const size_t bytes = 3 * (size_t)p->kd * p->kd * sizeof(T);
    const bool copied = bytes <= half_shared();
    return launch(ctx, write_triangles<T>, p->v.count, step_threads, copied ? bytes : 0, copied, p->both, p->kd,
                  view<T>(p->tau), view<T>(p->products), view<T>(p->factors));
  });
}

} // namespace
} // namespace batched_cuda::two_stage

using namespace batched_cuda;
using namespace batched_cuda::two_stage;

const batched_general_steps batched_general_cuda_steps = {find_sizes,      take_tall,    store_band,
                                                          take_reflectors, take_vectors, form_factors};
