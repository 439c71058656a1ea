/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.dc of stedc: eigenvectors of symmetric tridiagonal matrices by divide and conquer.  Leaves of at most 32 by
 * QL (ql.cuh), a block each; then a level after the other, merge.cuh.  Values alone, and matrices that are a leaf: the
 * row of steqr.
 *
 * launches  3, and 5 a level, for chunks of as many matrices as have 2 GB of scratch memory
 * takes     s and d, vectors of all four types, any n and any rows of Z, uniform and variable
 * reads     d, e, z (MULTIPLY); writes d, e, z, info; scratch: 3 n^2 real numbers a matrix, and with MULTIPLY twice Z
 * accuracy  |T - Z W Z^T| and orthogonality < 30 n eps
 */
#include "batched/products/cuda/gemm.cuh"
#include "batched/tridiagonal/cuda/merge.cuh"
#include "batched/tridiagonal/cuda/ql.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

constexpr int most_leaf = 32;

/* Beside the conquest: by what each matrix was multiplied (0: it is not finite), and once more where its numbers were
 * denormal, for which one power of two does not reach; and how many e of leaves stayed. */
template <class R> struct conquest_state {
  R *scales, *more;
  int *failures;
};

template <class R>
__global__ void __launch_bounds__(256) stedc_load(conquest<R> c, conquest_state<R> s, batch<R> ds, batch<R> es)
{
  __shared__ maximum_of<R> parts[8];
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const int n = ds.length(b);
    R *const d = n > 0 ? ds.at(b) : nullptr, *const e = n > 1 ? es.at(b) : nullptr;
    const int64_t incd = ds.increment(b), ince = n > 1 ? es.increment(b) : 1;
    const R largest = largest_of(n, d, incd, e, ince, parts);
    const bool finite = largest - largest == 0;
    const R scale = finite ? power_near(largest) : R(0), more = power_near(finite ? scale * largest : R(0));
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

/* grid: a block a leaf; block: the warp of the iteration, and one of rows of vectors. */
template <class R> __global__ void __launch_bounds__(64) stedc_leaves(conquest<R> c, int *failures, int level)
{
  __shared__ R diagonals[7 * most_leaf], vectors[most_leaf * most_leaf];
  const int64_t leaves = c.count << level;
  for (int64_t leaf = blockIdx.x; leaf < leaves; leaf += gridDim.x) {
    const int64_t b = leaf >> level;
    const int n = c.orders[b], p = (int)(leaf - (b << level));
    const int begin = (int)((int64_t)n * p >> level), end = (int)((int64_t)n * (p + 1) >> level), m = end - begin;
    if (m <= 0) continue;
    const qr_room<R> room = room_at(diagonals, vectors, m);
    const R *const d = c.d + b * c.n + begin, *const e = c.e + b * c.n + begin;
    R *const v = c.matrix(c.v, b) + begin + (int64_t)begin * c.n;
    for (int i = threadIdx.x; i < m; i += blockDim.x) {
      R own = d[i];
      if (i == 0 && begin > 0) own -= fabs(e[-1]);
      if (i == m - 1 && end < n) own -= fabs(e[m - 1]);
      room.d[i] = own;
      if (i < m - 1) room.e[i] = e[i];
    }
    each_element<R>(m, m, [&](int i, int j) { room.v[i + j * m] = i == j; });
    __syncthreads();
    const bool converged = iterate_ql(room, m, m, m);
    for (int i = threadIdx.x; i < m; i += blockDim.x) {
      c.d[b * c.n + begin + i] = room.d[i];
      if (i < m - 1) c.e[b * c.n + begin + i] = converged ? R(0) : room.e[i];
      if (i < m - 1 && !converged && room.e[i] != 0) atomicAdd(failures + b, 1);
    }
    each_element<R>(m, m, [&](int i, int j) { v[i + (int64_t)j * c.n] = room.v[i + j * m]; });
    __syncthreads();
  }
}

/* Values in order, e, info, and vectors: to Z, or, where Z is to be multiplied by them (`kept`), to t. */
template <class T>
__global__ void __launch_bounds__(256)
  stedc_store(conquest<real_of<T>> c, conquest_state<real_of<T>> s, batch<real_of<T>> ds, batch<real_of<T>> es,
              batch<T> z, bool kept, int *info)
{
  using R = real_of<T>;
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const int n = ds.length(b);
    const R scale = s.scales[b], more = s.more[b];
    const bool finite = scale != 0;
    const int failures = s.failures[b];
    if (threadIdx.x == 0) info[b] = finite ? failures : n;
    if (n == 0) continue;
    R *const d = ds.at(b), *const e = n > 1 ? es.at(b) : nullptr, *const w = c.d + b * c.n;
    const int64_t incd = ds.increment(b), ince = n > 1 ? es.increment(b) : 1;
    int *const place = c.sorted + b * c.n;
    if (finite)
      rank_values(n, w, false, place);
    else
      for (int i = threadIdx.x; i < n; i += blockDim.x) place[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      d[place[i] * incd] = finite ? w[i] / more / scale : not_a_number<R>();
      if (i < n - 1) e[i * ince] = !finite ? not_a_number<R>() : failures ? c.e[b * c.n + i] / more / scale : R(0);
    }
    const R *const v = c.matrix(c.v, b);
    R *const t = c.matrix(c.t, b);
    each_element<R>(n, n, [&](int i, int j) {
      if (kept)
        t[i + (int64_t)place[j] * c.n] = finite ? v[i + (int64_t)j * c.n] : not_a_number<R>();
      else
        z.at(b)[i + place[j] * (int64_t)z.leading(b)] = finite ? make<T>(v[i + (int64_t)j * c.n]) : nan_of<T>();
    });
    __syncthreads();
  }
}

/* Z as real numbers in columns of `ld`, and sizes for its product with the n x n vectors. */
template <class T>
__global__ void __launch_bounds__(256)
  copy_rows(batch<T> z, batch<real_of<T>> ds, real_of<T> *x, int64_t ld, bool back, int *ms, int *ns)
{
  using R = real_of<T>;
  for (int64_t b = blockIdx.x; b < z.count; b += gridDim.x) {
    const int n = ds.length(b);
    const real_rows<R> rows = rows_of(z, b, n > 0);
    R *const own = x + b * ld * ds.m * ds.n;
    each_element<R>(rows.rows, n, [&](int r, int j) {
      R &inside = rows.z[r + j * rows.ld], &copy = own[r + j * ld];
      if (back)
        inside = copy;
      else
        copy = inside;
    });
    if (!back && threadIdx.x == 0) {
      ms[b] = rows.rows;
      ns[b] = n;
    }
  }
}

template <class R> batch<R> by_pointers(R *const *at, int m, int n, int ld, const int *ms, const int *ns, int64_t count)
{
  return {nullptr, at, 0, count, m, n, ld, ms, ns, nullptr, 0, 0};
}

template <class R> int merge_level(batched_ctx *ctx, const conquest<R> &c, int level)
{
  const int64_t merges = c.count << level;
  const int size = (int)ceil_div(c.n, (int64_t)1 << level), half = (int)ceil_div(c.n, (int64_t)2 << level);
  int status = launch(ctx, merge_deflate<R>, merges, merge_threads, 0, c, level);
  if (!status) status = launch(ctx, merge_solve<R>, merges, merge_threads, 0, c, level);
  if (!status) status = launch(ctx, merge_gather<R>, merges, merge_threads, 0, c, level);
  if (!status)
    status = products::gemm<R>(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, R(1),
                               by_pointers(c.a, half, size, c.n, c.ms, c.ks, 2 * merges),
                               by_pointers(c.b, size, size, c.n, c.ones, c.ks, 2 * merges), R(0),
                               by_pointers(c.c, half, size, c.n, c.ms, c.ones, 2 * merges));
  return status ? status : launch(ctx, merge_finish<R>, merges, merge_threads, 0, c, level);
}

/* Z = Z t. */
template <class T>
int multiply(batched_ctx *ctx, const conquest<real_of<T>> &c, const batch<real_of<T>> &d, const batch<T> &z,
             real_of<T> *x, int *sizes)
{
  using R = real_of<T>;
  const int64_t ld = (is_complex<T> ? 2 : 1) * (int64_t)z.m, each = ld * c.n;
  R *const y = x + each * c.count;
  int *const ms = sizes, *const ns = sizes + c.count;
  const auto rows = [&](R *at) {
    return batch<R>{at, nullptr, each, c.count, (int)ld, c.n, (int)ld, ms, ns, nullptr, 0, 0};
  };
  const batch<R> t = {c.t, nullptr, (int64_t)c.n * c.n, c.count, c.n, c.n, c.n, ns, ns, nullptr, 0, 0};
  int status = launch(ctx, copy_rows<T>, c.count, 256, 0, z, d, x, ld, false, ms, ns);
  if (!status) status = products::gemm<R>(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, R(1), rows(x), t, R(0), rows(y));
  return status ? status : launch(ctx, copy_rows<T>, c.count, 256, 0, z, d, y, ld, true, ms, ns);
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

template <class R>
size_t lay_out(conquest<R> *c, conquest_state<R> *s, R **x, size_t extra, int **sizes, unsigned char *memory,
               int levels)
{
  const size_t count = (size_t)c->count, places = count * (size_t)c->n, merges = count << (levels > 0 ? levels - 1 : 0);
  allotment m = {memory, 0};
  for (R **matrix : {&c->v, &c->s, &c->t}) m.take(matrix, places * (size_t)c->n);
  for (R **vector : {&c->d, &c->e, &c->z, &c->poles, &c->weights, &c->values, &c->cosines, &c->sines})
    m.take(vector, places);
  m.take(x, 2 * count * extra);
  m.take(&s->scales, count);
  m.take(&s->more, count);
  for (R ***operand : {&c->a, &c->b, &c->c}) m.take(operand, 2 * merges);
  for (int **place : {&c->sorted, &c->kept, &c->dropped, &c->first, &c->second, &c->kinds}) m.take(place, places);
  m.take(&c->pairs, 2 * places);
  m.take(&c->parts, MERGE_NUMBERS * merges);
  for (int **numbers : {&c->ks, &c->ms, &c->ones}) m.take(numbers, 2 * merges);
  m.take(&c->orders, count);
  m.take(&s->failures, count);
  m.take(sizes, 2 * count);
  return m.used;
}

batched_matrix part_of(batched_matrix x, int64_t first, int64_t count)
{
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

template <class T>
int run_chunk(batched_ctx *ctx, const batched_stedc_args &p, const conquest<real_of<T>> &c,
              const conquest_state<real_of<T>> &s, real_of<T> *x, int *sizes, int levels)
{
  using R = real_of<T>;
  const batch<R> d = view<R>(p.d), e = view<R>(p.e);
  const batch<T> z = view<T>(p.z);
  const bool kept = p.job == BATCHED_MULTIPLY;
  int status = batched_fill_zero(ctx, c.v, (size_t)c.count * (size_t)c.n * (size_t)c.n * sizeof(R));
  if (!status) status = launch(ctx, stedc_load<R>, c.count, 256, 0, c, s, d, e);
  if (!status) status = launch(ctx, stedc_leaves<R>, c.count << levels, 64, 0, c, s.failures, levels);
  for (int level = levels - 1; !status && level >= 0; level--) status = merge_level(ctx, c, level);
  if (!status) status = launch(ctx, stedc_store<T>, c.count, 256, 0, c, s, d, e, z, kept, p.info);
  return !status && kept ? multiply<T>(ctx, c, d, z, x, sizes) : status;
}

template <class T> int run_dc(batched_ctx *ctx, const batched_stedc_args &p)
{
  using R = real_of<T>;
  constexpr size_t most = (size_t)1 << 31;
  conquest<R> c = {};
  conquest_state<R> s;
  R *x;
  int *sizes, levels = 0;
  c.n = batched_vector_bound(&p.d);
  while (ceil_div(c.n, (int64_t)1 << levels) > most_leaf) levels++;
  const size_t extra = p.job == BATCHED_MULTIPLY ? (is_complex<T> ? 2 : 1) * (size_t)p.z.m * (size_t)c.n : 0;
  c.count = 1;
  const int64_t fit = (int64_t)(most / lay_out(&c, &s, &x, extra, &sizes, nullptr, levels));
  const int64_t chunk = fit < 1 ? 1 : fit < p.d.count ? fit : p.d.count;
  c.count = chunk;
  const size_t bytes = lay_out(&c, &s, &x, extra, &sizes, nullptr, levels);
  auto *const memory = static_cast<unsigned char *>(batched_scratch_push(ctx, bytes));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; !status && first < p.d.count; first += chunk) {
    c.count = p.d.count - first < chunk ? p.d.count - first : chunk;
    lay_out(&c, &s, &x, extra, &sizes, memory, levels);
    batched_stedc_args some = p;
    some.d = part_of(p.d, first, c.count);
    some.e = part_of(p.e, first, c.count);
    some.z = part_of(p.z, first, c.count);
    some.info = p.info + first;
    status = run_chunk<T>(ctx, some, c, s, x, sizes, levels);
  }
  batched_scratch_pop(ctx);
  return status;
}

int dc(batched_ctx *ctx, const batched_stedc_args &p)
{
  if (p.job == BATCHED_VALUES || batched_vector_bound(&p.d) <= most_leaf) return run_best(ctx, batched_steqr_op, p);
  return with_type(p.z.type, [&](auto t) { return run_dc<decltype(t)>(ctx, p); });
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_stedc_cuda[] = {
  row<nullptr, nullptr, dc>("cuda.dc"),
  BATCHED_LAST_ROW,
};
