/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/condensed/host/vendor.h"
#include "batched/condensed/range.h"
#include "batched/host/vendor_names.h"

#define BODY "batched/condensed/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN_WITH_SCRATCH(gebrd, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(hetrd, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(gehrd, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(ungbr, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(ungtr, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unghr, a)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unmbr, c)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unmtr, c)
BATCHED_VENDOR_RUN_WITH_SCRATCH(unmhr, c)

/* Workspace of 64 vectors as long as both sides together. */
#define FITS(op, ...) BATCHED_VENDOR_FITS_UP_TO(BATCHED_VENDOR_WITH_WORKSPACE / 2, op, __VA_ARGS__)
FITS(gebrd, &p->a)
FITS(hetrd, &p->a)
FITS(gehrd, &p->a)
FITS(ungbr, &p->a)
FITS(ungtr, &p->a)
FITS(unghr, &p->a)
FITS(unmbr, &p->a, &p->c)
FITS(unmtr, &p->a, &p->c)
FITS(unmhr, &p->a, &p->c)
