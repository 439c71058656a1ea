/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN_WITH_SCRATCH(geqrf, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unmqr, c)
BATCHED_VENDOR_RUN_WITH_SCRATCH(ungqr, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gelqf, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unmlq, c)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unglq, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gels, a)

BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, geqrf, &p->a, &p->tau)
BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, unmqr, &p->a, &p->tau, &p->c)
BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, ungqr, &p->a, &p->tau)
BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, gelqf, &p->a, &p->tau)
BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, unmlq, &p->a, &p->tau, &p->c)
BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, unglq, &p->a, &p->tau)
BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE, gels, &p->a, &p->b)
