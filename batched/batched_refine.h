/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows `mixed` of gesv and posv, which have to be asked for:
 *
 *   batched_select(ctx, &batched_gesv_op, "mixed");            (batched/operations.h)
 *   batched_report_refinements(ctx, steps);
 *   batched_gesv(ctx, a, ipiv, b, info);
 *
 * factor in half of the precision, and refine the solution to the whole of it.
 */
#ifndef BATCHED_REFINE_H
#define BATCHED_REFINE_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, steps[b] = the corrections that the solution of matrix b took beyond its first one, or -1 where they did
 * not converge and the matrix was factored in the whole precision (A holds these factors then, and is as it was
 * otherwise).  In the context's space; NULL: not wanted. */
int batched_report_refinements(batched_ctx *ctx, int *steps);

/* For authors of rows: where the matrices of a call with this info report, or NULL. */
int *batched_refinements_of(const batched_ctx *ctx, const int *info);
/* The info of the whole batch, before it is cut into parts. */
void batched_begin_refinements(batched_ctx *ctx, const int *info);

#ifdef __cplusplus
}
#endif

#endif
