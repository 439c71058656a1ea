/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tuned kernels: a family has several instances (configurations), and a table of measurements says which one to take for
 * which type and size.  The tables are data (batched/tuning/<gpu>.csv, written by batched-tune); the one of the GPU at
 * hand is read when a context is created.
 */
#ifndef BATCHED_TUNING_H
#define BATCHED_TUNING_H

#include "impl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_family {
  const char *name;     /* in tables: "gemm.tile" */
  const batched_op *op; /* what is called to measure it ... */
  const char *variant;  /* ... with this row */
  int nconfigs;
  const char *(*describe)(int config); /* "64x64x16 by 8x8" */
  /* Can this configuration do the size at all (registers, shared memory, threads), and is it worth a try? */
  bool (*fits)(int config, batched_type type, int m, int n, int k);
} batched_family;

/* All families, ended by NULL; none where CUDA was not built. */
extern const batched_family *const batched_families[];

/* The configuration for this size: the one forced by batched_force_config, else that of the nearest size measured for this
 * family and type which fits, else `otherwise`. */
int batched_tuned(const batched_ctx *ctx, const batched_family *family, batched_type type, int m, int n, int k,
                  int otherwise);

/* The tuner's: from now on the family runs as `config` in this context (-1: by the table again). */
int batched_force_config(batched_ctx *ctx, const batched_family *family, int config);

#ifdef __cplusplus
}
#endif

#endif
