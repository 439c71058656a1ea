/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches of cuda.panels (s, c, z) and cuda.blocked for geqrf, ungqr and unmqr.
 */
#include "batched/qr/cuda/blocked.cuh"
#include "batched/qr/cuda/panels.cuh"
#include "batched/vectors/cuda/aligned.cuh"

namespace batched_cuda::qr
{

/* Most rows per thread, which leaves two or three blocks per SM. */
template <class T> static constexpr int most_rows = sizeof(T) == 16 ? 16 : 32;

bool panels_fit(batched_type type, int rows)
{
  if (rows > (type == BATCHED_Z ? 512 : 1024)) return false;
  if (type == BATCHED_D) return strips_fit(rows);
  const size_t size = type == BATCHED_S ? sizeof(float) : type == BATCHED_C ? sizeof(complex<float>) : 16;
  int padded = 32;
  while (padded < rows) padded *= 2;
  return panel_bytes(padded, size) <= most_shared();
}

template <int LANES, int ROWS, class T> static int run_shape(batched_ctx *ctx, panel_args<T> g)
{
  const bool applies = g.job == APPLY_LEFT || g.job == APPLY_RIGHT;
  const int others = g.job == APPLY_LEFT ? g.c.n : g.job == APPLY_RIGHT ? g.c.m : g.a.n;
  const int columns = g.few || LANES == 32 || (LANES == 4 && others <= 16) ? 16 : 32;
  g.strips = applies ? (int)ceil_div(others, columns) : 1;
  using shape = panel_shape<LANES, ROWS, T>;
  return launch(ctx, run_in_panels<LANES, ROWS, T>, g.a.count * g.strips, columns * LANES, shape::bytes, g);
}

template <class T> static int run_shapes(batched_ctx *ctx, const panel_args<T> &g)
{
  constexpr int most = most_rows<T>;
  const int m = g.job == APPLY_LEFT ? g.c.m : g.job == APPLY_RIGHT ? g.c.n : g.a.m;
  const int others = g.job == APPLY_LEFT ? g.c.n : g.job == APPLY_RIGHT ? g.c.m : g.a.n;
  if (m <= 32) return run_shape<4, 8>(ctx, g);
  if (m <= 64) return run_shape<4, 16>(ctx, g);
  if constexpr (most == 32) {
    if (m <= 128) return run_shape<4, most>(ctx, g);
    if (m <= 256) return run_shape<8, most>(ctx, g);
    if (m <= 512 && others > 64) return run_shape<16, most>(ctx, g);
    if (m <= 512) return run_shape<32, 16>(ctx, g); /* tall and narrow: more threads per column */
  } else {
    if (m <= 128) return run_shape<8, 16>(ctx, g);
    if (m <= 256) return run_shape<16, 16>(ctx, g);
  }
  return run_shape<32, most>(ctx, g);
}

template <class T> static int run_job(batched_ctx *ctx, const panel_args<T> &g)
{
  if constexpr (sizeof(real_of<T>) == 8 && !is_complex<T>)
    return run_strips(ctx, g);
  else
    return run_shapes(ctx, g);
}

template <class T>
int run_panels(batched_ctx *ctx, panel_job job, bool adjoint, const batch<T> &a, const batch<T> &tau, const batch<T> &c)
{
  return run_job(ctx, panel_args<T>{job, adjoint, a, tau, c, tau.m > 0 && tau.n > 0, 1, false});
}

/* At most 32 columns. */
template <class T> static int factor_block(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  if (panels_fit<T>(a.m)) return run_job(ctx, panel_args<T>{FACTOR, true, a, tau, a, true, 1, true});
  return launch(ctx, factor_columns<T>, a.count, column_threads, 0, a, tau);
}

/* Columns that are applied at once, of uniform matrices in double precision whose columns cuda.panels holds. */
static int wide_columns(int rows)
{
  return rows > 1000 ? 128 : 64;
}
static bool takes_wide_blocks(const batch<double> &a, const batch<double> &tau)
{
  const int least = 2 * wide_columns(a.m);
  return !a.is_variable() && !tau.is_variable() && a.n > least && a.m > least && panels_fit<double>(a.m);
}

template <class T>
int run_columns(batched_ctx *ctx, panel_job job, bool adjoint, const batch<T> &a, const batch<T> &tau,
                const batch<T> &c)
{
  const bool left = job == APPLY_LEFT;
  if constexpr (std::is_same_v<T, double>)
    if (job == FACTOR && takes_wide_blocks(a, tau))
      return vectors::with_aligned_columns(ctx, a, [&](const batch<T> &x) {
        const auto factor = [&](const batch<T> &y, const batch<T> &t) {
          return run_panels(ctx, FACTOR, true, y, t, y);
        };
        return x.m <= resident_rows ? factor_by_resident_blocks(ctx, x, tau, factor)
                                    : factor_by_wide_blocks(ctx, wide_columns(x.m), x, tau, factor);
      });
  if (job == FACTOR && a.n > reflectors_width && a.m > reflectors_width)
    return factor_by_blocks(ctx, a, tau, [&](const batch<T> &x, const batch<T> &t) { return factor_block(ctx, x, t); });
  if (job == GENERATE && a.n > reflectors_width) return generate_by_blocks(ctx, a, tau);
  if (job != FACTOR && job != GENERATE && a.n > reflectors_width / 4 && (left ? c.m : c.n) > reflectors_width)
    return multiply_by_blocks(ctx, left, adjoint, a, tau, c);
  if (job == FACTOR) return launch(ctx, factor_columns<T>, a.count, column_threads, 0, a, tau);
  if (job == GENERATE) return launch(ctx, generate_columns<T>, a.count, column_threads, 0, a, tau);
  const int others = left ? c.n : c.m;
  return launch(ctx, apply_columns<T>, ceil_div(c.count * others, column_threads / 32), column_threads, 0, left,
                adjoint, others, a, tau, c);
}

#define INSTANCES(...) \
  template int run_panels(batched_ctx *, panel_job, bool, const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &, \
                          const batch<__VA_ARGS__> &); \
  template int run_columns(batched_ctx *, panel_job, bool, const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &, \
                           const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANCES)
#undef INSTANCES

} // namespace batched_cuda::qr
