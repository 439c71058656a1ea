/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Householder QR of a strip of 16 columns, in the registers in which strip.cuh keeps it, reflector by reflector: four
 * lanes share a column, so that a product of two columns takes two shuffles. gram.cuh is faster for many rows.
 */
#ifndef BATCHED_QR_CUDA_WY_PANEL_CUH
#define BATCHED_QR_CUDA_WY_PANEL_CUH

#include "batched/qr/cuda/householder.cuh"
#include "batched/qr/cuda/wy/stage.cuh"

namespace batched_cuda::qr
{

/* How a panel is factored: by products; by steps, its columns' squares moderate at first (is_moderate), or not. */
enum wy_way { BY_STEPS, BY_MODERATE_STEPS, BY_PRODUCTS };

/* Shared memory of a strip. A single warp's columns, and G, reuse the two matrices at work. */
struct wy_shared {
  static constexpr int ld = 18;
  double *columns; /* per warp: its rows of the current column, double-buffered; or two slices to be transposed */
  double *sums;    /* 16 per warp and the 16 elements of a row, double-buffered */
  double *work;    /* two matrices */
  double *gram, *taus, *flag; /* *flag: a wy_way */

  static DEVICE constexpr int size(int warps)
  {
    return (warps > 1 ? warps * 256 : 0) + 2 * 16 * (warps + 1) + 2 * 16 * ld + wy_width + 2;
  }
  __device__ wy_shared(double *p, int warps)
  {
    work = p;
    gram = work + 16 * ld;
    taus = work + 2 * 16 * ld;
    flag = taus + wy_width;
    sums = flag + 2;
    columns = warps > 1 ? sums + 2 * 16 * (warps + 1) : work;
  }
};

/* A panel of a strip. Rows count from the panel's first one, as do the turns of warps (x.own); slices above it are
 * dropped. */
template <int SLICES, int WARPS> struct wy_panel {
  static constexpr int pace = 4; /* slices that are done or skipped together */
  wy_strip<SLICES, WARPS> &x;
  wy_shared shared;
  int turn, end;     /* slices that have rows */
  double inverse[2]; /* of this lane's columns: v = inverse x below the diagonal */

  /* From row j0 on, a multiple of 8, of `rows` in all; moves rows through `room` if given. */
  __device__ __forceinline__ wy_panel(wy_strip<SLICES, WARPS> &strip, const wy_shared &where, int j0, int rows,
                                      const wy_stage *room)
      : x(strip), shared(where), turn(0), inverse{0, 0}
  {
    const int above = j0 / 8;
    int drop = above;
    if constexpr (WARPS != 1) {
      const int own = (x.own + above * (x.sharers() - 1)) % x.sharers();
      drop = (above + own - x.own) / x.sharers();
      x.own = own;
    }
    end = x.slice_from((rows - j0 + 7) / 8);
    if (room) {
      shift(*room, j0, drop);
      return;
    }
    constexpr int most = WARPS != 1 ? SLICES : SLICES - 1; /* of five warps and more, some have no row below the last */
#pragma unroll
    for (int bit = WARPS != 1 ? 1 : 2; bit <= most; bit *= 2)
      if (drop & bit) {
        keep_branch();
#pragma unroll
        for (int s = 0; s < SLICES; s++)
#pragma unroll
          for (int e = 0; e < 4; e++) x.p[s][e] = s + bit < SLICES ? x.p[(s + bit) % SLICES][e] : 0;
      }
  }
  /* The same panel again, later. */
  __device__ __forceinline__ wy_panel(wy_strip<SLICES, WARPS> &strip, const wy_shared &where, int slices)
      : x(strip), shared(where), turn(0), end(slices), inverse{0, 0}
  {
  }
  /* Moves rows up through a stage, where they remain. */
  __device__ __forceinline__ void shift(const wy_stage &stage, int j0, int drop)
  {
    double *const to[2] = {stage.at + wy_stage::place(2 * x.t, x.g), stage.at + wy_stage::place(2 * x.t + 1, x.g)};
    const int above = wy_width * (x.top(0) - j0);
    __syncwarp();
#pragma unroll
    for (int s = 0; s < SLICES; s++)
      if (s >= drop && s < drop + end)
#pragma unroll
        for (int e = 0; e < 2; e++)
          *reinterpret_cast<double2 *>(to[e] + above + wy_width * x.rows_to(s)) = {x.p[s][e], x.p[s][2 + e]};
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        double2 v = {0, 0};
        if (s < end) v = *reinterpret_cast<const double2 *>(to[e] + wy_width * x.top(s));
        x.p[s][e] = v.x;
        x.p[s][2 + e] = v.y;
      }
  }
  static constexpr int tops = WARPS != 1 ? 1 : 2; /* slices that may have rows of the 16 x 16 top */
  /* True where row c is in slice s of this warp. */
  __device__ __forceinline__ bool has_row(int s, int c) const
  {
    return s < tops && x.top(s) / 8 == c / 8;
  }
  /* Row e of this lane's two rows in slice s, of column 8 half + g. */
  __device__ __forceinline__ double of_half(int s, int half, int e) const
  {
    return half ? x.p[s][2 + e] : x.p[s][e];
  }

  /* Calls f(s, u) for all slices; u: this lane's rows of the published column. */
  template <class F> __device__ __forceinline__ void for_each_published(const double *v, F f) const
  {
#pragma unroll
    for (int first = 0; first < SLICES; first += pace) {
      if (first >= end) break;
      double2 u[pace];
#pragma unroll
      for (int s = first; s < first + pace && s < SLICES; s++)
        u[s - first] = *reinterpret_cast<const double2 *>(v + 8 * s + 2 * x.t);
#pragma unroll
      for (int s = first; s < first + pace && s < SLICES; s++) f(s, u[s - first]);
    }
  }

  /* Writes column c below its diagonal, and zeros above, to shared memory. */
  __device__ __forceinline__ void publish(double *to, int c) const
  {
    if (x.g == c % 8) {
#pragma unroll
      for (int s = 0; s < SLICES; s++) {
        if (s % pace == 0 && s >= end) break;
        double2 v = {of_half(s, c / 8, 0), of_half(s, c / 8, 1)};
        const int row = x.top(s) + 2 * x.t;
        if (s < tops && row <= c) v.x = 0;
        if (s < tops && row + 1 <= c) v.y = 0;
        *reinterpret_cast<double2 *>(to + 8 * s + 2 * x.t) = v;
      }
    }
    __syncwarp();
  }

  /* d = products of this lane's columns with the published one; y = their elements in its diagonal's row; in all
   * lanes. */
  __device__ __forceinline__ void multiply(const double *v, int c, double d[2], double y[2])
  {
    double sum[2][4] = {};
    for_each_published(v, [&](int s, double2 u) {
#pragma unroll
      for (int h = 0; h < 2; h++) {
        sum[h][s % 2] = fma(u.x, x.p[s][2 * h], sum[h][s % 2]);
        sum[h][2 + s % 2] = fma(u.y, x.p[s][2 * h + 1], sum[h][2 + s % 2]);
      }
    });
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double here = 0;
#pragma unroll
      for (int s = 0; s < tops; s++)
        if (has_row(s, c)) here = c % 2 ? x.p[s][2 * h + 1] : x.p[s][2 * h];
      y[h] = shuffle(here, c % 8 / 2, 4);
      d[h] = sum_lanes((sum[h][0] + sum[h][1]) + (sum[h][2] + sum[h][3]), 4);
    }
    if constexpr (WARPS != 1) add_warps(has_row(0, c), d, y);
  }

  __device__ __forceinline__ void add_warps(bool has_row, double d[2], double y[2])
  {
    double *const sums = shared.sums + turn * 16 * (x.sharers() + 1), *const row = sums + 16 * x.sharers();
    turn = 1 - turn;
    if (x.t < 2) sums[16 * x.own + x.g + 8 * x.t] = x.t ? d[1] : d[0];
    if (x.t < 2 && has_row) row[x.g + 8 * x.t] = x.t ? y[1] : y[0];
    x.sync();
#pragma unroll
    for (int h = 0; h < 2; h++) {
      d[h] = sums[x.g + 8 * h];
      for (int r = 1; r < x.sharers(); r++) d[h] += sums[16 * r + x.g + 8 * h];
      y[h] = row[x.g + 8 * h];
    }
  }

  /* Scales column c from its diagonal on to about 1. Returns the factor that undoes it. */
  __device__ __forceinline__ double rescale(int c)
  {
    double size = 0;
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 2; e++)
        if (s >= tops || x.top(s) + 2 * x.t + e >= c) size = fmax(size, fabs(of_half(s, c / 8, e)));
    for (int half = 2; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half, 4));
    size = shuffle(size, c % 8 * 4);
    if constexpr (WARPS != 1) {
      double *const sizes = shared.sums + turn * 16 * (x.sharers() + 1);
      turn = 1 - turn;
      if (x.lane == 0) sizes[x.own] = size;
      x.sync();
      for (int r = 0; r < x.sharers(); r++) size = fmax(size, sizes[r]);
    }
    const double scale = column_scale(size);
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (x.g + 8 * (e / 2) == c && (s >= tops || x.top(s) + 2 * x.t + e % 2 >= c)) x.p[s][e] *= scale;
    return inverse_scale(scale);
  }

  /* Columns behind c -= f times the published one; the diagonal's row becomes y. */
  __device__ __forceinline__ void update(const double *v, int c, const double f[2], const double y[2])
  {
    for_each_published(v, [&](int s, double2 u) {
#pragma unroll
      for (int h = 0; h < 2; h++) {
        x.p[s][2 * h] = fma(-f[h], u.x, x.p[s][2 * h]);
        x.p[s][2 * h + 1] = fma(-f[h], u.y, x.p[s][2 * h + 1]);
      }
    });
#pragma unroll
    for (int s = 0; s < tops; s++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (has_row(s, c) && x.t == c % 8 / 2 && e % 2 == c % 2) x.p[s][e] = y[e / 2];
  }

  /* The reflector of column c; moderate: so were all columns of the panel at first. */
  __device__ __forceinline__ void step(int c, bool moderate)
  {
    double *const v = shared.columns + (x.own * 2 + c % 2) * 8 * SLICES;
    const int half = c / 8;
    double d[2], y[2], f[2], alpha, tail, back = 1;
    for (bool again = false;; again = true) {
      publish(v, c);
      multiply(v, c, d, y);
      tail = shuffle(half ? d[1] : d[0], c % 8 * 4);
      alpha = shuffle(half ? y[1] : y[0], c % 8 * 4);
      const double squares = fma(alpha, alpha, tail);
      if (again || is_near_one(squares) || (moderate && is_moderate<double>(squares))) break;
      __syncwarp();
      back = rescale(c);
    }
    const reflector<double> h = reflect(alpha, tail);
    const bool writes = x.t == 0 && x.own == 0;
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const int here = x.g + 8 * k;
      const double w = fma(h.inverse, d[k], y[k]), product = h.tau * w;
      if (writes && here < c) shared.gram[wy_width * here + c] = -h.tau * (inverse[k] * w);
      f[k] = here > c ? product * h.inverse : 0;
      if (here > c) y[k] -= product;
      if (here != c) continue;
      y[k] = h.beta * back;
      inverse[k] = h.inverse;
      if (writes) shared.taus[c] = h.tau;
    }
    update(v, c, f, y);
  }

  /* Eliminates below the diagonal in the first `count` columns. */
  __device__ __forceinline__ void factor(int count)
  {
    const bool moderate = *shared.flag != BY_STEPS;
#pragma unroll 1
    for (int c = 0; c < count; c++) step(c, moderate);
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int col = x.g + 8 * (e / 2);
        if (col < count && (s >= 2 || x.top(s) + 2 * x.t + e % 2 > col)) x.p[s][e] *= inverse[e / 2];
      }
    x.sync();
  }
};

} // namespace batched_cuda::qr

#endif
