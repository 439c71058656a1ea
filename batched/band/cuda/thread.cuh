/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of gbtrf and of gbsv: LU of bands of up to three diagonals on each side with partial pivoting, a
 * thread per matrix; gbsv eliminates its right-hand side in the same pass, and U is read once more to solve with it.
 *
 * Right-looking, as LAPACK's gbtf2.  One warp factors 32 matrices: a thread keeps what is left of rows k to k + KL in
 * registers, chooses, exchanges and eliminates there, and needs no other thread.  Columns pass through shared memory in
 * rings of four chunks of eight: while a chunk is factored, the block's other warps write the one before it and copy
 * the third one after it; one barrier per chunk.  U's row k takes the place of a row of A that is in registers by then.
 * L's and U's elements are stored as those of a band of widths KL and KU, at least kl and ku, with zeros between.
 *
 * grid      a block per 32 matrices
 * block     128 threads: a warp that computes, three that copy; KL + 1 rows of KL + KU + 1 numbers in registers
 * shared    32 matrices each: 32 columns of 2 KL + KU + 1 numbers and 32 pivots (70 KB for (2, 3) in double precision);
 *           with a right-hand side 32 of its elements, too
 * takes     all four types, any m and n, kl, ku <= 3, one right-hand side, uniform only
 * reads     ab inside of the band, once, and b; writes ab with what fills it, ipiv (from 1), info (first pivot that is
 *           zero or NaN); gbsv: reads U, and writes b where info is 0
 * scratch   gbsv: the eliminated right-hand sides
 * accuracy  |P L U - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|; multiplies by reciprocals, divides where they may
 *           over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_THREAD_CUH
#define BATCHED_BAND_CUDA_THREAD_CUH

#include "batched/band/cuda/gbtrf.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/predicated.cuh"

namespace batched_cuda::band
{

/* Columns of a chunk, chunks and columns of a ring. */
enum { CHUNK = 8, CHUNKS = 4, RING = CHUNK * CHUNKS, THREAD_WARPS = 4, COPIERS = THREAD_WARPS - 1 };

template <class T> struct thread_call {
  gbtrf_call<T> lu;
  batch<T> b;
  T *y; /* what elimination makes of b, ab.n numbers for each matrix */
};

/* One of the block's 32 matrices. */
template <class T> struct thread_matrix {
  band_matrix<T> a;
  T *b, *y;
  int *ipiv;

  __device__ __forceinline__ int steps() const
  {
    return min(a.m, a.n);
  }
};

template <class T, int KL, int KU> struct thread_rings {
  static constexpr int KV = KL + KU, ROWS = KL + KV + 1, PITCH = RING * ROWS + 1 - RING * ROWS % 2; /* odd */
  thread_matrix<T> matrices[32];
  int pivots[32][RING + 1];
  T columns[32][PITCH];

  __device__ __forceinline__ T *chunk(int matrix, int number)
  {
    return columns[matrix] + (number & (CHUNKS - 1)) * CHUNK * ROWS;
  }
  __device__ __forceinline__ void store_pivots(int copier, int number)
  {
#pragma unroll
    for (int e0 = 0; e0 < 32 * CHUNK; e0 += COPIERS * 32) {
      const int e = e0 + copier * 32 + (int)threadIdx.x % 32, k = number * CHUNK + e % CHUNK, matrix = e / CHUNK % 32;
      const thread_matrix<T> &x = matrices[matrix];
      if (e < 32 * CHUNK && k < x.steps()) x.ipiv[k] = pivots[matrix][k % RING];
    }
  }
};

/* Copies of a lane of a copying warp: elements lane, lane + 32, ... of each matrix's chunk, as in the ring. */
template <class T, int KL, int KU> struct thread_copies {
  using rings = thread_rings<T, KL, KU>;
  enum { ROWS = rings::ROWS, EACH = (CHUNK * ROWS + 31) / 32, TURNS = 4 };
  T *own;     /* A(0, 0) of this lane's matrix */
  int64_t ld; /* of all of them */
  int m, n, kl, ku, matrices;

  /* f(t, whether it exists, i, j) for this lane's elements. */
  template <class F> static __device__ __forceinline__ void each(int number, F f)
  {
#pragma unroll
    for (int t = 0; t < EACH; t++) {
      const int e = (int)threadIdx.x % 32 + 32 * t, j = number * CHUNK + e / ROWS;
      f(t, e < CHUNK * ROWS, j - rings::KV + e % ROWS, j);
    }
  }
  /* f(the first, their places), for TURNS of a copier's matrices at a time. */
  template <class F> __device__ __forceinline__ void each_group(int copier, F f) const
  {
    for (int first = copier; first < matrices; first += TURNS * COPIERS) {
      T *at[TURNS];
#pragma unroll
      for (int q = 0; q < TURNS; q++)
        at[q] = reinterpret_cast<T *>(
          __shfl_sync(all_lanes, reinterpret_cast<unsigned long long>(own), (first + q * COPIERS) % 32));
      f(first, at);
    }
  }
  template <bool BACK> __device__ __forceinline__ void load(rings &r, int copier, int number) const
  {
    bool copies[EACH], clears[EACH];
    int64_t from[EACH];
    each(number, [&](int t, bool exists, int i, int j) {
      const bool wanted = exists && (BACK ? i <= j : j - i <= KU), inside = i >= 0 && i < m && j < n;
      copies[t] = wanted && inside && (BACK ? j - i <= kl + ku : i - j <= kl && j - i <= ku);
      clears[t] = wanted && !copies[t];
      from[t] = i + j * (ld - 1);
    });
    each_group(copier, [&](int first, T *const(&at)[TURNS]) {
#pragma unroll
      for (int q = 0; q < TURNS; q++) {
        const int matrix = first + q * COPIERS;
        if (matrix >= matrices) break;
        T *elements = r.chunk(matrix, number) + threadIdx.x % 32;
#pragma unroll
        for (int t = 0; t < EACH; t++) {
          start_copy_if(copies[t], elements + 32 * t, at[q] + from[t]);
          if (clears[t]) elements[32 * t] = make<T>(0);
        }
      }
    });
  }
  __device__ __forceinline__ void store(rings &r, int copier, int number) const
  {
    bool copies[EACH];
    int64_t to[EACH];
    each(number, [&](int t, bool exists, int i, int j) {
      copies[t] = exists && i >= 0 && i < m && j < n && i - j <= kl && j - i <= kl + ku;
      to[t] = i + j * (ld - 1);
    });
    each_group(copier, [&](int first, T *const(&at)[TURNS]) {
      T x[TURNS][EACH];
#pragma unroll
      for (int q = 0; q < TURNS; q++) {
        const int matrix = first + q * COPIERS;
        const T *elements = r.chunk(matrix % 32, number) + threadIdx.x % 32;
#pragma unroll
        for (int t = 0; t < EACH; t++) x[q][t] = matrix < matrices && copies[t] ? elements[32 * t] : make<T>(0);
      }
#pragma unroll
      for (int q = 0; q < TURNS; q++) {
        if (first + q * COPIERS >= matrices) break;
#pragma unroll
        for (int t = 0; t < EACH; t++)
          if (copies[t]) at[q][to[t]] = x[q][t];
      }
    });
  }
};

/* Right-hand sides, in rings of their own. */
template <class T> struct thread_sides {
  T rows[32][RING + 1];

  template <class F> __device__ __forceinline__ void each(int copier, int number, F f)
  {
#pragma unroll
    for (int e0 = 0; e0 < 32 * CHUNK; e0 += COPIERS * 32) {
      const int e = e0 + copier * 32 + (int)threadIdx.x % 32, k = number * CHUNK + e % CHUNK, matrix = e / CHUNK;
      if (e < 32 * CHUNK) f(rows[matrix][k & (RING - 1)], matrix, k);
    }
  }
};

/* The row of the first of the largest |re| + |im|, a NaN only if it is the first, and the reciprocal of its element. */
template <class T, int KL> struct thread_choice {
  bool takes[KL + 1];
  T inverse;

  __device__ __forceinline__ explicit thread_choice(const T (&x)[KL + 1])
  {
    takes[0] = true;
#pragma unroll
    for (int i = 1; i <= KL; i++) {
      takes[i] = false;
#pragma unroll
      for (int j = 0; j < i; j++) takes[i] = takes[i] || (takes[j] && abs1(x[i]) > abs1(x[j]));
#pragma unroll
      for (int j = 0; j < i; j++) takes[j] = takes[j] && !takes[i];
    }
    inverse = inverse_of(x[0]);
#pragma unroll
    for (int i = 1; i <= KL; i++) inverse = select(takes[i], inverse_of(x[i]), inverse);
  }
  __device__ __forceinline__ int row() const
  {
    int p = 0;
#pragma unroll
    for (int i = 1; i <= KL; i++) p = takes[i] ? i : p;
    return p;
  }
};

/* A thread's matrix. */
template <class T, int KL, int KU, bool SOLVES> struct thread_lu {
  static constexpr int KV = KL + KU, ROWS = KL + KV + 1;
  T w[KL + 1][KV + 1], y[KL + 1]; /* rows k to k + KL from column k on, and of the right-hand side */
  int steps, info;

  /* Column s of a chunk and the one after it. */
  static __device__ __forceinline__ T *column(T *here, T *next, int s)
  {
    return s < CHUNK ? here + s * ROWS : next + (s - CHUNK) * ROWS;
  }
  __device__ __forceinline__ void begin(T *first, const T *side)
  {
#pragma unroll
    for (int i = 0; i <= KL; i++) {
#pragma unroll
      for (int c = 0; c <= KV; c++) w[i][c] = c - i <= KU ? first[c * ROWS + KV + i - c] : make<T>(0);
      if (SOLVES) y[i] = side[i];
    }
    info = 0;
  }
  /* Step k, the chunk's column s; row k + KL + 1 comes. */
  __device__ __forceinline__ void step(int k, int s, T *here, T *next, int *pivot, T *side, const T *side_next)
  {
    T fresh[KV + 1], u[KV + 1], above = make<T>(0), coming = above;
#pragma unroll
    for (int c = 0; c <= KV; c++) fresh[c] = column(here, next, s + 1 + c)[KV + KL - c];
    if (SOLVES) coming = s + KL + 1 < CHUNK ? side[s + KL + 1] : side_next[s + KL + 1 - CHUNK];
    T x[KL + 1];
#pragma unroll
    for (int i = 0; i <= KL; i++) x[i] = w[i][0];
    const thread_choice<T, KL> choice(x);
#pragma unroll
    for (int c = 0; c <= KV; c++) {
      u[c] = w[0][c];
#pragma unroll
      for (int i = 1; i <= KL; i++) {
        u[c] = select(choice.takes[i], w[i][c], u[c]);
        w[i][c] = select(choice.takes[i], w[0][c], w[i][c]);
      }
      column(here, next, s + c)[KV - c] = u[c];
    }
    if (SOLVES) {
      above = y[0];
#pragma unroll
      for (int i = 1; i <= KL; i++) {
        above = select(choice.takes[i], y[i], above);
        y[i] = select(choice.takes[i], y[0], y[i]);
      }
      side[s] = above;
    }
    *pivot = k + choice.row() + 1;
    T inverse = choice.inverse;
    if (!is_usual_pivot<T>(high_word(u[0]))) {
      if (is_bad_pivot(u[0]) && !info) info = k + 1;
      inverse = make<T>(1);
#pragma unroll
      for (int i = 1; i <= KL; i++) w[i][0] = u[0] == make<T>(0) ? w[i][0] : divide_rarely(w[i][0], u[0]);
    }
#pragma unroll
    for (int i = 1; i <= KL; i++) {
      const T l = w[i][0] * inverse;
      here[s * ROWS + KV + i] = l;
#pragma unroll
      for (int c = 1; c <= KV; c++) w[i - 1][c - 1] = mad(-l, u[c], w[i][c]);
      w[i - 1][KV] = make<T>(0);
      if (SOLVES) y[i - 1] = mad(-l, above, y[i]);
    }
#pragma unroll
    for (int c = 0; c <= KV; c++) w[KL][c] = fresh[c];
    if (SOLVES) y[KL] = coming;
  }
  __device__ __forceinline__ void factor(int first, T *here, T *next, int *pivots, T *side, const T *side_next)
  {
    if (first + CHUNK <= steps) {
#pragma unroll
      for (int s = 0; s < CHUNK; s++) step(first + s, s, here, next, pivots + s, side, side_next);
    } else {
#pragma unroll 1
      for (int s = 0; first + s < steps; s++) step(first + s, s, here, next, pivots + s, side, side_next);
    }
  }
};

/* U x = y of a thread's matrix, row after row from the last one: rows k to k - KV. */
template <class T, int KL, int KU> struct thread_back {
  static constexpr int KV = KL + KU, ROWS = KL + KV + 1;
  T v[KV + 1];
  int n;

  __device__ __forceinline__ void begin(const T *side)
  {
#pragma unroll
    for (int c = 0; c <= KV; c++) v[c] = side[CHUNK - 1 - c];
  }
  /* Rows of a chunk; `before`: the right-hand side's chunk before it. */
  __device__ __forceinline__ void solve(int first, const T *here, T *side, const T *before)
  {
#pragma unroll
    for (int s = CHUNK - 1; s >= 0; s--) {
      const T *u = here + s * ROWS + KV;
      const bool exists = first + s < n;
      const T x = exists ? diagonal<T>(u[0]).solve(v[0]) : make<T>(0);
      const T coming = s - KV - 1 >= 0 ? side[s - KV - 1] : before[s - KV - 1 + CHUNK];
#pragma unroll
      for (int c = 1; c <= KV; c++) v[c - 1] = mad(-u[-c], x, v[c]);
      v[KV] = coming;
      side[s] = x;
    }
  }
};

/* A block: its 32 matrices' rings, and what a warp of it does, by its number. */
template <class T, int KL, int KU, bool SOLVES> struct thread_block {
  using rings = thread_rings<T, KL, KU>;
  const thread_call<T> &c;
  rings &r;
  thread_sides<T> &sides;
  const thread_copies<T, KL, KU> copies;
  int64_t first;
  int lane, copier, chunks; /* copier: COPIERS for the warp that computes */

  static constexpr size_t bytes = sizeof(rings) + (SOLVES ? sizeof(thread_sides<T>) : 0);
  static_assert(sizeof(rings) % 16 == 0, "right-hand sides are aligned");

  __device__ __forceinline__ bool computes() const
  {
    return copier == COPIERS;
  }
  __device__ __forceinline__ T *side(int number) const
  {
    return SOLVES ? sides.rows[lane] + (number & (CHUNKS - 1)) * CHUNK : nullptr;
  }

  /* Copies A and b, or U and y. */
  __device__ __forceinline__ void load(int number, bool back) const
  {
    if (back)
      copies.template load<true>(r, copier, number);
    else
      copies.template load<false>(r, copier, number);
    if (SOLVES)
      sides.each(copier, number, [&](T &element, int matrix, int k) {
        const thread_matrix<T> &x = r.matrices[matrix];
        copy_or_clear(element, (back ? x.y : x.b) + k, k >= 0 && k < x.a.n);
      });
    copy_commit();
  }
  __device__ __forceinline__ void store(int number) const
  {
    copies.store(r, copier, number);
    r.store_pivots(copier, number);
    if (SOLVES)
      sides.each(copier, number, [&](const T &element, int matrix, int k) {
        const thread_matrix<T> &x = r.matrices[matrix];
        if (k < x.a.n) x.y[k] = element;
      });
  }
  __device__ __forceinline__ void store_solution(int number) const
  {
    sides.each(copier, number, [&](const T &element, int matrix, int k) {
      const thread_matrix<T> &x = r.matrices[matrix];
      if (k < x.a.n && c.lu.info[first + matrix] == 0) x.b[k] = element;
    });
  }
  /* Chunks `number` and the next two in that direction; the first two have come. */
  __device__ __forceinline__ void start(int number, int direction) const
  {
    if (!computes()) {
      for (int ahead = 0; ahead < CHUNKS - 1; ahead++) load(number + ahead * direction, direction < 0);
      copy_wait<1>();
    }
    __syncthreads();
  }

  __device__ __forceinline__ void factor(thread_lu<T, KL, KU, SOLVES> &lu) const
  {
    start(0, 1);
    if (computes() && chunks > 0) lu.begin(r.chunk(lane, 0), side(0));
    for (int number = 0; number <= chunks; number++) {
      if (computes()) {
        lu.factor(number * CHUNK, r.chunk(lane, number), r.chunk(lane, number + 1),
                  r.pivots[lane] + (number & (CHUNKS - 1)) * CHUNK, side(number), side(number + 1));
      } else {
        if (number > 0) store(number - 1);
        load(number + CHUNKS - 1, false);
        copy_wait<1>();
      }
      __syncthreads();
    }
    copy_wait<0>();
  }

  /* n: 0 where there is no solution. */
  __device__ __forceinline__ void solve(int n) const
  {
    thread_back<T, KL, KU> back;
    back.n = n;
    start(chunks - 1, -1);
    if (computes() && chunks > 0) back.begin(side(chunks - 1));
    for (int number = chunks - 1; number >= -1; number--) {
      if (computes()) {
        if (number >= 0) back.solve(number * CHUNK, r.chunk(lane, number), side(number), side(number - 1));
      } else {
        if (number < chunks - 1) store_solution(number + 1);
        load(number - (CHUNKS - 1), true);
        copy_wait<1>();
      }
      __syncthreads();
    }
    copy_wait<0>();
  }
};

template <class T, int KL, int KU, bool SOLVES>
__global__ void __launch_bounds__(32 * THREAD_WARPS) band_thread(thread_call<T> c)
{
  using block = thread_block<T, KL, KU, SOLVES>;
  typename block::rings &r = *shared_array<typename block::rings>();
  thread_sides<T> &sides = *reinterpret_cast<thread_sides<T> *>(&r + 1);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int64_t first = (int64_t)blockIdx.x * 32; first < c.lu.ab.count; first += (int64_t)gridDim.x * 32) {
    const int64_t b = first + lane;
    const bool exists = b < c.lu.ab.count;
    thread_matrix<T> own = {{nullptr, 0, 0, 0, 0, 0}, nullptr, nullptr, nullptr};
    if (exists) {
      own.a = factors_of(c.lu.ab, b, c.lu.m.at(b), c.lu.kl.at(b), c.lu.ku.at(b));
      own.ipiv = c.lu.ipiv + b * c.lu.npivots();
    }
    if (SOLVES && own.a.n > 0) {
      own.b = c.b.at(b);
      own.y = c.y + b * c.lu.ab.n;
    }
    if (warp == 0) r.matrices[lane] = own;
    __syncthreads();
    /* Blocks that share a multiprocessor differ in the warp that computes, and so in its scheduler. */
    const block x = {c,
                     r,
                     sides,
                     {own.a.at, c.lu.ab.ld, c.lu.m.bound, c.lu.ab.n, c.lu.kl.bound, c.lu.ku.bound,
                      (int)min(c.lu.ab.count - first, (int64_t)32)},
                     first,
                     lane,
                     (int)((warp + blockIdx.x + blockIdx.x / 128) % THREAD_WARPS),
                     ((int)__reduce_max_sync(all_lanes, (unsigned)own.a.n) + CHUNK - 1) / CHUNK};
    thread_lu<T, KL, KU, SOLVES> lu;
    lu.steps = own.steps();
    lu.info = 0;
    x.factor(lu);
    if (x.computes() && exists) c.lu.info[b] = lu.info;
    __syncthreads();
    if constexpr (SOLVES) x.solve(lu.info == 0 ? own.a.n : 0);
  }
}

/* ------------------------------------------------------------------ launches */

static inline bool is_uniform(const batched_matrix &a)
{
  return !a.ms && !a.ns && !a.lds;
}
static inline bool thread_can_factor(const batched_gbtrf_args &p)
{
  return p.kl.bound <= 3 && p.ku.bound <= 3 && is_uniform(p.ab) && !p.m.each && !p.kl.each && !p.ku.each;
}

template <bool SOLVES, class T> int launch_band_thread(batched_ctx *ctx, const thread_call<T> &c)
{
  const auto with = [&](auto kernel, size_t bytes) {
    return launch(ctx, kernel, ceil_div(c.lu.ab.count, 32), 32 * THREAD_WARPS, bytes, c);
  };
  const int kl = c.lu.kl.bound, ku = c.lu.ku.bound;
  if (kl <= 1 && ku <= 1) return with(band_thread<T, 1, 1, SOLVES>, thread_block<T, 1, 1, SOLVES>::bytes);
  if (kl <= 2) return with(band_thread<T, 2, 3, SOLVES>, thread_block<T, 2, 3, SOLVES>::bytes);
  return with(band_thread<T, 3, 3, SOLVES>, thread_block<T, 3, 3, SOLVES>::bytes);
}

} // namespace batched_cuda::band

#endif
