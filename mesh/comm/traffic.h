/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters of what this process sends to other ranks and waits for, since it began.  GPUs that write into each other's
 * memory (cuda/peers.cuh) pass them by.  Not collective.
 */
#ifndef MESH_COMM_TRAFFIC_H
#define MESH_COMM_TRAFFIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct comm_traffic {
  int64_t messages, bytes;                /* that halos sent */
  int64_t reductions;                     /* sums, minima and maxima over all ranks */
  double halo_seconds, reduction_seconds; /* in MPI, for these */
} comm_traffic;

comm_traffic comm_traffic_so_far(void);
/* Traffic since `before`. */
comm_traffic comm_traffic_since(comm_traffic before);

/* For halo.c: so many messages of so many bytes together were posted or waited for in so many seconds. */
void comm_traffic_add(int messages, int64_t bytes, double seconds);

#ifdef __cplusplus
}
#endif

#endif
