/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes_qr of heev, with vectors: Householder's reduction to a tridiagonal matrix, QL, and the product of
 * reflectors and rotations (Bowdler, Martin, Reinsch and Wilkinson, "The QR and QL algorithms for symmetric matrices",
 * 1968), each by a kernel with as much of a matrix to a lane as keeps all lanes busy. Shifts are eigenvalues of the
 * block, which take 1.2 sweeps to a value; Wilkinson's take 2.3:
 *
 *   lanes_qr/reduce.cuh    up to three rows per lane, in registers
 *   lanes_qr/iterate.cuh   a matrix per lane; rotations go to a log in scratch memory
 *   lanes_qr/rotate.cuh    as many rows of Z per lane, in registers
 *
 * launches  3, of chunks of as many matrices as have 4 GB of scratch memory; beyond 32 a copy and hetrd instead of
 *           reduce
 * takes     all four types, n <= 32, uniform and variable; s, d and c to 64
 * reads     a (one triangle); writes w (ascending), a (vectors), info
 * scratch   2 n^2 + 16 n rotations, and some vectors, per matrix
 * accuracy  |A - Z W Z^H| and orthogonality < 30 n eps; off-diagonals up to 2 eps times T's largest element
 *           count as zero, as a sweep with an eigenvalue for a shift leaves 1 to 15 eps
 */
#include "batched/eigen/cuda/heev_lanes_qr.cuh"
#include "batched/condensed/condensed.h"
#include "batched/eigen/cuda/lanes_qr/iterate.cuh"
#include "batched/eigen/cuda/lanes_qr/reduce.cuh"
#include "batched/eigen/cuda/lanes_qr/rotate.cuh"
#include "batched/eigen/steps.h"

namespace batched_cuda::eigen
{
namespace
{

template <class T, int N> int launch_reduce(batched_ctx *ctx, const batch<T> &a, bool lower, const lanes_memory<T> &m)
{
  constexpr int mats = lanes_share<T, N>::mats;
  return launch(ctx, lanes_reduce<T, N>, ceil_div(a.count, mats), 32,
                lanes_load_rows<T> ? 0 : (size_t)(mats * (a.n | 1) * a.n) * sizeof(T), a, lower, m);
}

template <class T>
int launch_iterate(batched_ctx *ctx, const batch<real_of<T>> &w, const lanes_memory<T> &m, bool scaled)
{
  const int64_t warps = 4 * multiprocessors();
  const int each = (int)(w.count >= 32 * warps ? 32 : ceil_div(w.count, warps));
  auto *const kernel =
    m.n <= 24 ? lanes_iterate<T, 64> : lanes_iterate<T, 32>; /* short lines where many warps need the room */
  return launch(ctx, kernel, ceil_div(w.count, each), 32, (size_t)(2 * m.n * each) * sizeof(real_of<T>), w, m, each,
                scaled);
}

template <class T, int N>
int launch_rotate(batched_ctx *ctx, const batch<T> &v, bool lower, const batch<T> &z, const batch<real_of<T>> &w,
                  const lanes_memory<T> &m, int *info)
{
  using S = lanes_share<T, N>;
  return launch(ctx, lanes_rotate<T, N>, ceil_div(z.count, S::mats), 32 * S::warps,
                S::mats * sizeof(lanes_rotate_room<T, N>), v, lower, z, w, m, info);
}

/* One matrix, or some, to a warp. */
template <class T, int N> int run_small(batched_ctx *ctx, const batched_heev_args &h, const lanes_memory<T> &m)
{
  const batch<T> a = view<T>(h.a);
  const batch<real_of<T>> w = view<real_of<T>>(h.w);
  int status = launch_reduce<T, N>(ctx, a, h.uplo == BATCHED_LOWER, m);
  if (!status) status = launch_iterate<T>(ctx, w, m, true);
  return status ? status : launch_rotate<T, N>(ctx, a, true, a, w, m, h.info);
}

template <class T> lanes_memory<T> lay_out(batched_pile *pile, int n, int64_t count)
{
  using R = real_of<T>;
  lanes_memory<T> m = {};
  m.n = n;
  m.rotations = (2 * n * n + 15) / 16 * 16 + 16 * n; /* whole lines */
  m.sweeps = lanes_most_sweeps * n;
  const auto take = [&](auto **x, int64_t many) {
    *x = static_cast<std::remove_reference_t<decltype(**x)> *>(
      batched_pile_take(pile, (size_t)(count * many) * sizeof(**x)));
  };
  take(&m.d, n);
  take(&m.e, n);
  take(&m.largest, 1);
  take(&m.tau, n);
  take(&m.log, m.rotations);
  take(&m.extents, m.sweeps);
  take(&m.many, 1);
  static_assert(sizeof(lanes_turn<R>) == 2 * sizeof(R));
  return m;
}

/* Up to order 64, by hetrd. */
template <class T>
int run_large(batched_ctx *ctx, batched_pile *pile, const batched_heev_args &h, const lanes_memory<T> &m)
{
  const int n = h.a.n;
  const int64_t count = h.a.count;
  const batched_sizes sizes = batched_pile_sizes(pile, &h.a);
  const batched_matrix x = batched_pile_matrices(pile, h.a.type, n, n, h.a.ms, h.a.ns, count);
  if (!pile->at) return BATCHED_SUCCESS;
  const auto vectors = [&](batched_type type, void *data, int length, const int *lengths) {
    return batched_with_sizes(batched_make_strided(type, data, length, 1, length, n, count), lengths, NULL, NULL);
  };
  int status = sizes.mins ? batched_eigen_cuda_steps.find_sizes(ctx, &h.a, &sizes) : (int)BATCHED_SUCCESS;
  if (!status) status = batched_copy(ctx, h.a, x);
  if (!status)
    status =
      batched_hetrd(ctx, h.uplo, x, vectors(h.w.type, m.d, n, sizes.mins),
                    vectors(h.w.type, m.e, n - 1, sizes.mins_less), vectors(h.a.type, m.tau, n - 1, sizes.mins_less));
  const batch<T> v = view<T>(x), z = view<T>(h.a);
  const batch<real_of<T>> w = view<real_of<T>>(h.w);
  if (!status) status = launch_iterate<T>(ctx, w, m, false);
  if (status) return status;
  const bool lower = h.uplo == BATCHED_LOWER;
  if (n <= 40) return launch_rotate<T, 40>(ctx, v, lower, z, w, m, h.info);
  if (n <= 48) return launch_rotate<T, 48>(ctx, v, lower, z, w, m, h.info);
  if (n <= 56) return launch_rotate<T, 56>(ctx, v, lower, z, w, m, h.info);
  return launch_rotate<T, 64>(ctx, v, lower, z, w, m, h.info);
}

template <class T> int run_part(batched_ctx *ctx, batched_pile *pile, const batched_heev_args &h)
{
  const lanes_memory<T> m = lay_out<T>(pile, h.a.n, h.a.count);
  if constexpr (sizeof(T) < 16)
    if (h.a.n > 32) return run_large<T>(ctx, pile, h, m);
  if (!pile->at) return BATCHED_SUCCESS;
  if (h.a.n <= 8) return run_small<T, 8>(ctx, h, m);
  if (h.a.n <= 10) return run_small<T, 10>(ctx, h, m);
  if (h.a.n <= 12) return run_small<T, 12>(ctx, h, m);
  if (h.a.n <= 16) return run_small<T, 16>(ctx, h, m);
  if (h.a.n <= 20) return run_small<T, 20>(ctx, h, m);
  if (h.a.n <= 24) return run_small<T, 24>(ctx, h, m);
  if (h.a.n <= 28) return run_small<T, 28>(ctx, h, m);
  return run_small<T, 32>(ctx, h, m);
}

int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const auto &h = *static_cast<const batched_heev_args *>(args);
  return with_type(h.a.type, [&](auto t) { return run_part<decltype(t)>(ctx, pile, h); });
}

} // namespace

bool fits_lanes_qr(const batched_heev_args &h)
{
  return h.job == BATCHED_VECTORS && h.a.n <= (h.a.type == BATCHED_Z ? 32 : 64) &&
         (h.a.n <= 32 || batched_hetrd_cuda[0].name);
}

int lanes_qr(batched_ctx *ctx, const batched_heev_args &h)
{
  return batched_run_in_parts(ctx, &batched_heev_op, drive, &h);
}

} // namespace batched_cuda::eigen
