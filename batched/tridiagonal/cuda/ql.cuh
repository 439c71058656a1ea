/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implicit QL and QR on a symmetric tridiagonal matrix with Wilkinson's shift, as LAPACK's steqr, by a block: one lane
 * of warp 0 runs a sweep on the diagonals and logs its rotations, the warp looks for negligible off-diagonals, and the
 * other warps apply the sweep before to the rows of the vectors (logged.cuh).  Small matrices share the warp, some
 * lanes each: their sweeps run side by side.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_QL_CUH
#define BATCHED_TRIDIAGONAL_CUDA_QL_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/tridiagonal/cuda/logged.cuh"

namespace batched_cuda::tridiagonal
{

template <class R> __device__ __forceinline__ bool is_negligible(R x, R y, R e)
{
  constexpr R half = eps_of<R> / 2;
  return e * e <= half * half * fabs(x) * fabs(y) + least_normal<R>;
}

/* A sweep that is due: elements l .. m, m = l + 1: two eigenvalues. */
struct ql_step {
  sweep_extent sweep;
  int m;
};

/* The iteration, which G lanes of warp 0 step through: a block lo .. hi of the matrix, numbered from the end whose
 * eigenvalues come first, of which elements before l are eigenvalues. */
template <class R, int G> struct ql_iteration {
  using group = lane_group<G>;
  R *d, *e;
  int n, sweeps, hi, order, at, off, step, l;

  __device__ R *diagonal(int i) const
  {
    return d + at + i * step;
  }
  __device__ R *beside(int i) const
  {
    return e + off + i * step;
  }

  /* The next block of the matrix that nothing couples to the rest; false where there is none. */
  __device__ bool find_block()
  {
    const int lo = hi + 1;
    if (lo >= n) return false;
    hi = group::find_first(lo, n - 1, [&](int i) { return is_negligible(d[i], d[i + 1], e[i]); });
    group::sync();
    if (hi < n - 1 && group::is_first()) e[hi] = 0;
    group::sync();
    const bool flipped = fabs(d[hi]) < fabs(d[lo]);
    order = hi - lo + 1;
    at = flipped ? hi : lo;
    off = flipped ? hi - 1 : lo;
    step = flipped ? -1 : 1;
    l = 0;
    return true;
  }

  /* From d(l), e(l), d(l + 1): the eigenvalues, and their rotation. */
  __device__ void solve_two(const sweep_log<R> &log)
  {
    R *const x = diagonal(l), *const y = diagonal(l + 1), *const b = beside(l);
    const R half = (*y - *x) / 2, h = sqrt(half * half + *b * *b), t = *b / (half < 0 ? half - h : half + h);
    const plane_rotation<R> r = make_rotation(R(1), t);
    *x -= t * *b;
    *y += t * *b;
    *b = 0;
    log.c[0] = r.c;
    log.s[0] = r.s;
  }

  /* QL on elements l .. m. */
  __device__ void sweep_ql(int m, const sweep_log<R> &log)
  {
    const R p = *diagonal(l), el = *beside(l), t = (*diagonal(l + 1) - p) * R(0.5) * inverse_of(el);
    const R h2 = t * t + 1, h = fabs(t) > R(1e18) ? fabs(t) : h2 * inverse_root(h2);
    R above = *diagonal(m), g = above - p + el * inverse_of(t < 0 ? t - h : t + h), s = 1, c = 1, shift = 0;
    R next_e = *beside(m - 1), next_d = *diagonal(m - 1);
    for (int i = m - 1; i >= l; i--) {
      const R f = s * next_e, q = c * next_e, own = next_d;
      if (i > l) {
        next_e = *beside(i - 1);
        next_d = *diagonal(i - 1);
      }
      const plane_rotation<R> r = make_rotation(g, f);
      if (i < m - 1) *beside(i + 1) = r.r;
      g = above - shift;
      const R w = (own - g) * r.s + 2 * r.c * q;
      shift = r.s * w;
      *diagonal(i + 1) = g + shift;
      g = r.c * w - q;
      above = own;
      c = r.c;
      s = r.s;
      log.c[m - 1 - i] = c;
      log.s[m - 1 - i] = s;
    }
    *diagonal(l) = above - shift;
    *beside(l) = g;
  }

  /* Finds the next sweep; `last`: there is none. */
  __device__ ql_step locate()
  {
    for (;;) {
      group::sync();
      if (l >= order - 1 && !find_block()) return {{0, 0, 0, true}, 0};
      const int m = group::find_first(l, order - 1,
                                      [&](int i) { return is_negligible(*diagonal(i), *diagonal(i + 1), *beside(i)); });
      group::sync();
      if (m < order - 1 && group::is_first()) *beside(m) = 0;
      if (m == l) {
        l++;
        continue;
      }
      if (m > l + 1 && --sweeps < 0) return {{0, 0, 0, true}, 0};
      group::sync(); /* all lanes have read what one of them changes next */
      return {{at + m * step, -step, m - l, false}, m};
    }
  }

  /* Makes it, and logs it. */
  __device__ void make(const ql_step &due, const sweep_log<R> &log)
  {
    if (due.sweep.last) return;
    if (group::is_first()) {
      if (due.m == l + 1)
        solve_two(log);
      else
        sweep_ql(due.m, log);
    }
    if (due.m == l + 1) l += 2;
    group::sync();
  }
};

/* Memory of a block: d and e, logs and places, and the vectors, which lie in columns of `ld` real numbers. */
template <class R> struct qr_room {
  R *d, *e, *v;
  sweep_log<R> log[2];
  int *place;
};

static inline size_t diagonals_bytes(int n, size_t real)
{
  return (size_t)n * (6 * real + sizeof(int)) + 16;
}

template <class R> __device__ qr_room<R> room_at(R *memory, R *vectors, int n)
{
  qr_room<R> room = {memory, memory + n, vectors, {}, nullptr};
  for (int i = 0; i < 2; i++) room.log[i] = {memory + (2 + 2 * i) * n, memory + (3 + 2 * i) * n};
  room.place = reinterpret_cast<int *>(memory + 6 * n);
  return room;
}

/* Runs the iteration; true if it converged.  `rows`: of the vectors; 0: none. */
template <class R> __device__ bool iterate_ql(const qr_room<R> &room, int n, int rows, int64_t ld)
{
  __shared__ sweep_extent sweeps[2];
  __shared__ bool converged;
  ql_iteration<R, 32> ql = {room.d, room.e, n, 30 * n, -1, 0, 0, 0, 0, 0};
  for (int turn = 0;; turn++) {
    if (threadIdx.x < 32) {
      const ql_step due = ql.locate();
      ql.make(due, room.log[turn & 1]);
      if (threadIdx.x == 0) {
        sweeps[turn & 1] = due.sweep;
        if (due.sweep.last) converged = ql.sweeps >= 0;
      }
    } else if (turn > 0) {
      for (int r = threadIdx.x - 32; r < rows; r += blockDim.x - 32)
        apply_sweep(sweeps[(turn - 1) & 1], room.log[(turn - 1) & 1], room.v + r, ld);
    }
    __syncthreads();
    if (sweeps[turn & 1].last) return converged;
  }
}

/* The same for LEAVES matrices of at most 32, by a block of a warp more: 32 / LEAVES lanes of warp 0 step through one,
 * and warp 1 + i has the rows of matrix i's vectors; orders may be 0.  `converged`: [LEAVES]. */
template <int LEAVES, class R>
__device__ void iterate_ql_leaves(const qr_room<R> (&rooms)[LEAVES], const int (&orders)[LEAVES], bool *converged)
{
  constexpr int G = 32 / LEAVES;
  __shared__ sweep_extent sweeps[2][LEAVES];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = warp > 0 ? warp - 1 : lane / G;
  const qr_room<R> room = rooms[own];
  const int n = orders[own];
  ql_iteration<R, G> ql = {room.d, room.e, n, 30 * n, -1, 0, 0, 0, 0, 0};
  for (int turn = 0;; turn++) {
    if (warp == 0) {
      const ql_step due = ql.locate();
      __syncwarp(); /* sweeps of all groups begin together */
      ql.make(due, room.log[turn & 1]);
      if (lane % G == 0) {
        sweeps[turn & 1][own] = due.sweep;
        if (due.sweep.last) converged[own] = ql.sweeps >= 0;
      }
    } else if (turn > 0 && lane < n && !sweeps[(turn - 1) & 1][own].last) {
      apply_sweep(sweeps[(turn - 1) & 1][own], room.log[(turn - 1) & 1], room.v + lane, n);
    }
    __syncthreads();
    bool all = true;
    for (int i = 0; i < LEAVES; i++) all = all && sweeps[turn & 1][i].last;
    if (all) return;
  }
}

/* Z as real numbers: complex ones are two rows. */
template <class R> struct real_rows {
  R *z;
  int rows;
  int64_t ld;
};

template <class T> __device__ real_rows<real_of<T>> rows_of(const batch<T> &z, int64_t b, bool there)
{
  constexpr int parts = is_complex<T> ? 2 : 1;
  const int rows = there ? z.rows(b) * parts : 0;
  return {rows > 0 ? reinterpret_cast<real_of<T> *>(z.at(b)) : nullptr, rows,
          rows > 0 ? parts * (int64_t)z.leading(b) : 0};
}

} // namespace batched_cuda::tridiagonal

#endif
