/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The variants of the corner force for a GPU, best first.
 */
#include "force.cuh"
#include "../tables.h"

const batched_variant fem_cuda_force[] = {
  {nullptr, nullptr, nullptr, nullptr},
};
