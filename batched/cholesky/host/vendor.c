/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_library.h"
#include "batched/host/vendor_names.h"
#include "batched/cholesky/host/vendor.h"

#define BODY "batched/cholesky/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(potrf, a)
BATCHED_VENDOR_RUN(potrs, b)
BATCHED_VENDOR_RUN(posv, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(potri, a)

BATCHED_VENDOR_FITS(potrf, &p->a)
BATCHED_VENDOR_FITS(potrs, &p->a, &p->b)
BATCHED_VENDOR_FITS(posv, &p->a, &p->b)

/* potri calls trtri. */
bool batched_vendor_fits_potri(const void *args)
{
  const batched_potri_args *p = args;
  const batched_matrix *const x[] = {&p->a};
  return batched_vendor_countable(x, 1, INT_MAX) && !batched_vendor_fails_in_trtri(p->a.n);
}
