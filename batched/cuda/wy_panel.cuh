/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The QR of a strip of 16 columns: reflector by reflector, in the registers that wy.cuh keeps it in.  Four lanes have a
 * column, so that a product of two columns takes two exchanges in a warp.
 */
#ifndef BATCHED_CUDA_WY_PANEL_CUH
#define BATCHED_CUDA_WY_PANEL_CUH

#include "wy.cuh"

namespace batched_cuda
{

/* What the warps of a strip share. */
struct wy_shared {
  double *columns; /* of each warp: its rows of the column at hand, twice, taken by turns */
  double *sums;    /* 16 of each warp and the 16 elements of a row, twice */
  double *gram, *taus;

  static DEVICE constexpr int size(int slices, int warps)
  {
    return warps * 16 * slices + 2 * 16 * (warps + 1) + wy_block + wy_width;
  }
  __device__ wy_shared(double *p, int slices, int warps)
  {
    columns = p;
    sums = columns + warps * 16 * slices;
    gram = sums + 2 * 16 * (warps + 1);
    taus = gram + wy_block;
  }
};

/* Rows are counted from the panel's first one, as are the turns of the warps: `x.own` is set accordingly, and slices
 * above the panel are dropped. HALF: 8 columns, whose diagonal is in slice `AT` of one warp. */
template <int SLICES, bool split> struct wy_panel {
  static constexpr int pace = 4; /* slices that are done or skipped together */
  wy_strip<SLICES, split> &x;
  wy_shared shared;
  int turn, end;     /* slices that have rows */
  double inverse[2]; /* of this lane's columns: v = inverse x below the diagonal */

  /* From row j0 on, a multiple of 8, of `rows` in all. */
  __device__ __forceinline__ wy_panel(wy_strip<SLICES, split> &strip, const wy_shared &where, int j0, int rows)
      : x(strip), shared(where), turn(0), inverse{0, 0}
  {
    const int above = j0 / 8;
    int drop = above;
    if constexpr (split) {
      const int own = (x.own + above * (x.warps - 1)) % x.warps;
      drop = (above + own - x.own) / x.warps;
      x.own = own;
    }
#pragma unroll
    for (int bit = split ? 1 : 2; bit < SLICES; bit *= 2)
      if (drop & bit) {
#pragma unroll
        for (int s = 0; s < SLICES; s++)
#pragma unroll
          for (int e = 0; e < 4; e++) x.p[s][e] = s + bit < SLICES ? x.p[(s + bit) % SLICES][e] : 0;
      }
    end = x.slice_from((rows - j0 + 7) / 8);
  }
  template <int HALF> static constexpr int at = split ? 0 : HALF;
  /* Does this warp have the diagonal of this half? */
  template <int HALF> __device__ __forceinline__ bool has_diagonal() const
  {
    return !split || x.own == HALF;
  }
  /* In slice AT: the last row on or above the diagonal of the half's column c. */
  template <int HALF> __device__ __forceinline__ int last_above(int c) const
  {
    return has_diagonal<HALF>() ? c : x.own < HALF ? 8 : -1;
  }

  /* Calls f(s, u) for all slices, u being this lane's rows of the published column. */
  template <int HALF, class F> __device__ __forceinline__ void for_each_published(const double *v, F f) const
  {
#pragma unroll
    for (int first = at<HALF>; first < SLICES; first += pace) {
      if (first >= end) break;
      double2 u[pace];
#pragma unroll
      for (int s = first; s < first + pace && s < SLICES; s++)
        u[s - first] = *reinterpret_cast<const double2 *>(v + 8 * s + 2 * x.t);
#pragma unroll
      for (int s = first; s < first + pace && s < SLICES; s++) f(s, u[s - first]);
    }
  }

  /* Rows below the diagonal of column c, and zeros, for the other lanes. */
  template <int HALF> __device__ __forceinline__ void publish(double *to, int c) const
  {
    constexpr int AT = at<HALF>;
    if (x.g == c) {
      const int above = last_above<HALF>(c);
#pragma unroll
      for (int s = AT; s < SLICES; s++) {
        if ((s - AT) % pace == 0 && s >= end) break;
        double2 v = {x.p[s][2 * HALF], x.p[s][2 * HALF + 1]};
        if (s == AT && 2 * x.t <= above) v.x = 0;
        if (s == AT && 2 * x.t + 1 <= above) v.y = 0;
        *reinterpret_cast<double2 *>(to + 8 * s + 2 * x.t) = v;
      }
    }
    __syncwarp();
  }

  /* d = this lane's columns times the published one, y = their elements in its first row; in all lanes. */
  template <int HALF> __device__ __forceinline__ void multiply(const double *v, int c, double d[2], double y[2])
  {
    constexpr int AT = at<HALF>;
    double sum[2][4] = {};
    for_each_published<HALF>(v, [&](int s, double2 u) {
#pragma unroll
      for (int h = 0; h < 2; h++) {
        sum[h][s % 2] = fma(u.x, x.p[s][2 * h], sum[h][s % 2]);
        sum[h][2 + s % 2] = fma(u.y, x.p[s][2 * h + 1], sum[h][2 + s % 2]);
      }
    });
#pragma unroll
    for (int h = 0; h < 2; h++) {
      y[h] = shuffle(c % 2 ? x.p[AT][2 * h + 1] : x.p[AT][2 * h], c / 2, 4);
      d[h] = sum_lanes((sum[h][0] + sum[h][1]) + (sum[h][2] + sum[h][3]), 4);
    }
    if constexpr (split) add_warps(has_diagonal<HALF>(), d, y);
  }

  __device__ __forceinline__ void add_warps(bool has_row, double d[2], double y[2])
  {
    double *const sums = shared.sums + turn * 16 * (x.warps + 1), *const row = sums + 16 * x.warps;
    turn = 1 - turn;
    if (x.t < 2) sums[16 * x.own + x.g + 8 * x.t] = x.t ? d[1] : d[0];
    if (x.t < 2 && has_row) row[x.g + 8 * x.t] = x.t ? y[1] : y[0];
    sync_strip<split>(x.barrier, x.warps);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      d[h] = sums[x.g + 8 * h];
      for (int r = 1; r < x.warps; r++) d[h] += sums[16 * r + x.g + 8 * h];
      y[h] = row[x.g + 8 * h];
    }
  }

  /* Brings column c from its diagonal on near 1.  Returns the factor that takes it back. */
  template <int HALF> __device__ __forceinline__ double rescale(int c)
  {
    constexpr int AT = at<HALF>;
    const int first = has_diagonal<HALF>() ? c : last_above<HALF>(c) + 1;
    double size = 0;
#pragma unroll
    for (int s = AT; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 2; e++)
        if (s > AT || 2 * x.t + e >= first) size = fmax(size, fabs(x.p[s][2 * HALF + e]));
    for (int half = 2; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half, 4));
    size = shuffle(size, 4 * c);
    if constexpr (split) {
      double *const sizes = shared.sums + turn * 16 * (x.warps + 1);
      turn = 1 - turn;
      if (x.lane == 0) sizes[x.own] = size;
      sync_strip<split>(x.barrier, x.warps);
      for (int r = 0; r < x.warps; r++) size = fmax(size, sizes[r]);
    }
    const double scale = x.g == c ? column_scale(size) : 1;
#pragma unroll
    for (int s = AT; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 2; e++)
        if (s > AT || 2 * x.t + e >= first) x.p[s][2 * HALF + e] *= scale;
    return inverse_scale(scale);
  }

  /* The columns after c -= the published one times f; the row of the diagonal becomes y. */
  template <int HALF>
  __device__ __forceinline__ void update(const double *v, int c, const double f[2], const double y[2])
  {
    constexpr int AT = at<HALF>;
    for_each_published<HALF>(v, [&](int s, double2 u) {
#pragma unroll
      for (int h = HALF; h < 2; h++) {
        x.p[s][2 * h] = fma(-f[h], u.x, x.p[s][2 * h]);
        x.p[s][2 * h + 1] = fma(-f[h], u.y, x.p[s][2 * h + 1]);
      }
    });
    if (has_diagonal<HALF>() && x.t == c / 2) {
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (e % 2 == c % 2) x.p[AT][e] = y[e / 2];
    }
  }

  /* The reflector of column c of a half. */
  template <int HALF> __device__ __forceinline__ void step(int c)
  {
    double *const v = shared.columns + (x.own * 2 + c % 2) * 8 * SLICES;
    double d[2], y[2], f[2], alpha, tail, back = 1;
    for (bool again = false;; again = true) {
      publish<HALF>(v, c);
      multiply<HALF>(v, c, d, y);
      tail = shuffle(d[HALF], 4 * c);
      alpha = shuffle(y[HALF], 4 * c);
      if (again || is_moderate<double>(fma(alpha, alpha, tail))) break;
      __syncwarp();
      back = rescale<HALF>(c);
    }
    const reflector<double> h = reflect(alpha, tail);
    const bool writes = x.t == 0 && x.own == 0;
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const int here = x.g + 8 * k, column = c + 8 * HALF;
      const double w = fma(h.inverse, d[k], y[k]), product = h.tau * w;
      if (writes && here < column) shared.gram[here + wy_width * column] = inverse[k] * w;
      f[k] = here > column ? product * h.inverse : 0;
      y[k] = here > column ? y[k] - product : y[k];
    }
    if (x.g == c) {
      y[HALF] = h.beta * back;
      inverse[HALF] = h.inverse;
      if (writes) shared.taus[c + 8 * HALF] = h.tau;
    }
    update<HALF>(v, c, f, y);
  }

  /* Eliminates below the diagonal in the first `count` columns. */
  __device__ __forceinline__ void factor(int count)
  {
#pragma unroll 1
    for (int c = 0; c < 8 && c < count; c++) step<0>(c);
#pragma unroll 1
    for (int c = 0; c < 8 && c + 8 < count; c++) step<1>(c);
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int col = x.g + 8 * (e / 2);
        if (col < count && (s >= 2 || x.top(s) + 2 * x.t + e % 2 > col)) x.p[s][e] *= inverse[e / 2];
      }
    sync_strip<split>(x.barrier, x.warps);
  }
};

} // namespace batched_cuda

#endif
