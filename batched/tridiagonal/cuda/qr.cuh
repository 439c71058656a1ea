/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implicit QR of a bidiagonal matrix, with shifts of zero where those are accurate (Demmel, Kahan, SIAM J. Sci. Stat.
 * Comput. 11, 1990), as LAPACK's bdsqr, by a block, for cuda.qr of bdsqr and the leaves of cuda.dc of bdsdc: one lane
 * of warp 0 runs a sweep and logs its rotations, those from the right and those from the left; the other warps apply
 * the sweep before to the vectors (logged.cuh).  Small matrices share the warp, a lane each: their sweeps run side by
 * side.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_QR_CUH
#define BATCHED_TRIDIAGONAL_CUDA_QR_CUH

#include "batched/tridiagonal/cuda/logged.cuh"

namespace batched_cuda::tridiagonal
{

/* The smaller singular value of [f g; 0 h] (LAPACK's las2). */
template <class R> __device__ R smaller_value(R f, R g, R h)
{
  const R fa = fabs(f), ga = fabs(g), ha = fabs(h), least = fmin(fa, ha), most = fmax(fa, ha);
  if (least == 0) return 0;
  const R as = 1 + least / most, at = (most - least) / most;
  if (ga < most) {
    const R au = ga / most * (ga / most);
    return least * (2 / (sqrt(as * as + au) + sqrt(at * at + au)));
  }
  const R au = most / ga;
  if (au == 0) return least * most / ga;
  return 2 * (least * (1 / (sqrt(1 + as * au * (as * au)) + sqrt(1 + at * au * (at * au)))) * au);
}

template <class R> struct triangle_solution {
  R least, most, sr, cr, sl, cl;
};

/* [cl sl; -sl cl] [f g; 0 h] [cr -sr; sr cr] = diag(most, least) (LAPACK's lasv2). */
template <class R> __device__ triangle_solution<R> solve_triangle(R f, R g, R h)
{
  const bool swapped = fabs(h) > fabs(f);
  const R ft = swapped ? h : f, ht = swapped ? f : h, fa = fabs(ft), ha = fabs(ht), ga = fabs(g);
  R clt = 1, crt = 1, slt = 0, srt = 0, least = ha, most = fa;
  if (ga > fa && fa / ga < eps_of<R> / 2) {
    most = ga;
    least = ha > 1 ? fa / (ga / ha) : fa / ga * ha;
    slt = ht / g;
    srt = 1;
    crt = ft / g;
  } else if (ga > 0) {
    const R diff = fa - ha, m = g / ft, mm = m * m;
    R l = diff == fa ? R(1) : diff / fa, t = 2 - l;
    const R s = sqrt(t * t + mm), r = l == 0 ? fabs(m) : sqrt(l * l + mm), a = (s + r) / 2;
    least = ha / a;
    most = fa * a;
    if (mm == 0)
      t = l == 0 ? copysign(R(2), ft) * copysign(R(1), g) : g / copysign(diff, ft) + m / t;
    else
      t = (m / (s + t) + m / (r + l)) * (1 + a);
    l = sqrt(t * t + 4);
    crt = 2 / l;
    srt = t / l;
    clt = (crt + srt * m) / a;
    slt = ht / ft * srt / a;
  }
  triangle_solution<R> x = {
    least, most, swapped ? clt : srt, swapped ? slt : crt, swapped ? crt : slt, swapped ? srt : clt};
  const R sign = ga > fa   ? copysign(R(1), x.sr) * copysign(R(1), x.cl) * copysign(R(1), g)
                 : swapped ? copysign(R(1), x.sr) * copysign(R(1), x.sl) * copysign(R(1), h)
                           : copysign(R(1), x.cr) * copysign(R(1), x.cl) * copysign(R(1), f);
  x.most = copysign(most, sign);
  x.least = copysign(least, sign * copysign(R(1), f) * copysign(R(1), h));
  return x;
}

/* The rotations of a sweep from the right, for columns of vt^T, and from the left. */
template <class R> struct two_logs {
  sweep_log<R> right, left;
};

/* A sweep and on which side it acts. */
struct two_sided_extent {
  sweep_extent sweep;
  bool right, left;
};

/* The next step: the rotations that make the matrix upper bidiagonal, two values, a sweep, or nothing.  least, most: of
 * a sweep, a lower bound of its block's smallest singular value, and what find_block says of it. */
template <class R> struct qr_step {
  enum { MAKE_UPPER, PAIR, SWEEP, NOTHING } kind;
  R least, most;
};

/* The iteration, which one lane steps through: its block of the matrix is lo .. hi, and it is chased downwards (step 1)
 * or upwards.  RELATIVE: small values are as accurate as large ones; else all to the matrix's norm, which takes no
 * bounds of the smallest value and no sweeps without shift. */
template <class R, bool RELATIVE> struct qr_iteration {
  R *d, *e, tol, thresh;
  int n, lo, hi, oldlo, oldhi, step;
  int64_t steps, limit;
  bool lower; /* rotations that make it upper bidiagonal come first */

  __device__ R *chased(int i) const
  {
    return d + (step > 0 ? lo + i : hi - i);
  }
  __device__ R *beside(int i) const
  {
    return e + (step > 0 ? lo + i : hi - 1 - i);
  }

  __device__ void start(R *d_, R *e_, int n_, bool lower_)
  {
    d = d_;
    e = e_;
    n = n_;
    lower = lower_ && n_ > 1;
    hi = n - 1;
    oldlo = oldhi = -1;
    step = 1;
    steps = 0;
    limit = 6 * (int64_t)n * n;
    const R factor = pow(eps_of<R> / 2, R(-0.125));
    tol = fmin(fmax(factor, R(10)), R(100)) * eps_of<R> / 2;
    if (!lower) find_threshold();
  }

  /* Below it an off-diagonal counts as zero: as small as the relative accuracy of the smallest singular value asks. */
  __device__ void find_threshold()
  {
    const R coarse = 6 * R(n) * R(n) * least_normal<R>; /* denormal numbers are too coarse to converge */
    if constexpr (!RELATIVE) {
      R most = 0;
      for (int i = 0; i < n; i++) most = fmax(most, fmax(fabs(d[i]), i < n - 1 ? fabs(e[i]) : R(0)));
      thresh = fmax(eps_of<R> / 2 * most, coarse);
      return;
    }
    R mu = fabs(d[0]), least = mu;
    for (int i = 1; i < n && least != 0; i++) {
      mu = fabs(d[i]) * (mu / (mu + fabs(e[i - 1])));
      least = fmin(least, mu);
    }
    thresh = fmax(tol * (least / sqrt(R(n))), coarse);
  }

  __device__ void make_upper(const two_logs<R> &log)
  {
    for (int i = 0; i < n - 1; i++) {
      const plane_rotation<R> r = make_rotation(d[i], e[i]);
      d[i] = r.r;
      e[i] = r.s * d[i + 1];
      d[i + 1] = r.c * d[i + 1];
      log.left.c[i] = r.c;
      log.left.s[i] = r.s;
    }
  }

  __device__ void solve_pair(const two_logs<R> &log)
  {
    const triangle_solution<R> x = solve_triangle(d[lo], e[lo], d[hi]);
    d[lo] = x.most;
    e[lo] = 0;
    d[hi] = x.least;
    log.right.c[0] = x.cr;
    log.right.s[0] = x.sr;
    log.left.c[0] = x.cl;
    log.left.s[0] = x.sl;
  }

  /* lo, for the block that ends at hi.  RELATIVE: its largest element; else 0 if one of d counts as zero, and 1 if
   * not. */
  __device__ R find_block()
  {
    const auto is_zero = [&](int i) {
      if (RELATIVE || fabs(d[i]) > thresh) return false;
      d[i] = 0;
      return true;
    };
    R most = RELATIVE ? fabs(d[hi]) : is_zero(hi) ? R(0) : R(1);
    for (lo = hi; lo > 0; lo--) {
      const R y = fabs(e[lo - 1]);
      if (y <= thresh) {
        e[lo - 1] = 0;
        break;
      }
      if (RELATIVE)
        most = fmax(most, fmax(fabs(d[lo - 1]), y));
      else if (is_zero(lo - 1))
        most = 0;
    }
    return most;
  }

  /* True where an off-diagonal counts as zero; else `least` is a lower bound of the smallest singular value. */
  __device__ bool converges(R *least)
  {
    const int last = hi - lo;
    R *const end = beside(last - 1), mu = fabs(*chased(0));
    if (fabs(*end) <= tol * fabs(*chased(last))) {
      *end = 0;
      return true;
    }
    *least = mu;
    for (int i = 0; i < last; i++) {
      R *const x = beside(i);
      if (fabs(*x) <= tol * mu) {
        *x = 0;
        return true;
      }
      mu = fabs(*chased(i + 1)) * (mu / (mu + fabs(*x)));
      *least = fmin(*least, mu);
    }
    return false;
  }

  __device__ void sweep_unshifted(const sweep_log<R> &first, const sweep_log<R> &second)
  {
    const int last = hi - lo;
    R cs = 1, oldcs = 1, oldsn = 0;
    for (int i = 0; i < last; i++) {
      const plane_rotation<R> x = make_rotation(*chased(i) * cs, *beside(i));
      if (i > 0) *beside(i - 1) = oldsn * x.r;
      const plane_rotation<R> y = make_rotation(oldcs * x.r, *chased(i + 1) * x.s);
      *chased(i) = y.r;
      cs = x.c;
      oldcs = y.c;
      oldsn = y.s;
      first.c[i] = x.c;
      first.s[i] = x.s;
      second.c[i] = y.c;
      second.s[i] = y.s;
    }
    const R h = *chased(last) * cs;
    *chased(last) = h * oldcs;
    *beside(last - 1) = h * oldsn;
  }

  __device__ void sweep_shifted(R shift, const sweep_log<R> &first, const sweep_log<R> &second)
  {
    const int last = hi - lo;
    R own = *chased(0), e_own = *beside(0);
    R f = (fabs(own) - shift) * (copysign(R(1), own) + shift / own), g = e_own;
    for (int i = 0; i < last; i++) {
      const R next = *chased(i + 1), e_next = i < last - 1 ? *beside(i + 1) : R(0);
      const plane_rotation<R> x = make_rotation(f, g);
      if (i > 0) *beside(i - 1) = x.r;
      f = x.c * own + x.s * e_own;
      const R e_new = x.c * e_own - x.s * own;
      g = x.s * next;
      const R d_new = x.c * next;
      const plane_rotation<R> y = make_rotation(f, g);
      *chased(i) = y.r;
      f = y.c * e_new + y.s * d_new;
      own = y.c * d_new - y.s * e_new;
      g = y.s * e_next;
      e_own = y.c * e_next;
      first.c[i] = x.c;
      first.s[i] = x.s;
      second.c[i] = y.c;
      second.s[i] = y.s;
    }
    *chased(last) = own;
    *beside(last - 1) = f;
  }

  __device__ void sweep_block(R least, R most, const two_logs<R> &log)
  {
    const R small = fmax(eps_of<R> / 2, tol / 100), first = *chased(0);
    const int last = hi - lo;
    R shift = 0;
    if (RELATIVE ? n * tol * (least / most) > small : most > 0) {
      shift = smaller_value(*chased(last - 1), *beside(last - 1), *chased(last));
      if (first == 0 || shift / first * (shift / first) < eps_of<R> / 2) shift = 0;
    }
    const bool down = step > 0;
    if (shift == 0)
      sweep_unshifted(down ? log.right : log.left, down ? log.left : log.right);
    else
      sweep_shifted(shift, down ? log.right : log.left, down ? log.left : log.right);
    R *const end = beside(last - 1);
    if (fabs(*end) <= thresh) *end = 0;
  }

  /* Finds what is due. */
  __device__ qr_step<R> locate()
  {
    if (lower) return {qr_step<R>::MAKE_UPPER, 0, 0};
    while (hi > 0) {
      R least = 0;
      if (steps > limit) break;
      const R most = find_block();
      if (lo == hi) {
        hi--;
        continue;
      }
      if (lo == hi - 1) return {qr_step<R>::PAIR, 0, 0};
      if (lo > oldhi || hi < oldlo) step = fabs(d[lo]) >= fabs(d[hi]) ? 1 : -1;
      if (RELATIVE && converges(&least)) continue;
      oldlo = lo;
      oldhi = hi;
      steps += hi - lo;
      return {qr_step<R>::SWEEP, least, most};
    }
    return {qr_step<R>::NOTHING, 0, 0};
  }

  /* Makes it, and logs it. */
  __device__ two_sided_extent make(const qr_step<R> &due, const two_logs<R> &log)
  {
    if (due.kind == qr_step<R>::NOTHING) return {{0, 0, 0, true}, false, false};
    if (due.kind == qr_step<R>::MAKE_UPPER) {
      make_upper(log);
      lower = false;
      find_threshold();
      return {{0, 1, n - 1, false}, false, true};
    }
    if (due.kind == qr_step<R>::PAIR) {
      solve_pair(log);
      const sweep_extent sweep = {lo, 1, 1, false};
      hi -= 2;
      return {sweep, true, true};
    }
    const sweep_extent sweep = {step > 0 ? lo : hi, step, hi - lo, false};
    sweep_block(due.least, due.most, log);
    return {sweep, true, true};
  }

  __device__ bool converged() const
  {
    return hi <= 0;
  }
};

template <class R> struct bdsqr_room {
  R *d, *e, *v;
  two_logs<R> log[2];
  int *place;
};

/* Runs the iteration; true if it converged.  Of `rows` rows of vectors the first `right` take rotations from the
 * right. */
template <class R> __device__ bool iterate_qr(const bdsqr_room<R> &room, int n, bool lower, int right, int rows)
{
  __shared__ two_sided_extent sweeps[2];
  __shared__ bool converged;
  __shared__ qr_iteration<R, true> qr;
  if (threadIdx.x == 0) qr.start(room.d, room.e, n, lower);
  for (int turn = 0;; turn++) {
    if (threadIdx.x == 0) {
      sweeps[turn & 1] = qr.make(qr.locate(), room.log[turn & 1]);
      if (sweeps[turn & 1].sweep.last) converged = qr.converged();
    } else if (threadIdx.x >= 32 && turn > 0) {
      const two_sided_extent &x = sweeps[(turn - 1) & 1];
      const two_logs<R> &log = room.log[(turn - 1) & 1];
      for (int r = threadIdx.x - 32; r < rows; r += blockDim.x - 32)
        if (r < right ? x.right : x.left) apply_sweep(x.sweep, r < right ? log.right : log.left, room.v + r, rows);
    }
    __syncthreads();
    if (sweeps[turn & 1].sweep.last) return converged;
  }
}

/* A small matrix, or one of order 0: of `rows` rows of vectors the first `right` take rotations from the right. */
template <class R> struct qr_leaf {
  bdsqr_room<R> room;
  int order, right, rows;
  bool lower, converged;
};

/* The iteration of LEAVES of them, accurate to their norms, by a block of 32 + ROWS LEAVES threads: a lane of warp 0
 * steps through each, and ROWS threads have the rows of its vectors. */
template <int ROWS, int LEAVES, class R> __device__ void iterate_qr_leaves(qr_leaf<R> (&leaves)[LEAVES])
{
  constexpr int G = 32 / LEAVES;
  __shared__ two_sided_extent sweeps[2][LEAVES];
  __shared__ qr_iteration<R, false> iterations[LEAVES];
  const bool steps = threadIdx.x < 32;
  const int own = steps ? (int)threadIdx.x / G : ((int)threadIdx.x - 32) / ROWS, r = ((int)threadIdx.x - 32) % ROWS;
  qr_leaf<R> &leaf = leaves[own];
  const bool leads = steps && threadIdx.x % G == 0;
  if (leads) iterations[own].start(leaf.room.d, leaf.room.e, leaf.order, leaf.lower);
  for (int turn = 0;; turn++) {
    if (steps) {
      qr_step<R> due = {};
      if (leads) due = iterations[own].locate();
      __syncwarp(); /* sweeps of all leaves begin together */
      if (leads) {
        const two_sided_extent x = sweeps[turn & 1][own] = iterations[own].make(due, leaf.room.log[turn & 1]);
        if (x.sweep.last) leaf.converged = iterations[own].converged();
      }
    } else if (turn > 0 && r < leaf.rows) {
      const two_sided_extent &x = sweeps[(turn - 1) & 1][own];
      const two_logs<R> &log = leaf.room.log[(turn - 1) & 1];
      if (!x.sweep.last && (r < leaf.right ? x.right : x.left))
        apply_sweep(x.sweep, r < leaf.right ? log.right : log.left, leaf.room.v + r, leaf.rows);
    }
    __syncthreads();
    bool all = true;
    for (int i = 0; i < LEAVES; i++) all = all && sweeps[turn & 1][i].sweep.last;
    if (all) return;
  }
}

/* Nonnegative values; signs[j]: vector j of vt changes its sign. */
template <class R> __device__ __forceinline__ void make_nonnegative(int n, R *d, R *signs)
{
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    signs[i] = d[i] < 0 ? -1 : 1;
    d[i] = fabs(d[i]);
  }
  __syncthreads();
}

} // namespace batched_cuda::tridiagonal

#endif
