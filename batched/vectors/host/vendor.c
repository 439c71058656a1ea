/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "batched/host/vendor_names.h"
#include "batched/vectors/host/vendor.h"

#define CBLAS_NRM2_s cblas_snrm2
#define CBLAS_NRM2_d cblas_dnrm2
#define CBLAS_NRM2_c cblas_scnrm2
#define CBLAS_NRM2_z cblas_dznrm2

#define CBLAS_ASUM_s cblas_sasum
#define CBLAS_ASUM_d cblas_dasum
#define CBLAS_ASUM_c cblas_scasum
#define CBLAS_ASUM_z cblas_dzasum

#define CBLAS_REAL_ASUM_s cblas_sasum
#define CBLAS_REAL_ASUM_d cblas_dasum
#define CBLAS_REAL_ASUM_c cblas_sasum
#define CBLAS_REAL_ASUM_z cblas_dasum

#define CBLAS_AMAX_s cblas_isamax
#define CBLAS_AMAX_d cblas_idamax
#define CBLAS_AMAX_c cblas_icamax
#define CBLAS_AMAX_z cblas_izamax

#define BODY "batched/vectors/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(scal, x)
BATCHED_VENDOR_RUN(axpy, x)
BATCHED_VENDOR_RUN(swap, x)
BATCHED_VENDOR_RUN(ger, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(dot, x)
BATCHED_VENDOR_RUN(amax, x)
BATCHED_VENDOR_RUN(asum, x)
BATCHED_VENDOR_RUN(nrm2, x)

BATCHED_VENDOR_FITS(scal, &p->x)
BATCHED_VENDOR_FITS(axpy, &p->x, &p->y)
BATCHED_VENDOR_FITS(swap, &p->x, &p->y)
BATCHED_VENDOR_FITS(ger, &p->x, &p->y, &p->a)
BATCHED_VENDOR_FITS(dot, &p->x, &p->y)
BATCHED_VENDOR_FITS(amax, &p->x)
BATCHED_VENDOR_FITS(asum, &p->x)
BATCHED_VENDOR_FITS(nrm2, &p->x)
