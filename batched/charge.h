/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For authors of rows whose work is known only when the device is done, or that are another operation.
 */
#ifndef BATCHED_CHARGE_H
#define BATCHED_CHARGE_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds to what the calls of a row cost (batched_get_stats); it has been called. */
void batched_charge(batched_ctx *ctx, const batched_op *op, const batched_variant *row, batched_cost cost);

/* As batched_run, for an operation that is all the work of the one around it: its seconds are those of that one, as
 * events of its own would keep the device waiting before the first kernel. */
int batched_run_as_whole(batched_ctx *ctx, const batched_op *op, const void *args);

#ifdef __cplusplus
}
#endif

#endif
