/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much workspace calls on a GPU are going to take:
 *
 *   batched_begin_estimate(ctx);
 *   batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, a, w, info);
 *   batched_end_estimate(ctx, &bytes);
 */
#ifndef BATCHED_ESTIMATE_H
#define BATCHED_ESTIMATE_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Until the end of the estimate, or of the context, calls on it do nothing but find how much workspace they take:
 * their rows are chosen as always, what they enqueue is thrown away, and operands can be views of any memory, at
 * addresses that are not NULL and aligned as they will be.  Memory can't be allocated through the context, nor copied
 * between host and device, while it lasts, and calls that need that (objects that are built on the host) return a
 * status.
 *
 * Not on the host, where a call's workspace is 32 MB, or what a matrix needs, for each thread: BATCHED_NO_DEVICE.  On a
 * context of CUDA's default stream, or one that is captured: BATCHED_DEVICE_FAILED. */
int batched_begin_estimate(batched_ctx *ctx);

/* *bytes = what batched_workspace will say after these calls; the context is as it was.  BATCHED_DEVICE_FAILED
 * if one of them can't be enqueued without running. */
int batched_end_estimate(batched_ctx *ctx, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
