/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/products/products.h"

BATCHED_PRODUCTS_OPERATIONS(BATCHED_NO_ROWS)
