/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions about the arguments of hb2st and gb2bd, which reduce a band.
 */
#ifndef BATCHED_TWO_STAGE_CHECK_REDUCTION_H
#define BATCHED_TWO_STAGE_CHECK_REDUCTION_H

#include "batched/two_stage/steps.h"

/* 0, or -i for a wrong one of the first arguments, beginning with the context. */
int batched_check_band_reduction(const batched_ctx *ctx, batched_job job, batched_uplo uplo, int kd,
                                 const batched_matrix *ab, const batched_matrix *d, const batched_matrix *e);

/* True where v, a valid result, is square and of the order of the band ab. */
bool batched_is_square_of_band(const batched_ctx *ctx, const batched_matrix *v, const batched_matrix *ab);

#endif
