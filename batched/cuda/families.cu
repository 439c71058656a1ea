/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What batched-tune tunes.
 */
#include "../tuning.h"

const batched_family *const batched_families[] = {nullptr};
