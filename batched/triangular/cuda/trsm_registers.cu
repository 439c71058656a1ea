/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A few right-hand sides in the registers of a warp (trsm_registers.cuh).
 */
#include "batched/triangular/cuda/trsm_registers.cuh"

namespace batched_cuda::triangular
{

template <class T, int N>
static int launch_registers(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  const auto kernel = solve_in_registers<T, N>;
  using layout = register_layout<T, N>;
  const int chunks = (int)ceil_div(f.left ? b.n : b.m, layout::columns);
  int resident = 1;
  const int status = allow_shared(reinterpret_cast<const void *>(kernel), layout::bytes);
  if (status) return status;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 32, layout::bytes);
  const int64_t units = b.count * chunks, most = multiprocessors() * std::max(resident, 1);
  return launch(ctx, kernel, std::min(units, most), 32, layout::bytes, f, chunks, conj_if(f.conj, alpha), a, b);
}

template <class T>
int solve_registers(batched_ctx *ctx, triangle_form f, int n, T alpha, const batch<T> &a, const batch<T> &b)
{
  if constexpr (sizeof(T) == 4) {
    if (n <= 16) return launch_registers<T, 16>(ctx, f, alpha, a, b);
    if (n > 40) return launch_registers<T, 48>(ctx, f, alpha, a, b);
    if (n > 32) return launch_registers<T, 40>(ctx, f, alpha, a, b);
  }
  if (n <= 24) return launch_registers<T, 24>(ctx, f, alpha, a, b);
  return launch_registers<T, 32>(ctx, f, alpha, a, b);
}

#define INSTANTIATE(...) \
  template int solve_registers(batched_ctx *, triangle_form, int, __VA_ARGS__, const batch<__VA_ARGS__> &, \
                               const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::triangular
