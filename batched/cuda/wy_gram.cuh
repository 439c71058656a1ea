/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The QR of a strip of 16 columns by way of their products N = X^T X, for panels of many rows: what the reflectors
 * do to N and to the 16 x 16 top of X is found without the rest of X, in one warp. N loses a row of R with each
 * reflector, as in Cholesky's method, N := N - r r^T, so that |x|^2 and x^T y of the columns that are left are on
 * hand. The operations on the columns of X, carried out on the identity, make the matrix that X is multiplied by.
 *
 * What N loses in accuracy is |column|^2 over the square of what is left of it below the diagonal: a panel in which
 * that is not a small number has to be factored reflector by reflector.
 */
#ifndef BATCHED_CUDA_WY_GRAM_CUH
#define BATCHED_CUDA_WY_GRAM_CUH

#include "wy_panel.cuh"

namespace batched_cuda
{

template <int SLICES, int WARPS> struct wy_gram {
  static constexpr int ld = wy_shared::ld, pace = wy_panel<SLICES, WARPS>::pace;
  static constexpr int tops = WARPS != 1 ? 1 : 2; /* slices that may have rows of the top */
  static constexpr int fewest_rows = 32;
  static constexpr double least = 0.1; /* of a column's square, that has to be left below the diagonal */
  wy_strip<SLICES, WARPS> &x;
  const wy_shared &shared;
  int end;

  __device__ __forceinline__ wy_gram(const wy_panel<SLICES, WARPS> &panel) : wy_gram(panel.x, panel.shared, panel.end)
  {
  }
  __device__ __forceinline__ wy_gram(wy_strip<SLICES, WARPS> &strip, const wy_shared &where, int slices)
      : x(strip), shared(where), end(slices)
  {
  }
  __device__ __forceinline__ bool has_top(int s) const
  {
    return s < tops && (WARPS == 1 || x.own < 2);
  }

  /* d = X^T X, or V^T V, the strip being V below its diagonal; in all warps. */
  template <bool of_v> __device__ __forceinline__ void square(double d[2][4]) const
  {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) d[h][e] = 0;
#pragma unroll
    for (int s = 0; s < SLICES; s++) {
      if (s % pace == 0 && s >= end) break;
      double y[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        y[e] = x.p[s][e];
        if (of_v && s < tops) {
          const int below = x.top(s) + 2 * x.t + e % 2 - (x.g + 8 * (e / 2));
          y[e] = below > 0 ? y[e] : below == 0;
        }
      }
      const double a[4] = {y[0], y[2], y[1], y[3]};
      multiply_16x8x8(d[0], a, y);
      multiply_16x8x8(d[1], a, y + 2);
    }
    if constexpr (WARPS != 1) x.sum_warps(d);
  }
  /* Row i of d to to[step i]; times -tau of its column where `taus` are given. */
  __device__ __forceinline__ void store_square(const double d[2][4], double *to, int step, const double *taus) const
  {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double2 f = {1, 1};
      if (taus) f = {-taus[8 * h + 2 * x.t], -taus[8 * h + 2 * x.t + 1]};
#pragma unroll
      for (int e = 0; e < 4; e += 2)
        *reinterpret_cast<double2 *>(to + step * (x.g + 4 * e) + 8 * h + 2 * x.t) = {f.x * d[h][e], f.y * d[h][e + 1]};
    }
  }

  /* Lane j has column j of N, and lane 16 + j that of the top of X, from row c on, then the same column of the identity
   * to row c - 1 with the operations done. The top becomes R and V; the matrix for the rest takes the place of N. */
  __device__ __forceinline__ bool eliminate()
  {
    const int lane = x.lane, j = lane % 16, top = lane & 16;
    double *const mine = shared.work + ld * lane;
    double y[16], inverse = 0;
    const double whole = mine[j];
    bool is_good = top || is_moderate<double>(whole);
#pragma unroll
    for (int r = 0; r < 16; r += 2) {
      const double2 two = *reinterpret_cast<const double2 *>(mine + r);
      y[r] = two.x;
      y[r + 1] = two.y;
    }
    __syncwarp();
    auto out = static_cast<unsigned>(__cvta_generic_to_shared(mine));
    asm volatile("" : "+r"(out));
    double squares = shuffle(y[0], 0), rough = rough_inverse_root(squares), unit = inverse_root(squares, rough),
           inverse_square = inverse_of(squares, squares), tau = 0;
    const double limit = least * whole;
#pragma unroll 1
    for (int c = 0; c < 16; c++) {
      const double here = y[0];
      double b[16];
      const double alpha = shuffle(here, 16 + c), product = shuffle_xor(here, 16);
#pragma unroll
      for (int k = 1; k < 16; k++) b[k] = shuffle(y[k], top + c);
      const double down = here * inverse_square, next = shuffle(fma(-down, b[1], y[1]), c + 1);
      const double root = squares * unit, sum = alpha + copysign(root, alpha);
      const double back = inverse_of(sum, alpha + copysign(squares * rough, alpha));
      const double r = product * -copysign(unit, alpha), right = j > c ? (here - r) * back : 0;
      const double f = top ? right : down;
      const double beta = -copysign(fma(0.5 * unit, fma(-root, root, squares), root), alpha);
      const bool is_enough = fma(-alpha, alpha, squares) >= limit;
      is_good = is_good & (is_enough | (lane != c));
      inverse = j == c ? back : inverse;
      tau = j == c ? fma(fabs(alpha), unit, 1.0) : tau;
      const double result = j > c ? r : j == c ? beta : here * inverse;
      asm volatile("st.shared.f64 [%0], %1;" ::"r"(out + 8 * c), "d"(result) : "memory");
      squares = next;
      rough = rough_inverse_root(squares);
      unit = inverse_root(squares, rough);
      inverse_square = inverse_of(squares, squares);
#pragma unroll
      for (int k = 1; k < 16; k++) y[k - 1] = fma(-f, b[k], y[k]);
      y[15] = j == c ? 1 : -f;
    }
    __syncwarp();
    if (top) {
      shared.taus[j] = tau;
#pragma unroll
      for (int r = 0; r < 16; r += 2)
        *reinterpret_cast<double2 *>(mine - 16 * ld + r) = {y[r] * inverse, y[r + 1] * inverse};
    }
    is_good = __all_sync(0xffffffffu, is_good);
    __syncwarp();
    return is_good;
  }

  /* V = X M below the top.  X comes from shared memory, which turns it: from `room`, where it is, or two slices at a
   * time from `columns`. */
  __device__ __forceinline__ void multiply(const wy_stage *room)
  {
    double a[2][4];
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) a[h][e] = shared.work[ld * (x.g + 8 * (e % 2)) + 4 * h + x.t + 8 * (e / 2)];
    double *const memory = room ? room->at : shared.columns + 256 * x.own;
    double *const to[2] = {memory + wy_stage::place(2 * x.t, x.g), memory + wy_stage::place(2 * x.t + 1, x.g)};
    const double *const from[2] = {memory + wy_stage::place(x.g, x.t), memory + wy_stage::place(x.g, x.t + 4)};
    __syncwarp();
#pragma unroll
    for (int first = WARPS != 1 ? 0 : 2; first < SLICES; first += 2) {
      if (first >= end) break;
      if (!room) {
        __syncwarp();
#pragma unroll
        for (int s = 0; s < 2; s++)
#pragma unroll
          for (int e = 0; e < 2; e++)
            *reinterpret_cast<double2 *>(to[e] + 128 * s) = {x.p[first + s][e], x.p[first + s][2 + e]};
        __syncwarp();
      }
#pragma unroll
      for (int s = first; s < first + 2; s++) {
        if (s >= end) break;
        double2 b[2];
#pragma unroll
        for (int h = 0; h < 2; h++)
          b[h] = *reinterpret_cast<const double2 *>(from[h] + (room ? wy_width * x.top(s) : 128 * (s - first)));
#pragma unroll
        for (int e = 0; e < 4; e++) x.p[s][e] = 0;
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const double y[2] = {b[h].x, b[h].y};
          multiply_16x8x8(x.p[s], a[h], y);
        }
      }
    }
  }

  /* Does nothing and returns false if the result would not be accurate. */
  __device__ __forceinline__ bool factor(const wy_stage *room)
  {
    double d[2][4];
    double *const top = shared.work + 16 * ld;
    if constexpr (WARPS != 1) x.sync();
#pragma unroll
    for (int s = 0; s < tops; s++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        if (has_top(s))
          *reinterpret_cast<double2 *>(top + ld * (x.g + 8 * h) + x.top(s) + 2 * x.t) = {x.p[s][2 * h],
                                                                                         x.p[s][2 * h + 1]};
    square<false>(d);
    if (x.own == 0) {
      store_square(d, shared.work, ld, nullptr);
      __syncwarp();
      const bool is_good = eliminate();
      if constexpr (WARPS != 1)
        *shared.flag = is_good;
      else if (!is_good)
        return false;
    }
    if constexpr (WARPS != 1) {
      x.sync();
      if (*shared.flag == 0) return false;
    }
    multiply(room);
#pragma unroll
    for (int s = 0; s < tops; s++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        if (has_top(s)) {
          const double2 v = *reinterpret_cast<const double2 *>(top + ld * (x.g + 8 * h) + x.top(s) + 2 * x.t);
          x.p[s][2 * h] = v.x;
          x.p[s][2 * h + 1] = v.y;
        }
    x.sync();
    return true;
  }

  /* What form_triangle() needs. */
  __device__ __forceinline__ void make_gram() const
  {
    double d[2][4];
    square<true>(d);
    if (x.own == 0) store_square(d, shared.gram, wy_width, shared.taus);
    x.sync();
  }
};

} // namespace batched_cuda

#endif
