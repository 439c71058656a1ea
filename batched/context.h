/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inside of a context: for the files of this folder, of tuning/ and of cuda/.  Families see variant.h instead; the
 * lists of lowrank/ also copy in turn.
 */
#ifndef BATCHED_CONTEXT_H
#define BATCHED_CONTEXT_H

#include "batched/tuning/tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BATCHED_MAX_CHOICES = 128, BATCHED_MAX_STATS = 256, BATCHED_MAX_SCRATCH = 64 };

typedef struct batched_choice {
  const batched_op *op;
  const batched_variant *variant;
} batched_choice;

typedef struct batched_scratch {
  void *data; /* owned */
  size_t bytes;
} batched_scratch;

/* An allocation on a GPU (the host's blocks know their size). */
typedef struct batched_block {
  void *data;
  size_t bytes;
} batched_block;

typedef struct batched_estimate batched_estimate;

struct batched_ctx {
  batched_space space;
  void *stream; /* borrowed or owned, see owns_stream; NULL: the default stream, or none (host) */
  bool owns_stream;

  int nchoices, nstats, depth;
  batched_portion portion;   /* of the innermost call */
  int scratch_top, nscratch; /* blocks in use, blocks allocated */

  int *refinements;        /* borrowed: where rows that refine report their steps; NULL: nowhere */
  const int *refined_info; /* info of the whole batch whose first matrix reports there */

  void *cublas, *cusolver, *cublas_workspace; /* the vendor's handles, once they are used (cuda/cublas.cu) */
  struct batched_tuning *tuning;              /* tuning.c; NULL: no table */

  int nblocks, blocks_room;
  batched_block *blocks;   /* owned: what is allocated on the GPU */
  size_t refused;          /* bytes of the last allocation that failed */
  bool refused_in_capture; /* was it while a graph was captured? */
  char *stage;             /* owned, page-locked: what copies that nobody waits for read; NULL: there was none */
  size_t stage_bytes, stage_used;
  struct batched_branch *branch; /* owned (cuda/side_stream.cu); NULL: no call has used it */
  struct batched_trace *trace;   /* owned (cuda/trace.cu); NULL: operations are timed by the host's clock */
  struct batched_team *team;     /* owned (threads.c); NULL: one thread does all */
  batched_estimate *estimate;    /* owned (estimate.c); NULL: calls run */

  /* From here on nothing is set but what the numbers above count: a new context is not filled with zeros. */
  batched_choice choices[BATCHED_MAX_CHOICES];
  batched_stats stats[BATCHED_MAX_STATS];
  batched_scratch scratch[BATCHED_MAX_SCRATCH];
};

/* How many matrices all threads and parts have together, where this one of the innermost call has `count`; INT64_MAX:
 * not known. */
int64_t batched_whole_count(const batched_ctx *ctx, int64_t count);

/* As batched_copy_from_host, but nobody waits: the host's memory may change as soon as this returns, the copy takes its
 * turn on the stream.  Not while a graph is captured, which would copy what is there when it runs. */
int batched_copy_in_turn(batched_ctx *ctx, void *p, const void *host, size_t bytes);

/* The CUDA backend's memory and stream (cuda/memory.cu; cuda/none.c where CUDA was not built). */
int batched_cuda_open(batched_ctx *ctx);
void batched_cuda_close(batched_ctx *ctx);
void batched_cuda_close_vendor(batched_ctx *ctx);
void batched_cuda_close_branch(batched_ctx *ctx);
/* True while a graph is captured: nothing can be allocated or released, and trying would spoil it. */
bool batched_cuda_is_captured(const batched_ctx *ctx);
/* What is enqueued between these two never runs. */
int batched_cuda_begin_discarded(batched_ctx *ctx);
int batched_cuda_end_discarded(batched_ctx *ctx);
void *batched_cuda_allocate(batched_ctx *ctx, size_t bytes);
void batched_cuda_release(batched_ctx *ctx, void *p);
int batched_cuda_copy(batched_ctx *ctx, void *to, const void *from, size_t bytes);
int batched_cuda_stage(batched_ctx *ctx, void *to, const void *host, size_t bytes);
int batched_cuda_fill_zero(batched_ctx *ctx, void *p, size_t bytes);
int batched_cuda_synchronize(batched_ctx *ctx);
int batched_cuda_measure_limits(batched_ctx *ctx, batched_limits *limits);

/* GPUs (cuda/device.cu).  count: where it is 0, and only there, *why says why.  use: makes it the thread's current one;
 * refuses one that the library has no code for. */
int batched_cuda_count(const char **why);
int batched_cuda_get(int device, batched_device *about);
int batched_cuda_use(int device);
int batched_cuda_device(char *name, int bytes, int *capability); /* of the current one; 90: 9.0 */
/* Free and all memory of the current GPU, in bytes, and what CUDA calls the last failure ("": there was none). */
void batched_cuda_memory(size_t *free, size_t *all);
const char *batched_cuda_failure(void);

/* View of an operation for profilers and the report (cuda/trace.cu): a range of NVTX, and a span of the device's
 * time from begin to end, where the context times by the device.  begin returns the span; end adds its seconds to
 * ctx->stats[row], now or later (row -1: to none), and returns false where the host's clock has to do. */
int batched_cuda_span_begin(batched_ctx *ctx, const char *name);
bool batched_cuda_span_end(batched_ctx *ctx, int span, int row);
/* Gives the seconds of the span that was begun last, and not ended yet, to another row, too; false as above. */
bool batched_cuda_span_share(batched_ctx *ctx, int row);
int batched_cuda_trace_open(batched_ctx *ctx);
void batched_cuda_trace_close(batched_ctx *ctx);
/* Spans of what is captured from now on are those of a recording: see recording.h. */
void batched_cuda_trace_record(batched_ctx *ctx, bool on);
void batched_cuda_trace_settle(batched_ctx *ctx, bool keep); /* waits for all spans that are pending */

/* Failures that tests ask for (inject_failure.c): is this the one? */
typedef enum batched_fallible { BATCHED_ALLOCATION, BATCHED_OPERATION } batched_fallible;
bool batched_told_to_fail(batched_fallible what);

/* The table of the GPU at hand (tuning.c). */
void batched_open_tuning(batched_ctx *ctx);
void batched_close_tuning(batched_ctx *ctx);

int batched_host_measure_limits(batched_ctx *ctx, batched_limits *limits);

#ifdef __cplusplus
}
#endif

#endif
