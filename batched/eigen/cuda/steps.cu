/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of drivers that are made of other operations, on a GPU: batched/eigen/steps.h says what each does.
 *
 * grid      matrices: a block each, whose threads take its elements one after the other along the columns (fix_signs: a
 *           warp per column; store, store_both: a block per 65536 elements); numbers per matrix: a thread per matrix
 * block     256 threads; store_values, choose: 128
 * shared    none, but for one number in take_trapezoid and a number per warp in scale
 * takes     all four types, any size, uniform and variable; limit_counts: double precision
 * memory    each reads once what it writes; fix_signs, take_trapezoid, divide_by_values and scale also read what they
 *           look for
 * accuracy  copies and powers of two are exact; a product or a quotient per element in fix_signs and divide_by_values
 */
#include "batched/cuda/launch.cuh"
#include "batched/cuda/reduce.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/eigen/steps.h"

namespace batched_cuda::eigen
{
namespace
{

/* find_sizes: a thread per matrix. */
__global__ void __launch_bounds__(256)
  write_sizes(int64_t count, int m, int n, const int *ms, const int *ns, batched_sizes s)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x) {
    const int rows = ms ? ms[b] : m, cols = ns ? ns[b] : n, k = min(rows, cols);
    const int tall = rows >= cols ? k : 0, wide = k - tall;
    s.mins[b] = k;
    s.tall[b] = tall;
    s.wide[b] = wide;
    s.mins_less[b] = max(k - 1, 0);
    s.tall_less[b] = max(tall - 1, 0);
    s.wide_less[b] = max(wide - 1, 0);
  }
}

int find_sizes(batched_ctx *ctx, const batched_matrix *a, const batched_sizes *s)
{
  return launch(ctx, write_sizes, ceil_div(a->count, 256), 256, 0, a->count, a->m, a->n, a->ms, a->ns, *s);
}

/* store: y = x, or NaN; `parts` blocks per matrix, of which this is number `part`. */
template <class T>
__device__ __forceinline__ void store_matrix(int64_t b, int part, int parts, bool good, const batch<T> &x,
                                             const batch<T> &y)
{
  const int first = part * (blockDim.x / 32) + threadIdx.x / 32;
  const int m = y.rows(b), n = y.cols(b);
  if (good && x.at(b) == y.at(b)) return;
  const T *const from = x.at(b), nan = make<T>(real_of<T>(NAN), real_of<T>(NAN));
  T *const to = y.at(b);
  const int64_t ldx = x.leading(b), ldy = y.leading(b);
  for (int j = first; j < n; j += parts * (blockDim.x / 32))
    for (int i = threadIdx.x % 32; i < m; i += 32) to[i + j * ldy] = good ? from[i + j * ldx] : nan;
}

template <class T>
__global__ void __launch_bounds__(256) store_matrices(int parts, const int *info, batch<T> x, batch<T> y)
{
  for (int64_t unit = blockIdx.x; unit < y.count * parts; unit += gridDim.x)
    store_matrix(unit / parts, (int)(unit % parts), parts, info[unit / parts] <= 0, x, y);
}

/* Blocks for a matrix of y. */
int parts_of(const batched_matrix *y)
{
  return (int)ceil_div((int64_t)y->m * y->n + 1, 1 << 16);
}

int store(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  return with_type(y->type, [&](auto t) {
    using T = decltype(t);
    const int parts = parts_of(y);
    return launch(ctx, store_matrices<T>, y->count * parts, 256, 0, parts, info, view<T>(*x), view<T>(*y));
  });
}

/* store_values: the same for vectors. */
template <class R>
__device__ __forceinline__ void store_vector(int64_t b, bool good, const batch<R> &x, const batch<R> &y)
{
  const int n = y.length(b);
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
    y.at(b)[i * y.increment(b)] = good ? x.at(b)[i * x.increment(b)] : R(NAN);
}

template <class R> __global__ void __launch_bounds__(128) store_vectors(const int *info, batch<R> x, batch<R> y)
{
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) store_vector(b, info[b] <= 0, x, y);
}

int store_values(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  if (y->type == BATCHED_S)
    return launch(ctx, store_vectors<float>, y->count, 128, 0, info, view<float>(*x), view<float>(*y));
  return launch(ctx, store_vectors<double>, y->count, 128, 0, info, view<double>(*x), view<double>(*y));
}

/* store_both: a matrix's first block stores the vector, too. */
template <class T>
__global__ void __launch_bounds__(256)
  store_pairs(int parts, const int *info, batch<real_of<T>> w, batch<T> z, batch<real_of<T>> to_w, batch<T> to_z)
{
  for (int64_t unit = blockIdx.x; unit < to_z.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts;
    const bool good = info[b] <= 0;
    store_matrix(b, (int)(unit % parts), parts, good, z, to_z);
    if (unit % parts == 0) store_vector(b, good, w, to_w);
  }
}

int store_both(batched_ctx *ctx, const int *info, const batched_matrix *w, const batched_matrix *z,
               const batched_matrix *to_w, const batched_matrix *to_z)
{
  return with_type(z->type, [&](auto t) {
    using T = decltype(t);
    using R = real_of<T>;
    const int parts = parts_of(to_z);
    return launch(ctx, store_pairs<T>, to_z->count * parts, 256, 0, parts, info, view<R>(*w), view<T>(*z),
                  view<R>(*to_w), view<T>(*to_z));
  });
}

/* fix_signs: a warp per column of z finds its largest element, the first of several, and turns it and vt's row. */
template <class T> __global__ void __launch_bounds__(256) turn_columns(batch<T> z, batch<T> vt)
{
  using R = real_of<T>;
  const int lane = threadIdx.x % 32;
  for (int64_t b = blockIdx.x; b < z.count; b += gridDim.x) {
    const int m = z.rows(b), n = z.cols(b), cols = vt.count > 0 ? vt.cols(b) : 0;
    for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32) {
      T *const x = z.at(b) + j * (int64_t)z.leading(b);
      R most = 0;
      int at = INT_MAX;
      for (int i = lane; i < m; i += 32)
        if (abs(x[i]) > most) {
          most = abs(x[i]);
          at = i;
        }
      for (int half = 16; half > 0; half /= 2) {
        const R other = shuffle_xor(most, half);
        const int other_at = __shfl_xor_sync(all_lanes, at, half);
        if (other > most || (other == most && other_at < at)) {
          most = other;
          at = other_at;
        }
      }
      if (at == INT_MAX) continue;
      const T largest = x[at], phase = (1 / most) * conj(largest);
      __syncwarp();
      for (int i = lane; i < m; i += 32) x[i] = i == at ? make<T>(most) : x[i] * phase;
      for (int i = lane; i < cols; i += 32) {
        T &y = vt.at(b)[j + i * (int64_t)vt.leading(b)];
        y = y * conj(phase);
      }
    }
  }
}

int fix_signs(batched_ctx *ctx, const batched_matrix *z, const batched_matrix *vt)
{
  return with_type(z->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, turn_columns<T>, z->count, 256, 0, view<T>(*z), vt->count > 0 ? view<T>(*vt) : batch<T>());
  });
}

/* whole: the other triangle from the given one, the diagonal made real. */
template <class T> __global__ void __launch_bounds__(256) write_whole(bool lower, batch<T> a, batch<T> x)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b);
    for (int64_t e = threadIdx.x; e < (int64_t)n * n; e += blockDim.x) {
      const int64_t i = e % n, j = e / n;
      const bool there = lower ? i >= j : i <= j;
      const T y = there ? a.at(b)[i + j * a.leading(b)] : conj(a.at(b)[j + i * a.leading(b)]);
      x.at(b)[i + j * x.leading(b)] = i == j ? make<T>(real(y)) : y;
    }
  }
}

int whole(batched_ctx *ctx, batched_uplo uplo, const batched_matrix *a, const batched_matrix *x)
{
  return with_type(a->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, write_whole<T>, a->count, 256, 0, uplo == BATCHED_LOWER, view<T>(*a), view<T>(*x));
  });
}

/* add_failures: info[b] = n + failed[b] where that is not 0.  A thread per matrix. */
__global__ void __launch_bounds__(256) blame(int64_t count, int n, const int *ns, const int *failed, int *info)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x)
    if (failed[b] > 0) info[b] = (ns ? ns[b] : n) + failed[b];
}

int add_failures(batched_ctx *ctx, const batched_matrix *a, const int *failed, int *info)
{
  return launch(ctx, blame, ceil_div(a->count, 256), 256, 0, a->count, a->m, a->ms, failed, info);
}

/* limit_counts: a thread per matrix. */
template <class R> __global__ void __launch_bounds__(256) limit_each(const int *found, batch<R> w, int *few)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < w.count; b += (int64_t)gridDim.x * blockDim.x)
    few[b] = min(found[b], w.length(b));
}

int limit_counts(batched_ctx *ctx, const int *found, const batched_matrix *w, int *few)
{
  return launch(ctx, limit_each<double>, ceil_div(w->count, 256), 256, 0, found, view<double>(*w), few);
}

/* The range of a gesvdx. */
struct value_range {
  batched_range range;
  double vl, vu;
  int il, iu;
};

/* choose: a thread per matrix goes through its values. */
template <class R>
__global__ void __launch_bounds__(128)
  choose_values(value_range g, batch<R> s, batch<R> w, const int *info, int *found, int *first, int *few)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < s.count; b += (int64_t)gridDim.x * blockDim.x) {
    const int k = s.length(b), room = w.length(b);
    const R *const values = k > 0 ? s.at(b) : nullptr;
    int begin = 0, end = k;
    if (g.range == BATCHED_INDEX) {
      begin = min(g.il - 1, k);
      end = min(g.iu, k);
    } else if (g.range == BATCHED_INTERVAL) {
      while (begin < k && values[begin] > g.vu) begin++;
      for (end = begin; end < k && values[end] > g.vl;) end++;
    }
    if (info[b] > 0) begin = end = 0;
    first[b] = begin;
    few[b] = min(end - begin, room);
    found[b] = end - begin;
    for (int64_t i = 0; i < few[b]; i++) w.at(b)[i * w.increment(b)] = values[begin + i];
  }
}

template <class R>
int choose_from(batched_ctx *ctx, const batched_gesvdx_args *g, const batched_matrix *s, int *first, int *few)
{
  const value_range range = {g->range, g->vl, g->vu, g->il, g->iu};
  return launch(ctx, choose_values<R>, ceil_div(s->count, 128), 128, 0, range, view<R>(*s), view<R>(g->s), g->info,
                g->found, first, few);
}

int choose(batched_ctx *ctx, const batched_gesvdx_args *g, const batched_matrix *s, int *first, int *few)
{
  return s->type == BATCHED_S ? choose_from<float>(ctx, g, s, first, few) : choose_from<double>(ctx, g, s, first, few);
}

/* take_columns, take_rows: few[b] columns or rows of x from first[b] on. */
template <class T>
__global__ void __launch_bounds__(256) take_part(const int *first, const int *few, bool rows, batch<T> x, batch<T> y)
{
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) {
    const int m = rows ? few[b] : y.rows(b), n = rows ? y.cols(b) : few[b];
    const int64_t skipped = first[b] * (rows ? 1 : (int64_t)x.leading(b));
    for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x) {
      const int64_t i = e % m, j = e / m;
      y.at(b)[i + j * y.leading(b)] = x.at(b)[skipped + i + j * x.leading(b)];
    }
  }
}

int take(batched_ctx *ctx, const int *first, const int *few, bool rows, const batched_matrix *x,
         const batched_matrix *y)
{
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, take_part<T>, y->count, 256, 0, first, few, rows, view<T>(*x), view<T>(*y));
  });
}

int take_columns(batched_ctx *ctx, const int *first, const int *few, const batched_matrix *u, const batched_matrix *y)
{
  return take(ctx, first, few, false, u, y);
}

int take_rows(batched_ctx *ctx, const int *first, const int *few, const batched_matrix *vt, const batched_matrix *y)
{
  return take(ctx, first, few, true, vt, y);
}

/* divide_by_values: an element per thread; the block's first thread counts the rank. */
template <class T>
__global__ void __launch_bounds__(256) divide_rows(double rcond, batch<real_of<T>> s, batch<T> c, int *ranks)
{
  using R = real_of<T>;
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const int k = s.length(b), n = c.cols(b);
    const R *const values = k > 0 ? s.at(b) : nullptr,
                   least = k > 0 ? R(rcond < 0 ? eps_of<R> / 2 : rcond) * values[0] : R(0);
    if (threadIdx.x == 0) {
      int rank = 0;
      while (rank < k && values[rank] > least) rank++;
      ranks[b] = rank;
    }
    for (int64_t e = threadIdx.x; e < (int64_t)k * n; e += blockDim.x) {
      T &x = c.at(b)[e % k + e / k * c.leading(b)];
      const R value = values[e % k];
      x = value > least ? make<T>(real(x) / value, imag(x) / value) : make<T>(0);
    }
  }
}

int divide_by_values(batched_ctx *ctx, double rcond, const batched_matrix *s, const batched_matrix *c, int *rank)
{
  return with_type(c->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, divide_rows<T>, c->count, 256, 0, rcond, view<real_of<T>>(*s), view<T>(*c), rank);
  });
}

/* take_trapezoid: the block's first thread finds the rank; then an element per thread. */
template <class T>
__global__ void __launch_bounds__(256) trapezoid(double rcond, batch<T> f, batch<T> y, int *rank, int *bad)
{
  using R = real_of<T>;
  __shared__ int shared_rank;
  for (int64_t b = blockIdx.x; b < f.count; b += gridDim.x) {
    const int m = f.rows(b), n = f.cols(b), k = min(m, n);
    const int64_t ldf = f.leading(b), ldy = y.leading(b);
    const T *const r = k > 0 ? f.at(b) : nullptr;
    bool finite = true;
    for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x)
      finite = is_finite(r[e % m + e / m * ldf]) && finite;
    finite = !__syncthreads_or(!finite);
    if (threadIdx.x == 0) {
      const R least = k > 0 ? R(rcond < 0 ? eps_of<R> / 2 : rcond) * abs(r[0]) : R(0);
      int found = 0;
      while (finite && found < k && abs(r[found + found * ldf]) > least) found++;
      bad[b] = !finite;
      rank[b] = shared_rank = found;
    }
    __syncthreads();
    const int found = shared_rank;
    T *const to = y.data + b * y.stride; /* its size is the rank that was just found */
    for (int64_t e = threadIdx.x; e < (int64_t)found * n; e += blockDim.x) {
      const int64_t i = e / n, j = e % n;
      to[j + i * ldy] = j < i ? make<T>(0) : conj(r[i + j * ldf]);
    }
    __syncthreads();
  }
}

int take_trapezoid(batched_ctx *ctx, double rcond, const batched_matrix *f, const batched_matrix *y, int *rank,
                   int *bad)
{
  return with_type(f->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, trapezoid<T>, f->count, 256, 0, rcond, view<T>(*f), view<T>(*y), rank, bad);
  });
}

/* 2^e by four factors, as it may over- or underflow itself. */
template <class R> struct power_of_two {
  R quarter, rest;

  explicit __device__ power_of_two(int e) : quarter(ldexp(R(1), e / 4)), rest(ldexp(R(1), e - 3 * (e / 4)))
  {
  }
  template <class T> __device__ T times(T x) const
  {
    return x * quarter * quarter * quarter * rest;
  }
};

/* scale: the largest part, then an element per thread. */
template <class T> __global__ void __launch_bounds__(256) scale_matrices(batch<T> x, batch<T> y, int *exponent)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> parts[256 / 32];
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) {
    const int m = y.rows(b), n = y.cols(b);
    const int64_t ldx = x.leading(b), ldy = y.leading(b);
    maximum_of<R> largest;
    for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32)
      for (int i = threadIdx.x % 32; i < m; i += 32) {
        const T value = x.at(b)[i + j * ldx];
        if (real(value) - real(value) == 0) largest.add(fabs(real(value)));
        if (imag(value) - imag(value) == 0) largest.add(fabs(imag(value)));
      }
    int e;
    frexp(merge_block(largest, parts).result(), &e);
    const power_of_two<R> power(-e);
    for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32)
      for (int i = threadIdx.x % 32; i < m; i += 32) y.at(b)[i + j * ldy] = power.times(x.at(b)[i + j * ldx]);
    if (threadIdx.x == 0) exponent[b] = e;
    __syncthreads();
  }
}

int scale(batched_ctx *ctx, const batched_matrix *x, const batched_matrix *y, int *exponent)
{
  return with_type(y->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, scale_matrices<T>, y->count, 256, 0, view<T>(*x), view<T>(*y), exponent);
  });
}

/* scale_back: in place. */
template <class T> __global__ void __launch_bounds__(256) multiply_by_powers(const int *up, const int *down, batch<T> x)
{
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x) {
    const int m = x.rows(b), n = x.cols(b);
    const int64_t ld = x.leading(b);
    const power_of_two<real_of<T>> power(up[b] - (down ? down[b] : 0));
    for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32)
      for (int i = threadIdx.x % 32; i < m; i += 32) x.at(b)[i + j * ld] = power.times(x.at(b)[i + j * ld]);
  }
}

int scale_back(batched_ctx *ctx, const int *up, const int *down, const batched_matrix *x)
{
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, multiply_by_powers<T>, x->count, 256, 0, up, down, view<T>(*x));
  });
}

/* take_rows_to: the first rows of x, and zeros below. */
template <class T> __global__ void __launch_bounds__(256) copy_rows(batch<T> x, int most, const int *ms, batch<T> y)
{
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) {
    const int m = y.rows(b), n = y.cols(b), some = ms ? ms[b] : most;
    for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x) {
      const int64_t i = e % m, j = e / m;
      y.at(b)[i + j * y.leading(b)] = i < some ? x.at(b)[i + j * x.leading(b)] : make<T>(0);
    }
  }
}

int take_rows_to(batched_ctx *ctx, const batched_matrix *x, int m, const int *ms, const batched_matrix *y)
{
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, copy_rows<T>, y->count, 256, 0, view<T>(*x), m, ms, view<T>(*y));
  });
}

/* take_upper: the upper triangle of x, and zeros below. */
template <class T> __global__ void __launch_bounds__(256) copy_upper(batch<T> x, batch<T> y)
{
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) {
    const int m = y.rows(b), n = y.cols(b);
    for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x) {
      const int64_t i = e % m, j = e / m;
      y.at(b)[i + j * y.leading(b)] = i <= j ? x.at(b)[i + j * x.leading(b)] : make<T>(0);
    }
  }
}

int take_upper(batched_ctx *ctx, const batched_matrix *x, const batched_matrix *y)
{
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, copy_upper<T>, y->count, 256, 0, view<T>(*x), view<T>(*y));
  });
}

/* put_rows: row i of x to row jpvt[i] of y. */
template <class T> __global__ void __launch_bounds__(256) permute_rows(batch<T> x, const int *jpvt, batch<T> y)
{
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x) {
    const int m = x.rows(b), n = x.cols(b), *const own = jpvt + b * x.m;
    for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x) {
      const int64_t i = e % m, j = e / m;
      y.at(b)[own[i] - 1 + j * y.leading(b)] = x.at(b)[i + j * x.leading(b)];
    }
  }
}

int put_rows(batched_ctx *ctx, const batched_matrix *x, const int *jpvt, const batched_matrix *b)
{
  return with_type(x->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, permute_rows<T>, x->count, 256, 0, view<T>(*x), jpvt, view<T>(*b));
  });
}

/* add_info: a thread per matrix. */
__global__ void __launch_bounds__(256) add_numbers(int64_t count, const int *more, int *info)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x)
    if (info[b] == 0) info[b] = more[b];
}

int add_info(batched_ctx *ctx, int64_t count, const int *more, int *info)
{
  return launch(ctx, add_numbers, ceil_div(count, 256), 256, 0, count, more, info);
}

} // namespace
} // namespace batched_cuda::eigen

using namespace batched_cuda::eigen;

const batched_eigen_steps batched_eigen_cuda_steps = {
  find_sizes,   store,        store_values, store_both, fix_signs,        whole,          add_failures,
  limit_counts, choose,       take_columns, take_rows,  divide_by_values, take_trapezoid, scale,
  scale_back,   take_rows_to, take_upper,   put_rows,   add_info,
};
