/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's corner forces.
 */
#ifndef FEM_HOST_FORCE_H
#define FEM_HOST_FORCE_H

#include <float.h>

#include "fem/force/force.h"

extern const fem_force_functions fem_host_force_ref;     /* force_ref.c: plain loops */
extern const fem_force_functions fem_host_force_batched; /* force_batched.c: the paper's kernels */
extern const fem_force_functions fem_host_force_dense;   /* force_dense.c: products with dense tables */
extern const fem_force_functions fem_host_force_sumfact; /* force_sumfact.c: F never formed */

/* |F 1| below this in a zone counts as zero: the square of the machine's precision */
static inline double fem_flush_tiny(double f)
{
  return f < DBL_EPSILON * DBL_EPSILON && f > -DBL_EPSILON * DBL_EPSILON ? 0.0 : f;
}

#endif
