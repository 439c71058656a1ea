/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"
#include "batched/eigen/host/vendor.h"

#define BODY "batched/eigen/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN_WITH_SCRATCH(heev, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gesvd, a)

BATCHED_VENDOR_FITS(heev, &p->a, &p->w)

/* u and vt are not looked at without vectors. */
bool batched_vendor_fits_gesvd(const void *args)
{
  const batched_gesvd_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->s, &p->u, &p->vt};
  return batched_vendor_countable(x, p->job == BATCHED_VECTORS ? 4 : 2, BATCHED_VENDOR_WITH_WORKSPACE);
}
