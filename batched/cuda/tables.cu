/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations that have no CUDA variant yet: empty tables.
 */
#include "../operations.h"

const batched_variant batched_gemm_cuda[] = {{}}, batched_gemv_cuda[] = {{}}, batched_potrf_cuda[] = {{}},
                      batched_potrs_cuda[] = {{}}, batched_trsm_cuda[] = {{}}, batched_heev_cuda[] = {{}},
                      batched_gesvd_cuda[] = {{}};
