/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/eigen/eigen.h"

BATCHED_EIGEN_OPERATIONS(BATCHED_NO_ROWS)
