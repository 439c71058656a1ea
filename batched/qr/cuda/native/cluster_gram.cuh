/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR of 16 columns X in the registers of a cluster, from N = X^H X: one exchange of messages instead of one per column.
 * What the reflectors do to N and to the 16 x 16 top of X is found without the rest of X, by one warp of each block, as
 * in wy/gram.cuh: N loses a row of R per reflector, and the operations on the columns, carried out on the identity,
 * form M with V = X M below the top.  With R, and V of the top, V^H V = -V^H (R M) above the diagonal.
 *
 * Where digits of N cancel (the squares of the terms of a column of V = X M are not small), where a column has next to
 * nothing below its diagonal or its square may under- or overflow, the columns are left to the caller's steps.
 *
 * shared    gram_memory: a message per block, 17 KB (z 34), and what one warp works on; and 32 rows per warp, 4.5 KB
 *           (s 2, c 4, z 8)
 * accuracy  as geqrf
 */
#ifndef BATCHED_QR_CUDA_NATIVE_CLUSTER_GRAM_CUH
#define BATCHED_QR_CUDA_NATIVE_CLUSTER_GRAM_CUH

#include "batched/cuda/cluster.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Columns; elements of a packed triangle, by columns; rows for which it is worth while. */
enum { GRAM_WIDTH = 16, GRAM_PACKED = GRAM_WIDTH * (GRAM_WIDTH + 1) / 2, GRAM_FEWEST_ROWS = 32 };
DEVICE constexpr int gram_place(int i, int j)
{
  return j * (j + 1) / 2 + i;
}

/* What the sum of the squares of terms may be at most, and what of a column's square is below its diagonal at least. */
constexpr double gram_most = 32;
template <class R> constexpr R gram_little = sizeof(R) == 4 ? R(1e-3) : R(2e-9);

/* Between columns of a warp's rows: free of bank conflicts. */
template <class T> constexpr int gram_ld = std::is_same_v<T, double> ? 36 : 33;

template <class T> struct gram_memory {
  static constexpr int W = GRAM_WIDTH, parts = GRAM_PACKED * (int)sizeof(T) / 16;
  message_part box[MOST_CLUSTER][parts], mine[parts];
  T work[2 * W][W + 2]; /* columns of N, then of M; and of the top: R and V */
  T pivots[2][2][W], product[W][W + 1], tau[W];
  real_of<T> squares[W], inverse_r[W]; /* 1 / R(i, i) */
  unsigned long long arrived;          /* a barrier */
  int good;

  static constexpr size_t bytes(int threads)
  {
    return sizeof(gram_memory) + threads / warp_size * sizeof(T) * W * gram_ld<T>;
  }
};

template <class T, int R, int THREADS> struct cluster_gram {
  static constexpr int W = GRAM_WIDTH, warps = THREADS / warp_size;
  using real = real_of<T>;
  using memory = gram_memory<T>;
  int blocks, rank, uses = 0;

  static __device__ __forceinline__ memory &shared()
  {
    return *shared_array<memory>();
  }
  static __device__ __forceinline__ T *rows_of(int warp)
  {
    return reinterpret_cast<T *>(&shared() + 1) + warp * W * gram_ld<T>;
  }
  /* Called by all threads; a cluster barrier has to follow. */
  __device__ __forceinline__ void open() const
  {
    if (threadIdx.x != 0) return;
    barrier_init(shared_address(&shared().arrived), 1);
    barrier_init_fence();
  }

  /* sum += X^H Y over `rows` rows, a multiple of 8, of 16 columns each, in shared memory; element_of() says which
   * element sum[e / 4][e % 4] is. */
  static __device__ __forceinline__ void multiply_columns(const T *x, const T *y, int ld, int rows, T (&sum)[2][4])
  {
    const int lane = threadIdx.x % warp_size;
    if constexpr (std::is_same_v<T, double>) {
      x += lane / 4 * ld + lane % 4;
      y += lane / 4 * ld + lane % 4;
#pragma unroll 4
      for (int k = 0; k < rows; k += 8) {
        const double a[4] = {x[k], x[k + 8 * ld], x[k + 4], x[k + 8 * ld + 4]};
        const double b[2][2] = {{y[k], y[k + 4]}, {y[k + 8 * ld], y[k + 8 * ld + 4]}};
        multiply_16x8x8(sum[0], a, b[0]);
        multiply_16x8x8(sum[1], a, b[1]);
      }
    } else {
      x += lane % 4 * ld;
      y += lane / 4 * ld;
#pragma unroll 4
      for (int k = 0; k < rows; k++)
#pragma unroll
        for (int e = 0; e < 8; e++)
          sum[e / 4][e % 4] = conj_mad(x[e / 2 * 4 * ld + k], y[e % 2 * 8 * ld + k], sum[e / 4][e % 4]);
    }
  }
  /* sum += x^H x over the warp's lanes, a row each, through `to`. */
  static __device__ __forceinline__ void add_square(const T (&x)[W], T *to, T (&sum)[2][4])
  {
    const int lane = threadIdx.x % warp_size;
    __syncwarp();
#pragma unroll
    for (int c = 0; c < W; c++) to[c * gram_ld<T> + lane] = x[c];
    __syncwarp();
    multiply_columns(to, to, gram_ld<T>, warp_size, sum);
  }
  static __device__ __forceinline__ int2 element_of(int e)
  {
    const int lane = threadIdx.x % warp_size;
    if constexpr (std::is_same_v<T, double>) return {lane / 4 + e / 2 % 2 * 8, e / 4 * 8 + lane % 4 * 2 + e % 2};
    return {lane % 4 + e / 2 * 4, lane / 4 + e % 2 * 8};
  }

  /* N of all rows of the cluster, in work[0 .. 15]. */
  __device__ __forceinline__ void square(const T (&x)[R][W])
  {
    memory &s = shared();
    const int warp = threadIdx.x / warp_size;
    T *const own = rows_of(warp), *const mine = reinterpret_cast<T *>(s.mine);
    T sum[2][4];
#pragma unroll
    for (int e = 0; e < 8; e++) sum[e / 4][e % 4] = make<T>(0);
#pragma unroll
    for (int r = 0; r < R; r++) add_square(x[r], own, sum);
    __syncwarp();
#pragma unroll
    for (int e = 0; e < 8; e++) {
      const int2 at = element_of(e);
      if (at.x <= at.y) own[gram_place(at.x, at.y)] = sum[e / 4][e % 4];
    }
    __syncthreads();
    for (int e = threadIdx.x; e < GRAM_PACKED; e += THREADS) {
      T total = make<T>(0);
#pragma unroll
      for (int w = 0; w < warps; w++) total += rows_of(w)[e];
      mine[e] = total;
    }
    __syncthreads();
    const unsigned arrived = shared_address(&s.arrived);
    if (threadIdx.x == 0) barrier_arrive_expecting(arrived, blocks * memory::parts * (int)sizeof(message_part));
    for (int e = threadIdx.x; e < blocks * memory::parts; e += THREADS) {
      const int to = e / memory::parts, i = e % memory::parts;
      send_part(in_block(shared_address(&s.box[rank][i]), to), s.mine[i], in_block(arrived, to));
    }
    cluster_barrier_wait(arrived, uses++ % 2);
    for (int e = threadIdx.x; e < W * W; e += THREADS) {
      const int i = e % W, j = e / W, at = i <= j ? gram_place(i, j) : gram_place(j, i);
      T total = make<T>(0);
      for (int from = 0; from < blocks; from++) total += reinterpret_cast<const T *>(s.box[from])[at];
      s.work[j][i] = i < j ? total : i > j ? conj(total) : make<T>(batched_cuda::real(total));
    }
    __syncthreads();
  }

  /* Elements 2 to 15; one of the two is in registers. */
  static __device__ __forceinline__ void copy_tail(const T *from, T *to)
  {
#pragma unroll
    for (int k = 2; k < W; k += 2) {
      if constexpr (std::is_same_v<T, double>)
        *reinterpret_cast<double2 *>(to + k) = *reinterpret_cast<const double2 *>(from + k);
      else
        to[k] = from[k], to[k + 1] = from[k + 1];
    }
  }
  /* The reflector of a column of that square whose first element is alpha, given its inverse root. */
  static __device__ __forceinline__ reflector<T> reflect(T alpha, real squares, real rough, real unit)
  {
    const real a = batched_cuda::real(alpha), root = squares * unit, sum = a + copysign(root, a),
               near = a + copysign(squares * rough, a),
               beta = -copysign(fma(real(0.5) * unit, fma(-root, root, squares), root), a);
    if constexpr (is_complex<T>) {
      const real r = inverse_of(batched_cuda::square(T{sum, alpha.im}), batched_cuda::square(T{near, alpha.im}));
      return {beta, {fma(fabs(a), unit, real(1)), alpha.im * copysign(unit, a)}, {sum * r, -alpha.im * r}};
    } else {
      return {beta, fma(fabs(a), unit, real(1)), inverse_of(sum, near)};
    }
  }

  /* By a warp: lane j has column j of N; lane 16 + j that of the top from row c on, then column j of the identity down
   * to row c - 1, with the operations applied.  The top becomes R and V; M takes N's place. */
  static __device__ __forceinline__ void eliminate(memory &s)
  {
    const int lane = threadIdx.x % warp_size, j = lane % W, top = lane & W;
    T *const mine = s.work[lane];
    T y[W], inverse = make<T>(0), tau = make<T>(0);
    const real whole = batched_cuda::real(mine[j]);
    bool good = top || is_moderate<T>(whole);
    if (!top) s.squares[j] = whole;
    y[0] = mine[0], y[1] = mine[1];
    copy_tail(mine, y);
    __syncwarp();
    real squares = shuffle(batched_cuda::real(y[0]), 0), rough = rough_inverse_root(squares),
         unit = inverse_root(squares, rough), inverse_square = inverse_of(squares, squares);
#pragma unroll 1
    for (int c = 0; c < W; c++) {
      const T here = y[0];
      T b[W], *const pivot = s.pivots[c % 2][top / W];
      if (j == c) copy_tail(y, pivot);
      const T alpha = shuffle(here, W + c), product = shuffle_xor(here, W);
      b[1] = shuffle(y[1], top + c);
      __syncwarp();
      copy_tail(pivot, b);
      const T down = inverse_square * here;
      const real next = shuffle(batched_cuda::real(mad(-down, b[1], y[1])), c + 1);
      const reflector<T> h = reflect(alpha, squares, rough, unit);
      const real back = -copysign(unit, batched_cuda::real(alpha)); /* 1 / R(c, c) */
      const T r = back * product, f = top ? (j > c ? (here - r) * h.inverse : make<T>(0)) : down;
      const real tail = fma(-batched_cuda::square(alpha), inverse_square, real(1));
      squares = next;
      rough = rough_inverse_root(squares);
      unit = inverse_root(squares, rough);
      inverse_square = inverse_of(squares, squares);
#pragma unroll
      for (int k = 1; k < W; k++) y[k - 1] = mad(-f, b[k], y[k]);
      y[W - 1] = j == c ? make<T>(1) : -f;
      inverse = select(j == c, h.inverse, inverse);
      tau = select(j == c, h.tau, tau);
      good = good && (j != c || tail >= gram_little<real>);
      mine[c] = select(j > c, r, select(j == c, make<T>(h.beta), here * inverse));
      if (lane == 0) s.inverse_r[c] = back;
    }
    __syncwarp();
    if (top) {
      real terms = 0;
#pragma unroll
      for (int r = 0; r < W; r++) {
        const T factor = y[r] * inverse;
        s.work[j][r] = factor;
        terms = fma(batched_cuda::square(factor), s.squares[r], terms);
      }
      good = good && terms <= real(gram_most);
      s.tau[j] = tau;
    }
    good = __all_sync(all_lanes, good);
    if (lane == 0) s.good = good;
  }

  /* x = x M */
  static __device__ __forceinline__ void multiply_by_m(const memory &s, T (&x)[R][W])
  {
#pragma unroll
    for (int i = W - 2; i >= 0; i -= 2) {
      T left[R], right[R];
#pragma unroll
      for (int r = 0; r < R; r++) {
        left[r] = x[r][i];
        right[r] = x[r][i + 1];
        x[r][i] = x[r][i + 1] = make<T>(0);
      }
#pragma unroll
      for (int c = i; c < W; c++) {
        T two[2];
        if constexpr (std::is_same_v<T, double>)
          *reinterpret_cast<double2 *>(two) = *reinterpret_cast<const double2 *>(s.work[c] + i);
        else
          two[0] = s.work[c][i], two[1] = s.work[c][i + 1];
#pragma unroll
        for (int r = 0; r < R; r++) x[r][c] = mad(two[1], right[r], mad(two[0], left[r], x[r][c]));
      }
    }
  }

  /* x = V below the top, R and V in it; and q(k, j) = v_k^H v_j, j < k, and tau.  p: where X is.  False, and nothing
   * done, where that would lose digits. */
  __device__ __forceinline__ bool factor(T (&x)[R][W], const T *p, int64_t ld, T *q, T *tau, int64_t step)
  {
    memory &s = shared();
    for (int e = threadIdx.x; e < W * W; e += THREADS) s.work[W + e / W][e % W] = p[e % W + e / W * ld];
    square(x); /* all blocks have read the top when it returns */
    if (threadIdx.x < warp_size) eliminate(s);
    __syncthreads();
    if (!s.good) return false;
    multiply_by_m(s, x);
    if (rank == 0 && threadIdx.x < W) {
      tau[threadIdx.x * step] = s.tau[threadIdx.x];
#pragma unroll
      for (int c = 0; c < W; c++) x[0][c] = s.work[W + c][threadIdx.x];
    }
    if (rank == blocks - 1) multiply_reflectors(q);
    return true;
  }
  static __device__ __forceinline__ void multiply_reflectors(T *q)
  {
    memory &s = shared();
    for (int e = threadIdx.x; e < W * W; e += THREADS) {
      const int i = e % W, j = e / W;
      T sum = make<T>(0);
      for (int k = i; k <= j; k++) sum = mad(s.work[W + k][i], s.work[j][k], sum);
      s.product[j][i] = sum;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < W * W; e += THREADS) {
      const int i = e % W, j = e / W;
      if (i >= j) continue;
      T sum = s.product[j][i];
      for (int k = i + 1; k <= j; k++) sum = conj_mad(s.work[W + i][k], s.product[j][k], sum);
      q[j * W + i] = -conj(sum);
    }
  }
};

} // namespace batched_cuda::qr

#endif
