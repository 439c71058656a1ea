/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"
#include "batched/cholesky/host/vendor.h"

#define BODY "batched/cholesky/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(potrf, a)
BATCHED_VENDOR_RUN(potrs, b)
BATCHED_VENDOR_RUN(posv, a)
BATCHED_VENDOR_RUN(potri, a)

BATCHED_VENDOR_FITS(potrf, &p->a)
BATCHED_VENDOR_FITS(potrs, &p->a, &p->b)
BATCHED_VENDOR_FITS(posv, &p->a, &p->b)
BATCHED_VENDOR_FITS(potri, &p->a)
