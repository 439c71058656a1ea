/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of all layers in one list: for decks, --variants and reports.
 */
#ifndef APP_OPERATIONS_H
#define APP_OPERATIONS_H

#include "batched/variant.h"

/* The i-th operation; NULL beyond the last. */
const batched_op *app_operation(int i);

#endif
