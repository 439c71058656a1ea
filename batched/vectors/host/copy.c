/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "batched/host/rows.h"
#include "batched/vectors/vectors.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_copy_args *c = args;
  const size_t size = batched_element_bytes(c->y.type);
  for (int64_t b = 0; b < c->y.count; b++) {
    const int m = batched_rows(&c->y, b), n = batched_cols(&c->y, b);
    const size_t ldx = (size_t)batched_ld(&c->x, b), ldy = (size_t)batched_ld(&c->y, b);
    const char *x = batched_at(&c->x, b);
    char *y = batched_at(&c->y, b);
    for (int j = 0; j < n && x != y; j++) {
      const int first = batched_region_first(c->region, j, m), end = batched_region_end(c->region, j, m);
      const size_t from = ((size_t)j * ldx + (size_t)first) * size, to = ((size_t)j * ldy + (size_t)first) * size;
      if (end > first) memcpy(y + to, x + from, (size_t)(end - first) * size);
    }
  }
  return BATCHED_SUCCESS;
}

const batched_variant batched_copy_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
