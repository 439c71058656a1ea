/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of a time step, of all layers.
 */
#include "app/deck/operations.h"

#include "batched/operations.h"
#include "fem/fem.h"
#include "solvers/solvers.h"

/* Those of the batched library that the variants of fem call. */
static const batched_op *const batched[] = {
  &batched_gemm_op, &batched_gemv_op, &batched_potrf_op, &batched_potrs_op, &batched_heev_op, &batched_gesvd_op, NULL,
};

const batched_op *app_operation(int i)
{
  const batched_op *const *const layers[] = {fem_operations, solver_operations, batched};
  for (int layer = 0; layer < 3; layer++)
    for (const batched_op *const *op = layers[layer]; *op; op++)
      if (i-- == 0) return *op;
  return NULL;
}
