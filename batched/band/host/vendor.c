/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"
#include "batched/host/vendor_names.h"

#define BODY "batched/band/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(gbtrf, ab)
BATCHED_VENDOR_RUN(gbtrs, b)
BATCHED_VENDOR_RUN(gbsv, b)
BATCHED_VENDOR_RUN(pbtrf, ab)
BATCHED_VENDOR_RUN(pbtrs, b)
BATCHED_VENDOR_RUN(pbsv, b)
BATCHED_VENDOR_RUN(gbmv, y)
BATCHED_VENDOR_RUN(tbsv, x)

/* LAPACK's gbtrf of a wide matrix writes zeros below its last row. */
bool batched_vendor_fits_gbtrf(const void *args)
{
  const batched_gbtrf_args *p = args;
  const batched_matrix *const x[] = {&p->ab};
  return !p->m.each && p->m.bound >= p->ab.n && batched_vendor_countable(x, 1, INT_MAX);
}
BATCHED_VENDOR_FITS(gbtrs, &p->ab, &p->b)
BATCHED_VENDOR_FITS(gbsv, &p->ab, &p->b)
BATCHED_VENDOR_FITS(pbtrf, &p->ab)
BATCHED_VENDOR_FITS(pbtrs, &p->ab, &p->b)
BATCHED_VENDOR_FITS(pbsv, &p->ab, &p->b)
BATCHED_VENDOR_FITS(gbmv, &p->ab, &p->x, &p->y)
BATCHED_VENDOR_FITS(tbsv, &p->ab, &p->x)
