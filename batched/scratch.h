/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scratch memory of a context, from those who have memory to spare.
 */
#ifndef BATCHED_SCRATCH_H
#define BATCHED_SCRATCH_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes scratch memory of a block of batched_allocate, which is the context's from then on: a call that needs much
 * finds memory that was touched before, where the system would fill new pages with zeros. */
void batched_scratch_give(batched_ctx *ctx, void *block, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
