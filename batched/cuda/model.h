/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of a machine, in the CUDA backend's place (-DSHOCKLET_CUDA=MODEL): operations take the time that they would
 * there, and compute nothing.  For runs of thousands of ranks under SimGrid, whose clocks are virtual; any other run
 * sleeps that long.
 *
 * The device works behind the host's back, as a GPU does: what is enqueued starts when all before it has ended, and the
 * host waits in batched_synchronize alone.  Its memory has addresses, but nothing is stored there, except for what is
 * as short as a number.
 */
#ifndef BATCHED_CUDA_MODEL_H
#define BATCHED_CUDA_MODEL_H

#include "batched/variant.h"

/* Enqueues a kernel that moves so many bytes through the device's memory at this part of its bandwidth. */
void batched_model_enqueue(batched_ctx *ctx, double bytes, double fraction);

/* Enqueues one whose bytes go over the bus to the host's memory, or come from there. */
void batched_model_enqueue_bus(batched_ctx *ctx, double bytes);

/* Enqueues the work of an operation's model (batched_op.cost) at the part of the limit that was measured for it:
 * model.c has the table. */
void batched_model_charge(batched_ctx *ctx, const batched_op *op, const void *args);

/* When all that is enqueued so far will have ended; and waits for that, as for an event on a stream. */
double batched_model_mark(const batched_ctx *ctx);
void batched_model_wait(batched_ctx *ctx, double mark);

#endif
