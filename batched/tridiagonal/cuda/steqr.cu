/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.qr of steqr: eigenvalues, and vectors, of symmetric tridiagonal matrices by implicit QL and QR with
 * Wilkinson's shift, as LAPACK's steqr.  A block per matrix: one lane of warp 0 runs a sweep on the diagonals and logs
 * its rotations, the warp looks for negligible off-diagonals, and the other warps apply the sweep before to the rows
 * of the vectors (logged.cuh).
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     a warp, and with vectors one more thread for each real number in a column of Z, up to 288
 * shared    d, e, two logs of n rotations, n places; Z, too, where it takes up to 36 KB
 * takes     s and d, vectors of all four types, any n and any rows of Z, uniform and variable
 * reads     d, e, z (MULTIPLY); writes d, e, z, info
 * accuracy  |T - Z W Z^T| and orthogonality < 30 n eps
 */
#include "batched/tridiagonal/cuda/ql.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

template <class T>
__global__ void __launch_bounds__(288) steqr_qr(batched_job job, block_room memory, unsigned char *scratch,
                                                batch<real_of<T>> ds, batch<real_of<T>> es, batch<T> zs, int *info)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> parts[9];
  __shared__ int left;
  unsigned char *const own = scratch + blockIdx.x * memory.scratch(), *const fast = shared_array<unsigned char>();
  R *const diagonals = reinterpret_cast<R *>(memory.diagonals_shared ? fast : own);
  R *const vectors = reinterpret_cast<R *>(
    memory.vectors_shared ? fast + memory.diagonals : own + (memory.diagonals_shared ? 0 : memory.diagonals));
  for (int64_t b = blockIdx.x; b < ds.count; b += gridDim.x) {
    const int n = ds.length(b);
    if (n == 0) {
      if (threadIdx.x == 0) info[b] = 0;
      continue;
    }
    R *const d = ds.at(b), *const e = n > 1 ? es.at(b) : nullptr;
    const int64_t incd = ds.increment(b), ince = n > 1 ? es.increment(b) : 1;
    const real_rows<R> z = rows_of(zs, b, job != BATCHED_VALUES);
    const qr_room<R> room = room_at(diagonals, vectors, n);
    const R largest = largest_of(n, d, incd, e, ince, parts);
    const bool finite = largest - largest == 0;
    const R scale = finite ? power_near(largest) : R(1);
    constexpr int between = is_complex<T> ? 2 : 1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      room.d[i] = scale * d[i * incd];
      if (i < n - 1) room.e[i] = scale * e[i * ince];
      room.place[i] = i;
    }
    each_element(finite ? z.rows : 0, n, [&](int r, int j) {
      room.v[r + (int64_t)j * z.rows] = job == BATCHED_MULTIPLY ? z.z[r + j * z.ld] : R(r == between * j);
    });
    if (threadIdx.x == 0) left = 0;
    __syncthreads();
    const bool converged = finite && iterate_ql(room, n, z.rows, z.rows);
    if (converged) {
      rank_values(n, room.d, false, room.place);
    } else if (finite) {
      for (int i = threadIdx.x; i < n - 1; i += blockDim.x)
        if (room.e[i] != 0) atomicAdd(&left, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      d[room.place[i] * incd] = finite ? room.d[i] / scale : not_a_number<R>();
      if (i < n - 1) e[i * ince] = !finite ? not_a_number<R>() : converged ? R(0) : room.e[i] / scale;
    }
    each_element(z.rows, n, [&](int r, int j) {
      z.z[r + room.place[j] * z.ld] = finite ? room.v[r + (int64_t)j * z.rows] : not_a_number<R>();
    });
    if (threadIdx.x == 0) info[b] = finite ? left : n;
    __syncthreads();
  }
}

template <class T> int launch_qr(batched_ctx *ctx, const batched_steqr_args &s)
{
  using R = real_of<T>;
  const batch<R> d = view<R>(s.d);
  const int n = batched_vector_bound(&s.d);
  const int64_t rows = s.job == BATCHED_VALUES ? 0 : (is_complex<T> ? 2 : 1) * (int64_t)s.z.m;
  const block_room memory = block_room::of(diagonals_bytes(n, sizeof(R)), (size_t)rows * (size_t)n * sizeof(R));
  const int64_t blocks = blocks_within(s.d.count, memory.scratch());
  const size_t bytes = memory.scratch() * (size_t)blocks;
  unsigned char *const scratch = bytes > 0 ? static_cast<unsigned char *>(batched_scratch_push(ctx, bytes)) : nullptr;
  if (bytes > 0 && !scratch) return BATCHED_NO_MEMORY;
  const int threads = rows > 0 ? threads_for(rows) : 32;
  const batch<T> z = s.job == BATCHED_VALUES ? batch<T>() : view<T>(s.z);
  const int status =
    launch(ctx, steqr_qr<T>, blocks, threads, memory.shared(), s.job, memory, scratch, d, view<R>(s.e), z, s.info);
  if (scratch) batched_scratch_pop(ctx);
  return status;
}

int qr(batched_ctx *ctx, const batched_steqr_args &s)
{
  return with_type(s.job == BATCHED_VALUES ? s.d.type : s.z.type,
                   [&](auto t) { return launch_qr<decltype(t)>(ctx, s); });
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_steqr_cuda[] = {
  row<nullptr, nullptr, qr>("cuda.qr"),
  BATCHED_LAST_ROW,
};
