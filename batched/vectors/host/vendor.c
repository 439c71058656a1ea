/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"
#include "batched/vectors/host/vendor.h"

#define CBLAS_NRM2_s cblas_snrm2
#define CBLAS_NRM2_d cblas_dnrm2
#define CBLAS_NRM2_c cblas_scnrm2
#define CBLAS_NRM2_z cblas_dznrm2

#define BODY "batched/vectors/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(scal, x)
BATCHED_VENDOR_RUN(axpy, x)
BATCHED_VENDOR_RUN(dot, x)
BATCHED_VENDOR_RUN(nrm2, x)

BATCHED_VENDOR_FITS(scal, &p->x)
BATCHED_VENDOR_FITS(axpy, &p->x, &p->y)
BATCHED_VENDOR_FITS(dot, &p->x, &p->y)
BATCHED_VENDOR_FITS(nrm2, &p->x)
