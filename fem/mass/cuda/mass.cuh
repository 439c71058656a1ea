/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the velocity's mass matrix on a GPU: see fem/mass/mass.h for what each function does.
 */
#ifndef FEM_CUDA_MASS_CUH
#define FEM_CUDA_MASS_CUH

#include "fem/mass/mass.h"

namespace fem_cuda
{

extern const fem_mass_functions velocity_sumfact;                  /* velocity_sumfact.cu */
extern const fem_mass_functions velocity_csr, velocity_csr_vendor; /* velocity_csr.cu */
extern const fem_mass_functions velocity_tensor;                   /* velocity_tensor.cu */

/* True where an assembled matrix and the vectors stay on the chip: conjugate gradients are one kernel.  All ranks say
 * the same. */
bool is_small(const fem_space *s);

/* Has conjugate gradients make what they want of the matrix of velocity_csr, which takes its time. */
int prepare_csr(batched_ctx *ctx, fem_mass *m);

} // namespace fem_cuda

#endif
