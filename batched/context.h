/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inside of a context: for context.c, dispatch.c, memory.c and the CUDA backend alone.
 */
#ifndef BATCHED_CONTEXT_H
#define BATCHED_CONTEXT_H

#include "tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BATCHED_MAX_CHOICES = 64, BATCHED_MAX_STATS = 256, BATCHED_MAX_SCRATCH = 64 };

typedef struct batched_choice {
  const batched_op *op;
  const batched_variant *variant;
} batched_choice;

typedef struct batched_scratch {
  void *data; /* owned */
  size_t bytes;
} batched_scratch;

struct batched_ctx {
  batched_space space;
  void *stream; /* borrowed or owned, see owns_stream */
  bool owns_stream;

  int nchoices;
  batched_choice choices[BATCHED_MAX_CHOICES];

  int nstats, depth;
  batched_stats stats[BATCHED_MAX_STATS];

  int scratch_top, nscratch; /* blocks in use, blocks allocated */
  batched_scratch scratch[BATCHED_MAX_SCRATCH];

  void *cublas, *cusolver, *cublas_workspace; /* the vendor's handles, once they are used (cuda/vendor.cu) */
  struct batched_tuning *tuning;              /* tuning.c; NULL: no table */
};

/* The CUDA backend's memory and stream (cuda/memory.cu; cuda/none.c where CUDA was not built). */
int batched_cuda_open(batched_ctx *ctx);
void batched_cuda_close(batched_ctx *ctx);
void batched_cuda_close_vendor(batched_ctx *ctx);
void *batched_cuda_allocate(batched_ctx *ctx, size_t bytes);
void batched_cuda_release(batched_ctx *ctx, void *p);
int batched_cuda_copy(batched_ctx *ctx, void *to, const void *from, size_t bytes);
int batched_cuda_fill_zero(batched_ctx *ctx, void *p, size_t bytes);
int batched_cuda_synchronize(batched_ctx *ctx);
int batched_cuda_measure_limits(batched_ctx *ctx, batched_limits *limits);

/* Name of the current device, and its compute capability (90: 9.0). */
int batched_cuda_device(char *name, int bytes, int *capability);

/* The table of the GPU at hand (tuning.c). */
void batched_open_tuning(batched_ctx *ctx);
void batched_close_tuning(batched_ctx *ctx);

int batched_host_measure_limits(batched_ctx *ctx, batched_limits *limits);

#ifdef __cplusplus
}
#endif

#endif
