/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "solvers/checksums.h"
#include "solvers/tables.h"

static void add(const solver_checksum_args *a)
{
  const char *at = a->data;
  uint64_t sum = 0, word;
  const size_t words = a->bytes / sizeof word, left = a->bytes % sizeof word;
  for (size_t i = 0; i < words; i++) {
    memcpy(&word, at + i * sizeof word, sizeof word); // a vector load in the compiler's hands
    sum += word;
  }
  word = 0;
  memcpy(&word, at + words * sizeof word, left);
  *a->sum += sum + word;
}

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_checksums_args *a = p;
  for (int i = 0; i < a->n; i++) add(&a->each[i]);
  return BATCHED_SUCCESS;
}

const batched_variant solver_host_checksum[] = {
  {.name = "host.ref", .run = run_ref},
  {0},
};
