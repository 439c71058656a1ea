/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cluster/panel.cuh of real types, with a shorter chain from column to column.  A pivot is chosen by high words, closer
 * only where these tie or are exceptional.  Every warp has its candidate in shared memory before the block's barrier,
 * so that behind it each sends the block's choice to some of the blocks; and a candidate goes as it is, without the
 * last pivot row subtracted from all but the column searched: with its multiplier, by which those who get it do that.
 * So the subtraction of pivot rows is left for the time that messages are on their way.
 */
#ifndef BATCHED_LU_CUDA_CLUSTER_STEPS_CUH
#define BATCHED_LU_CUDA_CLUSTER_STEPS_CUH

#include "batched/lu/cuda/cluster/panel.cuh"

namespace batched_cuda::lu
{

/* high: of |pivot|; low: is it in doubt?  factor: of the last pivot row, by which this one is behind. */
template <class T, int W> struct alignas(16) lu_quick_candidate {
  pivot_key key;
  alignas(16) T inverse;
  T factor;
  alignas(16) T x[W];
};

template <class T, int W, int THREADS> struct quick_lu_memory : cluster_lu_memory<T, W> {
  lu_quick_candidate<T, W> candidates[2][THREADS / 32];
  alignas(16) T rows[2][W]; /* pivot rows, by turns */
};

template <class T, int W, int R, int THREADS> struct quick_lu : cluster_lu<T, W, R, THREADS> {
  using base = cluster_lu<T, W, R, THREADS>;
  using candidate = lu_quick_candidate<T, W>;
  using base::active, base::blocks, base::found, base::lane, base::phase, base::place, base::rank, base::rotate;
  using base::steps, base::turn, base::U, base::warp, base::x;
  static_assert(sizeof(candidate) == sizeof(lu_candidate<T, W>), "the mailboxes are the same");
  static constexpr int V = pack<T>::size;
  quick_lu_memory<T, W, THREADS> *own;
  int sender; /* the block's choice */

  using memory = quick_lu_memory<T, W, THREADS>;
  __device__ __forceinline__ void attach(memory *m)
  {
    this->shared = own = m;
  }

  __device__ __forceinline__ const candidate *box(int at) const
  {
    return reinterpret_cast<const candidate *>(own->box[at]);
  }
  /* Columns of row r from c on, `left` of all before they are rotated by `shift`, to a candidate's row. */
  template <int c, int shift> __device__ __forceinline__ void put(int r, T *to, int left) const
  {
#pragma unroll
    for (int g = 0; g < W; g += U) {
      if (g >= left) return;
      if (g + U > c)
#pragma unroll
        for (int i = g; i < g + U; i += V) {
          if (i + V <= c) continue;
          pack<T> some;
#pragma unroll
          for (int v = 0; v < V; v++) some.x[v] = x[r][i + v];
          *reinterpret_cast<pack<T> *>(to + i - shift) = some;
        }
    }
  }
  /* Finds this warp's candidate for column k, which is x[.][c], and puts it down. */
  template <int c> __device__ __forceinline__ void offer(int k, int left)
  {
    constexpr int shift = c == U ? U : 0;
    candidate &to = own->candidates[k % 2][warp];
    unsigned size[R], best = size[0] = place[0] >= k ? high_word(x[0][c]) : 0;
    T value = x[0][c];
#pragma unroll
    for (int r = 1; r < R; r++) {
      size[r] = place[r] >= k ? high_word(x[r][c]) : 0;
      value = select(size[r] > best, x[r][c], value);
      best = max(best, size[r]);
    }
    const unsigned top = max_of_lanes<32>(best);
    const T inverse = inverse_of(value);
    int equals = 0, from = 0;
    T factor = make<T>(0);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool is_best = size[r] == top;
      equals += is_best;
      from = is_best ? place[r] : from;
      if constexpr (c > 0) factor = select(is_best, x[r][c - 1], factor);
    }
    const unsigned lanes = __ballot_sync(all_lanes, equals > 0), several = __ballot_sync(all_lanes, equals > 1);
    const bool writes = equals > 0 && (lanes & ((1u << lane) - 1)) == 0; /* one of those that tie */
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool here = writes && size[r] == top;
      if ((R == 1 || __any_sync(all_lanes, here)) && here) put<c, shift>(r, to.x, left);
    }
    if (!writes) return;
    to.key = {top, ((lanes & (lanes - 1)) | several) != 0, from};
    to.inverse = inverse;
    to.factor = factor;
  }

  /* Sends the block's choice, whose key is in doubt or not, to all blocks. */
  template <int t> __device__ __forceinline__ void post(int k, int left, pivot_key key)
  {
    const int parts = base::template parts<t>(left), warps = blockDim.x / 32;
    if (threadIdx.x == 0)
      barrier_arrive_expecting(shared_address(&own->arrived[turn]), blocks * parts * (int)sizeof(message_part));
    if (lane >= parts) return;
    const int i = lane < 2 ? lane : lane + t * (int)sizeof(T) / 16;
    message_part part = reinterpret_cast<const message_part *>(&own->candidates[k % 2][sender])[i];
    if (lane == 0) part.x = key.high | (unsigned long long)key.low << 32;
    const unsigned to = shared_address(&own->box[turn][rank]) + i * (int)sizeof(message_part),
                   arrived = shared_address(&own->arrived[turn]);
    for (int block = warp; block < blocks; block += warps)
      send_part(in_block(to, block), part, in_block(arrived, block));
  }
  /* Column k, x[.][t]: this block's choice, which is sent. */
  template <int t> __device__ __forceinline__ void begin(int k, int left)
  {
    if (k >= steps) return;
    __syncthreads();
    const bool exists = lane < (int)blockDim.x / 32;
    pivot_key key = {0, 0, INT_MAX};
    if (exists) key = own->candidates[k % 2][lane].key;
    const unsigned best = max_of_lanes<32>(key.high), lanes = __ballot_sync(all_lanes, exists && key.high == best),
                   doubts = __ballot_sync(all_lanes, exists && key.high == best && key.low);
    sender = __ffs((int)lanes) - 1;
    if (blocks > 1) post<t>(k, left, {best, ((lanes & (lanes - 1)) | doubts) != 0, 0});
  }
  __device__ __forceinline__ void wait()
  {
    cluster_barrier_wait(shared_address(&own->arrived[turn]), phase);
  }
  __device__ __forceinline__ void turn_over()
  {
    if (++turn == 3) turn = 0, phase ^= 1;
  }
  /* The exact choice, by all blocks once more; rows are sent complete. */
  template <int t> __device__ __forceinline__ const candidate *choose_closely(int k, int left, int &p)
  {
    pivot_key key = {0, 0, INT_MAX};
    int best_row = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][t], place[r], k, place[r] >= 0);
      if (comes_first(other, key)) key = other, best_row = r;
    }
    const int best = max(best_lane<32>(key), 0);
    __syncthreads();
    candidate &to = own->candidates[k % 2][warp];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool is_best = lane == best && best_row == r;
      if (!is_best) continue;
      put<t, 0>(r, to.x, left);
      to.key = key;
      to.inverse = inverse_of(x[r][t]);
      to.factor = make<T>(0);
    }
    __syncthreads();
    key = {0, 0, INT_MAX};
    if (lane < (int)blockDim.x / 32) key = own->candidates[k % 2][lane].key;
    sender = max(best_lane<32>(key), 0);
    p = __shfl_sync(all_lanes, key.row, sender);
    if (blocks == 1) return &own->candidates[k % 2][sender];
    const pivot_key mine = {__shfl_sync(all_lanes, key.high, sender), __shfl_sync(all_lanes, key.low, sender), 0};
    turn_over();
    post<t>(k, left, mine);
    wait();
    key = {0, 0, INT_MAX};
    if (lane < blocks) key = box(turn)[lane].key;
    const int winner = max(best_lane<32>(key), 0);
    p = __shfl_sync(all_lanes, key.row, winner);
    return &box(turn)[winner];
  }

  /* The rest of it: the cluster's choice, the column and the one behind it. */
  template <int t> __device__ __forceinline__ void end(int k, int left)
  {
    constexpr int shift = t == 0 ? U : 0;
    if (k >= steps) return;
    pivot_key key = {0, 0, INT_MAX};
    const candidate *const offers = blocks > 1 ? box(turn) : own->candidates[k % 2];
    if (blocks > 1) wait();
    const int number = blocks > 1 ? blocks : (int)blockDim.x / 32;
    if (lane < number) key = offers[lane].key;
    const bool exists = lane < number;
    const unsigned best = max_of_lanes<32>(key.high), lanes = __ballot_sync(all_lanes, exists && key.high == best),
                   doubts = __ballot_sync(all_lanes, exists && key.high == best && key.low);
    const int winner = __ffs((int)lanes) - 1;
    int p = __shfl_sync(all_lanes, key.row, winner);
    const candidate *u = offers + winner;
    T inverse = u->inverse;
    if (__builtin_expect(((lanes & (lanes - 1)) | doubts) != 0 || !is_usual_pivot<T>(best), 0)) {
      u = choose_closely<t>(k, left, p);
      const T d = u->x[t];
      inverse = u->inverse;
      if (!is_usual_pivot<T>(high_word(d))) {
        inverse = make<T>(1);
        if (is_bad_pivot(d) && !found) found = k + 1;
#pragma unroll
        for (int r = 0; r < R; r++)
          if (d != make<T>(0) && place[r] >= k && place[r] != p) x[r][t] = divide_rarely(x[r][t], d);
      }
    }
    turn_over();
    const T factor = u->factor, *const last = own->rows[(k + 1) % 2] + shift; /* of column k - 1 */
    T next = make<T>(0);
    if constexpr (t + 1 < W)
      if (t + 1 < left) next = k > 0 ? mad(-factor, last[t + 1], u->x[t + 1]) : u->x[t + 1];
    if (threadIdx.x == 0) own->pivots[k] = p;
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] >= k && place[r] != p) {
        if (place[r] == k) place[r] = p;
        x[r][t] = x[r][t] * inverse;
        if constexpr (t + 1 < W) x[r][t + 1] = mad(-x[r][t], next, x[r][t + 1]);
        active |= 1u << r;
      } else if (place[r] == p) {
        place[r] = k;
      }
    }
    if constexpr (t + 1 < W)
      if (k + 1 < steps) offer<t + 1>(k + 1, left);
    static_assert(W <= 32, "a column per lane");
    if (const int c = threadIdx.x; c > t && c < left)
      own->rows[k % 2][c] = k > 0 ? mad(-factor, last[c], u->x[c]) : u->x[c];
  }

  /* Subtracts the pivot row of column k, which was x[.][t], from the columns behind the next. */
  template <int t> __device__ __forceinline__ void finish(int k, int left)
  {
    if (k + 1 < steps) /* nothing is behind the last pivot, nor a barrier */
      base::template subtract<t>(own->rows[k % 2], left);
  }
  template <int t> __device__ __forceinline__ void advance(int k, int left)
  {
    begin<t>(k, left);
    finish<t - 1>(k - 1, left);
    end<t>(k, left);
  }
  /* The strip in registers. */
  __device__ __forceinline__ void factor()
  {
    active = 0;
    offer<0>(0, W);
#pragma unroll 1
    for (int k = 0; k < W; k += U) {
      const int left = W - k;
      begin<0>(k, left);
      if (k > 0) {
        finish<U - 1>(k - 1, left + U);
        rotate();
      }
      end<0>(k, left);
      advance<1>(k + 1, left);
      if constexpr (U == 4) {
        advance<2>(k + 2, left);
        advance<3>(k + 3, left);
      }
    }
    rotate();
  }
};

/* In complex types the chain is longer with it than without. */
template <class T, int W, int R, int THREADS>
using lu_chain = std::conditional_t<is_complex<T>, cluster_lu<T, W, R, THREADS>, quick_lu<T, W, R, THREADS>>;

/* Calls f(kernel, W, blocks, rows of a block, threads) for matrices of m rows. */
template <class T, class F> auto with_lu_cluster(int m, F f)
{
  const int blocks = lu_cluster_blocks(m), rows = (int)ceil_div(m > 0 ? m : 1, blocks);
  const auto call = [&](auto kernel, int width, int R) {
    return f(kernel, width, blocks, rows, (int)ceil_div(ceil_div(rows, R), 32) * 32);
  };
#define CALL(threads, R) \
  call(getrf_cluster<T, lu_cluster_width<T>(threads, R), R, threads, \
                     lu_chain<T, lu_cluster_width<T>(threads, R), R, threads>>, \
       lu_cluster_width<T>(threads, R), R)
  if (rows <= 256) return CALL(256, 1);
  if (rows <= 512) return CALL(512, 1);
  if (rows <= 1024) return CALL(512, 2);
  if (rows <= 2048) return CALL(512, 4);
  return CALL(512, 8);
#undef CALL
}

} // namespace batched_cuda::lu

#endif
