/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/vectors/host/vendor.h"

#define BODY "batched/vectors/host/axpy_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_axpy_args *a = args;
  return FOR_TYPE(a->y.type, ref, a);
}

const batched_variant batched_axpy_host[] = {
  {"host.ref", NULL, NULL, ref},
  VENDOR_ROW("vendor.blas", batched_never, axpy){0},
};
