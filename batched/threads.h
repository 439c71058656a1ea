/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads of a context on the host, and how they share out a batch.
 */
#ifndef BATCHED_THREADS_H
#define BATCHED_THREADS_H

#include "batched/context.h"

typedef int batched_task(batched_ctx *ctx, int i, void *data);

/* Threads, the caller's among them. */
int batched_team_size(const batched_ctx *ctx);

/* task(context, i, data) for i = 0 .. n - 1, each on a thread of its own with a context of its own, n at most the
 * size; i = 0 on the caller's.  Returns the first status that is not 0.  In a task, all of its context's work is its
 * thread's. */
int batched_team_do(batched_ctx *ctx, int n, batched_task *task, void *data);

/* From now on a call wakes a thread for each so many bytes that it moves: for so many that it pays at first. */
void batched_team_set_grain(batched_ctx *ctx, double bytes);
double batched_team_grain(const batched_ctx *ctx);

/* Bytes of workspace of the other threads' contexts. */
size_t batched_team_workspace(const batched_ctx *ctx);
void batched_team_close(batched_ctx *ctx);

/* Runs a variant with its arguments, each thread on a part of the batch (split.c). */
int batched_share(batched_ctx *ctx, const batched_op *op, const batched_variant *v, const void *args);

/* For a row that calls other operations for a matrix at a time: their rows are chosen for one, whatever the thread's
 * share or the part that the row has been given. */
static inline void batched_call_one_by_one(batched_ctx *ctx)
{
  ctx->portion = (batched_portion){1, 1};
}

#endif
