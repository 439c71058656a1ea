/* SPDX-License-Identifier: BSD-3-Clause
 *
 * May MPI have the memory of a GPU?
 */
#ifndef MESH_HALO_DIRECT_H
#define MESH_HALO_DIRECT_H

#include "batched/batched.h"

/* Does the MPI at hand say that it reads and writes the memory of the context, and do its messages arrive?
 * Collective. */
bool halo_direct(batched_ctx *ctx);

#endif
