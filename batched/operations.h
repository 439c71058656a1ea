/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All operations of this library, family by family.  A row finds its arguments checked: types and counts agree, shapes
 * conform, and count > 0.
 */
#ifndef BATCHED_OPERATIONS_H
#define BATCHED_OPERATIONS_H

#include "batched/vectors/vectors.h"
#include "batched/products/products.h"
#include "batched/triangular/triangular.h"
#include "batched/cholesky/cholesky.h"
#include "batched/lu/lu.h"
#include "batched/qr/qr.h"
#include "batched/condensed/condensed.h"
#include "batched/two_stage/two_stage.h"
#include "batched/tridiagonal/tridiagonal.h"
#include "batched/band/band.h"
#include "batched/eigen/eigen.h"
#include "batched/lowrank/lowrank.h"

#define BATCHED_EACH_OPERATION(X) \
  BATCHED_VECTORS_OPERATIONS(X) \
  BATCHED_PRODUCTS_OPERATIONS(X) \
  BATCHED_TRIANGULAR_OPERATIONS(X) \
  BATCHED_CHOLESKY_OPERATIONS(X) \
  BATCHED_LU_OPERATIONS(X) \
  BATCHED_QR_OPERATIONS(X) \
  BATCHED_CONDENSED_OPERATIONS(X) \
  BATCHED_TWO_STAGE_OPERATIONS(X) \
  BATCHED_TRIDIAGONAL_OPERATIONS(X) \
  BATCHED_BAND_OPERATIONS(X) \
  BATCHED_EIGEN_OPERATIONS(X) \
  BATCHED_LOWRANK_OPERATIONS(X)

#endif
