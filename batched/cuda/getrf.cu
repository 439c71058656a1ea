/* SPDX-License-Identifier: BSD-3-Clause */
#include "lu_register.cuh"

using namespace batched_cuda;

static int in_registers(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_getrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return run_getrf_register<decltype(t)>(ctx, p); });
}

static bool fits_registers(const void *args)
{
  const auto *p = static_cast<const batched_getrf_args *>(args);
  return p->a.m <= 32 && p->a.n <= 32;
}

const batched_variant batched_getrf_cuda[] = {
  {"cuda.register", fits_registers, nullptr, in_registers},
  BATCHED_LAST_ROW,
};
