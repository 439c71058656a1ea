/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over all blocks of a cooperative launch, which are a barrier of the grid at the same time: each block posts its
 * part of a number to the block that adds up this number, in the order of the blocks, and all wait for the sums. What
 * one block knows alone (`heads`) it posts to all.  Numbers have tags (posted.cuh), and there is no fence: what else
 * blocks have to know of each other they post, too, with the tag of the sums to come.
 *
 *   block   512 threads
 *   shared  65 numbers per warp, and 2 x 130
 *   memory  posted_numbers() of posted<T>, which begin with tag 0
 */
#ifndef BATCHED_CONDENSED_CUDA_GRID_SUMS_CUH
#define BATCHED_CONDENSED_CUDA_GRID_SUMS_CUH

#include "batched/condensed/cuda/panel.cuh"
#include "batched/cuda/posted.cuh"

namespace batched_cuda::condensed
{

constexpr int native_threads = 512, native_warps = native_threads / 32;

/* Two lists of panel_width numbers, behind one. */
constexpr int grid_values = 2 * panel_width + 1, grid_heads = 2 * panel_width + 1;

/* What a block has of it in shared memory. */
template <class T> struct grid_sums_shared {
  T warps[native_warps][grid_values];
  T sum[2][grid_values], head[2][grid_heads];
};

template <class T> struct grid_sums {
  posted<T> *parts, *sums, *heads;
  grid_sums_shared<T> &shared;
  unsigned tag;

  static int64_t posted_numbers(int64_t blocks)
  {
    return 2 * (grid_values * (blocks + 1) + grid_heads);
  }
  __device__ grid_sums(posted<T> *memory, grid_sums_shared<T> &own, unsigned last_tag)
      : parts(memory), sums(parts + 2 * grid_values * (int64_t)gridDim.x), heads(sums + 2 * grid_values), shared(own),
        tag(last_tag)
  {
  }
  /* Numbers 0, 1 + l and 1 + panel_width + l: of the sums that came last. */
  __device__ __forceinline__ T sum(int i) const
  {
    return shared.sum[tag % 2][i];
  }
  __device__ __forceinline__ T head(int i) const
  {
    return shared.head[tag % 2][i];
  }
  /* Where the next ones go: each warp's part of a sum, and the heads. */
  __device__ __forceinline__ T &part(int i) const
  {
    return shared.warps[threadIdx.x / 32][i];
  }
  __device__ __forceinline__ T &next_head(int i) const
  {
    return shared.head[(tag + 1) % 2][i];
  }
  template <bool LARGEST> static __device__ __forceinline__ T merge(T x, T y)
  {
    if constexpr (LARGEST) return real(x) > real(y) || real(x) != real(x) ? x : y;
    return x + y;
  }
  template <bool LARGEST> static __device__ __forceinline__ T merge_all(T x)
  {
    if constexpr (!LARGEST) return sum_lanes(x);
    maximum_of<real_of<T>> most;
    most.value = real(x);
    return make<T>(merge_lanes(most).result());
  }
  /* Exchanges number 0, and the first `first` and `second` of both lists; has_heads: does this block post the heads?
   * with_heads: does one? */
  template <bool LARGEST = false>
  __device__ void exchange(int first, int second, bool has_heads, bool with_heads = true)
  {
    constexpr int heads_from = 128, adding_from = 256, adding_warps = (native_threads - adding_from) / 32, N = 5;
    const int t = threadIdx.x, h = t - heads_from, blocks = (int)gridDim.x;
    const auto is_used = [&](int i) { return i == 0 || (i - 1) % panel_width < (i <= panel_width ? first : second); };
    tag++;
    const int turn = tag % 2;
    const auto part_of = [&](int i, int block) { return parts + (int64_t)(turn * grid_values + i) * blocks + block; };
    __syncthreads();
    if (t < grid_values && is_used(t)) {
      T all = shared.warps[0][t];
#pragma unroll
      for (int w = 1; w < native_warps; w++) all = merge<LARGEST>(all, shared.warps[w][t]);
      post(part_of(t, blockIdx.x), all, tag);
    }
    const bool is_head = with_heads && h >= 0 && h < grid_heads;
    if (has_heads && is_head) post(heads + turn * grid_heads + h, shared.head[turn][h], tag);
    if (t >= adding_from) {
      const int lane = t % 32;
      for (int i = blockIdx.x + (t - adding_from) / 32 * blocks; i < grid_values; i += adding_warps * blocks) {
        if (!is_used(i)) continue;
        T all = make<T>(0);
        for (int b = lane; b < blocks; b += 32 * N) {
          T x[N];
          await(x, tag, [&](int k) { return b + 32 * k < blocks ? part_of(i, b + 32 * k) : nullptr; });
#pragma unroll
          for (int k = 0; k < N; k++) all = merge<LARGEST>(all, x[k]);
        }
        all = merge_all<LARGEST>(all);
        if (lane == 0) post(sums + turn * grid_values + i, all, tag);
      }
    }
    const auto take = [&](const posted<T> *from) {
      T x[1];
      await(x, tag, [&](int) { return from; });
      return x[0];
    };
    if (t < grid_values && is_used(t)) shared.sum[turn][t] = take(sums + turn * grid_values + t);
    if (is_head) shared.head[turn][h] = take(heads + turn * grid_heads + h);
    __syncthreads();
  }
};

} // namespace batched_cuda::condensed

#endif
