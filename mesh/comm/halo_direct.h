/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests whether MPI can send from a GPU's memory and receive to it.
 */
#ifndef MESH_HALO_DIRECT_H
#define MESH_HALO_DIRECT_H

#include "batched/batched.h"

/* True if the MPI at hand says that it reads and writes the memory of the context, and its messages arrive.
 * Collective. */
bool halo_direct(batched_ctx *ctx);

#endif
