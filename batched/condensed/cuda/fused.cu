/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.fused of gebrd, hetrd and gehrd, for all types.
 */
#include "batched/condensed/cuda/fused.cuh"

namespace batched_cuda::condensed
{

#define INSTANCES(...) \
  template bool fits_fused(const gebrd_task<__VA_ARGS__> &); \
  template int run_fused(batched_ctx *, const gebrd_task<__VA_ARGS__> &); \
  template bool fits_fused(const hetrd_task<__VA_ARGS__> &); \
  template int run_fused(batched_ctx *, const hetrd_task<__VA_ARGS__> &); \
  template bool fits_fused(const gehrd_task<__VA_ARGS__> &); \
  template int run_fused(batched_ctx *, const gehrd_task<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANCES)
#undef INSTANCES

} // namespace batched_cuda::condensed
