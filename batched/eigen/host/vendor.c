/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"
#include "batched/eigen/host/vendor.h"

#define BODY "batched/eigen/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN_WITH_SCRATCH(heev, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gesvd, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gelsd, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(geev, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gelsy, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(hegst, a)

BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE / 2, geev, &p->a, &p->w)
BATCHED_VENDOR_FITS(hegst, &p->a, &p->b)

/* OpenBLAS multiplies by the inverse of what is on the diagonal of R and counts. */
bool batched_vendor_fits_gelsy(const void *args)
{
  const batched_gelsy_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->b};
  return batched_vendor_countable(x, 2, BATCHED_VENDOR_WITH_WORKSPACE / 2) && (p->rcond < 0 || p->rcond > 1e-30);
}

/* Workspace has up to 5 k^2 + 2 k l numbers, for k and l the shorter and the longer side. */
static bool has_countable_workspace(const batched_matrix *a)
{
  const int64_t k = batched_min(a->m, a->n), l = batched_max(a->m, a->n);
  return 5 * k * k + 2 * k * l + 150 * l < INT_MAX;
}

bool batched_vendor_fits_heev(const void *args)
{
  const batched_heev_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->w};
  return batched_vendor_countable(x, 2, BATCHED_VENDOR_WITH_WORKSPACE) && has_countable_workspace(&p->a);
}

/* LAPACK takes an rcond of 0, and of 1 or more, for eps. */
bool batched_vendor_fits_gelsd(const void *args)
{
  const batched_gelsd_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->b, &p->s};
  return batched_vendor_countable(x, 3, BATCHED_VENDOR_WITH_WORKSPACE / 4) && has_countable_workspace(&p->a) &&
         p->rcond != 0 && p->rcond < 1;
}

/* u and vt are not looked at without vectors. */
bool batched_vendor_fits_gesvd(const void *args)
{
  const batched_gesvd_args *p = args;
  const batched_matrix *const x[] = {&p->a, &p->s, &p->u, &p->vt};
  return batched_vendor_countable(x, p->job == BATCHED_VECTORS ? 4 : 2, BATCHED_VENDOR_WITH_WORKSPACE) &&
         has_countable_workspace(&p->a);
}
