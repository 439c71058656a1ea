/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.qr of bdsqr: singular values, and vectors, of bidiagonal matrices by implicit QR, with shifts of zero where
 * those are accurate (Demmel, Kahan, SIAM J. Sci. Stat. Comput. 11, 1990), as LAPACK's bdsqr.  A block per matrix: one
 * lane of warp 0 runs a sweep and logs its rotations, those from the right and those from the left; the other warps
 * apply the sweep before to the columns of vt, and to the rows of u and the columns of c (logged.cuh).  Values alone:
 * cuda.bisection (bdsqr_bisection.cuh).
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     a warp, and with vectors one more thread for each real number in rows of vt and c and columns of u, up to
 *           288
 * shared    d, e, two logs of 2 n rotations, n places; vectors, too, where they take up to 36 KB
 * takes     s and d, vectors of all four types, any n and any number of them, uniform and variable
 * reads     d, e, vt, u, c; writes them and info
 * accuracy  relative in each singular value, a small multiple of n eps; vectors orthogonal to 30 n eps
 */
#include "batched/tridiagonal/cuda/bdsqr_bisection.cuh"
#include "batched/tridiagonal/cuda/qr.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

/* A factor whose vectors are rotated: vt and c by their columns, u by its rows, as so many rows of real numbers. */
template <class R> struct rotated {
  R *at;
  int rows;
  int64_t row, col; /* real number r of place j: at[r / parts * row + r % parts + j * col] */
};

template <class T, bool by_columns> __device__ rotated<real_of<T>> rotated_of(const batch<T> &x, int64_t b)
{
  constexpr int parts = is_complex<T> ? 2 : 1;
  const int many = x.count == 0 ? 0 : by_columns ? x.cols(b) : x.rows(b);
  if (many == 0) return {nullptr, 0, 0, 0};
  const int64_t ld = (int64_t)x.leading(b) * parts;
  return {reinterpret_cast<real_of<T> *>(x.at(b)), many * parts, by_columns ? ld : parts, by_columns ? parts : ld};
}

template <int parts, class R> __device__ __forceinline__ R *element_of(const rotated<R> &x, int r, int j)
{
  return x.at + r / parts * x.row + r % parts + j * x.col;
}

/* f(r, j, element) for all elements of a factor, neighbours in memory by neighbouring threads. */
template <int parts, class R, class F> __device__ __forceinline__ void each_of(const rotated<R> &x, int n, F f)
{
  const bool by_columns = x.row > x.col;
  for (int64_t i = threadIdx.x; i < (int64_t)x.rows * n; i += blockDim.x) {
    int r, j;
    if (by_columns) {
      const int64_t k = i / parts;
      j = (int)(k % n);
      r = (int)(k / n) * parts + (int)(i % parts);
    } else {
      j = (int)(i / x.rows);
      r = (int)(i - (int64_t)j * x.rows);
    }
    f(r, j, element_of<parts>(x, r, j));
  }
}

template <class T> struct bdsqr_call {
  bool lower;
  batch<real_of<T>> d, e;
  batch<T> vt, u, c;
  int *info;
};

template <class T>
__global__ void __launch_bounds__(288)
  bdsqr_qr(const __grid_constant__ bdsqr_call<T> g, block_room memory, unsigned char *scratch)
{
  using R = real_of<T>;
  constexpr int parts = is_complex<T> ? 2 : 1;
  __shared__ maximum_of<R> accumulators[9];
  __shared__ int left;
  unsigned char *const own = scratch + blockIdx.x * memory.scratch(), *const fast = shared_array<unsigned char>();
  R *const diagonals = reinterpret_cast<R *>(memory.diagonals_shared ? fast : own);
  R *const vectors = reinterpret_cast<R *>(
    memory.vectors_shared ? fast + memory.diagonals : own + (memory.diagonals_shared ? 0 : memory.diagonals));
  for (int64_t b = blockIdx.x; b < g.d.count; b += gridDim.x) {
    const int n = g.d.length(b);
    if (n == 0) {
      if (threadIdx.x == 0) g.info[b] = 0;
      continue;
    }
    R *const d = g.d.at(b), *const e = n > 1 ? g.e.at(b) : nullptr;
    const int64_t incd = g.d.increment(b), ince = n > 1 ? g.e.increment(b) : 1;
    bdsqr_room<R> room = {diagonals, diagonals + n, vectors, {}, reinterpret_cast<int *>(diagonals + 10 * n)};
    for (int i = 0; i < 2; i++) {
      R *const at = diagonals + (2 + 4 * i) * n;
      room.log[i] = {{at, at + n}, {at + 2 * n, at + 3 * n}};
    }
    R *const signs = room.log[0].right.c;
    const rotated<R> vt = rotated_of<T, true>(g.vt, b), u = rotated_of<T, false>(g.u, b),
                     c = rotated_of<T, true>(g.c, b);
    const int rows = vt.rows + u.rows + c.rows;
    const R largest = largest_of(n, d, incd, e, ince, accumulators);
    const bool finite = largest - largest == 0;
    constexpr R near = sizeof(R) == 4 ? R(0x1p60) : R(0x1p400);
    R scale = finite ? power_near(largest) : R(1);
    if (scale > 1 / near && scale < near) scale = 1; /* every element keeps all its digits then, however small */
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      room.d[i] = scale * d[i * incd];
      if (i < n - 1) room.e[i] = scale * e[i * ince];
      room.place[i] = i;
    }
    if (finite) {
      each_of<parts>(vt, n, [&](int r, int j, R *x) { room.v[r + (int64_t)j * rows] = *x; });
      each_of<parts>(u, n, [&](int r, int j, R *x) { room.v[vt.rows + r + (int64_t)j * rows] = *x; });
      each_of<parts>(c, n, [&](int r, int j, R *x) { room.v[vt.rows + u.rows + r + (int64_t)j * rows] = *x; });
    }
    if (threadIdx.x == 0) left = 0;
    __syncthreads();
    const bool converged = finite && iterate_qr(room, n, g.lower, vt.rows, rows);
    __syncthreads();
    if (converged) {
      make_nonnegative(n, room.d, signs);
      rank_values(n, room.d, true, room.place);
    } else {
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        signs[i] = 1;
        if (finite && i < n - 1 && room.e[i] != 0) atomicAdd(&left, 1);
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      d[room.place[i] * incd] = finite ? room.d[i] / scale : not_a_number<R>();
      if (i < n - 1) e[i * ince] = !finite ? not_a_number<R>() : converged ? R(0) : room.e[i] / scale;
    }
    /* Where element (r, j) of a factor comes from is found by going through the vectors. */
    const auto store = [&](const rotated<R> &x, int first, bool signed_) {
      each_of<parts>(x, n, [&](int r, int j, R *) {
        *element_of<parts>(x, r, room.place[j]) =
          finite ? (signed_ ? signs[j] : R(1)) * room.v[first + r + (int64_t)j * rows] : not_a_number<R>();
      });
    };
    store(vt, 0, true);
    store(u, vt.rows, false);
    store(c, vt.rows + u.rows, false);
    if (threadIdx.x == 0) g.info[b] = finite ? left : n;
    __syncthreads();
  }
}

template <class T> int launch_qr(batched_ctx *ctx, const batched_bdsqr_args &p)
{
  using R = real_of<T>;
  const auto there = [](const batched_matrix &x) { return batched_is_absent(&x) ? batch<T>() : view<T>(x); };
  const bdsqr_call<T> g = {
    p.uplo == BATCHED_LOWER, view<R>(p.d), view<R>(p.e), there(p.vt), there(p.u), there(p.c), p.info};
  const int64_t rows = (is_complex<T> ? 2 : 1) * ((int64_t)g.vt.n + g.u.m + g.c.n);
  const size_t n = (size_t)batched_vector_bound(&p.d);
  const block_room memory = block_room::of(n * (10 * sizeof(R) + sizeof(int)) + 16, (size_t)rows * n * sizeof(R));
  const int64_t blocks = blocks_within(p.d.count, memory.scratch());
  const size_t bytes = memory.scratch() * (size_t)blocks;
  unsigned char *const scratch = bytes > 0 ? static_cast<unsigned char *>(batched_scratch_push(ctx, bytes)) : nullptr;
  if (bytes > 0 && !scratch) return BATCHED_NO_MEMORY;
  const int status =
    launch(ctx, bdsqr_qr<T>, blocks, rows > 0 ? threads_for(rows) : 32, memory.shared(), g, memory, scratch);
  if (scratch) batched_scratch_pop(ctx);
  return status;
}

int qr(batched_ctx *ctx, const batched_bdsqr_args &p)
{
  const batched_matrix *const all[] = {&p.vt, &p.u, &p.c};
  batched_type type = p.d.type;
  for (const batched_matrix *x : all)
    if (!batched_is_absent(x)) type = x->type;
  return with_type(type, [&](auto t) { return launch_qr<decltype(t)>(ctx, p); });
}

bool fits_bisection(const batched_bdsqr_args &p)
{
  return batched_is_absent(&p.vt) && batched_is_absent(&p.u) && batched_is_absent(&p.c);
}

int bisection(batched_ctx *ctx, const batched_bdsqr_args &p)
{
  return p.d.type == BATCHED_S ? launch_bisection<float>(ctx, p) : launch_bisection<double>(ctx, p);
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_bdsqr_cuda[] = {
  row<fits_bisection, nullptr, bisection>("cuda.bisection"),
  row<nullptr, nullptr, qr>("cuda.qr"),
  BATCHED_LAST_ROW,
};
