/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of gebrd, hetrd and gehrd, for all types.
 */
#include "batched/condensed/cuda/registers.cuh"

namespace batched_cuda::condensed
{

#define INSTANCES(...) \
  template bool fits_in_registers(const gebrd_task<__VA_ARGS__> &); \
  template int run_in_registers(batched_ctx *, const gebrd_task<__VA_ARGS__> &); \
  template bool fits_in_registers(const hetrd_task<__VA_ARGS__> &); \
  template int run_in_registers(batched_ctx *, const hetrd_task<__VA_ARGS__> &); \
  template bool fits_in_registers(const gehrd_task<__VA_ARGS__> &); \
  template int run_in_registers(batched_ctx *, const gehrd_task<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANCES)
#undef INSTANCES

} // namespace batched_cuda::condensed
