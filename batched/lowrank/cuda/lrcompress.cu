/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of lrcompress: calls of other operations, as on the host: cuda.ara (compress_ara.c), cuda.aca (compress_aca.c),
 * cuda.rsvd and cuda.svd (compress.c).
 */
#include "batched/cuda/rows.cuh"
#include "batched/lowrank/compose.h"

const batched_variant batched_lrcompress_cuda[] = {
  {"cuda.ara", nullptr, lowrank_has_tolerance, lowrank_compress_ara},
  {"cuda.rsvd", nullptr, nullptr, lowrank_compress_rsvd},
  {"cuda.aca", nullptr, batched_cuda::never, lowrank_compress_aca},
  {"cuda.svd", nullptr, batched_cuda::never, lowrank_compress_svd},
  BATCHED_LAST_ROW,
};
