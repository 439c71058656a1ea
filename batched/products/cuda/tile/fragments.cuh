/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fragments of C of gemm_tile.cuh in the registers of a warp: products of slices added to them, and how they are
 * stored.
 */
#ifndef BATCHED_PRODUCTS_CUDA_TILE_FRAGMENTS_CUH
#define BATCHED_PRODUCTS_CUDA_TILE_FRAGMENTS_CUH

#include "batched/cuda/mma.cuh"
#include "batched/products/cuda/tile/slices.cuh"

namespace batched_cuda::products
{

/* Every fragment has rows x cols elements per lane: value(r, c) is the lane's element (r, c), which is element (row(r,
 * lane), col(c, lane)) of the warp's part; rows r .. r + run - 1 are neighbours, r being a multiple of `run`. */

/* Products of 16 x 8.  Lane 4 g + t has rows 2 g and 2 g + 1 of each where ROW_PAIRS, and otherwise g and g + 8; where
 * PAIRS, products 2 j and 2 j + 1 have the even and the odd ones of 16 columns, so that the lane has columns
 * 4 t .. 4 t + 3 of these, and otherwise 2 t, 2 t + 1. */
template <class S, bool ROW_PAIRS, bool PAIRS> struct real_fragment {
  static_assert(S::wm % 16 == 0 && S::wn % 8 == 0, "");
  static constexpr int nm = S::wm / 16, nn = S::wn / 8, rows = 2 * nm, cols = 2 * nn, run = ROW_PAIRS ? 2 : 1;
  static constexpr bool turns = false;
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
  static_assert(S::wm % 16 == 0 && S::wn % 8 == 0, "");
  static constexpr int nm = S::wm / 16, nn = S::wn / 8, rows = 2 * nm, cols = 2 * nn, run = 1;
  static constexpr bool turns = false;
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
  return numbers % 2 ? 1 : numbers % most ? 2 : most;
}
template <class S, class T, int RUN = run_in(S::wm / 8, 16 / sizeof(T)),
          int COL_RUN = run_in(S::wn / 4, 16 / sizeof(T))>
struct lane_fragment {
  static constexpr int rows = S::wm / 8, cols = S::wn / 4, run = RUN, col_run = COL_RUN;
  /* Single rows have neighbours next to them as they are; complex numbers take 1 to 3 % longer by turns (H200). */
  static constexpr bool turns = sizeof(T) == 4 && run > 1;
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
  /* Exchanges columns with lanes that have the same runs of rows: then neighbouring lanes have neighbouring rows, and
   * value(r, c) is element (turned_row(r, lane), turned_col(r, c, lane)). */
  DEVICE void turn(int lane)
  {
    const auto exchange = [lane](T &x, T &y, int distance) {
      const bool upper = lane & distance;
      const T other = shuffle_xor(upper ? x : y, distance);
      x = upper ? other : x;
      y = upper ? y : other;
    };
#pragma unroll
    for (int c = 0; c < cols; c++) {
#pragma unroll
      for (int r = 0; r < rows; r += 2) exchange(d[r][c], d[r + 1][c], 1);
      if (run == 4)
#pragma unroll
        for (int r = 0; r < rows; r++)
          if (r % 4 < 2) exchange(d[r][c], d[r + 2][c], 4);
    }
  }
  static DEVICE int turned_row(int r, int lane)
  {
    return row(r / run * run, lane) + lane % 2 + (run == 4 ? lane / 4 % 2 * 2 : 0);
  }
  static DEVICE int turned_col(int r, int c, int lane)
  {
    return c / col_run * 4 * col_run + (run == 4 ? r % 4 : r % 2 + lane / 4 % 2 * 2) * col_run + c % col_run;
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

/* The same of the first `depth` of a slice's k and, behind an odd number of them, a zero. */
template <bool conj, class S, class A, class B, class T>
__device__ __forceinline__ void add_rest(lane_fragment<S, T> &f, const T *a, const T *b, int depth)
{
#pragma unroll 1
  for (int k = 0; k < depth; k += 2)
#pragma unroll
    for (int h = 0; h < 2; h++, a += A::k_step, b += B::k_step) {
      T x[f.rows], y[f.cols];
      load_runs<f.run, f.rows>(x, a, 8 * f.run);
      load_runs<f.col_run, f.cols>(y, b, 4 * f.col_run);
      add_products<conj>(f, x, y);
    }
}

} // namespace batched_cuda::products

#endif
