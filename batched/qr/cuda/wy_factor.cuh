/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR of a matrix by a block of threads, strip by strip or in groups of neighbouring strips.
 */
#ifndef BATCHED_QR_CUDA_WY_FACTOR_CUH
#define BATCHED_QR_CUDA_WY_FACTOR_CUH

#include "batched/qr/cuda/wy_cholesky.cuh"

namespace batched_cuda::qr
{

struct wy_args {
  panel_args<double> g;
  int warps, strips, parts; /* parts: blocks of threads that share a C */
  int stages, rows;         /* blocks of reflectors in shared memory at a time, where strips come in groups */
  int blocks;               /* of reflectors, at most, in a matrix */
  double *kept;             /* those of each block of threads' matrix, for later groups */
  unsigned long long *next; /* how many matrices were taken after the blocks' first ones; NULL: there are no more */
};

template <int SLICES, int WARPS> static __device__ void open_strip(wy_strip<SLICES, WARPS> &x, const wy_args &w)
{
  const int warp = warp_index();
  x.lane = threadIdx.x % 32;
  x.g = x.lane / 4;
  x.t = x.lane % 4;
  x.warps = WARPS ? WARPS : w.warps;
  x.own = warp % x.warps;
  x.turn = 0;
  x.meeting = {1u + warp / x.warps, 0};
  x.exchange = shared_array<double>() + warp / x.warps * x.exchanged(x.warps);
}

/* What the warps of a strip exchange comes first in shared memory, then what the jobs need. */
static DEVICE int exchanged(const wy_args &w)
{
  return w.strips * wy_strip<1, 0>::exchanged(w.warps);
}
static __device__ double *triangles_of(const wy_args &w)
{
  return shared_array<double>() + exchanged(w);
}

/* The rows of R that are ready, and the beginning of the panel below them, if it has a part in the k reflectors: what
 * is found from its products, if it can be: *shared.flag. */
template <int SLICES, int WARPS>
static __device__ __forceinline__ void begin_panel(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, wy_matrix strip,
                                                   int j0, int k, const wy_stage *room)
{
  const int rows = strip.m, count = min(wy_width, k - j0);
  strip.m = j0 < k ? j0 : rows;
  recompute(strip.at, strip.col);
  x.template write<use::once>(strip);
  if (j0 >= k) return;
  wy_panel<SLICES, WARPS> panel(x, shared, j0, rows, room);
  wy_gram<SLICES, WARPS> by_products(panel);
  if (count == wy_width && rows - j0 >= by_products.fewest_rows)
    by_products.begin();
  else if (x.own == 0)
    *shared.flag = 0;
}

/* The rest of it. */
template <int SLICES, int WARPS>
static __device__ __forceinline__ void finish_panel(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, int rows,
                                                    int count, const wy_stage *room, bool by_gram)
{
  wy_panel<SLICES, WARPS> panel(x, shared, x.slice_from((rows + 7) / 8));
  if (by_gram)
    wy_gram<SLICES, WARPS>(panel).finish(room);
  else
    panel.factor(count);
}

/* What form_triangle() needs, where no other strip can find it from products. */
template <int SLICES, int WARPS>
static __device__ __forceinline__ void make_gram(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, int rows)
{
  wy_panel<SLICES, WARPS> panel(x, shared, x.slice_from((rows + 7) / 8));
  wy_gram<SLICES, WARPS>(panel).make_gram();
}

template <int SLICES, int WARPS>
static __device__ __forceinline__ void write_tau(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, const wy_args &w,
                                                 int64_t b, int j0, int k)
{
  if (x.own == 0 && x.lane < k - j0 && x.lane < wy_width)
    w.g.tau.at(b)[(j0 + x.lane) * (int64_t)w.g.tau.increment(b)] = shared.taus[x.lane];
}

/* again: will V be read? */
template <bool again, int SLICES, int WARPS>
static __device__ __forceinline__ void write_panel(wy_strip<SLICES, WARPS> &x, wy_matrix strip, int j0, int k)
{
  if (j0 >= k) return;
  strip.at += j0;
  strip.m -= j0;
  recompute(strip.at, strip.col);
  x.template write<again ? use::again : use::once>(strip);
}

template <int SLICES, int WARPS> static __device__ void factor_matrix(const wy_args &w, int64_t b)
{
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n);
  if (n == 0) return;
  double *const triangles = triangles_of(w), *const a = w.g.a.at(b);
  const wy_shared shared(triangles + wy_packed * w.blocks, x.warps);
  const int64_t ld = w.g.a.leading(b);
  wy_reflectors v = {a, ld, 0, k, m, wy_reflectors::is_aligned(a, ld)};
  for (int j0 = 0; j0 < n; j0 += wy_width) {
    const wy_matrix strip = {a + j0 * ld, 1, ld, m, n - j0};
    x.read(strip);
    for (v.i0 = 0; v.i0 < j0 && v.i0 < k; v.i0 += wy_width) x.apply(v, triangles + wy_packed * (v.i0 / wy_width), true);
    const int own = x.own;
    begin_panel(x, shared, strip, j0, k, nullptr);
    x.sync();
    if (j0 < k) {
      const bool by_gram = __shfl_sync(0xffffffffu, *shared.flag != 0, 0);
      const int count = min(wy_width, k - j0);
      finish_panel(x, shared, m - j0, count, nullptr, by_gram);
      write_panel<true>(x, strip, j0, k);
      if (by_gram && j0 + wy_width < n) make_gram(x, shared, m - j0);
      write_tau(x, shared, w, b, j0, k);
      if (x.own == 0 && j0 + wy_width < n)
        form_triangle(shared.gram, shared.taus, count, triangles + wy_packed * (j0 / wy_width));
    }
    x.own = own;
    __syncthreads();
  }
}

/* What the stages of a block wait for: `barrier` is the address of the first one's barrier, bit i of `parities` is the
 * phase of that of stage i. */
struct wy_arrivals {
  unsigned barrier;
  int parities;

  __device__ __forceinline__ void load(int i, double *to, const double *from, int bytes) const
  {
    barrier_arrive_expecting(barrier + 8 * i, bytes);
    bulk_load(shared_address(to), from, bytes, barrier + 8 * i);
  }
  __device__ __forceinline__ void wait(int i)
  {
    barrier_wait(barrier + 8 * i, parities >> i & 1);
    parities ^= 1 << i;
  }
};

/* The same by groups of neighbouring strips.  Each block of reflectors passes through shared memory to all strips of
 * the group: those of earlier groups from where they are kept, the next one on its way while one is applied; the
 * group's own straight from the strip that made them.  Of the two places for a block, the one that the group's first
 * strip does not take is filled with the first block for the next group, as soon as that strip is done.  While one
 * strip finishes its panel, the other makes T.  take(): asks for the block's next matrix, once. */
template <int SLICES, int WARPS, class F>
static __device__ void factor_by_groups(const wy_args &w, int64_t b, wy_meeting &meeting, wy_arrivals &arrivals, F take)
{
  using gram = wy_gram<SLICES, WARPS>;
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  x.meeting = meeting;
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n), own = warp_index() / WARPS;
  if (n == 0) return take();
  double *const triangles = triangles_of(w), *const memory = triangles + wy_packed * w.blocks;
  const wy_shared shared(memory, WARPS);
  double *const stages = memory + wy_shared::size(WARPS);
  double *const kept = w.kept + blockIdx.x * wy_kept(w.blocks, w.rows);
  int phase = 0;
  const auto place = [&](int at) { return (at / wy_width + phase) % 2; };
  const auto stage = [&](int at) {
    const int front = wy_stage::front<WARPS>, size = wy_stage::size<WARPS>(w.rows);
    return wy_stage{stages + place(at) * size + front * wy_width, at, m};
  };
  const auto fetch = [&](int at) {
    if (threadIdx.x != 0) return;
    const wy_stage to = stage(at);
    arrivals.load(place(at), to.at, kept + wy_kept(at / wy_width, w.rows), to.bytes(to.padded<WARPS>()));
  };
  /* What has been read is another block's place soon, which a bulk copy fills. */
  const auto apply = [&](int at) {
    x.apply(stage(at), triangles + wy_packed * (at / wy_width), true);
    bulk_fence();
  };
  double *const a = w.g.a.at(b);
  const int64_t lda = w.g.a.leading(b);
  if constexpr (WARPS > 1)
    for (int i = threadIdx.x; i < w.stages * wy_block; i += blockDim.x)
      stages[i % wy_block + i / wy_block * wy_stage::size<WARPS>(w.rows)] = 0;
  for (int first = 0; first < n; first += wy_width * w.strips) {
    const int j0 = first + wy_width * own, last = min(first, k), next = first + wy_width * w.strips;
    const wy_matrix strip = {a + j0 * lda, 1, lda, m, n - j0};
    if (first == 0 && j0 < n) x.read(strip);
    for (int at = 0; at < last; at += wy_width) {
      arrivals.wait(place(at));
      __syncthreads();
      if (at + wy_width < last) fetch(at + wy_width);
      if (j0 < n) apply(at);
    }
    if (next >= n) take();
    if (x.own == 0 && x.lane < min(wy_width, n - next - wy_width * own))
      prefetch(strip.at + (wy_width * w.strips + x.lane) * lda, m);
    for (int at = first; at < n && at < first + wy_width * w.strips; at += wy_width) {
      const bool publishes = j0 + wy_width < min(n, next), mine = at == j0, wants = at < j0 && at < k && j0 < n;
      const bool makes = x.own == 0 && at < k && at + wy_width < n;
      const wy_stage here = stage(at), room = {publishes ? here.at : stage(first).at, at, m};
      double *const triangle = triangles + wy_packed * (at / wy_width);
      const int count = min(wy_width, k - at);
      if (mine) begin_panel(x, shared, strip, j0, k, &room);
      __syncthreads(); /* what was found from products is there */
      const bool by_gram = __shfl_sync(0xffffffffu, at < k && *shared.flag != 0, 0);
      if (mine && j0 < k) {
        finish_panel(x, shared, m - j0, count, &room, by_gram);
        if (publishes) publish(x, room.at, here.padded<WARPS>(), count);
      } else if (!mine && by_gram && makes) {
        double *const others = shared_array<double>() + (at - first) / wy_width * x.exchanged(WARPS);
        gram::form_triangle_of(shared, gram::lower_part(shared, others), WARPS, triangle);
      }
      if (mine) write_tau(x, shared, w, b, j0, k);
      __syncthreads(); /* V is there, and T if it came from products */
      if (!by_gram) {
        if (mine && makes) form_triangle_by_halves(shared.gram, shared.taus, count, triangle);
        __syncthreads();
      }
      if (mine) {
        if (j0 < k && next < n) publish(x, kept + wy_kept(j0 / wy_width, w.rows), here.padded<WARPS>(), count);
        write_panel<false>(x, strip, j0, k);
        const int j1 = j0 + wy_width * w.strips;
        if (j1 < n) x.read({a + j1 * lda, 1, lda, m, n - j1});
        bulk_fence_all();
        if (own == 0 && next < n) {
          if (first == 0) x.sync(); /* the block is the one just kept */
          phase = 1 - phase;
          fetch(0);
          phase = 1 - phase;
        }
      } else if (wants) {
        apply(at);
      }
    }
    phase = 1 - phase;
  }
  meeting = x.meeting;
}

} // namespace batched_cuda::qr

#endif
