/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Failures that tests ask for.
 */
#include <stdatomic.h>

#include "batched/context.h"

static atomic_llong countdown[2] = {-1, -1};

void batched_fail_allocation(int64_t n)
{
  atomic_store(&countdown[BATCHED_ALLOCATION], n);
}

void batched_fail_operation(int64_t n)
{
  atomic_store(&countdown[BATCHED_OPERATION], n);
}

bool batched_told_to_fail(batched_fallible what)
{
  return atomic_load(&countdown[what]) >= 0 && atomic_fetch_sub(&countdown[what], 1) == 0;
}
