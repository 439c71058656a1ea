/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR of a matrix by a block of threads, strip by strip or in groups of neighbouring strips.
 */
#ifndef BATCHED_CUDA_WY_FACTOR_CUH
#define BATCHED_CUDA_WY_FACTOR_CUH

#include "wy_group.cuh"

namespace batched_cuda
{

struct wy_args {
  panel_args<double> g;
  int warps, strips, parts; /* parts: blocks of threads that share a C */
  int stages;               /* blocks of reflectors in shared memory at a time, where strips come in groups */
  int blocks;               /* of reflectors, at most, in a matrix */
};

template <int SLICES, bool split> static __device__ void open_strip(wy_strip<SLICES, split> &x, const wy_args &w)
{
  const int warp = warp_index();
  x.lane = threadIdx.x % 32;
  x.g = x.lane / 4;
  x.t = x.lane % 4;
  x.warps = split ? w.warps : 1;
  x.own = split ? warp % w.warps : 0;
  x.barrier = 1 + warp / x.warps;
  x.exchange = shared_array<double>() + (split ? warp / w.warps * wy_block * (w.warps + 1) : 0);
}

/* What the warps of strips that are shared exchange comes first in shared memory, then what the jobs need. */
template <bool split> static __device__ double *triangles_of(const wy_args &w)
{
  return shared_array<double>() + (split ? w.strips * wy_block * (w.warps + 1) : 0);
}

/* The rows of R that are ready, and the panel below them, if it has a part in the k reflectors; T, if anything comes
 * after it, when the strip's registers are free. */
template <int SLICES, bool split>
static __device__ __forceinline__ void factor_strip(wy_strip<SLICES, split> &x, const wy_shared &shared,
                                                    wy_matrix strip, const wy_args &w, int64_t b, int j0, int k,
                                                    double *triangle, const wy_stage *stage)
{
  const int own = x.own, rows = strip.m;
  strip.m = j0 < k ? j0 : rows;
  asm volatile("" : "+l"(strip.at), "+l"(strip.col)); /* addresses are cheaper to find again than to keep */
  x.write(strip);
  if (j0 >= k) return;
  wy_panel<SLICES, split> panel(x, shared, j0, rows);
  const int count = min(wy_width, k - j0);
  wy_gram<SLICES, split> by_products(panel);
  const bool is_long = count == wy_width && rows - j0 >= by_products.fewest_rows;
  if (!is_long || !by_products.factor(triangle != nullptr)) panel.factor(count);
  if (stage && triangle) panel.publish_block(stage->at, stage->ld, count);
  strip.at += j0;
  strip.m = rows - j0;
  asm volatile("" : "+l"(strip.at), "+l"(strip.col));
  x.write(strip);
  if (x.own == 0) {
    if (x.lane < count) w.g.tau.at(b)[(j0 + x.lane) * (int64_t)w.g.tau.increment(b)] = shared.taus[x.lane];
    if (triangle) form_triangle(shared.gram, shared.taus, count, triangle);
  }
  x.own = own;
}

template <int SLICES, bool split> static __device__ void factor_matrix(const wy_args &w, int64_t b)
{
  wy_strip<SLICES, split> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n);
  if (n == 0) return;
  double *const triangles = triangles_of<split>(w), *const a = w.g.a.at(b);
  const wy_shared shared(triangles + wy_packed * w.blocks, x.warps);
  const int64_t ld = w.g.a.leading(b);
  wy_reflectors v = {a, ld, 0, k, m, wy_reflectors::is_aligned(a, ld), nullptr};
  for (int j0 = 0; j0 < n; j0 += wy_width) {
    const wy_matrix strip = {a + j0 * ld, 1, ld, m, n - j0};
    x.read(strip);
    for (v.i0 = 0; v.i0 < j0 && v.i0 < k; v.i0 += wy_width) {
      v.triangle = triangles + wy_packed * (v.i0 / wy_width);
      x.apply(v, true);
    }
    factor_strip(x, shared, strip, w, b, j0, k, j0 + wy_width < n ? triangles + wy_packed * (j0 / wy_width) : nullptr,
                 nullptr);
    __syncthreads();
  }
}

/* The same, all strips of a group taking their reflectors from shared memory. */
template <int SLICES, bool split> static __device__ void factor_by_groups(const wy_args &w, int64_t b)
{
  wy_strip<SLICES, split> x;
  open_strip(x, w);
  const int rows = 8 * SLICES * x.warps, step_of_rows = 16 * x.warps;
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n), own = warp_index() / x.warps;
  if (n == 0) return;
  double *const triangles = triangles_of<split>(w), *const memory = triangles + wy_packed * w.blocks;
  const wy_shared shared(memory, x.warps);
  double *const stages = memory + wy_shared::size(x.warps);
  const int ld = wy_stage::leading(rows), size = wy_stage::size(rows);
  const auto stage = [&](int at) { return wy_stage{stages + (at / wy_width % 2) * size + wy_stage::front, ld}; };
  double *const a = w.g.a.at(b);
  const int64_t lda = w.g.a.leading(b);
  wy_reflectors v = {a, lda, 0, k, m, wy_reflectors::is_aligned(a, lda), nullptr};
  for (int i = threadIdx.x; i < w.stages * wy_width * wy_stage::front; i += blockDim.x)
    stages[i % wy_stage::front + i / wy_stage::front * ld] = 0;
  for (int first = 0; first < n; first += wy_width * w.strips) {
    const int j0 = first + wy_width * own, last = min(first, k);
    const wy_matrix strip = {a + j0 * lda, 1, lda, m, n - j0};
    v.i0 = 0;
    if (last > 0) stage(0).fetch(v, step_of_rows);
    if (j0 < n) x.read(strip);
    for (int at = 0; at < last; at += wy_width) {
      wait_copies();
      __syncthreads();
      if (at + wy_width < last) {
        v.i0 = at + wy_width;
        stage(v.i0).fetch(v, step_of_rows);
      }
      const wy_stage here = stage(at);
      if (j0 < n) wy_staged<SLICES, split>{x, here, at, m}.apply(triangles + wy_packed * (at / wy_width));
    }
    for (int at = first; at < n && at < first + wy_width * w.strips; at += wy_width) {
      const wy_stage here = stage(at);
      if (at == j0)
        factor_strip(x, shared, strip, w, b, j0, k,
                     j0 + wy_width < n ? triangles + wy_packed * (j0 / wy_width) : nullptr, &here);
      __syncthreads();
      if (at < j0 && at < k && j0 < n)
        wy_staged<SLICES, split>{x, here, at, m}.apply(triangles + wy_packed * (at / wy_width));
    }
  }
}

} // namespace batched_cuda

#endif
