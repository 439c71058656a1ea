/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/collective_status.h"

#include "mesh/comm/comm.h"

int collective_status(int status, char *message, size_t size)
{
  const int worst = comm_worst(status);
  if (worst == 0) return 0;
  double first = status == worst ? comm_rank() : comm_size();
  comm_min(&first, 1);
  comm_broadcast(message, size, (int)first);
  return worst;
}
