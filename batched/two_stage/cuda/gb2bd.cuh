/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared, cuda.block and cuda.native of gb2bd: what chase.cuh and chase_native.cuh chase for it, after hb2st.
 * The band, B or B^H (host/gb2bd_ref.h), is an upper one.  A task applies the reflector that the one before left to the
 * kd rows of its inner block from the left, and has one from the right for that block and the one on the diagonal, and
 * one from the left for the latter.
 *
 *   memory     2 kd + 2 elements per column (native: 3 kd), and two vectors and their factors per sweep; in shared
 *              memory d to n = 820, 430 for kd = 16, 32
 *   reads      ab once; writes d, e, and half of vq and of vp
 *   accuracy   |B - Q2 T P2^H| < 30 n eps |B|, of any scale: the largest element is brought near 1 first
 */
#ifndef BATCHED_TWO_STAGE_CUDA_GB2BD_CUH
#define BATCHED_TWO_STAGE_CUDA_GB2BD_CUH

#include "batched/two_stage/cuda/chase_native.cuh"

namespace batched_cuda::two_stage
{

/* A sweep's vectors, with their 1, and tau: v from the left, u from the right. */
template <class T> struct sweep_slots {
  T *v, *u, *tauq, *taup;
};

/* As chase(), where kd is the number of lines of a team: each element is read and written once.  Lines are columns of
 * the inner block, which goes through `near` where FAR, and then rows of the block on the diagonal. */
template <bool FAR, class T, int G, int P>
static __device__ __forceinline__ void chase_held(const team<G, P> &team, const chase_place &p, T *block, int ld,
                                                  const sweep_slots<T> &slot, T *to_left, T *to_right, T *near)
{
  using R = real_of<T>;
  constexpr int L = team.lines, M = L / P;
  const int line = team.line;
  const bool there = line < p.m, stores = to_left && there && team.part == 0;
  T *const column = FAR && p.inner ? near + line * (L + 1) : block + line * ld;
  T x[M];
  if constexpr (FAR) {
#pragma unroll
    for (int e = team.lane; e < L * L; e += G)
      if (p.inner && e / L < p.m) near[e % L + e / L * (L + 1)] = block[e % L + e / L * ld];
    __syncwarp();
  }
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int i = team.element(u);
    x[u] = there && (p.inner || i == 0) ? column[i] : make<T>(0);
  }
  turn_held<true>(team, p.inner, slot.v, slot.tauq, x);
  const held_reflector<T> right = annihilate_held(team, p.m, conj(x[0]), slot.u, slot.taup);
  if (stores) to_right[line] = line == 0 ? right.tau : right.mine;
  turn_across<false>(team, p.m, right, slot.v, x);
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int i = team.element(u);
    if (there && (p.inner || i == 0)) column[i] = i > 0 ? x[u] : make<T>(line == 0 ? right.beta : R(0));
  }
  if constexpr (FAR) {
    __syncwarp();
#pragma unroll
    for (int e = team.lane; e < L * L; e += G)
      if (p.inner && e / L < p.m) block[e % L + e / L * ld] = near[e % L + e / L * (L + 1)];
  }

  T *const diagonal = block + p.height;
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int j = team.element(u);
    x[u] = there && j < p.m ? diagonal[line + j * ld] : make<T>(0);
  }
  turn_held<false>(team, p.m > 0, slot.u, slot.taup, x);
  const held_reflector<T> left = annihilate_held(team, p.m, x[0], slot.v, slot.tauq);
  if (stores) to_left[line] = line == 0 ? left.tau : left.mine;
  turn_across<true>(team, p.m, left, slot.u, x);
#pragma unroll
  for (int u = 0; u < M; u++) {
    const int j = team.element(u);
    if (there && j < p.m) diagonal[line + j * ld] = j > 0 ? x[u] : make<T>(line == 0 ? left.beta : R(0));
  }
  __syncwarp();
}

/* left, right: vectors of the upper band, vq and vp, or the other way round.  WIDE: every element from 2 kd - 1 above
 * the diagonal to kd below it has a place of its own.  Else (i, j) is at i + (2 kd + 1) j, and shares its place with
 * what is 2 kd + 1 rows below in column j - 1: blocks of a column reach over 2 kd rows, those of neighbouring columns
 * begin at most one row apart, and a task leaves zeros where it shrinks them. */
template <class T, bool WIDE> struct gb2bd_task {
  using scalar = T;
  static constexpr bool last_is_row = false;

  bool upper, vectors;
  int kd;
  batch<T> ab;
  batch<real_of<T>> d, e;
  batch<T> left, right;

  static DEVICE int64_t band_elements(int n, int kd)
  {
    return (leading(kd) + 1) * (int64_t)n;
  }
  static DEVICE int slot_elements(int kd)
  {
    return 2 * kd + 2;
  }
  static DEVICE int leading(int kd)
  {
    return WIDE ? 3 * kd - 1 : 2 * kd + 1;
  }
  static DEVICE int origin(int kd)
  {
    return WIDE ? 2 * kd - 1 : 0;
  }
  static DEVICE int64_t block_at(int64_t row, int height, int ld)
  {
    return row - height + row * ld;
  }
  static DEVICE int beside(int ld)
  {
    return ld;
  }

  /* Rows and columns of a task: the inner block, or row, and the block below it. */
  static DEVICE int rows(const chase_place &p)
  {
    return p.height + p.m;
  }
  static DEVICE int cols(const chase_place &p)
  {
    return p.m;
  }
  static DEVICE bool has(const chase_place &, int, int)
  {
    return true;
  }

  template <int N, bool FAR, int G, int P>
  __device__ __forceinline__ void chase(const team<G, P> &team, const chase_place &p, T *block, int ld, T *slot,
                                        T *near) const
  {
    T *const v = slot, *const u = v + p.kd, *const tauq = u + p.kd, *const taup = tauq + 1;
    T *const to_left = vector_at(vectors, left, p), *const to_right = vector_at(vectors, right, p);
    if constexpr (holds_task<T, two_stage::team<G, P>>) {
      if (p.kd == team.lines)
        return chase_held<FAR>(team, p, block, ld, sweep_slots<T>{v, u, tauq, taup}, to_left, to_right, near);
    }
    const two_stage::team<G, (P > 1 ? P / 2 : 1)> of_both; /* blocks: twice as many lines */
    T *const diagonal = block + p.height;
    turn_lines<true, N>(team, 0, p.inner ? p.m : 0, p.kd, block, ld, 1, v, tauq);
    __syncwarp();
    annihilate<true>(team, p.m, block, ld, u, taup);
    turn_lines<false, N>(of_both, 1, p.m > 0 ? p.height + p.m : 0, p.m, block, 1, ld, u, taup);
    __syncwarp();
    annihilate<false>(team, p.m, diagonal, 1, v, tauq);
    turn_lines<true, N>(team, 1, p.m, p.m, diagonal, ld, 1, v, tauq);
    for (int i = team.lane; to_left && i < p.m; i += G) {
      to_left[i] = i == 0 ? *tauq : v[i];
      to_right[i] = i == 0 ? *taup : u[i];
    }
    __syncwarp();
  }
  __device__ real_of<T> load(int64_t b, int n, int width, T *a) const
  {
    const int64_t ld = ab.leading(b), elements = band_elements(n, width);
    const T *const from = ab.at(b);
    maximum_of<real_of<T>> size;
    for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) {
      const int first = WIDE ? 2 * width - 1 : width,
                each = leading(width) + 1; /* rows of a column, from j - first on */
      const int64_t at = e + first - origin(width), j = at / each, i = j + at % each - first;
      T x = make<T>(0);
      if (i >= 0 && i <= j && j - i <= width && j < n)
        x = upper ? from[kd + i - j + j * ld] : conj(from[j - i + i * ld]);
      a[e] = x = i == 0 && j == 0 ? make<T>(real(x)) : x;
      size.add(fabs(real(x)));
      size.add(fabs(imag(x)));
    }
    return scale_band(size, elements, a);
  }
};

} // namespace batched_cuda::two_stage

#endif
