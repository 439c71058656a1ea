/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The variants of the corner force for a GPU, best first.
 */
#include "batched/cuda/launch.cuh"
#include "fem/force/cuda/force.cuh"
#include "fem/tables.h"

const batched_variant fem_cuda_force[] = {
  {"cuda.fused", fem_cuda::force_fused_fits, nullptr, nullptr, &fem_cuda::force_fused},
  {"cuda.dense", fem_cuda::force_dense_fits, fem_cuda::force_dense_likes, nullptr, &fem_cuda::force_dense},
  {"cuda.batched", nullptr, nullptr, nullptr, &fem_cuda::force_batched},
  {"cuda.base", nullptr, nullptr, nullptr, &fem_cuda::force_base},
  BATCHED_LAST_ROW,
};
