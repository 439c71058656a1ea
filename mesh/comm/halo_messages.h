/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of a sum: one to each neighbour and one from it, by MPI.
 */
#ifndef MESH_HALO_MESSAGES_H
#define MESH_HALO_MESSAGES_H

#include "mesh/comm/halo_plan.h"

typedef struct halo_messages halo_messages;

/* The plan is borrowed.  False: out of memory. */
bool halo_messages_create(halo_messages **m, const halo_plan *plan);
void halo_messages_destroy(halo_messages **m);

/* Sends out and receives in, both [slot][ncomp], slots as in the plan; wait returns when all has come and gone. */
void halo_messages_post(halo_messages *m, int ncomp, double *in, const double *out);
void halo_messages_wait(halo_messages *m);

/* Ends all ranks: this one has no memory for its messages of ncomp components, and its neighbours wait for them. */
void halo_messages_give_up(int ncomp);

#endif
