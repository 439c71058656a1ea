/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of all layers.
 */
#include "operations.h"

#include "fem/fem.h"
#include "solvers/solvers.h"

const batched_op *app_operation(int i)
{
  const batched_op *const *const layers[] = {fem_operations, solver_operations, batched_operations};
  for (int layer = 0; layer < 3; layer++)
    for (const batched_op *const *op = layers[layer]; *op; op++)
      if (i-- == 0) return *op;
  return NULL;
}
