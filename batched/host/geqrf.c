/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

const batched_variant batched_geqrf_host[] = {{0}};
