/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels_shared of geqrf in s, c and z: Householder QR by a block per matrix, whose reflectors stay in shared
 * memory.
 *
 * Left-looking: each warp takes the next strip of 32 / LANES x COLS columns into registers, LANES lanes per column;
 * applies earlier reflectors as their strips are finished, one after the other, a read of which serves COLS products
 * per lane; and factors it as geqrf_registers.cuh does. No barrier of the block: a warp says that its reflectors are
 * there, so that the updates of later strips overlap a factorisation (look_ahead.cuh).
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     1 to 8 warps, as many as keep an SM busy where shared memory holds few matrices
 * registers ROWS COLS elements of the strip and ROWS of a reflector per thread: 64 + 16 in single precision to 128 rows
 * shared    min(m, n) reflectors of m, their factors; results of a strip per warp
 * takes     s, c, z; m <= 256 (c 192, z 128), any n, while the reflectors fit; uniform and variable
 * reads     a; writes a, tau
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#ifndef BATCHED_QR_CUDA_GEQRF_PANELS_SHARED_CUH
#define BATCHED_QR_CUDA_GEQRF_PANELS_SHARED_CUH

#include "batched/cuda/look_ahead.cuh"
#include "batched/qr/cuda/geqrf_registers.cuh"

namespace batched_cuda::qr
{

/* A warp's results of a strip; offsets in bytes into shared memory, for matrices of at most m x n. */
template <int COLUMNS, class T> struct kept_scratch {
  held_result<T> results[COLUMNS];
  real_of<T> scales[COLUMNS];
};
struct kept_layout {
  int pitch, strips, factors, barriers, scratch, bytes; /* strips: those with reflectors */

  template <int COLUMNS, class T> static kept_layout of(int m, int n, int warps)
  {
    constexpr int V = pack<T>::size;
    const int k = m < n ? m : n;
    const auto aligned = [](int64_t x) { return (x + 15) / 16 * 16; };
    kept_layout at;
    at.pitch = (m + V - 1) / V * V;
    at.strips = (int)ceil_div(k, COLUMNS);
    const int64_t factors = (int64_t)sizeof(T) * at.pitch * k, barriers = aligned(factors + (int64_t)sizeof(T) * k),
                  scratch = aligned(barriers + look_ahead::bytes),
                  bytes = scratch + (int64_t)sizeof(kept_scratch<COLUMNS, T>) * warps;
    at.factors = (int)factors;
    at.barriers = (int)barriers;
    at.scratch = (int)scratch;
    at.bytes = bytes < INT_MAX ? (int)bytes : INT_MAX;
    return at;
  }
};

template <int LANES, int ROWS, int COLS, class T> struct kept_qr {
  using strip = held_qr<LANES, ROWS, COLS, 1, T, true>;
  static constexpr int columns = strip::shape::columns, chunk = strip::chunk;
  const kept_layout &at;
  T *const a, *const tau, *const history, *const factors;
  const int64_t lda, step;
  const int m, n, k;

  __device__ __forceinline__ kept_qr(const kept_layout &at, T *a, int64_t lda, T *tau, int64_t step, int m, int n)
      : at(at), a(a), tau(tau), history(shared_array<T>()),
        factors(reinterpret_cast<T *>(shared_array<unsigned char>() + at.factors)), lda(lda), step(step), m(m), n(n),
        k(min(m, n))
  {
  }
  __device__ __forceinline__ void apply(strip &x, int K) const
  {
#pragma unroll 1
    for (int j = K * columns; j < min(K * columns + columns, k); j++) {
      T v[ROWS];
      const int from = j / chunk;
      x.fetch(history + j * at.pitch, from, v);
      x.template reflect_columns<0>(v, factors[j], from, true);
    }
  }
  __device__ __forceinline__ void run(const look_ahead &order) const
  {
    using scratch = kept_scratch<columns, T>;
    scratch *const own = reinterpret_cast<scratch *>(shared_array<unsigned char>() + at.scratch) + order.warp;
    const int lane = threadIdx.x % 32, strips = (k + columns - 1) / columns;
    strip x(own->results, own->scales, at.pitch);
#pragma unroll 1
    for (int J = order.warp; J * columns < n; J += order.warps) {
      const int j0 = J * columns, count = min((int)columns, k - j0), next = (J + order.warps) * columns + lane;
      T *const p = a + j0 * lda;
      x.read(p, lda, m, n - j0);
      if (lane < columns && next < n) prefetch(a + next * lda, m);
#pragma unroll 1
      for (int K = 0; K < min(J, strips); K++) {
        order.wait(K, J);
        apply(x, K);
      }
      if (J < strips) {
        x.published = history + j0 * at.pitch;
        x.factors = factors + j0;
        x.template stages<0>(count, j0, tau, step);
        order.finish(J);
      }
      __syncwarp();
      x.write(p, lda, m, n - j0, j0, count);
      __syncwarp();
    }
  }
};

template <int LANES, int ROWS, int COLS, int BLOCKS, class T>
static __global__ void __launch_bounds__(32 * look_ahead::most_warps, BLOCKS)
  geqrf_panels_shared(batch<T> a, batch<T> tau, const kept_layout at)
{
  using qr = kept_qr<LANES, ROWS, COLS, T>;
  look_ahead order(shared_array<unsigned char>() + at.barriers);
  __syncthreads();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0, k = min(m, n);
    if (k > 0) qr(at, a.at(b), a.leading(b), tau.at(b), tau.increment(b), m, n).run(order);
    __syncthreads();
    order.end_matrix((k + qr::columns - 1) / qr::columns);
  }
}

/* Calls f(LANES, ROWS, COLS, BLOCKS) with the shape for m rows; of blocks of 8 warps that many share an SM's
 * registers. */
template <class T, class F> int with_kept_shape(int m, F f)
{
#define GO(lanes, rows, cols, blocks) \
  if (m <= lanes * rows) \
    return f(std::integral_constant<int, lanes>(), std::integral_constant<int, rows>(), \
             std::integral_constant<int, cols>(), std::integral_constant<int, blocks>());
  if constexpr (std::is_same_v<T, float>) {
    GO(8, 8, 4, 3)
    GO(8, 12, 4, 2)
    GO(8, 16, 4, 2)
    GO(8, 20, 4, 1)
    GO(8, 24, 4, 1)
    GO(8, 32, 4, 1)
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    GO(8, 8, 4, 2)
    GO(8, 12, 2, 2)
    GO(8, 16, 2, 2)
    GO(16, 12, 4, 1)
  } else if constexpr (std::is_same_v<T, complex<double>>) {
    GO(8, 8, 2, 2)
    GO(16, 8, 2, 2)
  }
#undef GO
  return BATCHED_DOES_NOT_FIT;
}

template <class T> static bool kept_fits(int m, int n)
{
  return m > 0 && n > 0 && with_kept_shape<T>(m, [&](auto lanes, auto, auto cols, auto) {
                             constexpr int columns = 32 / decltype(lanes)::value * decltype(cols)::value;
                             return (size_t)kept_layout::of<columns, T>(m, n, 1).bytes <= most_shared() ? 1 : 0;
                           }) == 1;
}

template <class T> static int launch_geqrf_panels_shared(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  return with_kept_shape<T>(a.m, [&](auto lanes, auto rows, auto cols, auto blocks) {
    constexpr int L = decltype(lanes)::value, R = decltype(rows)::value, C = decltype(cols)::value,
                  B = decltype(blocks)::value, columns = 32 / L * C;
    const auto bytes = [&](int warps) { return kept_layout::of<columns, T>(a.m, a.n, warps).bytes; };
    const int warps =
      look_ahead_warps((int)ceil_div(a.n, columns), look_ahead::most_warps, B * look_ahead::most_warps, bytes);
    return launch(ctx, geqrf_panels_shared<L, R, C, B, T>, a.count, 32 * warps, bytes(warps), a, tau,
                  kept_layout::of<columns, T>(a.m, a.n, warps));
  });
}

} // namespace batched_cuda::qr

#endif
