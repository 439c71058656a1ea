/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tuned kernels: a family has several instances (configurations), and a table of measurements says which one to take
 * for which type and size.  The tables are data (batched/tuning/<gpu>.csv, written by batched-tune); the one of the GPU
 * at hand is read when a context is created.
 */
#ifndef BATCHED_TUNING_H
#define BATCHED_TUNING_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_family {
  const char *name;     /* in tables: "gemm.tile" */
  const batched_op *op; /* what is called to measure it ... */
  const char *variant;  /* ... with this row */
  int nconfigs;
  const char *(*describe)(int config); /* "64x64x16 by 8x8" */
  /* True where this configuration can do the size (registers, shared memory, threads) and is worth a try. */
  bool (*fits)(int config, batched_type type, int m, int n, int k);
  /* What it is expected to cost, in any unit, for sizes between those that were measured; NULL: m n k. */
  double (*cost)(int config, batched_type type, int m, int n, int k);
  bool transposed; /* for calls whose first operand is transposed: measured so */
} batched_family;

enum { BATCHED_MAX_CONFIGS = 32 };

/* All families, ended by NULL; none where CUDA was not built. */
extern const batched_family *const batched_families[];

/* The configuration for this size: the one forced by batched_force_config; else, of those that fit and were measured
 * for this family and type, the one with the least time as it was at the nearest size (in logarithms), times what
 * the size costs more than that one; and `otherwise` unless that gains 2 %. */
int batched_tuned(const batched_ctx *ctx, const batched_family *family, batched_type type, int m, int n, int k,
                  int otherwise);

/* The tuner's: from now on the family runs as `config` in this context; -1: as if there were no table.  A family of
 * NULL: all by the table again. */
int batched_force_config(batched_ctx *ctx, const batched_family *family, int config);

/* The size for which that family was first asked for since then; false: it was not asked at all. */
bool batched_asked_size(const batched_ctx *ctx, int size[3]);

/* Replaces the context's table by a text, lines of family,type,m,n,k,configuration,seconds (a matrix) with whatever
 * follows.  Lines that make no sense here (comments, an unknown family, a configuration that is no longer there) are
 * passed over.  Returns how many were taken. */
int batched_load_tuning(batched_ctx *ctx, const batched_family *const *families, const char *text);

/* Makes the context's table a shipped one, one of batched_tuning_tables, whose text a process reads once.  Returns how
 * many lines it has; 0 for any other text. */
int batched_ship_tuning(batched_ctx *ctx, const char *table);

/* The text of the file that the environment variable BATCHED_TUNING names, owned by the caller; NULL: it names none, or
 * one that can't be read.  *named: does it name one? */
char *batched_read_tuning(bool *named);

/* The shipped table of a GPU with this name; else that of the nearest compute capability (90: 9.0) with the same first
 * number; else NULL. */
const char *batched_find_tuning(const char *device, int capability);

/* The shipped tables, ended by NULL: the files of batched/tuning/, put into the library by the build. */
extern const char *const batched_tuning_tables[];

#ifdef __cplusplus
}
#endif

#endif
