/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What batched-tune tunes.
 */
#include "batched/tuning/tuning.h"

extern "C" const batched_family batched_gemm_family, batched_gemm_bulk_family, batched_gemm_bulk_t_family,
  batched_gemm_fma_family, batched_gemm_fma_bulk_family, batched_gemm_complex_family;

const batched_family *const batched_families[] = {&batched_gemm_family,
                                                  &batched_gemm_bulk_family,
                                                  &batched_gemm_bulk_t_family,
                                                  &batched_gemm_fma_family,
                                                  &batched_gemm_fma_bulk_family,
                                                  &batched_gemm_complex_family,
                                                  nullptr};
