/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_library.h"
#include "batched/host/vendor_names.h"
#include "batched/triangular/host/vendor.h"

#define BODY "batched/triangular/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(trsv, x)
BATCHED_VENDOR_RUN(trmv, x)
BATCHED_VENDOR_RUN(trmm, b)
BATCHED_VENDOR_RUN(trtri, a)
BATCHED_VENDOR_RUN(trsm, b)

BATCHED_VENDOR_FITS(trsv, &p->a, &p->x)
BATCHED_VENDOR_FITS(trmv, &p->a, &p->x)
BATCHED_VENDOR_FITS(trsm, &p->a, &p->b)
BATCHED_VENDOR_FITS(trmm, &p->a, &p->b)

bool batched_vendor_fits_trtri(const void *args)
{
  const batched_trtri_args *p = args;
  const batched_matrix *const x[] = {&p->a};
  return batched_vendor_countable(x, 1, INT_MAX) &&
         (p->uplo == BATCHED_UPPER || !batched_vendor_fails_in_trtri(p->a.n));
}
