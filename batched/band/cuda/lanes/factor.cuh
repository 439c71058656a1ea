/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix of lanes.cuh, a column per lane: its way through shared memory in a ring of chunks, LU, the solve with U.
 */
#ifndef BATCHED_BAND_CUDA_LANES_FACTOR_CUH
#define BATCHED_BAND_CUDA_LANES_FACTOR_CUH

#include "batched/band/cuda/lanes/sides.cuh"

namespace batched_cuda::band
{

template <class T, int KL, int G, int WARPS, class S> struct lanes_lu {
  static constexpr int DIAGONAL = G - 1, ROWS = G + KL, PITCH = ROWS + ROWS % 2; /* columns start in other banks */
  static constexpr int NUMBERS = LANES_CHUNKS * LANES_CHUNK * PITCH + G, TURNS = LANES_CHUNK / G,
                       EACH = LANES_CHUNK * ROWS / G; /* elements of a chunk per lane */
  band_matrix<T> a;
  int ku, steps, lane, info, pivots[TURNS];
  T *ring, *place; /* where this lane's element of row k is */
  S &sides;
  T w[KL + 1], column[KL + 1]; /* rows k to k + KL of this lane's column, and of column k */

  __device__ __forceinline__ lanes_lu(const band_matrix<T> &a, int ku, T *ring, S &sides)
      : a(a), ku(ku), steps(min(a.m, a.n)), lane(threadIdx.x % G), info(0), ring(ring), place(nullptr), sides(sides)
  {
  }

  static __device__ __forceinline__ bool computes()
  {
    return threadIdx.x < 32;
  }
  static __device__ __forceinline__ bool copies()
  {
    return WARPS == 1 || threadIdx.x >= 32;
  }
  __device__ __forceinline__ T *chunk(int number) const
  {
    return ring + (number & (LANES_CHUNKS - 1)) * LANES_CHUNK * PITCH;
  }
  /* f(turn, element of the ring, i, j), all elements of a chunk's columns from row j - DIAGONAL to j + KL. */
  template <class F> __device__ __forceinline__ void each(int number, F f) const
  {
    T *elements = chunk(number);
    int j = number * LANES_CHUNK, r = lane;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      f(e, elements[(j & (LANES_CHUNK - 1)) * PITCH + r], j - DIAGONAL + r, j);
      r += G;
      if (r >= ROWS) r -= ROWS, j++;
    }
  }
  /* Is the band from `above` to `below` the diagonal inside of the matrix in all of a chunk's columns, and do 32 bits
   * count the numbers between these?  Then no element asks whether it exists; the warp that solves with U waits for the
   * one that copies. */
  __device__ __forceinline__ bool is_inside(int number, int above, int below) const
  {
    const int first = number * LANES_CHUNK, end = first + LANES_CHUNK;
    const bool is_inside = first >= above && end <= a.n && end + below <= a.m && a.col < (1 << 28);
    return WARPS > 1 && S::EXIST && __all_sync(all_lanes, is_inside);
  }
  /* f(turn, element of the ring, element of A, its row less its column) for all elements of such a chunk. */
  template <class F> __device__ __forceinline__ void each_inside(int number, F f) const
  {
    T *elements = chunk(number);
    T *first = a.at + (number * LANES_CHUNK) * (a.col + 1) - DIAGONAL;
    const int between = (int)a.col + 1 - ROWS;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const int place = lane + e * G, column = place / ROWS;
      f(e, elements[place + column * (PITCH - ROWS)], first + (place + column * between),
        place - column * ROWS - DIAGONAL);
    }
  }
  /* Starts to copy A, with zeros around it. */
  __device__ __forceinline__ void load(int number) const
  {
    if (is_inside(number, ku, a.kl))
      each_inside(number, [&](int, T &element, const T *from, int below) {
        copy_or_clear(element, from, (unsigned)(below + ku) <= (unsigned)(a.kl + ku));
      });
    else
      each(number, [&](int, T &element, int i, int j) {
        copy_or_clear(element, &a(i, j), j < a.n && i >= 0 && i < a.m && i - j <= a.kl && j - i <= ku);
      });
    sides.load(number);
    copy_commit();
  }
  __device__ __forceinline__ void store(int number) const
  {
    T x[EACH];
    each(number, [&](int e, T &element, int, int) { x[e] = element; });
    if (is_inside(number, a.kv, a.kl))
      each_inside(number, [&](int e, T &, T *to, int below) {
        if ((unsigned)(below + a.kv) <= (unsigned)(a.kl + a.kv)) *to = x[e];
      });
    else
      each(number, [&](int e, T &, int i, int j) {
        if (j < a.n && i >= 0 && i < a.m && i - j <= a.kl && j - i <= a.kv) a(i, j) = x[e];
      });
    sides.store(number);
  }
  /* The same for U, and what elimination has made of B. */
  __device__ __forceinline__ void load_upper(int number) const
  {
    if (is_inside(number, a.kv, 0))
      each_inside(number, [&](int, T &element, const T *from, int below) {
        copy_or_clear(element, from, (unsigned)(below + a.kv) <= (unsigned)a.kv);
      });
    else
      each(number, [&](int, T &element, int i, int j) {
        copy_or_clear(element, &a(i, j), j >= 0 && j < a.n && i >= 0 && i <= j && j - i <= a.kv);
      });
    sides.load_from(sides.y, sides.n, number);
    copy_commit();
  }

  __device__ __forceinline__ void begin()
  {
    place = ring + lane * PITCH + DIAGONAL - lane;
#pragma unroll
    for (int i = 0; i <= KL; i++) w[i] = place[i];
#pragma unroll
    for (int i = 0; i <= KL; i++) column[i] = shuffle(w[i], 0, G);
    sides.begin();
  }

  /* Step k, column s of its chunk; places of columns k + 1 and k + G. */
  __device__ __forceinline__ void step(int k, int s, const T *following, T *entering)
  {
    const bool leaves = lane == s % G;
    T *next_place = leaves ? entering : place + 1;
    const T coming = next_place[KL], beside_coming = following[DIAGONAL + KL];
    T beside[KL + 1];
#pragma unroll
    for (int i = 0; i <= KL; i++) beside[i] = shuffle(w[i], (s + 1) % G, G);
    lanes_choice<T, KL> choice(column);
    __syncwarp(); /* column k + 1 has been read, of which multipliers take the place */
    if (__any_sync(all_lanes, !choice.is_sure && k < steps)) {
      if (choice.settle(column) && !info && k < steps) info = k + 1;
    }
    exchange_rows<T, KL>(w, choice.p);
    exchange_rows<T, KL>(beside, choice.p);
    place[0] = w[0];
    if (leaves) {
      pivots[s / G] = k + choice.p + 1;
#pragma unroll
      for (int i = 1; i <= KL; i++) place[i] = choice.l[i];
    }
    sides.eliminate(k, choice);
    eliminate_rows<T, KL>(w, choice.l, coming);
#pragma unroll
    for (int i = 0; i < KL; i++) w[i] = select(leaves, make<T>(0), w[i]);
    eliminate_rows<T, KL>(beside, choice.l, beside_coming);
#pragma unroll
    for (int i = 0; i <= KL; i++) column[i] = beside[i];
    place = next_place;
  }

  __device__ __forceinline__ void factor_chunk(int number, int *ipiv)
  {
    const int first = number * LANES_CHUNK;
    const auto column_of = [&](int t) { return chunk(number + t / LANES_CHUNK) + t % LANES_CHUNK * PITCH; };
#pragma unroll
    for (int s = 0; s < LANES_CHUNK; s++) step(first + s, s, column_of(s + 1), column_of(s + G));
#pragma unroll
    for (int t = 0; t < TURNS; t++)
      if (first + t * G + lane < steps) ipiv[first + t * G + lane] = pivots[t];
  }

  static __device__ __forceinline__ void meet()
  {
    if (WARPS > 1)
      __syncthreads();
    else
      __syncwarp();
  }
  /* Chunk `first` and the next two in that direction begin to come; two are there. */
  template <class F> __device__ __forceinline__ void start(int first, int direction, F copy) const
  {
    if (copies()) {
      for (int ahead = 0; ahead < LANES_CHUNKS - 1; ahead++) copy(first + ahead * direction);
      copy_wait<LANES_CHUNKS - 3>();
    }
    meet();
  }
  /* `chunks`: of the largest matrix of the block. */
  __device__ __forceinline__ void factor(int chunks, int *ipiv)
  {
    start(0, 1, [&](int number) { load(number); });
    if (computes()) begin();
    for (int number = 0; number <= chunks; number++) {
      if (computes() && number < chunks) factor_chunk(number, ipiv);
      if (copies()) {
        if (number > 0) store(number - 1);
        load(number + LANES_CHUNKS - 1);
        copy_wait<LANES_CHUNKS - 3>();
      }
      meet();
    }
    copy_wait<0>();
  }

  __device__ __forceinline__ void solve_chunk(int number)
  {
    const T *here = chunk(number) + DIAGONAL;
    const int first = number * LANES_CHUNK;
    T inverses[TURNS];
    bool is_safe = true;
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
      const diagonal<T> by(here[(t * G + lane) * PITCH]);
      const bool exists = first + t * G + lane < a.n;
      inverses[t] = exists ? by.inverse : make<T>(0);
      is_safe = is_safe && (by.safe || !exists);
    }
    if (__all_sync(all_lanes, is_safe)) {
#pragma unroll
      for (int s = LANES_CHUNK - 1; s >= 0; s--)
        sides.template solve<true>(first + s, here + s * PITCH, shuffle(inverses[s / G], s % G, G));
    } else {
#pragma unroll 1
      for (int turn = TURNS - 1; turn >= 0; turn--) {
        const T own = turn == 0 ? inverses[0] : inverses[TURNS - 1];
#pragma unroll 1
        for (int s = (turn + 1) * G - 1; s >= turn * G; s--)
          sides.template solve<false>(first + s, here + s * PITCH, shuffle(own, s % G, G));
      }
    }
  }

  /* U X = Y, from the last chunk to the first; nothing where the matrix has no rows. */
  __device__ __forceinline__ void solve(int chunks)
  {
    start(chunks - 1, -1, [&](int number) { load_upper(number); });
    if (computes()) sides.begin_back(chunks * LANES_CHUNK);
    for (int number = chunks - 1; number >= -1; number--) {
      if (computes() && number >= 0) solve_chunk(number);
      if (copies()) {
        if (number < chunks - 1) sides.store_to(sides.b, sides.ldb, number + 1);
        load_upper(number - (LANES_CHUNKS - 1));
        copy_wait<LANES_CHUNKS - 3>();
      }
      meet();
    }
    copy_wait<0>();
  }
};

} // namespace batched_cuda::band

#endif
