/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/core_wait.h"

#include <stdio.h>

double core_wait_seconds(void)
{
  unsigned long long ran, waited; // nanoseconds
  FILE *from = fopen("/proc/thread-self/schedstat", "r");
  if (!from) return -1;
  const int n = fscanf(from, "%llu %llu", &ran, &waited);
  fclose(from);
  return n == 2 ? 1e-9 * (double)waited : -1;
}
