/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of cuda.blocked_jacobi of gesvd: batched/eigen/jacobi_steps.h says what each does.
 *
 * rotate    a block per matrix and pair of blocks of 16 columns: their inner products G, one cyclic sweep of two-sided
 *           Jacobi on G, of 16 rotations at a time, which W collects, and the products of the columns with W
 * grid      rotate: count * pairs; the others: a block per matrix (close: a thread)
 * block     256 threads
 * shared    rotate: G, W and 32 x 32 elements of the columns, 50 KB in z; the others none
 * takes     all four types, any size, uniform and variable
 * memory    rotate: the columns of l twice, where one is rotated, and those of v once; they are written once
 * accuracy  elements of G are good relative to the norms of their two columns, and so are those of W: a small column
 *           takes no error of a large one.  Rotations are computed in double precision.
 */
#include "batched/cuda/mma.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/eigen/jacobi_steps.h"

namespace batched_cuda::eigen
{
namespace
{

constexpr int half = BATCHED_JACOBI_BLOCK, pair = 2 * half, pair_ld = pair + 1, block_threads = 256;

/* Scales the largest element to block_lift; a column whose squared norm is below block_tiny counts as zero.  Squares of
 * squares are in double precision. */
template <class R> constexpr R block_lift = sizeof(R) == 4 ? R(1) : R(0x1p125);
template <class R> constexpr double block_tiny = sizeof(R) == 4 ? 0x1p-120 : 0x1p-250;

/* Where the columns of a batch are, of type T. */
template <class T> struct room {
  batch<T> x, l, v, y;
  int *rows, *mins;
  double *largest, *sizes;
  int *order, *place, *jpvt, *moved, *done;

  explicit room(const batched_jacobi_room &r)
      : x(view<T>(r.x)), l(view<T>(r.l)), v(view<T>(r.v)), y(view<T>(r.y)), rows(r.rows), mins(r.mins),
        largest(r.largest), sizes(r.sizes), order(r.order), place(r.place), jpvt(r.jpvt), moved(r.moved), done(r.done)
  {
  }
};

/* places of n numbers in descending order, the first of several equal ones first. */
template <class F> __device__ void rank_descending(int n, const double *numbers, F put)
{
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
    const double mine = numbers[i];
    int before = 0;
    for (int j = 0; j < n; j++) before += numbers[j] > mine || (numbers[j] == mine && j < i);
    put(i, before);
  }
}

__device__ double block_maximum(double x)
{
  __shared__ double parts[block_threads / 32];
  for (int step = 16; step > 0; step /= 2) x = fmax(x, shuffle_xor(x, step));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < block_threads / 32; i++) x = fmax(x, parts[i]);
  return x;
}

/* ------------------------------------------------------------------ load, begin */

/* load: x = X with its rows in descending order of their largest elements, scaled by a power of two. */
template <class T> __global__ void __launch_bounds__(block_threads) load_rows(batch<T> a, room<T> r, int *info)
{
  using R = real_of<T>;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), rows = max(m, n), k = min(m, n);
    const bool wide = m < n;
    const int64_t ld = a.leading(b), down = wide ? ld : 1, right = wide ? 1 : ld;
    const T *const from = k > 0 ? a.at(b) : nullptr;
    double *const sizes = r.sizes + b * r.x.m;
    int *const order = r.order + b * r.x.m;
    double most = 0;
    bool good = true;
    for (int i = (int)threadIdx.x; i < rows; i += block_threads) {
      R size = 0;
      for (int j = 0; j < k; j++) {
        const T e = from[i * down + j * right];
        good = good && is_finite(e);
        size = fmax(size, magnitude(e));
      }
      sizes[i] = size;
      most = fmax(most, (double)size);
    }
    good = !__syncthreads_or(!good);
    most = block_maximum(most);
    rank_descending(rows, sizes, [&](int i, int before) { order[before] = i; });
    __syncthreads();
    if (threadIdx.x == 0) {
      if (r.rows) {
        r.rows[b] = rows;
        r.mins[b] = k;
      }
      r.largest[b] = good ? most : 0;
      r.moved[b] = r.done[b] = 0;
      info[b] = good ? 0 : k;
    }
    const power_scale<R> scale(good ? R(most) : R(0), block_lift<R>);
    T *const x = r.x.data + b * r.x.stride; /* its size may just have been written */
    for (int64_t e = threadIdx.x; e < (int64_t)rows * k; e += block_threads) {
      const int64_t i = e % rows, j = e / rows;
      x[i + j * r.x.ld] = good ? scale.up(conj_if(wide, from[order[i] * down + j * right])) : make<T>(0);
    }
    __syncthreads();
  }
}

/* begin: l = R^H, v = I. */
template <class T> __global__ void __launch_bounds__(block_threads) set_columns(room<T> r)
{
  for (int64_t b = blockIdx.x; b < r.l.count; b += gridDim.x) {
    const int k = r.l.cols(b);
    for (int64_t e = threadIdx.x; e < (int64_t)k * k; e += block_threads) {
      const int64_t i = e % k, j = e / k;
      r.l.at(b)[i + j * r.l.ld] = i >= j ? conj(r.x.at(b)[j + i * r.x.ld]) : make<T>(0);
      if (r.v.data) r.v.at(b)[i + j * r.v.ld] = make<T>(i == j);
    }
  }
}

/* ------------------------------------------------------------------ rotate */

/* Pair number i of a round among `circle` + 1 players, by the circle method. */
__device__ __forceinline__ void meet(int circle, int round, int i, int *p, int *q)
{
  const int a = round + i, b = round - i;
  *p = i == 0 ? circle : a >= circle ? a - circle : a;
  *q = b < 0 ? b + circle : b;
}

/* Pair i of 16 of a round within a pair of blocks: one column of either; in rounds before 0 two of the same. */
__device__ __forceinline__ void columns_of(int round, int i, int *p, int *q)
{
  if (round >= 0) {
    *p = i;
    *q = half + (i + round) % half;
    return;
  }
  meet(half - 1, -1 - round, i % (half / 2), p, q);
  *p += i / (half / 2) * half;
  *q += i / (half / 2) * half;
}

/* A tile of 32 x 32 elements, 8 x 8 of which at a time are a warp's: element (i, j) at tile[i + j * pair_ld]. */
template <class T> struct pair_tiles {
  T g[pair * pair_ld], w[pair * pair_ld], chunk[pair * pair_ld];
  real_of<T> c[half];
  T s[half];
  double shift[half];
  int p[half], q[half];
};

/* Two of the 16 parts of 8 x 8 of a product of 32 x 32 tiles: those of this warp, in block row warp / 2. */
template <class T, class A, class B> __device__ __forceinline__ void multiply_parts(T (&d)[2][2], A a, B b)
{
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = warp / 2 * 8, col = warp % 2 * 16;
#pragma unroll
  for (int k = 0; k < pair; k += 4) {
    const T x = a(row + g, k + t);
    multiply_8x8x4(d[0], x, b(k + t, col + g));
    multiply_8x8x4(d[1], x, b(k + t, col + 8 + g));
  }
}

/* Calls f(i, j, element) for the elements of these parts. */
template <class T, class F> __device__ __forceinline__ void each_part(const T (&d)[2][2], F f)
{
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) f(warp / 2 * 8 + g, warp % 2 * 16 + 8 * i + 2 * t + j, d[i][j]);
}

/* Two blocks of columns of a matrix with k columns. */
struct two_blocks {
  int first[2], k;
  __device__ __forceinline__ int column(int j) const
  {
    return first[j / half] + j % half;
  }
};

/* 32 rows of the columns, from row `from` on; zeros where there are none. */
template <class T>
__device__ __forceinline__ void load_chunk(const T *x, int64_t ld, const two_blocks &blocks, int from, T *chunk)
{
  const int lane = (int)threadIdx.x % 32;
#pragma unroll
  for (int j = (int)threadIdx.x / 32; j < pair; j += block_threads / 32) {
    const int c = blocks.column(j);
    chunk[lane + j * pair_ld] = from + lane < blocks.k && c < blocks.k ? x[from + lane + c * ld] : make<T>(0);
  }
}

template <class T> __device__ void multiply_columns(const T *x, int64_t ld, const two_blocks &blocks, pair_tiles<T> &s)
{
  T d[2][2] = {};
  for (int from = 0; from < blocks.k; from += pair) {
    load_chunk(x, ld, blocks, from, s.chunk);
    __syncthreads();
    multiply_parts(
      d, [&](int i, int k) { return conj(s.chunk[k + i * pair_ld]); },
      [&](int k, int j) { return s.chunk[k + j * pair_ld]; });
    __syncthreads();
  }
  each_part(d, [&](int i, int j, T e) { s.g[i + j * pair_ld] = e; });
}

template <class T> __device__ void update_columns(T *x, int64_t ld, const two_blocks &blocks, pair_tiles<T> &s)
{
  const int lane = (int)threadIdx.x % 32;
  for (int from = 0; from < blocks.k; from += pair) {
    load_chunk(x, ld, blocks, from, s.chunk);
    __syncthreads();
    T d[2][2] = {};
    multiply_parts(
      d, [&](int i, int k) { return s.chunk[i + k * pair_ld]; }, [&](int k, int j) { return s.w[k + j * pair_ld]; });
    __syncthreads();
    each_part(d, [&](int i, int j, T e) { s.chunk[i + j * pair_ld] = e; });
    __syncthreads();
    for (int j = (int)threadIdx.x / 32; j < pair; j += block_threads / 32) {
      const int c = blocks.column(j);
      if (from + lane < blocks.k && c < blocks.k) x[from + lane + c * ld] = s.chunk[lane + j * pair_ld];
    }
    __syncthreads();
  }
}

/* The rotation of pair i of a round, by the smaller angle, x' = c x - s y, y' = conj(s) x + c y, or none; 0: none, 2:
 * by more than a tiny angle, else 1. */
template <class T> __device__ __forceinline__ int find_rotation(pair_tiles<T> &s, int round, int i, int k)
{
  using R = real_of<T>;
  int p, q;
  columns_of(round, i, &p, &q);
  const double xx = real(s.g[p + p * pair_ld]), yy = real(s.g[q + q * pair_ld]);
  const T xy = s.g[p + q * pair_ld];
  const double re = real(xy), im = imag(xy), xy2 = re * re + im * im;
  const double near = jacobi_near<R>(k), tiny = block_tiny<R>;
  const bool active = xy2 > (double)jacobi_tolerance<R>(k) * (xx * yy) && xx >= tiny && yy >= tiny;
  const double d = yy - xx, h = rsqrt(fma(d, d, 4 * xy2)), c2 = fma(0.5 * fabs(d), h, 0.5), rc = rsqrt(c2);
  const double f = d < 0 ? -h * rc : h * rc;
  s.p[i] = p;
  s.q[i] = q;
  s.c[i] = active ? R(c2 * rc) : R(1);
  s.s[i] = active ? make<T>(R(re * f), R(-im * f)) : make<T>(0);
  s.shift[i] = active ? xy2 * f * rc : 0;
  return !active ? 0 : xy2 > near * (xx * yy) || xy2 * f * f > near ? 2 : 1;
}

/* (x, y) := (c x - s y, conj(s) x + c y) */
template <class T> __device__ __forceinline__ void turn_two(real_of<T> c, T s, T &x, T &y)
{
  const T a = x;
  x = mad(-s, y, c * a);
  y = mad(conj(s), a, c * y);
}

/* g = J^H g J and w = w J for the 16 rotations J of a round: a thread per 2 x 2 elements of g. */
template <class T> __device__ __forceinline__ void apply_rotations(pair_tiles<T> &s)
{
  const int i = (int)threadIdx.x % half, j = (int)threadIdx.x / half, p = s.p[i], q = s.q[i];
  const int pj = s.p[j] * pair_ld, qj = s.q[j] * pair_ld;
  const T sj = s.s[j], si = s.s[i];
  const real_of<T> cj = s.c[j], ci = s.c[i];
  T pp = s.g[p + pj], pq = s.g[p + qj], qp = s.g[q + pj], qq = s.g[q + qj];
  if (i != j) {
    turn_two(cj, sj, pp, pq);
    turn_two(cj, sj, qp, qq);
    turn_two(ci, conj(si), pp, qp);
    turn_two(ci, conj(si), pq, qq);
  } else if (s.shift[i] != 0) {
    pp = make<T>(real_of<T>(real(pp) - s.shift[i]));
    qq = make<T>(real_of<T>(real(qq) + s.shift[i]));
    pq = qp = make<T>(0);
  }
  s.g[p + pj] = pp, s.g[p + qj] = pq, s.g[q + pj] = qp, s.g[q + qj] = qq;
  turn_two(cj, sj, s.w[i + pj], s.w[i + qj]);
  turn_two(cj, sj, s.w[i + half + pj], s.w[i + half + qj]);
}

/* True where any pair of columns is not orthogonal. */
template <class T> __device__ bool has_work(const pair_tiles<T> &s, bool within, int k)
{
  using R = real_of<T>;
  bool work = false;
  for (int e = (int)threadIdx.x; e < pair * pair; e += block_threads) {
    const int i = e % pair, j = e / pair;
    if (i >= j || (!within && i / half == j / half)) continue;
    const double xx = real(s.g[i + i * pair_ld]), yy = real(s.g[j + j * pair_ld]);
    const T xy = s.g[i + j * pair_ld];
    const double re = real(xy), im = imag(xy);
    work |=
      re * re + im * im > (double)jacobi_tolerance<R>(k) * (xx * yy) && xx >= block_tiny<R> && yy >= block_tiny<R>;
  }
  return __syncthreads_or(work);
}

/* One sweep over the pairs of columns; whether it rotated by more than a tiny angle. */
template <class T> __device__ bool diagonalize(pair_tiles<T> &s, bool within, int k)
{
  for (int e = (int)threadIdx.x; e < pair * pair; e += block_threads)
    s.w[e % pair + e / pair * pair_ld] = make<T>(e % pair == e / pair);
  bool far = false;
#pragma unroll 1
  for (int round = within ? 1 - half : 0; round < half; round++) {
    int most = 0;
    if (threadIdx.x < half) most = find_rotation(s, round, (int)threadIdx.x, k);
    far |= most == 2;
    if (__syncthreads_or(most)) apply_rotations(s);
    __syncthreads();
  }
  return __syncthreads_or(far);
}

/* rotate: one round of a sweep; pair i of matrix b is of the two blocks that meet in it. */
template <class T> __global__ void __launch_bounds__(block_threads) rotate_blocks(room<T> r, int pairs, int round)
{
  pair_tiles<T> &s = *shared_array<pair_tiles<T>>();
  for (int64_t at = blockIdx.x; at < r.l.count * pairs; at += gridDim.x) {
    const int64_t b = at / pairs;
    const int i = (int)(at % pairs), k = r.l.cols(b), own = (k + half - 1) / half, players = own + own % 2;
    if (r.done[b] || round >= players - 1 || i >= players / 2) continue;
    two_blocks blocks = {{0, 0}, k};
    meet(players - 1, round, i, &blocks.first[0], &blocks.first[1]);
    blocks.first[0] *= half;
    blocks.first[1] *= half;
    T *const l = r.l.at(b);
    multiply_columns(l, r.l.ld, blocks, s);
    __syncthreads();
    if (has_work(s, round == 0, k)) {
      if (diagonalize(s, round == 0, k) && threadIdx.x == 0) atomicOr(r.moved + b, 1);
      update_columns(l, r.l.ld, blocks, s);
      if (r.v.data) update_columns(r.v.at(b), r.v.ld, blocks, s);
    }
    __syncthreads();
  }
}

/* close: done[b] where the sweep moved nothing of matrix b. */
__global__ void __launch_bounds__(block_threads) close_sweep(int64_t count, int *moved, int *done)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x) {
    if (!moved[b]) done[b] = 1;
    moved[b] = 0;
  }
}

/* ------------------------------------------------------------------ finish, put */

/* finish: norms of l's columns and their places when these descend; with vectors y = (V; 0) and v = P U1 in that order,
 * U1 = l with columns of norm 1, completed to a unitary matrix where norms are zero. */
template <class T> __global__ void __launch_bounds__(block_threads) order_columns(room<T> r, int *info)
{
  using R = real_of<T>;
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  for (int64_t b = blockIdx.x; b < r.l.count; b += gridDim.x) {
    const int k = r.l.cols(b);
    const int64_t ld = r.l.ld;
    const T *const l = k > 0 ? r.l.at(b) : nullptr;
    double *const norms = r.sizes + b * r.x.m;
    int *const place = r.place + b * r.x.m;
    if (threadIdx.x == 0 && !r.done[b] && info[b] == 0) info[b] = k;
    for (int j = warp; j < k; j += block_threads / 32) {
      double sum = 0;
      for (int i = lane; i < k; i += 32) sum += (double)square(l[i + j * ld]);
      sum = sum_lanes(sum);
      if (lane == 0) norms[j] = sqrt(sum);
    }
    __syncthreads();
    rank_descending(k, norms, [&](int j, int before) { place[j] = before; });
    __syncthreads();
    if (r.v.data && k > 0) {
      const int rows = r.x.rows(b), *const jpvt = r.jpvt + b * r.l.n;
      T *const v = r.v.at(b), *const y = r.y.at(b);
      for (int64_t e = threadIdx.x; e < (int64_t)rows * k; e += block_threads) {
        const int64_t i = e % rows, j = e / rows;
        y[i + place[j] * (int64_t)r.y.ld] = i < k ? v[i + j * r.v.ld] : make<T>(0);
      }
      __syncthreads();
      int rank = 0;
      for (int j = 0; j < k; j++) rank += norms[j] * norms[j] >= block_tiny<R>;
      for (int64_t e = threadIdx.x; e < (int64_t)k * k; e += block_threads) {
        const int64_t i = e % k, j = e / k;
        const bool there = norms[j] * norms[j] >= block_tiny<R>;
        v[jpvt[i] - 1 + place[j] * (int64_t)r.v.ld] = there ? R(1 / norms[j]) * l[i + j * ld] : make<T>(0);
      }
      __syncthreads();
      if (rank < k && threadIdx.x < 32) complete_columns(k, k, rank, v, 1, (int64_t)r.v.ld, lane, 32);
    }
    __syncthreads();
  }
}

/* put: s, u and vt, or NaNs where info > 0. */
template <class T>
__global__ void __launch_bounds__(block_threads)
  put_results(room<T> r, batch<T> a, batch<real_of<T>> s, batch<T> u, batch<T> vt, const int *info)
{
  using R = real_of<T>;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const bool wide = a.rows(b) < a.cols(b), good = info[b] <= 0;
    const int rows = r.x.rows(b), k = r.x.cols(b);
    const int *const order = r.order + b * r.x.m, *const place = r.place + b * r.x.m;
    const double *const norms = r.sizes + b * r.x.m;
    const power_scale<R> scale(R(r.largest[b]), block_lift<R>);
    for (int j = (int)threadIdx.x; j < k; j += block_threads)
      s.at(b)[place[j] * (int64_t)s.increment(b)] = good ? scale.down(R(norms[j])) : R(NAN);
    if (!r.v.data || k == 0) continue;
    T *const pu = u.at(b), *const pvt = vt.at(b);
    const int64_t ldu = u.leading(b), ldvt = vt.leading(b);
    for (int64_t e = threadIdx.x; e < (int64_t)rows * k; e += block_threads) {
      const int64_t i = e % rows, j = e / rows;
      const T x = good ? r.y.at(b)[i + j * r.y.ld] + make<T>(0) : not_a_number<T>();
      *(wide ? pvt + j + order[i] * ldvt : pu + order[i] + j * ldu) = conj_if(wide, x);
    }
    for (int64_t e = threadIdx.x; e < (int64_t)k * k; e += block_threads) {
      const int64_t i = e % k, j = e / k;
      const T x = good ? r.v.at(b)[i + j * r.v.ld] + make<T>(0) : not_a_number<T>();
      *(wide ? pu + i + j * ldu : pvt + j + i * ldvt) = conj_if(!wide, x);
    }
  }
}

/* ------------------------------------------------------------------ the steps */

int load(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, load_rows<T>, g->a.count, block_threads, 0, view<T>(g->a), room<T>(*r), g->info);
  });
}

int begin(batched_ctx *ctx, const batched_jacobi_room *r)
{
  return with_type(r->l.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, set_columns<T>, r->l.count, block_threads, 0, room<T>(*r));
  });
}

int rotate(batched_ctx *ctx, const batched_jacobi_room *r, int round)
{
  const int blocks = (r->l.n + half - 1) / half, pairs = (blocks + 1) / 2;
  return with_type(r->l.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, rotate_blocks<T>, r->l.count * pairs, block_threads, sizeof(pair_tiles<T>), room<T>(*r), pairs,
                  round);
  });
}

int close(batched_ctx *ctx, const batched_jacobi_room *r)
{
  return launch(ctx, close_sweep, ceil_div(r->l.count, block_threads), block_threads, 0, r->l.count, r->moved, r->done);
}

int finish(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  return with_type(r->l.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, order_columns<T>, r->l.count, block_threads, 0, room<T>(*r), g->info);
  });
}

int put(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  return with_type(r->l.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, put_results<T>, g->a.count, block_threads, 0, room<T>(*r), view<T>(g->a), view<real_of<T>>(g->s),
                  view<T>(g->u), view<T>(g->vt), g->info);
  });
}

} // namespace
} // namespace batched_cuda::eigen

const batched_jacobi_steps batched_jacobi_cuda_steps = {batched_cuda::eigen::load,   batched_cuda::eigen::begin,
                                                        batched_cuda::eigen::rotate, batched_cuda::eigen::close,
                                                        batched_cuda::eigen::finish, batched_cuda::eigen::put};
