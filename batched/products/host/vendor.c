/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(syrk, c)
BATCHED_VENDOR_RUN(gemv, y)
BATCHED_VENDOR_RUN(gemm, c)
BATCHED_VENDOR_RUN(symv, a)
BATCHED_VENDOR_RUN(symm, c)
BATCHED_VENDOR_RUN(syr2k, c)

BATCHED_VENDOR_FITS(gemv, &p->a, &p->x, &p->y)

/* BLAS has no complex symmetric matrices. */
bool batched_vendor_fits_symv(const void *args)
{
  const batched_symv_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->x, &p->y};
  return (p->hermitian || !batched_is_complex(p->a.type)) && batched_vendor_countable(x, 3, INT_MAX);
}
BATCHED_VENDOR_FITS(gemm, &p->a, &p->b, &p->c)
BATCHED_VENDOR_FITS(syrk, &p->a, &p->c)
BATCHED_VENDOR_FITS(symm, &p->a, &p->b, &p->c)
BATCHED_VENDOR_FITS(syr2k, &p->a, &p->b, &p->c)
