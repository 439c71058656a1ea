/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of the set-up and of the results, shared out among the cores that this rank may use.
 */
#ifndef MESH_SHARE_H
#define MESH_SHARE_H

#include <stddef.h>

/* This rank's share of the machine's cores, of those that it may run on.  Collective. */
int comm_share_cores(void);

/* Does what is to be done with [first, end), chunk number `chunk`; must not write what another chunk reads.  Returns a
 * status: 0, or what went wrong, larger being worse. */
typedef int comm_share_task(void *data, int chunk, int first, int end);

/* task for all chunks of `each` of 0, ..., n - 1, on at most this many threads; the worst status.  A task calls neither
 * MPI nor `batched`. */
int comm_share_out(int most, int n, int each, comm_share_task *task, void *data);

/* Memory for large arrays, for free(): in huge pages where the system has them, as it fills each page with zeros when
 * it is touched first, one after the other.  NULL: there is none. */
void *comm_allocate_large(size_t bytes);

#endif
