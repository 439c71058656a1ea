/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of vectors on the host, x [ncomp][n]: by messages, or through memory that all ranks share.
 */
#ifndef MESH_HALO_HOST_H
#define MESH_HALO_HOST_H

#include "mesh/comm/halo_messages.h"

typedef struct halo_host halo_host;

/* The plan and the messages are borrowed.  False: out of memory. */
bool halo_host_create(halo_host **h, const halo_plan *plan, halo_messages *messages);
void halo_host_destroy(halo_host **h);

/* See halo_take_shared_memory. */
void halo_host_take_shared_memory(halo_host *h);

/* Gives the neighbours the shared entries of x; end replaces them by their sums over the ranks. */
void halo_host_begin(halo_host *h, int ncomp, const double *x);
void halo_host_end(halo_host *h, int ncomp, double *x);

/* Replaces the shared entries of x [n] by the largest that any rank has. */
void halo_host_max(halo_host *h, double *x);

#endif
