/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gelqf, unglq and unmlq.
 */
#include "batched/qr/cuda/composed.cuh"

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_gelqf_cuda[] = {row<nullptr, nullptr, gelqf_composed>("cuda.composed"), BATCHED_LAST_ROW};
const batched_variant batched_unglq_cuda[] = {row<nullptr, nullptr, unglq_composed>("cuda.composed"), BATCHED_LAST_ROW};
const batched_variant batched_unmlq_cuda[] = {row<nullptr, nullptr, unmlq_composed>("cuda.composed"), BATCHED_LAST_ROW};
