/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several checksums at once: one launch in place of many small ones.
 */
#ifndef SOLVERS_CHECKSUMS_H
#define SOLVERS_CHECKSUMS_H

#include "solvers/solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SOLVER_MOST_CHECKSUMS = 10 };

/* What the rows of solver_checksum_op take. */
typedef struct solver_checksums_args {
  int n; /* up to SOLVER_MOST_CHECKSUMS */
  const solver_checksum_args *each;
} solver_checksums_args;

/* As solver_checksum, for each [n]. */
int solver_checksums(batched_ctx *ctx, int n, const solver_checksum_args *each);

#ifdef __cplusplus
}
#endif

#endif
