/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"

#define CBLAS_NRM2_s cblas_snrm2
#define CBLAS_NRM2_d cblas_dnrm2
#define CBLAS_NRM2_c cblas_scnrm2
#define CBLAS_NRM2_z cblas_dznrm2

#define BODY "batched/vectors/host/vendor_body.h"
#include "batched/host/each_type.h"

#define ROW(op, operand) \
  int batched_vendor_##op(batched_ctx *ctx, const void *args) \
  { \
    (void)ctx; \
    const batched_##op##_args *a = args; \
    return FOR_TYPE(a->operand.type, op, a); \
  }
ROW(scal, x)
ROW(axpy, x)
ROW(dot, x)
ROW(nrm2, x)
ROW(symv, a)
