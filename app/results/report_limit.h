/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How close an operation came to what the machine can do.
 */
#ifndef APP_REPORT_LIMIT_H
#define APP_REPORT_LIMIT_H

#include "app/results/report.h"

/* The least time that the flops and the bytes of the model take on this machine, over the time they took; -1: not
 * known. */
double report_fraction_of_limit(const report *r, const batched_stats *s);

#endif
