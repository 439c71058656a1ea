/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp_tc of trsm: a few right-hand sides with a triangle of any order, on the FP64 tensor cores in all types.
 * One, two or four warps have a matrix and 16 columns of X.  X^T takes the place of the products' first factor,
 * so that what is solved for is in the lanes that the next product wants it in, and stays in shared memory for these
 * alone.  E comes straight from global memory, each element into the one lane that needs it, a panel's width ahead.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_WARP_TC_CUH
#define BATCHED_TRIANGULAR_CUDA_WARP_TC_CUH

#include <algorithm>
#include <type_traits>

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

/* The type of sums and of what is multiplied. */
template <class T> struct wide_type {
  using type = double;
};
template <class R> struct wide_type<complex<R>> {
  using type = complex<double>;
};
template <class T> using wide_of = typename wide_type<T>::type;

template <class T> DEVICE wide_of<T> widen(T x)
{
  if constexpr (is_complex<T>)
    return {x.re, x.im};
  else
    return x;
}
template <class T> DEVICE T narrow(wide_of<T> x)
{
  using R = real_of<T>;
  if constexpr (is_complex<T>)
    return {(R)x.re, (R)x.im};
  else
    return (T)x;
}

/* Sums of products of which x is a value: in complex single precision, whose numbers have half of the digits, three of
 * real numbers, e.re x.re, e.im x.im and (e.re + e.im) (x.re + x.im), in place of four. */
struct three_sums {
  double re, im, both;
};
template <class T> struct sums_type {
  using type = wide_of<T>;
};
template <> struct sums_type<complex<float>> {
  using type = three_sums;
};
template <class S, class W> DEVICE S begin_sums(W x)
{
  if constexpr (std::is_same_v<S, three_sums>)
    return {x.re, 0, x.re + x.im};
  else
    return x;
}
template <class S> DEVICE auto end_sums(S s)
{
  if constexpr (std::is_same_v<S, three_sums>)
    return complex<double>{s.re - s.im, s.both - s.re - s.im};
  else
    return s;
}

/* Rows of X are in blocks of 8: lane 4 g + t has rows 2 t and 2 t + 1 of column g, then of column g + 8; of a block of
 * 8 x 8 of E row g of columns 2 t and 2 t + 1.  A panel has RB blocks of rows, and W warps take panels in turn. */
template <class T, int RB, int W> struct warp_triangle {
  static constexpr int columns = 16, block = 8, panel = block * RB, most = 64; /* panels */
  static constexpr int ld = block + 2;                                         /* of a block on the diagonal, by rows */
  /* A warp's blocks on the diagonal, their inverse diagonals and scales. */
  static constexpr int own = panel * ld + 2 * panel;
  static constexpr int registers = is_complex<T>    ? (RB > 2           ? 255
                                                       : sizeof(T) == 8 ? 128
                                                                        : 168)
                                   : sizeof(T) == 8 ? (RB == 2   ? 102
                                                       : RB == 3 ? 128
                                                                 : 168)
                                                    : 128;
  static constexpr int resident = 65536 / (32 * W * registers);
  /* Lanes read and write neighbouring rows of B and turn them in shared memory: fewer sectors, more instructions, of
   * which s and c have too many (us at 41, 128, H200, 2026-11-30: d 75.7, 130 to 69.9, 129, z of 128 344 to 302,
   * s 60.3, 76.9 to 59.8, 80.6, c 97, 161 to 99, 173). */
  static constexpr bool staged = sizeof(real_of<T>) == 8;

  static DEVICE constexpr size_t bytes(int n)
  {
    return ((size_t)(n + panel - 1) / panel * panel * columns + W * own) * sizeof(T) + most * 8;
  }
  /* X in shared memory: rows 2 t + h of a block, for each h and half of the columns the lanes' numbers, turned, so that
   * lanes that have neighbouring rows have no bank conflicts either. */
  static DEVICE constexpr int turn(int block, int h)
  {
    return sizeof(T) == 16 ? 4 * h : 8 * h + (RB % 2 == 0 ? 4 * (block % 2) : 0);
  }
};

/* d -= (e x^T)^T, for an x whose sign has been changed. */
__device__ __forceinline__ void subtract_block(double (&d)[4], const double (&e)[2], const double (&x)[4])
{
  const double a[4] = {x[0], x[2], x[1], x[3]};
  multiply_16x8x8(d, a, e);
}
__device__ __forceinline__ void subtract_block(complex<double> (&d)[4], const complex<double> (&e)[2],
                                               const complex<double> (&x)[4])
{
  double re[4], im[4];
#pragma unroll
  for (int i = 0; i < 4; i++) re[i] = d[i].re, im[i] = d[i].im;
  const double xr[4] = {x[0].re, x[2].re, x[1].re, x[3].re}, xi[4] = {x[0].im, x[2].im, x[1].im, x[3].im};
  const double minus[4] = {-xi[0], -xi[1], -xi[2], -xi[3]}, er[2] = {e[0].re, e[1].re}, ei[2] = {e[0].im, e[1].im};
  multiply_16x8x8(re, xr, er);
  multiply_16x8x8(im, xr, ei);
  multiply_16x8x8(re, minus, ei);
  multiply_16x8x8(im, xi, er);
#pragma unroll
  for (int i = 0; i < 4; i++) d[i] = {re[i], im[i]};
}

__device__ __forceinline__ void subtract_block(three_sums (&d)[4], const complex<double> (&e)[2],
                                               const complex<double> (&x)[4])
{
  double re[4], im[4], both[4];
#pragma unroll
  for (int i = 0; i < 4; i++) re[i] = d[i].re, im[i] = d[i].im, both[i] = d[i].both;
  const double xr[4] = {x[0].re, x[2].re, x[1].re, x[3].re}, xi[4] = {x[0].im, x[2].im, x[1].im, x[3].im},
               xb[4] = {xr[0] + xi[0], xr[1] + xi[1], xr[2] + xi[2], xr[3] + xi[3]};
  const double er[2] = {e[0].re, e[1].re}, ei[2] = {e[0].im, e[1].im}, eb[2] = {er[0] + ei[0], er[1] + ei[1]};
  multiply_16x8x8(re, xr, er);
  multiply_16x8x8(im, xi, ei);
  multiply_16x8x8(both, xb, eb);
#pragma unroll
  for (int i = 0; i < 4; i++) d[i] = {re[i], im[i], both[i]};
}

/* y = E^-1 y for a block on the diagonal, by substitution: a lane solves for its two rows and gives them to the three
 * others that have rows of the same columns. */
template <class T, int ld, bool pairs>
__device__ __forceinline__ void solve_block(const T *e, const T *inverses, T (&y)[4])
{
  struct alignas(sizeof(T) == 16 ? 16 : 2 * sizeof(T)) two {
    T x[2];
  };
  const int t = threadIdx.x % 4;
  const T *const row = e + 2 * t * ld, *const next = row + ld;
  const T first = inverses[2 * t], second = inverses[2 * t + 1], between = -next[2 * t];
#pragma unroll
  for (int s = 0; s < 4; s++) {
    T x[4];
#pragma unroll
    for (int c = 0; c < 4; c += 2) {
      x[c] = y[c] * first;
      x[c + 1] = mad(between, x[c], y[c + 1]) * second;
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      y[c] = select(t == s, x[c], y[c]);
      x[c] = shuffle(x[c], s, 4);
    }
    if (pairs && s == 3) break;
    if (t > s) {
      two above, below;
      if constexpr (pairs) {
        above = *reinterpret_cast<const two *>(row + 2 * s);
        below = *reinterpret_cast<const two *>(next + 2 * s);
      } else {
        above = {row[2 * s], row[2 * s + 1]};
        below = {next[2 * s], next[2 * s + 1]};
      }
#pragma unroll
      for (int j = 0; j < 2; j++) {
        const T a = -above.x[j], b = -below.x[j];
#pragma unroll
        for (int c = 0; c < 4; c += 2) {
          y[c] = mad(a, x[c + j], y[c]);
          y[c + 1] = mad(b, x[c + j], y[c + 1]);
        }
      }
    }
  }
}

/* X = alpha E^-1 X.
 *   algorithm  left-looking by panels of 16 to 32 rows; blocks of 8 on the diagonal by substitution
 *   grid       persistent: as many blocks as are resident, each of W warps, which take the panels of a matrix and 16
 *              columns of X in turn, and wait for those before theirs
 *   registers  RB columns of blocks of a panel, on their way, and its rows of X: 80 to 255
 *   shared     n rounded up to panels, times 16 numbers, and for each warp the blocks on a panel's diagonal
 *   takes      these in 100 KB, all types, uniform and variable, A shared or not
 *   memory     the triangle once per 16 columns, X once from and to global memory
 *   accuracy   of substitution in T by blocks of 8, whose right-hand sides are sums in double precision */
template <class T, int RB, int W>
__global__ void __launch_bounds__(32 * W, warp_triangle<T, RB, W>::resident)
  solve_in_warp_tc(triangle_form f, int panels, int chunks, T alpha, batch<T> a, batch<T> b)
{
  using S = warp_triangle<T, RB, W>;
  using wide = wide_of<T>;
  using sums = typename sums_type<T>::type;
  constexpr int ld = S::ld;
  const int warp = W == 1 ? 0 : __shfl_sync(all_lanes, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
  const int g = lane / 4, t = lane % 4;
  const unsigned known = shared_address(shared_array<T>()); /* a barrier per panel */
  T *const diagonal = shared_array<T>() + S::most * 8 / sizeof(T) + warp * S::own,
           *const inverses = diagonal + S::panel * ld, *const scales = inverses + S::panel,
           *const xs = diagonal + (W - warp) * S::own;
  int parity = 0;
  if (W > 1) {
    if (threadIdx.x == 0) {
      for (int k = 0; k < panels; k++) barrier_init(known + 8 * k, 32);
      barrier_init_fence();
    }
    __syncthreads();
  }

  for (int64_t unit = blockIdx.x; unit < b.count * chunks; unit += gridDim.x) {
    const int64_t m = chunks == 1 ? unit : unit / chunks;
    const int rows = b.rows(m), cols = b.cols(m), n = f.left ? rows : cols, c0 = (int)(unit - m * chunks) * S::columns;
    const int nrhs = min(S::columns, (f.left ? cols : rows) - c0);
    if (n == 0 || nrhs <= 0) continue;
    const strided<const T> e = triangle_of<const T>(f, a.at(m), a.leading(m), n);
    strided<T> x = unknowns_of<T>(f, b.at(m), b.leading(m), n);
    x.at += c0 * x.col;
    T *const first = x.at;
    const bool along = S::staged && (x.row == 1 || x.row == -1); /* lanes have neighbouring rows of B */
    x.at += g * x.col + 2 * t * x.row;                           /* the lane's first element */
    const auto lane_of = [&](int r, int q) { return S::staged ? lane ^ S::turn(r, q % 2) : lane; };
    /* act(place, address, inside) for a panel of X from row i0 on, lanes along its columns */
    const auto visit = [&](int i0, auto act) {
      constexpr int height = RB % 2 ? 8 : 16, width = 32 / height;
      const int i = lane % height, c = lane / height;
      const int block = 32 * (i / 8 * 4 + i % 2), in_block = (4 * c + i % 8 / 2) ^ S::turn(i / 8, i % 2);
      T *at = first + (i0 + i) * x.row + c * x.col;
#pragma unroll
      for (int r = 0; r < S::panel; r += height, at += height * x.row) {
        T *to = at;
#pragma unroll
        for (int k = 0; k < S::columns; k += width, to += width * x.col)
          act(i0 * S::columns + 16 * r + 64 * (k / 8) + block + (in_block ^ 4 * (k % 8)), to,
              i0 + r + i < n && k + c < nrhs);
      }
    };

    /* Columns of blocks of a panel's rows, one after the other, into a ring of RB of them: those left of the corner,
     * whose rows beyond the last one repeat it, ... */
    T ring[RB][RB][2];
    const T *ahead[RB];
    const int64_t step = 8 * e.col;
    const auto begin_panel = [&](int i0) {
#pragma unroll
      for (int r = 0; r < RB; r++) ahead[r] = &e(min(i0 + 8 * r + g, n - 1), 2 * t);
    };
    const auto load_column = [&](T(&to)[RB][2]) {
#pragma unroll
      for (int r = 0; r < RB; r++) {
        to[r][0] = *ahead[r];
        to[r][1] = ahead[r][e.col];
        ahead[r] += step;
        recompute(ahead[r]);
      }
    };
    /* ... and column c of the corner. */
    const auto load_corner = [&](int c, int i0) {
#pragma unroll
      for (int r = 0; r < RB; r++) {
#pragma unroll
        for (int j = 0; j < 2; j++)
          if (r >= c)
            ring[c][r][j] =
              i0 + 8 * r + g < n && (r > c || 2 * t + j < g || (2 * t + j == g && !f.unit)) ? ahead[r][j * e.col] : T{};
        ahead[r] += step;
        recompute(ahead[r]);
      }
    };

    begin_panel(warp * S::panel);
    if (warp * S::panel < n)
#pragma unroll
      for (int c = 0; c < RB; c++) {
        if (warp == 0)
          load_corner(c, 0);
        else
          load_column(ring[c]);
      }
#pragma unroll 1
    for (int i0 = warp * S::panel; i0 < n; i0 += W * S::panel) {
      if (along) {
        visit(i0, [&](int place, const T *from, bool inside) {
          copy_async(shared_address(xs + place), inside ? from : first, inside);
        });
        continue;
      }
      T *to = xs + i0 * S::columns;
      int block = 0;
#pragma unroll 1
      for (int i = i0 + 2 * t; i - 2 * t < i0 + S::panel; i += 8, to += 8 * S::columns, block++) {
        const T *from = x.at + (i - 2 * t) * x.row;
#pragma unroll
        for (int q = 0; q < 4; q++) {
          const bool inside = i + q % 2 < n && g + q / 2 * 8 < nrhs;
          copy_async(shared_address(to + 32 * q + lane_of(block, q)),
                     inside ? from + q % 2 * x.row + q / 2 * 8 * x.col : from, inside);
        }
      }
    }
    wait_copies();
    if (S::staged) __syncwarp();

#pragma unroll 1
    for (int i0 = warp * S::panel; i0 < n; i0 += W * S::panel) {
      sums sum[RB][4];
      T *const own = xs + i0 * S::columns;
#pragma unroll
      for (int r = 0; r < RB; r++)
#pragma unroll
        for (int q = 0; q < 4; q++)
          sum[r][q] = begin_sums<sums>(widen(alpha) * widen(conj_if(f.conj, own[(4 * r + q) * 32 + lane_of(r, q)])));
#pragma unroll 1
      for (int k0 = 0; k0 < i0; k0 += S::panel) {
        if (W > 1) barrier_wait(known + k0 / S::panel * 8, parity);
        const bool last = k0 + S::panel == i0;
        const T *from = xs + k0 * S::columns;
#pragma unroll
        for (int c = 0; c < RB; c++) {
          wide y[4];
#pragma unroll
          for (int q = 0; q < 4; q++) y[q] = widen(from[(4 * c + q) * 32 + lane_of(c, q)]);
#pragma unroll
          for (int r = 0; r < RB; r++) {
            const wide block[2] = {widen(ring[c][r][0]), widen(ring[c][r][1])};
            subtract_block(sum[r], block, y);
          }
          if (last)
            load_corner(c, i0);
          else
            load_column(ring[c]);
        }
      }

      /* the corner: blocks on the diagonal by rows in shared memory, their diagonals inverted by a lane each */
      const int next = i0 + W * S::panel;
      __syncwarp();
#pragma unroll
      for (int r = 0; r < RB; r++) {
        T *const to = diagonal + (8 * r + g) * ld + 2 * t;
        to[0] = ring[r][r][0];
        to[1] = ring[r][r][1];
      }
      begin_panel(next);
      __syncwarp();
      bool extreme = false;
      if (lane < S::panel) {
        T *const row = diagonal + lane * ld;
        T inverse = make<T>(1);
        real_of<T> scale = 1;
        if (!f.unit && i0 + lane < n) {
          const batched_cuda::diagonal<T> d(row[lane % 8]);
          inverse = d.inverse;
          extreme = !d.safe;
        }
        if (extreme) {
          const auto d = reciprocal_of(row[lane % 8]);
          inverse = d.inverse;
          scale = d.scale;
          for (int j = 0; j < lane % 8; j++) row[j] = scale * row[j];
        }
        inverses[lane] = inverse;
        scales[lane] = make<T>(scale);
      }
      extreme = __any_sync(all_lanes, extreme);
      __syncwarp();
      T *out = x.at + i0 * x.row;
#pragma unroll
      for (int c = 0; c < RB; c++, out += 8 * x.row) {
        if (i0 + 8 * c < n) {
          wide value[4];
#pragma unroll
          for (int q = 0; q < 4; q++) value[q] = end_sums(sum[c][q]);
          if (extreme)
#pragma unroll
            for (int q = 0; q < 4; q++) value[q] = (double)real(scales[8 * c + 2 * t + q % 2]) * value[q];
          T solved[4];
#pragma unroll
          for (int q = 0; q < 4; q++) solved[q] = narrow<T>(value[q]);
          solve_block<T, ld, S::staged>(diagonal + 8 * c * ld, inverses + 8 * c, solved);
          wide y[4];
#pragma unroll
          for (int q = 0; q < 4; q++) {
            own[(4 * c + q) * 32 + lane_of(c, q)] = -solved[q];
            if (!along && i0 + 8 * c + 2 * t + q % 2 < n && g + q / 2 * 8 < nrhs)
              out[q % 2 * x.row + q / 2 * 8 * x.col] = conj_if(f.conj, solved[q]);
            y[q] = widen(-solved[q]);
          }
#pragma unroll
          for (int r = c + 1; r < RB; r++) {
            const wide block[2] = {widen(ring[c][r][0]), widen(ring[c][r][1])};
            subtract_block(sum[r], block, y);
          }
        }
        if (next < n) load_column(ring[c]);
      }
      if (W > 1) barrier_arrive(known + i0 / S::panel * 8);
      if (along) {
        __syncwarp();
        visit(i0, [&](int place, T *to, bool inside) {
          if (inside) *to = conj_if(f.conj, -xs[place]);
        });
      }
    }
    if (S::staged && W == 1) __syncwarp(); /* the next matrix takes X's place */
    if (W > 1) {
      for (int k = (n + S::panel - 1) / S::panel; k < panels; k++)
        if (k % W == warp) barrier_arrive(known + 8 * k);
      __syncthreads(); /* the next matrix takes X's place */
    }
    parity ^= 1;
  }
}

template <class T, int RB, int W>
static int launch_warp_tc(batched_ctx *ctx, triangle_form f, int n, int nrhs, T alpha, const batch<T> &a,
                          const batch<T> &b)
{
  const auto kernel = solve_in_warp_tc<T, RB, W>;
  const size_t shared = warp_triangle<T, RB, W>::bytes(n);
  const int chunks = (int)ceil_div(nrhs, warp_triangle<T, RB, W>::columns);
  int resident = 8;
  const int status = allow_shared(reinterpret_cast<const void *>(kernel), shared);
  if (status) return status;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 32 * W, shared);
  const int64_t units = b.count * chunks, most = multiprocessors() * std::max(resident, 1);
  return launch(ctx, kernel, std::min(units, most), 32 * W, shared, f, (int)ceil_div(n, warp_triangle<T, RB, W>::panel),
                chunks, conj_if(f.conj, alpha), a, b);
}

/* Blocks of rows in a panel and warps, as measured on an H200. */
template <class T>
static int solve_warp_tc(batched_ctx *ctx, triangle_form f, int n, int nrhs, T alpha, const batch<T> &a,
                         const batch<T> &b)
{
  const auto run = [&](auto rows, auto warps) {
    return launch_warp_tc<T, rows.value, warps.value>(ctx, f, n, nrhs, alpha, a, b);
  };
  constexpr std::integral_constant<int, 1> one;
  constexpr std::integral_constant<int, 2> two;
  constexpr std::integral_constant<int, 3> three;
  constexpr std::integral_constant<int, 4> four;
  if constexpr (std::is_same_v<T, float>)
    return n <= 144 ? run(four, one) : n <= 280 ? run(four, two) : run(four, four);
  else if constexpr (std::is_same_v<T, double>)
    return n <= 48               ? run(three, one)
           : n <= 80             ? run(four, one)
           : n <= 96             ? run(three, two)
           : n <= 160 || n > 280 ? run(four, two)
                                 : run(three, four);
  else if constexpr (std::is_same_v<T, complex<float>>)
    return n <= 48 ? run(two, one) : n <= 160 ? run(four, one) : run(four, two);
  else
    return n <= 80 ? run(three, one) : n <= 160 ? run(two, two) : n <= 224 ? run(two, four) : run(three, four);
}

} // namespace batched_cuda::triangular

#endif
