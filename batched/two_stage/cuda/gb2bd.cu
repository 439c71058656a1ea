/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gb2bd.
 */
#include "batched/two_stage/cuda/gb2bd.cuh"

namespace batched_cuda::two_stage
{
namespace
{

template <class T> gb2bd_task<T> task_of(const batched_gb2bd_args &p)
{
  const bool vectors = p.job == BATCHED_VECTORS, upper = p.uplo == BATCHED_UPPER;
  return {upper,
          vectors,
          p.kd,
          view<T>(p.ab),
          view<real_of<T>>(p.d),
          view<real_of<T>>(p.e),
          vectors ? view<T>(upper ? p.vq : p.vp) : batch<T>(),
          vectors ? view<T>(upper ? p.vp : p.vq) : batch<T>()};
}

/* Lanes of a team, and threads of a block: as many teams as there are sweeps in flight. */
int lanes_of(int kd)
{
  return kd <= 8 ? 8 : kd <= 16 ? 16 : 32;
}
int threads_of(int n, int kd)
{
  const int threads = sweeps_in_flight(n, kd) * lanes_of(kd);
  return threads < 64 ? 64 : threads > 512 ? 512 : (threads + 31) / 32 * 32;
}

template <class T> int run(batched_ctx *ctx, const batched_gb2bd_args &p, int64_t blocks, T *slots)
{
  const int n = p.ab.n, kd = clamp_width(n, p.kd), lanes = lanes_of(kd);
  const int64_t elements = general_elements(n, kd);
  const auto go = [&](auto kernel) {
    return launch(ctx, kernel, blocks, threads_of(n, kd), slots ? 0 : (size_t)elements * sizeof(T), task_of<T>(p),
                  slots, elements);
  };
  return lanes == 8    ? go(chase_general_bulges<T, 8>)
         : lanes == 16 ? go(chase_general_bulges<T, 16>)
                       : go(chase_general_bulges<T, 32>);
}

bool fits_shared(const batched_gb2bd_args &p)
{
  const int64_t elements = general_elements(p.ab.n, clamp_width(p.ab.n, p.kd));
  return (size_t)elements * batched_element_bytes(p.ab.type) + 1024 <= most_shared();
}
int shared(batched_ctx *ctx, const batched_gb2bd_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return run<decltype(t)>(ctx, p, p.ab.count, nullptr); });
}

int block(batched_ctx *ctx, const batched_gb2bd_args &p)
{
  return with_type(p.ab.type, [&](auto t) {
    using T = decltype(t);
    const size_t each = (size_t)general_elements(p.ab.n, clamp_width(p.ab.n, p.kd)) * sizeof(T);
    const int64_t most = 4 * multiprocessors(), blocks = p.ab.count < most ? p.ab.count : most;
    T *const slots = static_cast<T *>(batched_scratch_push(ctx, each * (size_t)blocks));
    if (!slots) return (int)BATCHED_NO_MEMORY;
    const int status = run(ctx, p, blocks, slots);
    batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::two_stage

using namespace batched_cuda;
using namespace batched_cuda::two_stage;

const batched_variant batched_gb2bd_cuda[] = {
  row<fits_shared, nullptr, shared>("cuda.shared"),
  row<nullptr, nullptr, block>("cuda.block"),
  BATCHED_LAST_ROW,
};
