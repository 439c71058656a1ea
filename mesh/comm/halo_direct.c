/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/halo_direct.h"

#include <stdlib.h>

#include "mesh/comm/comm.h"

/* Byte i of the probe that `rank` sends. */
static unsigned char probe_byte(size_t i, int rank)
{
  return (unsigned char)(31 * i + i / 251 + 7 * (size_t)rank + 1);
}

/* Sends `bytes` bytes around the ring of ranks, from the device's memory to the device's memory; true: they arrived. */
static bool probe(batched_ctx *ctx, unsigned char *host, char *device, size_t bytes)
{
  const int size = comm_size(), rank = comm_rank(), from = (rank + size - 1) % size;
  for (size_t i = 0; i < bytes; i++) host[i] = probe_byte(i, rank);
  bool ok = batched_copy_from_host(ctx, device, host, bytes) == BATCHED_SUCCESS;
  ok = batched_fill_zero(ctx, device + bytes, bytes) == BATCHED_SUCCESS && ok;
  ok = batched_synchronize(ctx) == BATCHED_SUCCESS && ok;
  comm_shift(device, device + bytes, bytes);
  ok = batched_copy_to_host(ctx, host, device + bytes, bytes) == BATCHED_SUCCESS && ok;
  for (size_t i = 0; ok && i < bytes; i++) ok = host[i] == probe_byte(i, from);
  return ok;
}

/* Short messages and long ones travel by different ways.  An MPI that doesn't say that it may never gets to see the
 * device's memory: it would crash. */
bool halo_direct(batched_ctx *ctx)
{
  static const size_t sizes[] = {8, 3000, 1 << 20};
  const size_t most = 1 << 20;
  if (comm_size() == 1 || comm_worst(!comm_takes_device_memory())) return false;
  unsigned char *host = malloc(most);
  char *device = batched_allocate(ctx, 2 * most);
  bool ok = !comm_worst(!(host && device));
  for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) ok = !comm_worst(!probe(ctx, host, device, sizes[i]));
  batched_release(ctx, device);
  free(host);
  return ok;
}
