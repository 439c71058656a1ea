/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pttrf, pttrs and ptsv.
 */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/ptsv_ref.h"
#include "batched/host/each_type.h"

#define REF(op) \
  static int op##_ref(batched_ctx *ctx, const void *args) \
  { \
    (void)ctx; \
    const batched_##op##_args *p = args; \
    return FOR_TYPE(p->e.type, op, p); \
  } \
  const batched_variant batched_##op##_host[] = { \
    {"host.ref", NULL, batched_never, op##_ref}, \
    {0}, \
  };
REF(pttrf)
REF(pttrs)
REF(ptsv)
