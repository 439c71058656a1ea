/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pack_band and unpack_band.
 */
#include "batched/band/cuda/elements.cuh"

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pack_band_cuda[] = {
  row<nullptr, nullptr, run_elements<true>>("cuda.elements"),
  BATCHED_LAST_ROW,
};
const batched_variant batched_unpack_band_cuda[] = {
  row<nullptr, nullptr, run_elements<false>>("cuda.elements"),
  BATCHED_LAST_ROW,
};
