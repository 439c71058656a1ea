/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Householder QR of a strip of 16 columns, in the registers in which wy_strip.cuh keeps it, in two ways.
 *
 * wy_panel: reflector by reflector; four lanes share a column, so that a product of two columns takes two shuffles.
 *
 * wy_gram: from the products N = X^T X of the columns, for panels of many rows. What the reflectors do to N and to the
 * 16 x 16 top of X is found without the rest of X, by one warp: N loses a row of R per reflector, N := N - r r^T, as in
 * Cholesky's method, so that |x|^2 and x^T y of the remaining columns are at hand. The operations on the columns of X,
 * carried out on the identity, form M with V = X M below the top. T follows from the same 16 x 16 numbers, so that
 * another strip's warp can form it while V is computed.
 *
 * Column j of V, with |V(:,j)|^2 between 1 and 2, is the sum of X(:,i) M(i,j) over i. Where the squares of these terms
 * are not small, digits of N and of all that follows from it cancel: such a panel has to be factored reflector by
 * reflector. (That each column keeps a good part of its square would not do as a criterion: 16 columns that each keep a
 * third of their norms may have a condition of 1e4.)
 */
#ifndef BATCHED_QR_CUDA_WY_PANEL_CUH
#define BATCHED_QR_CUDA_WY_PANEL_CUH

#include "batched/qr/cuda/wy_strip.cuh"
#include "batched/cuda/mma.cuh"

namespace batched_cuda::qr
{

/* ------------------------------------------------------------------ reflector by reflector */

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
#pragma unroll
    for (int bit = WARPS != 1 ? 1 : 2; bit < SLICES; bit *= 2)
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
  /* Is row c in slice s of this warp? */
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

/* ------------------------------------------------------------------ from products of columns */

template <int SLICES, int WARPS> struct wy_gram {
  static constexpr int ld = wy_shared::ld, pace = wy_panel<SLICES, WARPS>::pace;
  static constexpr int tops = WARPS != 1 ? 1 : 2; /* slices that may have rows of the top */
  static constexpr int fewest_rows = 32, fewest_columns = WARPS == 0 ? 8 : wy_width; /* for which it is faster */
  static constexpr double most = 32;     /* bound of the sum of these squares */
  static constexpr double little = 1e-9; /* 2 - tau of a column with next to nothing below the diagonal */
  wy_strip<SLICES, WARPS> &x;
  const wy_shared &shared;
  int end;

  __device__ __forceinline__ wy_gram(const wy_panel<SLICES, WARPS> &panel)
      : x(panel.x), shared(panel.shared), end(panel.end)
  {
  }
  __device__ __forceinline__ bool has_top(int s) const
  {
    return s < tops && (WARPS == 1 || x.own < 2);
  }

  static __device__ __forceinline__ void add_square(const double y[4], double d[2][4])
  {
    const double a[4] = {y[0], y[2], y[1], y[3]};
    multiply_16x8x8(d[0], a, y);
    multiply_16x8x8(d[1], a, y + 2);
  }
  /* d = X^T X over the slices that cannot have rows of the top. */
  __device__ __forceinline__ void begin_square(double d[2][4]) const
  {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) d[h][e] = 0;
#pragma unroll
    for (int s = tops; s < SLICES; s++) {
      if (s % pace == 0 && s >= end) break;
      add_square(x.p[s], d);
    }
  }
  /* Stores row i of d at to[step i]. */
  __device__ __forceinline__ void store_square(const double d[2][4], double *to, int step) const
  {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 2; e++)
        *reinterpret_cast<double2 *>(to + step * (x.g + 8 * e) + 8 * h + 2 * x.t) = {d[h][2 * e], d[h][2 * e + 1]};
  }

  /* The place of each warp's part of X^T X of the strip below the top: 16 x 16 numbers. */
  static __device__ __forceinline__ double *lower_part(const wy_shared &shared, double *exchange)
  {
    return WARPS == 1 ? exchange : shared.columns;
  }
  /* d = X^T X, in all warps; the part below the top also to lower_part(). */
  __device__ __forceinline__ void square(double d[2][4]) const
  {
    begin_square(d);
#pragma unroll
    for (int s = 0; s < tops; s++)
      if (!has_top(s)) add_square(x.p[s], d);
    store_square(d, lower_part(shared, x.exchange) + wy_block * x.own, wy_width);
#pragma unroll
    for (int s = 0; s < tops; s++)
      if (has_top(s)) add_square(x.p[s], d);
    if constexpr (WARPS != 1) x.sum_warps(d);
  }

  /* Lane j has column j of N; lane 16 + j has that of X's top from row c on, then column j of the identity down to
   * row c - 1, with the operations applied. The top becomes R and V; M takes N's place. Column c is broadcast
   * through shared memory, except for its first elements, which the next step waits for: consecutive shuffles would
   * take longer. Returns what the panel is good for. */
  __device__ __forceinline__ wy_way eliminate()
  {
    int lane = x.lane;
    recompute(lane);
    const int j = lane % 16, top = lane & 16;
    double *const mine = shared.work + ld * lane, *const pivots = shared.sums + top;
    double y[16], inverse = 0;
    const double whole = mine[j];
    const bool moderate = __all_sync(0xffffffffu, top || is_moderate<double>(whole));
    bool is_good = true;
    if (!top) shared.taus[j] = whole; /* to judge the cancellation in the end */
#pragma unroll
    for (int r = 0; r < 16; r += 2) {
      const double2 two = *reinterpret_cast<const double2 *>(mine + r);
      y[r] = two.x;
      y[r + 1] = two.y;
    }
    __syncwarp();
    auto out = static_cast<unsigned>(__cvta_generic_to_shared(mine));
    recompute(out);
    double squares = shuffle(y[0], 0), rough = rough_inverse_root(squares), unit = inverse_root(squares, rough),
           inverse_square = inverse_of(squares, squares), tau = 0;
#pragma unroll 1
    for (int c = 0; c < 16; c++) {
      const double here = y[0];
      double b[16];
      double *const pivot = pivots + c % 2 * 32;
      if (j == c)
#pragma unroll
        for (int k = 2; k < 16; k += 2) *reinterpret_cast<double2 *>(pivot + k) = {y[k], y[k + 1]};
      const double alpha = shuffle(here, 16 + c), product = shuffle_xor(here, 16);
      b[1] = shuffle(y[1], top + c);
      __syncwarp();
#pragma unroll
      for (int k = 2; k < 16; k += 2) {
        const double2 two = *reinterpret_cast<const double2 *>(pivot + k);
        b[k] = two.x;
        b[k + 1] = two.y;
      }
      const double down = here * inverse_square, next = shuffle(fma(-down, b[1], y[1]), c + 1);
      const double root = squares * unit, sum = alpha + copysign(root, alpha);
      const double back = inverse_of(sum, alpha + copysign(squares * rough, alpha));
      const double r = product * -copysign(unit, alpha), right = j > c ? (here - r) * back : 0;
      const double f = top ? right : down;
      const double beta = -copysign(fma(0.5 * unit, fma(-root, root, squares), root), alpha);
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
      double squares_of_terms[2] = {};
#pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const double2 wholes = *reinterpret_cast<const double2 *>(shared.taus + r);
        const double2 two = {y[r] * inverse, y[r + 1] * inverse};
        *reinterpret_cast<double2 *>(mine - 16 * ld + r) = two;
        squares_of_terms[0] = fma(two.x * two.x, wholes.x, squares_of_terms[0]);
        squares_of_terms[1] = fma(two.y * two.y, wholes.y, squares_of_terms[1]);
      }
      is_good = squares_of_terms[0] + squares_of_terms[1] <= most && 2 - tau >= little;
    }
    is_good = __all_sync(0xffffffffu, is_good);
    __syncwarp();
    if (top) shared.taus[j] = tau;
    __syncwarp();
    return !moderate ? BY_STEPS : is_good ? BY_PRODUCTS : BY_MODERATE_STEPS;
  }

  /* V = X M below the top. X is transposed through shared memory: from `room`, where it is, or two slices at a time
   * through `columns`. */
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

  /* First half: R, V's top and M from X^T X, for a panel that is well conditioned enough for it: *shared.flag. Columns
   * from `count` on are zeros, and stand apart as unit vectors. */
  __device__ __forceinline__ void begin(int count)
  {
    double d[2][4];
    double *const top = shared.work + 16 * ld;
    x.sync();
#pragma unroll
    for (int s = 0; s < tops; s++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        if (has_top(s))
          *reinterpret_cast<double2 *>(top + ld * (x.g + 8 * h) + x.top(s) + 2 * x.t) = {x.p[s][2 * h],
                                                                                         x.p[s][2 * h + 1]};
    square(d);
    if (x.own == 0) {
      store_square(d, shared.work, ld);
      __syncwarp();
      if (x.lane >= count && x.lane < wy_width) shared.work[(ld + 1) * x.lane] = 1;
      __syncwarp();
      *shared.flag = eliminate();
    }
  }
  /* Second half: V. */
  __device__ __forceinline__ void finish(const wy_stage *room)
  {
    const double *const top = shared.work + 16 * ld;
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
  }

  /* Input of form_triangle(), from V. */
  __device__ __forceinline__ void make_gram() const
  {
    double d[2][4];
    begin_square(d);
#pragma unroll
    for (int s = 0; s < tops; s++) {
      double v[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int below = x.top(s) + 2 * x.t + e % 2 - (x.g + 8 * (e / 2));
        v[e] = below > 0 ? x.p[s][e] : below == 0;
      }
      add_square(v, d);
    }
    if constexpr (WARPS != 1) x.sum_warps(d);
    if (x.own == 0) {
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int e = 0; e < 4; e++) d[h][e] *= -shared.taus[8 * h + 2 * x.t + e % 2];
      store_square(d, shared.gram, wy_width);
    }
    x.sync();
  }

  /* T from the results of begin(), by any warp: V^T V = top^T top + M^T N M, where N = X^T X below the top, the sum
   * of `warps` parts. */
  static __device__ __forceinline__ void form_triangle_of(const wy_shared &shared, double *parts, int warps,
                                                          double *triangle)
  {
    int lane = threadIdx.x % 32;
    recompute(lane);
    const int g = lane / 4, t = lane % 4;
    const double *const top = shared.work + 16 * ld;
    double m[2][4], p[2][4] = {}, d[2][4] = {};
    const auto pair = [](const double *at) { return *reinterpret_cast<const double2 *>(at); };
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const double2 u = pair(shared.work + ld * g + 8 * i + 2 * t),
                    v = pair(shared.work + ld * (g + 8) + 8 * i + 2 * t);
      m[i][0] = u.x;
      m[i][1] = v.x;
      m[i][2] = u.y;
      m[i][3] = v.y;
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 2; j++) {
        const double *const from = parts + wy_width * (8 * j + g) + 8 * i + 2 * t;
        double2 n = pair(from);
        for (int r = 1; r < warps; r++) {
          const double2 other = pair(from + wy_block * r);
          n.x += other.x;
          n.y += other.y;
        }
        const double b[2] = {n.x, n.y};
        multiply_16x8x8(p[j], m[i], b);
      }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      double v[4];
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const double2 y = pair(top + ld * (g + 8 * h) + 8 * i + 2 * t);
#pragma unroll
        for (int e = 0; e < 2; e++) {
          const int below = 8 * i + 2 * t + e - (g + 8 * h);
          v[2 * h + e] = below > 0 ? (e ? y.y : y.x) : below == 0;
        }
      }
      const double a[4] = {v[0], v[2], v[1], v[3]};
#pragma unroll
      for (int h = 0; h < 2; h++) {
        multiply_16x8x8(d[h], a, v + 2 * h);
        multiply_16x8x8(d[h], m[i], p[i] + 2 * h);
      }
    }
    __syncwarp();
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const double2 f = {-shared.taus[8 * h + 2 * t], -shared.taus[8 * h + 2 * t + 1]};
#pragma unroll
      for (int e = 0; e < 2; e++)
        *reinterpret_cast<double2 *>(parts + wy_width * (g + 8 * e) + 8 * h + 2 * t) = {f.x * d[h][2 * e],
                                                                                        f.y * d[h][2 * e + 1]};
    }
    __syncwarp();
    form_triangle_by_halves(parts, shared.taus, wy_width, triangle);
  }
};

} // namespace batched_cuda::qr

#endif
