/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Householder QR of a strip of 16 columns, in the registers in which strip.cuh keeps it, from the products N = X^T X of
 * the columns, for panels of many rows. What the reflectors do to N and to the 16 x 16 top of X is found without the
 * rest of X, by one warp: N loses a row of R per reflector, N := N - r r^T, as in Cholesky's method, so that |x|^2 and
 * x^T y of the remaining columns are at hand. The operations on the columns of X, carried out on the identity, form M
 * with V = X M below the top. T follows from the same 16 x 16 numbers, so that another strip's warp can form it while V
 * is computed.
 *
 * Column j of V, with |V(:,j)|^2 between 1 and 2, is the sum of X(:,i) M(i,j) over i. Where the squares of these terms
 * are not small, digits of N and of all that follows from it cancel: such a panel has to be factored reflector by
 * reflector. (That each column keeps a good part of its square would not do as a criterion: 16 columns that each keep a
 * third of their norms may have a condition of 1e4.)
 */
#ifndef BATCHED_QR_CUDA_WY_GRAM_CUH
#define BATCHED_QR_CUDA_WY_GRAM_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/qr/cuda/wy/panel.cuh"

namespace batched_cuda::qr
{

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
    const bool moderate = __all_sync(all_lanes, top || is_moderate<double>(whole));
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
    is_good = __all_sync(all_lanes, is_good);
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
