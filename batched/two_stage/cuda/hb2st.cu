/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of hb2st.
 */
#include "batched/two_stage/cuda/hb2st.cuh"

namespace batched_cuda::two_stage
{
namespace
{

template <class T> hb2st_task<T> task_of(const batched_hb2st_args &p)
{
  const bool vectors = p.job == BATCHED_VECTORS;
  return {p.uplo == BATCHED_LOWER,
          vectors,
          p.kd,
          view<T>(p.ab),
          view<real_of<T>>(p.d),
          view<real_of<T>>(p.e),
          vectors ? view<T>(p.v) : batch<T>()};
}

bool fits_shared(const batched_hb2st_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return chase_fits_shared(task_of<decltype(t)>(p)); });
}
int shared(batched_ctx *ctx, const batched_hb2st_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return chase_in_shared(ctx, task_of<decltype(t)>(p)); });
}

/* Bytes of shared memory beside the band, less than so many. */
constexpr size_t other_shared = 4 << 10;

/* Where a multiprocessor has room for one band, and its caches for two, row cuda.block has two there (kd = 16, values,
 * H200, 2026-11-30, ms of 1000: d 440 and 512 9.0 and 11.8 for 11.8 and 14.3 in shared memory, 576 19.4 for 17.0; z 256
 * 8.1 for 11.3, 320 16.3 for 15.2; c 512 15.8 for 19.6, 640 30.7 for 26.8).  Of one turn of bands, and of three, it is
 * slower by a tenth; real results have the same bits, so that this may depend on the count. */
bool likes_shared(const batched_hb2st_args &p)
{
  return holds_for(p.ab.type, [&](auto t) {
    const size_t bytes = (size_t)2 * 16 * (size_t)p.ab.n * sizeof(t);
    const bool measured = p.job == BATCHED_VALUES && p.kd == 16 && sizeof(t) >= 8;
    const bool twice = bytes + other_shared > half_shared() && bytes <= (size_t)128 << 10;
    return !(measured && twice && (batched_is_complex(p.ab.type) || p.ab.count >= 500));
  });
}
int block(batched_ctx *ctx, const batched_hb2st_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return chase_in_scratch(ctx, task_of<decltype(t)>(p)); });
}

bool fits_native(const batched_hb2st_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return chase_fits_natively(task_of<decltype(t)>(p)); });
}
int native(batched_ctx *ctx, const batched_hb2st_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return chase_with_grid(ctx, task_of<decltype(t)>(p)); });
}

} // namespace
} // namespace batched_cuda::two_stage

using namespace batched_cuda;
using namespace batched_cuda::two_stage;

const batched_variant batched_hb2st_cuda[] = {
  row<fits_native, batched_by_table, native>("cuda.native"),
  row<fits_shared, likes_shared, shared>("cuda.shared"),
  row<nullptr, nullptr, block>("cuda.block"),
  BATCHED_LAST_ROW,
};
