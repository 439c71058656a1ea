/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which variants of which operations there are.
 */
#ifndef APP_VARIANTS_H
#define APP_VARIANTS_H

#include <stdio.h>

#include "batched/variant.h"

/* Prints for each variant of each operation whether it is built, whether this machine can use it, and whether auto
 * takes it.  A context that could not be created is NULL: this machine can't use its variants. */
void variants_print(FILE *to, batched_ctx *host, batched_ctx *cuda);

#endif
