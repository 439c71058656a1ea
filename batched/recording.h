/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stretch of work that a context launches at once: what is enqueued between begin and run becomes a CUDA graph, which
 * replaces the one of the last time where both have the same shape.  Kernels then follow each other without the host,
 * which takes longer to launch a small one than the device to run it.  Operations are counted and timed as ever.
 *
 * Between the two nothing may wait for the device, allocate, or copy from or to the host.
 */
#ifndef BATCHED_RECORDING_H
#define BATCHED_RECORDING_H

#include <stdbool.h>

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_recording batched_recording;

/* false: nothing is recorded, as on hosts, on CUDA's default stream and where others record; work is done at once. */
bool batched_recording_begin(batched_ctx *ctx);
/* Launches what was recorded, unless status, which the work ended with, is an error; returns the status of both.
 * *recording: NULL at first. */
int batched_recording_run(batched_ctx *ctx, batched_recording **recording, int status);
void batched_recording_destroy(batched_recording **recording);
/* From here on only the first calls of this operation that are recorded are timed, and the others count as long as
 * these: the device takes longer for a look at its clock than for a small kernel. */
void batched_recording_sample(batched_ctx *ctx, const char *name);

#ifdef __cplusplus
}
#endif

#endif
