/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/eigen/eigen.h"
#include "batched/eigen/jacobi_steps.h"
#include "batched/eigen/steps.h"

BATCHED_EIGEN_OPERATIONS(BATCHED_NO_ROWS)

const batched_eigen_steps batched_eigen_cuda_steps = {0};
const batched_jacobi_steps batched_jacobi_cuda_steps = {0};
