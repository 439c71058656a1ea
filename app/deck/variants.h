/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which variants of which operations there are.
 */
#ifndef APP_VARIANTS_H
#define APP_VARIANTS_H

#include <stdio.h>

#include "batched/variant.h"

/* Operation x variant: built? usable on this machine? does auto take it?  A context that could not be created is NULL:
 * what belongs to it can't be used on this machine. */
void variants_print(FILE *to, batched_ctx *host, batched_ctx *cuda);

#endif
