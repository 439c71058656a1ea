/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile of gemm and syrk, and cuda.tile_tc where the bulk copy engine can't fetch the operands
 * (gemm_tile_tc.cuh): C in tiles, one block per tile.
 *
 * Sections: slices of the operands in shared memory (per block); fragments of C in registers (per warp); the kernel.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_TILE_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_TILE_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* ------------------------------------------------------------------ slices of op(A) and op(B) in shared memory */

/* N neighbours of T, read and written at once. */
template <int N, class T> struct alignas(N * sizeof(T)) run_of {
  T v[N];
};

/* A block's tile of C is BM x BN, a warp's WM x WN; slices are BK deep, and STAGES of them are held; BLOCKS: resident
 * blocks per multiprocessor that the registers should allow. */
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BLOCKS> struct tile_shape {
  static constexpr int bm = BM, bn = BN, bk = BK, wm = WM, wn = WN, stages = STAGES, blocks = BLOCKS;
  static constexpr int warps_m = BM / WM, warps = warps_m * (BN / WN), threads = 32 * warps;
  static constexpr bool pairs = WN % 16 == 0; /* columns of C in pairs of 8-column products, taken alternately */
  static_assert(WM % 16 == 0 && WN % 8 == 0 && BK % 8 == 0 && BM % WM == 0 && BN % WN == 0, "");
};

/* The layout of an X x BK slice: for the tensor cores as in global memory, k fast or slow; for fused multiply-adds,
 * where each lane reads several x of one k, with k slow.  On the tensor cores the imaginary parts of complex numbers
 * are in a plane of their own behind the real ones, so that loads bring registers in the order that products want.  The
 * leading dimension is 2 modulo 16, or 4 modulo 8 where k is fast, so that the 8 lanes of one phase of a 16-byte access
 * have no bank conflicts; and 4 modulo 16 for numbers of single precision, which lanes read 16 bytes at a time, and
 * where lanes read neighbouring k (`spread`). */
template <class NUMBER, int X, int BK, bool k_fast, int PLANES, bool spread = false> struct slice_of {
  using number = NUMBER;
  static constexpr bool single = sizeof(real_of<number>) == 4;
  static constexpr int ld = k_fast ? BK + 4 + BK % 8 : X + (spread || single ? 4 : 2) + (X % 16 ? 8 : 0);
  static constexpr int planes = PLANES, plane = (k_fast ? X : BK) * ld, size = planes * plane;
  static constexpr int k_step = k_fast ? 1 : ld, x_step = k_fast ? ld : 1;
};

/* The slices of a product with elements T.  ka, kb: k is the fast index of A, of B. */
template <class S, bool tensor, bool ka, bool kb, class T> struct slices_of {
  using number = std::conditional_t<tensor, real_of<T>, T>;
  static constexpr int planes = sizeof(T) / sizeof(number);
  static constexpr bool spread = tensor && is_complex<T>;
  using a = slice_of<number, S::bm, S::bk, ka && tensor, planes, spread>;
  using b = slice_of<number, S::bn, S::bk, kb && tensor, planes, spread || (tensor && ka)>;
  static constexpr int size = a::size + b::size;
};

/* Copies of an X x BK slice by a block's threads, WIDTH numbers at once: `lanes` adjacent threads copy neighbours in
 * memory, so that they fetch whole sectors, of FAST x SLOW copies. */
template <class S, class P, int X, bool k_fast, int WIDTH> struct copy_of {
  static constexpr int fast = (k_fast ? S::bk : X) / WIDTH, slow = k_fast ? X : S::bk;
  static constexpr int to_fast = WIDTH * (k_fast ? P::k_step : P::x_step), to_slow = k_fast ? P::x_step : P::k_step;
  static constexpr int few = fast % 16 || to_fast > WIDTH ? 8 : S::threads % fast ? 16 : fast;
  static constexpr int lanes = fast % 32 ? few : 32, step = S::threads / lanes;
  static_assert(fast % lanes == 0, "");
  static DEVICE int i()
  {
    return threadIdx.x % lanes;
  }
  static DEVICE int j()
  {
    return threadIdx.x / lanes;
  }
};

/* Keeps the compiler from finding x anew each time in a loop, for want of registers. */
__device__ __forceinline__ void keep(int &x)
{
  asm volatile("" : "+r"(x));
}

/* An operand as one thread copies it from global to shared memory, slice by slice.  `whole`: its slices reach over no
 * edge, so that nothing is tested, and begin at multiples of 16 bytes where x is fast, so that copies take as much. */
template <class S, class P, int X, bool k_fast, bool whole, class T> struct operand {
  using number = typename P::number;
  static constexpr int most = 16 / sizeof(number),
                       width = whole && !k_fast && P::planes == 1 && X % most == 0 ? most : 1;
  using copy = copy_of<S, P, X, k_fast, width>;
  const T *next; /* the thread's first element of the next slice */
  int64_t ld;
  int x;  /* the extent along C's rows or columns from the slices' first one on */
  int at; /* where the thread's first element stands in a slice, in bytes */

  __device__ __forceinline__ operand(const T *p, int64_t leading, int extent)
      : next(p + copy::i() * width + copy::j() * leading), ld(leading), x(extent),
        at((copy::i() * copy::to_fast + copy::j() * copy::to_slow) * (int)sizeof(number))
  {
    if (whole && is_complex<T>) keep(at);
  }
  /* Starts to copy the next slice, from which on there are k along the sum.  Elements beyond the operand become 0. */
  __device__ __forceinline__ void fetch(unsigned to, int k)
  {
    const int fast = (k_fast ? k : x) - copy::i(), slow = (k_fast ? x : k) - copy::j();
    const T *from = next;
    to += at;
#pragma unroll
    for (int dj = 0; dj < copy::slow; dj += copy::step, from += copy::step * ld)
#pragma unroll
      for (int di = 0; di < copy::fast; di += copy::lanes)
#pragma unroll
        for (int q = 0; q < P::planes; q++)
          if (copy::slow % copy::step == 0 || copy::j() + dj < copy::slow)
            copy_async(to + (di * copy::to_fast + dj * copy::to_slow + q * P::plane) * (int)sizeof(number),
                       reinterpret_cast<const run_of<width, number> *>(from + di * width) + q,
                       whole || (di < fast && dj < slow));
    next += k_fast ? S::bk : S::bk * ld;
  }
};

/* ------------------------------------------------------------------ fragments: a warp's part of C in registers */

/* Every fragment has rows x cols elements per lane: value(r, c) is the lane's element (r, c), which is element (row(r,
 * lane), col(c, lane)) of the warp's part; rows r .. r + run - 1 are neighbours, r being a multiple of `run`. */

/* Products of 16 x 8.  Lane 4 g + t has rows 2 g and 2 g + 1 of each where ROW_PAIRS, and otherwise g and g + 8; where
 * PAIRS, products 2 j and 2 j + 1 have the even and the odd ones of 16 columns, so that the lane has columns
 * 4 t .. 4 t + 3 of these, and otherwise 2 t, 2 t + 1. */
template <class S, bool ROW_PAIRS, bool PAIRS> struct real_fragment {
  static constexpr int nm = S::wm / 16, nn = S::wn / 8, rows = 2 * nm, cols = 2 * nn, run = ROW_PAIRS ? 2 : 1;
  double d[nm][nn][4];

  DEVICE double value(int r, int c) const
  {
    return d[r / 2][c / 2][r % 2 * 2 + c % 2];
  }
  static DEVICE int row(int r, int lane)
  {
    return 16 * (r / 2) + (ROW_PAIRS ? 2 * (lane / 4) + r % 2 : lane / 4 + r % 2 * 8);
  }
  static DEVICE int col(int c, int lane)
  {
    return PAIRS ? 16 * (c / 4) + 4 * (lane % 4) + 2 * (c % 2) + c / 2 % 2 : 8 * (c / 2) + 2 * (lane % 4) + c % 2;
  }
};

/* The same of complex numbers: elements as multiply_16x8x8 has them, since one fills 16 bytes. */
template <class S> struct complex_fragment {
  static constexpr int nm = S::wm / 16, nn = S::wn / 8, rows = 2 * nm, cols = 2 * nn, run = 1;
  double re[nm][nn][4], im[nm][nn][4];

  DEVICE complex<double> value(int r, int c) const
  {
    const int e = r % 2 * 2 + c % 2;
    return {re[r / 2][c / 2][e], im[r / 2][c / 2][e]};
  }
  static DEVICE int row(int r, int lane)
  {
    return 16 * (r / 2) + lane / 4 + r % 2 * 8;
  }
  static DEVICE int col(int c, int lane)
  {
    return 8 * (c / 2) + 2 * (lane % 4) + c % 2;
  }
};

/* For multiply-adds: 8 lanes along the rows and 4 along the columns, with runs of 16 bytes of neighbours where these
 * divide the warp's part.  Of the lanes next to one, one has the same rows and another the same columns: shared memory
 * then serves 16 lanes at once instead of 8. */
static DEVICE constexpr int run_in(int numbers, int most)
{
  return numbers % most ? 2 : most;
}
template <class S, class T, int RUN = run_in(S::wm / 8, 16 / sizeof(T)),
          int COL_RUN = run_in(S::wn / 4, 16 / sizeof(T))>
struct lane_fragment {
  static constexpr int rows = S::wm / 8, cols = S::wn / 4, run = RUN, col_run = COL_RUN;
  T d[rows][cols];

  DEVICE T value(int r, int c) const
  {
    return d[r][c];
  }
  static DEVICE int row(int r, int lane)
  {
    return r / run * 8 * run + (lane / 2 % 2 + lane / 8 * 2) * run + r % run;
  }
  static DEVICE int col(int c, int lane)
  {
    return c / col_run * 4 * col_run + (lane % 2 + lane / 4 % 2 * 2) * col_run + c % col_run;
  }
};

template <class S, bool tensor, bool ka, bool kb, class T>
using fragment_of = std::conditional_t<
  !tensor, lane_fragment<S, T>,
  std::conditional_t<is_complex<T>, complex_fragment<S>, real_fragment<S, !ka, S::pairs && kb && !ka>>>;

/* v[s][h] = element k = s, x = h of a slice from p on. */
template <class P> __device__ __forceinline__ void load_2x2(double v[2][2], const double *p)
{
  constexpr bool k_fast = P::k_step == 1;
#pragma unroll
  for (int slow = 0; slow < 2; slow++) {
    const auto w = *reinterpret_cast<const run_of<2, double> *>(p + slow * P::ld);
    (k_fast ? v[0][slow] : v[slow][0]) = w.v[0];
    (k_fast ? v[1][slow] : v[slow][1]) = w.v[1];
  }
}

/* f += A B for a slice, on the tensor cores.  mma wants a lane's numbers in consecutive registers (rows before k, in
 * A), and moving them there takes longer than the products; so pairs are read where they are neighbours in that order,
 * and single numbers where not.  Number s of lane 4 g + t is that of k = 8 i + 2 t + s, or 8 i + t + 4 s where k is the
 * fast index of A: then each half of a warp has no bank conflicts.  The order of the sum is free. */
template <class S, class A, class B, bool ROW_PAIRS, bool PAIRS>
__device__ __forceinline__ void multiply_slice(real_fragment<S, ROW_PAIRS, PAIRS> &f, const double *a, const double *b)
{
  constexpr int k_of_t = ROW_PAIRS ? 2 : 1, k_of_s = ROW_PAIRS ? 1 : 4;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  a += (ROW_PAIRS ? 2 : 1) * g * A::x_step + k_of_t * t * A::k_step;
  b += (PAIRS ? 2 : 1) * g * B::x_step + k_of_t * t * B::k_step;
#pragma unroll
  for (int k = 0; k < S::bk; k += 8, a += 8 * A::k_step, b += 8 * B::k_step) {
    double x[f.nm][2][2], y[f.nn][2];
#pragma unroll
    for (int i = 0; i < f.nm; i++) {
      if constexpr (ROW_PAIRS) {
        load_2x2<A>(x[i], a + 16 * i * A::x_step);
      } else {
#pragma unroll
        for (int h = 0; h < 4; h++)
          x[i][h / 2][h % 2] = a[(16 * i + h % 2 * 8) * A::x_step + h / 2 * k_of_s * A::k_step];
      }
    }
    if constexpr (PAIRS) {
#pragma unroll
      for (int j = 0; j < f.nn; j += 2) {
        double v[2][2];
        load_2x2<B>(v, b + 8 * j * B::x_step);
#pragma unroll
        for (int h = 0; h < 4; h++) y[j + h % 2][h / 2] = v[h / 2][h % 2];
      }
    } else {
#pragma unroll
      for (int j = 0; j < f.nn; j++)
#pragma unroll
        for (int s = 0; s < 2; s++) y[j][s] = b[8 * j * B::x_step + s * k_of_s * B::k_step];
    }
#pragma unroll
    for (int i = 0; i < f.nm; i++)
#pragma unroll
      for (int j = 0; j < f.nn; j++) multiply_16x8x8(f.d[i][j], x[i][0], y[j]);
  }
}

/* The same for complex numbers, by four products of real ones; f += conj(A) B where `conj`.  Calls fetch once, behind
 * the first products, so that the tensor cores need not wait for the copies to be issued. */
template <class S, class A, class B, class F>
__device__ __forceinline__ void multiply_slice(complex_fragment<S> &f, const double *a, const double *b, bool conj,
                                               const F &fetch)
{
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  a += g * A::x_step + t * A::k_step;
  b += g * B::x_step + t * B::k_step;
#pragma unroll
  for (int k = 0; k < S::bk; k += 8, a += 8 * A::k_step, b += 8 * B::k_step) {
    double y[f.nn][2], z[f.nn][2], u[4], v[4]; /* real and imaginary parts */
    const auto load_rows = [&](int i) {
#pragma unroll
      for (int h = 0; h < 4; h++) {
        const int at = (16 * i + h % 2 * 8) * A::x_step + h / 2 * 4 * A::k_step;
        u[h] = a[at], v[h] = conj ? -a[at + A::plane] : a[at + A::plane];
      }
    };
#pragma unroll
    for (int j = 0; j < f.nn; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int at = 8 * j * B::x_step + h * 4 * B::k_step;
        y[j][h] = b[at], z[j][h] = b[at + B::plane];
      }
#pragma unroll
    for (int i = 0; i < f.nm; i++) {
      load_rows(i);
#pragma unroll
      for (int j = 0; j < f.nn; j++) {
        multiply_16x8x8(f.re[i][j], u, y[j]);
        multiply_16x8x8(f.im[i][j], u, z[j]);
        multiply_16x8x8(f.im[i][j], v, y[j]);
      }
#pragma unroll
      for (int h = 0; h < 4; h++) v[h] = -v[h];
#pragma unroll
      for (int j = 0; j < f.nn; j++) multiply_16x8x8(f.re[i][j], v, z[j]);
      if (k == 0 && i == 0) fetch();
    }
  }
}

/* x[i]: the numbers of one k of a slice that a lane has, from p on in runs that are `step` apart. */
template <int RUN, int N, class T> __device__ __forceinline__ void load_runs(T x[N], const T *p, int step)
{
#pragma unroll
  for (int i = 0; i < N; i += RUN) {
    const auto w = *reinterpret_cast<const run_of<RUN, T> *>(p + i / RUN * step);
#pragma unroll
    for (int h = 0; h < RUN; h++) x[i + h] = w.v[h];
  }
}

/* f += x y, for one k.  A scheduler issues a fused multiply-add every cycle if it shares a factor with the one before
 * it and the other two registers of three in a row are spread over both banks; so each number of B meets those of A in
 * turn, up and down, real and imaginary parts alternately. */
template <bool conj, class F, class T> __device__ __forceinline__ void add_products(F &f, const T *x, const T *y)
{
  constexpr int rows = F::rows, cols = F::cols;
#pragma unroll
  for (int c = 0; c < cols; c++) {
    if constexpr (is_complex<T>) {
#pragma unroll
      for (int r = 0; r < rows; r++) {
        f.d[r][c].re = fma(x[r].re, y[c].re, f.d[r][c].re);
        f.d[r][c].im = fma(conj ? -x[r].im : x[r].im, y[c].re, f.d[r][c].im);
      }
#pragma unroll
      for (int r = rows - 1; r >= 0; r--) {
        f.d[r][c].re = fma(conj ? x[r].im : -x[r].im, y[c].im, f.d[r][c].re);
        f.d[r][c].im = fma(x[r].re, y[c].im, f.d[r][c].im);
      }
    } else {
#pragma unroll
      for (int i = 0; i < rows; i++) {
        const int r = c % 2 ? rows - 1 - i : i;
        f.d[r][c] = fma(x[r], y[c], f.d[r][c]);
      }
    }
  }
}

/* The same with fused multiply-adds.  a, b: the lane's first numbers. */
template <bool conj, class S, class A, class B, class T>
__device__ __forceinline__ void add_slice(lane_fragment<S, T> &f, const T *a, const T *b)
{
#pragma unroll
  for (int k = 0; k < S::bk; k++, a += A::k_step, b += B::k_step) {
    T x[f.rows], y[f.cols];
    load_runs<f.run, f.rows>(x, a, 8 * f.run);
    load_runs<f.col_run, f.cols>(y, b, 4 * f.col_run);
    add_products<conj>(f, x, y);
  }
}

/* ------------------------------------------------------------------ the kernel */

/* Stores a fragment to C (m x n), whose part at (i0, j0) it is, a run of rows at a time where they are aligned; conj: f
 * is the conjugate of the product.  Some columns of C are read before one of them is written, since loads behind stores
 * would wait for memory one by one. */
template <class F, class T>
__device__ __forceinline__ void store(const product<T> &p, const F &f, bool conj, T *c, int64_t ld, int i0, int j0,
                                      int m, int n)
{
  constexpr int width = F::run * sizeof(T) <= 16 ? F::run : 16 / sizeof(T), runs = F::rows / width;
  constexpr int room = sizeof(real_of<T>) == 4 ? 64 : 128; /* bytes of registers that are free then */
  constexpr int fit = room / (F::rows * (int)sizeof(T)), once = fit < 1 ? 1 : fit < F::cols ? fit : F::cols;
  using run = run_of<width, T>;
  const int lane = threadIdx.x % 32;
  const bool reads = !(p.beta == make<T>(0));
  const bool aligned = (reinterpret_cast<uintptr_t>(c) | (uintptr_t)ld * sizeof(T)) % sizeof(run) == 0;
  const bool in_runs = aligned && p.which == WHOLE;
#pragma unroll
  for (int first = 0; first < F::cols; first += once) {
    run old[once][runs] = {};
#pragma unroll
    for (int j = 0; j < once && first + j < F::cols; j++)
#pragma unroll
      for (int i = 0; i < runs; i++) {
        const int row = i0 + f.row(i * width, lane), col = j0 + f.col(first + j, lane);
        if (reads && in_runs && col < n && row + width <= m)
          old[j][i] = *reinterpret_cast<const run *>(c + row + col * ld);
      }
#pragma unroll
    for (int j = 0; j < once && first + j < F::cols; j++) {
      const int col = j0 + f.col(first + j, lane);
      if (col >= n) continue;
#pragma unroll
      for (int i = 0; i < runs; i++) {
        const int row = i0 + f.row(i * width, lane);
        T *at = c + row + col * ld;
        if (in_runs && row + width <= m) {
          run v = old[j][i];
#pragma unroll
          for (int h = 0; h < width; h++)
            v.v[h] = p.result(conj_if(conj, f.value(i * width + h, first + j)), v.v[h], row + h, col);
          *reinterpret_cast<run *>(at) = v;
        } else {
#pragma unroll
          for (int h = 0; h < width; h++)
            if (row + h < m && p.is_wanted(row + h, col))
              at[h] =
                p.result(conj_if(conj, f.value(i * width + h, first + j)), reads ? at[h] : make<T>(0), row + h, col);
        }
      }
    }
  }
}

/* One tile of one matrix, at row i0 and column j0 of C.  A conj(B) is the conjugate of conj(A) B, which fragments
 * add.  `whole`: of operands. */
template <class S, bool tensor, bool ka, bool kb, bool whole, class T>
__device__ __forceinline__ void compute_tile(const product<T> &p, int64_t matrix, int i0, int j0, int m, int n,
                                             typename slices_of<S, tensor, ka, kb, T>::number *shared)
{
  using slices_t = slices_of<S, tensor, ka, kb, T>;
  using A = typename slices_t::a;
  using B = typename slices_t::b;
  const int depth = p.depth(matrix), warp = threadIdx.x / 32;
  const int wi = warp % S::warps_m * S::wm, wj = warp / S::warps_m * S::wn;
  const int64_t lda = p.a.leading(matrix), ldb = p.b.leading(matrix);
  operand<S, A, S::bm, ka, whole, T> a(depth > 0 ? p.a.at(matrix) + (ka ? i0 * lda : i0) : nullptr, lda, m - i0);
  operand<S, B, S::bn, kb, whole, T> b(depth > 0 ? p.b.at(matrix) + (kb ? j0 * ldb : j0) : nullptr, ldb, n - j0);
  /* a warp whose part lies outside of C, or of the wanted triangle, computes nothing */
  const bool idle = i0 + wi >= m || j0 + wj >= n || (p.which == LOWER_PART && i0 + wi + S::wm <= j0 + wj) ||
                    (p.which == UPPER_PART && i0 + wi >= j0 + wj + S::wn);
  const int slices = (depth + S::bk - 1) / S::bk;
  const bool conj_a = is_complex<T> && ka && p.conja, conj_b = is_complex<T> && !kb && p.conjb;
  fragment_of<S, tensor, ka, kb, T> f = {};
  const unsigned stage_bytes = slices_t::size * (unsigned)sizeof *shared,
                 begin = (unsigned)__cvta_generic_to_shared(shared);
  unsigned to = begin; /* where the next slice goes */
  const auto fetch = [&](int s) {
    if (s < slices) {
      a.fetch(to, depth - s * S::bk);
      b.fetch(to + A::size * (unsigned)sizeof *shared, depth - s * S::bk);
      to = to == begin + (S::stages - 1) * stage_bytes ? begin : to + stage_bytes;
    }
    copy_commit();
  };
#pragma unroll
  for (int s = 0; s < S::stages - 1; s++) fetch(s);
  const int lane = threadIdx.x % 32;
  int stage = 0; /* where slice s is, and the warp's, or the lane's, part of it */
  int place_a = wi * A::x_step + (tensor ? 0 : f.row(0, lane));
  int place_b = A::size + wj * B::x_step + (tensor ? 0 : f.col(0, lane));
  if (whole) keep(place_a), keep(place_b);
#pragma unroll 1
  for (int s = 0; s < slices; s++) {
    copy_wait<S::stages - 2>();
    __syncthreads();
    constexpr bool late = tensor && is_complex<T>; /* fetches behind the first products */
    if (!late || idle) fetch(s + S::stages - 1);
    const auto *as = shared + (stage + place_a), *bs = shared + (stage + place_b);
    stage = stage == (S::stages - 1) * slices_t::size ? 0 : stage + slices_t::size;
    if (idle) continue;
    if constexpr (tensor && is_complex<T>)
      multiply_slice<S, A, B>(f, as, bs, conj_a != conj_b, [&] { fetch(s + S::stages - 1); });
    else if constexpr (tensor)
      multiply_slice<S, A, B>(f, as, bs);
    else if (conj_a != conj_b)
      add_slice<true, S, A, B>(f, as, bs);
    else
      add_slice<false, S, A, B>(f, as, bs);
  }
  if (!idle) store(p, f, conj_b, p.c.at(matrix), p.c.leading(matrix), i0 + wi, j0 + wj, m, n);
}

/* Whether a tile is of operands that are `whole`: the shapes that this is worth a second loop are large ones. */
template <class S, bool tensor, class T>
constexpr bool has_whole = S::bm >= 64 && (tensor ? is_complex<T> : sizeof(real_of<T>) == 4);

template <class S, bool ka, bool kb, class T>
__device__ __forceinline__ bool is_whole(const product<T> &p, int64_t matrix, int i0, int j0, int m, int n)
{
  const auto aligned = [&](const batch<T> &x) {
    return (reinterpret_cast<uintptr_t>(x.at(matrix)) | (uintptr_t)x.leading(matrix) * sizeof(T)) % 16 == 0;
  };
  const int depth = p.depth(matrix);
  return depth > 0 && depth % S::bk == 0 && i0 + S::bm <= m && j0 + S::bn <= n && (ka || aligned(p.a)) &&
         (kb || aligned(p.b));
}

/* C = alpha op(A) op(B) + beta C, or a triangle of it.
 *   algorithm  tiles of C; slices of op(A) and op(B) go through shared memory, copied asynchronously STAGES - 1 ahead
 *   grid       a block per tile of C
 *   registers  WM WN / 32 elements of C per lane, and as the shape's `blocks` allows
 *   shared     STAGES slices of (BM + BN) BK elements, padded
 *   takes      any size; all types with fused multiply-adds, double and complex double on the tensor cores
 *   memory     A and B once per tile that they meet, C once from (beta != 0) and to global memory
 *   accuracy   sums in the order of k; tensor: in the order of the instruction, the same in all shapes */
template <class S, bool tensor, bool ka, bool kb, class T>
__global__ void __launch_bounds__(S::threads, S::blocks)
  tile_kernel(const __grid_constant__ product<T> p, int tiles_m, int tiles_n)
{
  auto *shared = shared_array<typename slices_of<S, tensor, ka, kb, T>::number>();
  const int64_t tiles = (int64_t)tiles_m * tiles_n, work = tiles * p.c.count;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t matrix = tiles == 1 ? w : w / tiles;
    const int tile = (int)(w - matrix * tiles), i0 = tile % tiles_m * S::bm, j0 = tile / tiles_m * S::bn;
    const int m = p.c.rows(matrix), n = p.c.cols(matrix);
    const bool outside =
      i0 >= m || j0 >= n || (p.which == LOWER_PART && i0 + S::bm <= j0) || (p.which == UPPER_PART && i0 >= j0 + S::bn);
    bool whole = false;
    if constexpr (has_whole<S, tensor, T>) {
      whole = !outside && is_whole<S, ka, kb>(p, matrix, i0, j0, m, n);
      if (whole) compute_tile<S, tensor, ka, kb, true>(p, matrix, i0, j0, m, n, shared);
    }
    if (!outside && !whole) compute_tile<S, tensor, ka, kb, false>(p, matrix, i0, j0, m, n, shared);
    if (w + gridDim.x < work) __syncthreads(); /* the next tile overwrites the slices */
  }
}

template <class S, bool tensor, bool ka, bool kb, class T> int launch_tile(batched_ctx *ctx, const product<T> &p)
{
  const int64_t tiles_m = ceil_div(p.c.m, S::bm), tiles_n = ceil_div(p.c.n, S::bn);
  using slices = slices_of<S, tensor, ka, kb, T>;
  return launch(ctx, tile_kernel<S, tensor, ka, kb, T>, tiles_m * tiles_n * p.c.count, S::threads,
                S::stages * slices::size * sizeof(typename slices::number), p, (int)tiles_m, (int)tiles_n);
}

template <class S, bool tensor, class T> int launch_tile(batched_ctx *ctx, const product<T> &p)
{
  if (p.transa)
    return p.transb ? launch_tile<S, tensor, true, false>(ctx, p) : launch_tile<S, tensor, true, true>(ctx, p);
  return p.transb ? launch_tile<S, tensor, false, false>(ctx, p) : launch_tile<S, tensor, false, true>(ctx, p);
}

} // namespace batched_cuda::products

#endif
