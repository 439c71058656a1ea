/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack_band and unpack_band.
 */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/pack_band_ref.h"
#include "batched/host/each_type.h"

static int pack_ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_pack_band_args *p = args;
  return FOR_TYPE(p->a.type, pack, p);
}

static int unpack_ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_unpack_band_args *p = args;
  return FOR_TYPE(p->a.type, unpack, p);
}

const batched_variant batched_pack_band_host[] = {
  {"host.ref", NULL, NULL, pack_ref},
  {0},
};
const batched_variant batched_unpack_band_host[] = {
  {"host.ref", NULL, NULL, unpack_ref},
  {0},
};
