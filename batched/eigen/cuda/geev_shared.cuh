/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.shared of geev: A = Z T Z^H by one block per matrix, and the eigenvectors of the triangle T.
 *
 *   algorithm  Householder reflections to Hessenberg form; QR with single shifts in complex numbers, for real matrices,
 *              too (Francis, Comput. J. 4, 1961; Wilkinson's shifts, and deflation, as in LAPACK's zlahqr); a warp per
 *              vector back-substitutes.  The steps are explicit, H - s I = Q R, H' = R Q + s I, as in EISPACK's
 *              comqr2: one warp finds the rotations, a column per lane, and keeps them; then each thread takes a row of
 *              H or of Z through all of them without waiting for others
 *   grid       a block per matrix, or as many as have scratch memory at a time
 *   block      a thread per row of H and Z: 1 to 16 warps
 *   shared     H, with vectors Z and two vectors per warp, the rotations; in global scratch memory where that is more
 *              than a block can have (z beyond n = 80 with vectors, c beyond 113)
 *   takes      all four types, any n, uniform and variable
 *   memory     a once; writes w, vl, vr, info
 *   accuracy   |A V - V W| < 30 n eps |A|
 */
#ifndef BATCHED_EIGEN_CUDA_GEEV_SHARED_CUH
#define BATCHED_EIGEN_CUDA_GEEV_SHARED_CUH

#include "batched/eigen/cuda/geev_pair.cuh"
#include "batched/cuda/reduce.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{

constexpr int schur_most_threads = 512;
constexpr int schur_most_turns = 60; /* of QR for one eigenvalue */

/* Messages of one warp to the others. */
template <class R> struct schur_step {
  int lo, hi;       /* the rows that a step of QR works on; hi = 0: all values are found */
  int missing;      /* values that are not found */
  R factor;         /* I - factor v v^H is the reflection */
  complex<R> shift; /* of the step */
};

/* Memory of matrices of order n at most, in numbers of complex<R>. */
struct schur_shape {
  int64_t elements;
  bool vectors;
};

static inline int64_t schur_elements(int n, bool vectors, int warps)
{
  const int64_t matrix = (int64_t)n * (n | 1);
  return matrix * (vectors ? 2 : 1) + 2 * (int64_t)n * (vectors ? 1 + warps : 1);
}

template <class R> struct schur_block {
  using C = complex<R>;
  C *h, *z;        /* n x n, leading dimension ld */
  C *alpha, *beta; /* [conj(alpha) conj(beta); -beta alpha] turns rows k and k + 1; alpha is also a reflection's v */
  C *x;            /* two vectors of this warp */
  schur_step<R> *step;
  int n, ld, lane, warp, warps;
  bool vectors;

  __device__ schur_block(C *memory, schur_step<R> *step_, int n_, bool vectors_)
  {
    step = step_;
    n = n_;
    ld = n | 1;
    vectors = vectors_;
    lane = (int)threadIdx.x % 32;
    warp = (int)threadIdx.x / 32;
    warps = (int)blockDim.x / 32;
    h = memory;
    z = h + (int64_t)n * ld;
    alpha = vectors ? z + (int64_t)n * ld : z;
    beta = alpha + n;
    x = beta + n + 2 * n * warp;
  }

  __device__ __forceinline__ C &at(C *m, int i, int j) const
  {
    return m[i + (int64_t)j * ld];
  }

  /* ---------------------------------------------------------------- Hessenberg form */

  /* v for elements first ... of column first - 1, by one warp; its squares do not underflow. */
  __device__ void reflect(int first) const
  {
    constexpr R nothing = sizeof(R) == 4 ? R(0x1p-80) : R(0x1p-900); /* beside elements near 1 */
    const C *const column = &at(h, 0, first - 1);
    R most = 0, below = 0;
    for (int i = first + lane; i < n; i += 32) most = fmax(most, abs1(column[i]));
    most = largest_of_lanes(most);
    const R inverse = most > nothing ? 1 / most : R(0);
    const C head = column[first] * inverse;
    for (int i = first + 1 + lane; i < n; i += 32) {
      alpha[i] = column[i] * inverse;
      below += square(alpha[i]);
    }
    below = sum_lanes(below);
    if (lane > 0) return;
    const R head2 = square(head), size = sqrt(head2), norm = sqrt(below + head2);
    const C v = size > 0 ? head * ((size + norm) / size) : C{norm, 0};
    alpha[first] = v;
    step->factor = below > 0 ? 2 / (below + square(v)) : R(0);
  }

  /* x -= factor (v^H x) v, or x -= factor (x v) v^H, from element `first` on; elements are `apart`. */
  __device__ void reflect_vector(C *to, int apart, int first, R factor, bool from_right) const
  {
    C dot = {0, 0};
    for (int i = first; i < n; i++) dot = mad(conj_if(!from_right, alpha[i]), to[i * apart], dot);
    dot = dot * -factor;
    for (int i = first; i < n; i++) to[i * apart] = mad(dot, conj_if(from_right, alpha[i]), to[i * apart]);
  }

  __device__ void to_hessenberg() const
  {
    for (int first = 1; first < n - 1; first++) {
      if (warp == 0) reflect(first);
      __syncthreads();
      const R factor = step->factor;
      for (int j = first - 1 + (int)threadIdx.x; j < n; j += (int)blockDim.x) {
        if (factor > 0) reflect_vector(&at(h, 0, j), 1, first, factor, false);
        for (int i = first + 1; j == first - 1 && i < n; i++) at(h, i, j) = {0, 0};
      }
      __syncthreads();
      for (int i = (int)threadIdx.x; factor > 0 && i < rows_of_both(); i += (int)blockDim.x)
        reflect_vector(i < n ? h + i : z + (i - n), ld, first, factor, true);
      __syncthreads();
    }
  }

  /* ---------------------------------------------------------------- triangular form */

  /* First row of the last block up to hi that no zero divides; what is nearly zero is set to zero.  By a warp. */
  __device__ int begin_of_block(int hi) const
  {
    constexpr R smallest = eps_of<R> * eps_of<R>; /* the largest element of A is near 1 */
    for (int last = hi; last > 0; last -= 32) {
      const int i = last - lane;
      bool small = false;
      if (i > 0) {
        const R around = abs1(at(h, i - 1, i - 1)) + abs1(at(h, i, i)), size = abs1(at(h, i, i - 1));
        small = !(size > eps_of<R> / 2 * around && size > smallest);
      }
      const unsigned found = __ballot_sync(all_lanes, small);
      if (!found) continue;
      const int begin = last - (__ffs((int)found) - 1);
      if (i == begin) at(h, i, i - 1) = {0, 0};
      __syncwarp();
      return begin;
    }
    return 0;
  }

  /* The eigenvalue of the 2 x 2 matrix that ends at hi nearer to its last element; something else when that leads
   * nowhere. */
  __device__ C shift_of(int hi, int turn) const
  {
    const C a = at(h, hi - 1, hi - 1), b = at(h, hi - 1, hi), c = at(h, hi, hi - 1), d = at(h, hi, hi);
    if (turn % 10 == 9) return d + C{R(0.75) * abs1(c), 0};
    R most;
    const C t = distance_in_pair(a, b, c, d, most);
    return d - t * most;
  }

  /* x and y, elements k and k + 1 of a column, turned; returns the first, and leaves the second in x. */
  static __device__ __forceinline__ C turn_rows(C cosine, C sine, C &x, C y)
  {
    const C first = mad(conj(cosine), x, conj(sine) * y);
    x = mad(cosine, y, -(sine * x));
    return first;
  }
  /* The same of a row, by the adjoint. */
  static __device__ __forceinline__ C turn_columns(C cosine, C sine, C &x, C y)
  {
    const C first = mad(cosine, x, sine * y);
    x = mad(conj(cosine), y, -(conj(sine) * x));
    return first;
  }

  /* Rotations from ... to - 1, at most 32, which make column k of H zero below row k, in columns up to from + 31. By a
   * warp, a column per lane: x is its element of row k, y the next one. */
  __device__ void find_rotations(int from, int to, int columns) const
  {
    const int column = from + lane;
    const bool there = column < columns;
    C *const mine = &at(h, 0, there ? column : from); /* not read where there is no column: lane 0 writes it */
    C x = there ? mine[from] : C{0, 0}, y = there ? mine[from + 1] : C{0, 0}, below = at(h, from + 1, from);
    for (int k = from; k < to; k++) {
      const C first = shuffle(x, k - from);
      const C next = there && k + 1 < to ? mine[k + 2] : C{0, 0},
              below_next = k + 1 < to ? at(h, k + 2, k + 1) : C{0, 0};
      const R inverse = inverse_root(square(first) + square(below));
      const C cosine = first * inverse, sine = below * inverse;
      if (lane == 0) {
        alpha[k] = cosine;
        beta[k] = sine;
      }
      const C done = turn_rows(cosine, sine, x, y);
      if (there && column >= k) mine[k] = done;
      y = next;
      below = below_next;
    }
    if (there && column >= to) mine[to] = x;
    __syncwarp();
  }

  /* The same rotations in the columns that follow, by all threads. */
  __device__ void turn_other_columns(int from, int to, int columns) const
  {
    for (int j = from + 32 + (int)threadIdx.x; j < columns; j += (int)blockDim.x) {
      C *const column = &at(h, 0, j), x = column[from];
      for (int k = from; k < to; k++) column[k] = turn_rows(alpha[k], beta[k], x, column[k + 1]);
      column[to] = x;
    }
  }

  /* R Q + s I, and Z Q: all rotations of the step in a row per thread. */
  __device__ void turn_all_rows(int lo, int hi, C shift) const
  {
    const int top = vectors ? 0 : lo, of_h = hi + 1 - top;
    for (int r = (int)threadIdx.x; r < of_h + (vectors ? n : 0); r += (int)blockDim.x) {
      const int i = r < of_h ? top + r : r - of_h, begin = r < of_h ? max(lo, i - 1) : lo;
      C *const row = (r < of_h ? h : z) + i;
      C x = begin < i && r < of_h ? C{0, 0} : row[begin * ld]; /* below R's diagonal */
      for (int k = lo; k < hi; k++)
        if (k >= begin) row[k * ld] = turn_columns(alpha[k], beta[k], x, row[(k + 1) * ld]);
      row[hi * ld] = x;
      if (r < of_h && i >= lo) row[i * ld] += shift;
    }
  }

  /* The next step for all threads, its shift subtracted and its first rotations found; by a warp. */
  __device__ void begin_step(int &hi, int &turn) const
  {
    int lo = 0;
    while (hi > 0 && (lo = begin_of_block(hi)) == hi) {
      hi--;
      turn = 0;
    }
    const bool failed = hi > 0 && turn == schur_most_turns;
    C shift = {0, 0};
    if (hi > 0 && !failed) {
      shift = shift_of(hi, turn++);
      __syncwarp();
      for (int i = lo + lane; i <= hi; i += 32) at(h, i, i) -= shift;
      __syncwarp();
      find_rotations(lo, min(lo + 32, hi), vectors ? n : hi + 1);
    }
    if (lane > 0) return;
    step->missing = failed ? hi + 1 : 0;
    step->lo = lo;
    step->hi = failed ? 0 : hi;
    step->shift = shift;
  }

  /* To upper triangular form; 0, or how many values are not found. */
  __device__ int to_triangle() const
  {
    int last = n - 1, turn = 0;
    for (;;) {
      if (warp == 0) begin_step(last, turn);
      __syncthreads();
      const int lo = step->lo, hi = step->hi, columns = vectors ? n : hi + 1;
      if (hi == 0) return step->missing;
      for (int from = lo; from < hi; from += 32) {
        if (from > lo) {
          if (warp == 0) find_rotations(from, min(from + 32, hi), columns);
          __syncthreads();
        }
        if (from + 32 >= columns) continue;
        turn_other_columns(from, min(from + 32, hi), columns);
        __syncthreads();
      }
      turn_all_rows(lo, hi, step->shift);
      __syncthreads();
    }
  }

  /* ---------------------------------------------------------------- vectors */

  /* The size of the triangle, in all threads. */
  __device__ R size_of_triangle() const
  {
    R most = 0;
    for (int j = 0; j < n; j++)
      for (int i = lane; i <= j; i += 32) most = fmax(most, abs1(at(h, i, j)));
    return largest_of_lanes(most);
  }

  /* Eigenvector k of the triangle, or of its adjoint (`left`): elements 0 .. k, or k .. n - 1, in x. By a warp. Gaps
   * between eigenvalues are at least `least`. */
  __device__ void substitute(int k, bool left, R least) const
  {
    constexpr R large = sizeof(R) == 4 ? R(0x1p40) : R(0x1p300);
    const int begin = left ? k : 0, end = left ? n : k + 1;
    C *const inverse = x + n;
    for (int i = begin + lane; i < end; i += 32) {
      C gap = at(h, i, i) - at(h, k, k);
      if (abs1(gap) < least) gap = {least, 0};
      inverse[i] = divide(C{-1, 0}, conj_if(left, gap));
      x[i] = i == k ? C{1, 0} : left ? conj(at(h, k, i)) : at(h, i, k);
    }
    __syncwarp();
    for (int j = left ? k + 1 : k - 1; j >= begin && j < end; j += left ? 1 : -1) {
      C element = x[j] * inverse[j];
      __syncwarp();
      if (lane == 0) x[j] = element;
      const R size = abs1(element);
      if (size > large) {
        __syncwarp();
        for (int i = begin + lane; i < end; i += 32) x[i] = x[i] * (1 / size);
        element = element * (1 / size);
        __syncwarp();
      }
      for (int i = (left ? j + 1 : 0) + lane; i < (left ? n : j); i += 32)
        x[i] = mad(left ? conj(at(h, j, i)) : at(h, i, j), element, x[i]);
      __syncwarp();
    }
  }

  /* to = z x, of norm 1, and its largest component real; x is zero outside begin .. end - 1. By a warp. */
  __device__ void store_vector(int begin, int end, C *to) const
  {
    C *const v = x + n;
    R most = 0, norm2 = 0, largest = -1;
    int place = 0;
    for (int i = lane; i < n; i += 32) {
      C sum = {0, 0};
      for (int j = begin; j < end; j++) sum = mad(at(z, i, j), x[j], sum);
      v[i] = sum;
      most = fmax(most, abs1(sum));
    }
    most = largest_of_lanes(most);
    for (int i = lane; i < n; i += 32) {
      v[i] = v[i] * (1 / most);
      const R size2 = square(v[i]);
      norm2 += size2;
      if (size2 > largest) largest = size2, place = i;
    }
    norm2 = sum_lanes(norm2);
    for (int half = 16; half > 0; half /= 2) {
      const R other = shuffle_xor(largest, half);
      const int other_place = shuffle_xor(place, half);
      if (other > largest || (other == largest && other_place < place)) largest = other, place = other_place;
    }
    __syncwarp();
    const R size = sqrt(largest), norm = sqrt(norm2);
    const C turn = conj(v[place]) * (1 / (size * norm));
    for (int i = lane; i < n; i += 32) to[i] = i == place ? C{size / norm, 0} : v[i] * turn;
    __syncwarp();
  }

  __device__ void store_vectors(bool left, C *to, int64_t ldv) const
  {
    const R size = size_of_triangle(), least = (size > 0 ? size : R(1)) * eps_of<R> / 2;
    for (int k = warp; k < n; k += warps) {
      substitute(k, left, least);
      store_vector(left ? k : 0, left ? n : k + 1, to + k * ldv);
    }
  }

private:
  __device__ __forceinline__ int rows_of_both() const
  {
    return vectors ? 2 * n : n;
  }
  static __device__ __forceinline__ R largest_of_lanes(R most)
  {
    for (int half = 16; half > 0; half /= 2) most = fmax(most, shuffle_xor(most, half));
    return most;
  }
};

/* Loads matrix b scaled, and Z = I; false, in all threads, if it is not finite. */
template <class T>
static __device__ bool load_schur(const schur_block<real_of<T>> &s, const T *from, int64_t ld,
                                  power_scale<real_of<T>> &scale, maximum_of<real_of<T>> *of_warps)
{
  using R = real_of<T>;
  maximum_of<R> most;
  for (int j = s.warp; j < s.n; j += s.warps)
    for (int i = s.lane; i < s.n; i += 32) {
      const T e = from[i + j * ld];
      most.add(is_finite(e) ? magnitude(e) : R(NAN));
      s.at(s.h, i, j) = {real(e), imag(e)};
      if (s.vectors) s.at(s.z, i, j) = {R(i == j), 0};
    }
  const R largest = merge_block(most, of_warps).result();
  if (!(largest - largest == 0)) return false;
  scale = power_scale<R>(largest, R(1));
  for (int j = s.warp; j < s.n; j += s.warps)
    for (int i = s.lane; i < s.n; i += 32) s.at(s.h, i, j) = scale.up(s.at(s.h, i, j));
  __syncthreads();
  return true;
}

template <class R> static __device__ void spoil_vectors(const schur_block<R> &s, complex<R> *to, int64_t ld)
{
  for (int j = s.warp; j < s.n; j += s.warps)
    for (int i = s.lane; i < s.n; i += 32) to[i + j * ld] = not_a_number<complex<R>>();
}

template <class T>
static __global__ void __launch_bounds__(schur_most_threads)
  geev_shared(schur_shape shape, complex<real_of<T>> *slots, batch<const T> a, batch<complex<real_of<T>>> w,
              batch<complex<real_of<T>>> vl, batch<complex<real_of<T>>> vr, int *info)
{
  using R = real_of<T>;
  using C = complex<R>;
  __shared__ schur_step<R> step;
  __shared__ maximum_of<R> of_warps[schur_most_threads / 32];
  C *const memory = slots ? slots + blockIdx.x * shape.elements : shared_array<C>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const schur_block<R> s(memory, &step, a.rows(b), shape.vectors);
    power_scale<R> scale(1, 1);
    int missing = s.n;
    if (s.n > 0 && load_schur(s, a.at(b), a.leading(b), scale, of_warps)) {
      s.to_hessenberg();
      missing = s.to_triangle();
    }
    if (threadIdx.x == 0) info[b] = missing;
    for (int i = (int)threadIdx.x; i < s.n; i += (int)blockDim.x) {
      const C value = missing ? not_a_number<C>() : s.at(s.h, i, i);
      w.at(b)[i * (int64_t)w.increment(b)] = {scale.down(value.re), scale.down(value.im)};
    }
    for (int left = 0; left < 2 && s.n > 0; left++) {
      const batch<C> &v = left ? vl : vr;
      if (v.count == 0) continue;
      if (missing)
        spoil_vectors(s, v.at(b), v.leading(b));
      else
        s.store_vectors(left, v.at(b), v.leading(b));
    }
    __syncthreads();
  }
}

template <class T> static int run_geev_shared(batched_ctx *ctx, const batched_geev_args &g)
{
  using R = real_of<T>;
  using C = complex<R>;
  constexpr size_t most_scratch = (size_t)1 << 30;
  const bool vectors = g.vl.count > 0 || g.vr.count > 0;
  const int n = g.a.n, rows = vectors ? 2 * n : n;
  const int threads = rows <= 32 ? 32 : rows <= 64 ? 64 : rows <= 128 ? 128 : rows <= 256 ? 256 : schur_most_threads;
  const schur_shape shape = {schur_elements(n, vectors, threads / 32), vectors};
  const size_t bytes = (size_t)shape.elements * sizeof(C);
  const auto go = [&](int64_t blocks, size_t shared, C *slots) {
    return launch(ctx, geev_shared<T>, blocks, threads, shared, shape, slots, view<const T>(g.a), view<C>(g.w),
                  view<C>(g.vl), view<C>(g.vr), g.info);
  };
  if (bytes + 1024 <= most_shared()) return go(g.a.count, bytes, nullptr);
  int64_t blocks = (int64_t)(most_scratch / bytes), most = 4 * multiprocessors();
  if (most > g.a.count) most = g.a.count;
  blocks = blocks < 1 ? 1 : blocks > most ? most : blocks;
  C *const slots = static_cast<C *>(batched_scratch_push(ctx, (size_t)blocks * bytes));
  if (!slots) return BATCHED_NO_MEMORY;
  const int status = go(blocks, 0, slots);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::eigen

#endif
