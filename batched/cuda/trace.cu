/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a profiler and the report see of operations: ranges of NVTX, and seconds of the device by events on the stream.
 *
 * Spans are closed in the order of the stream, so the oldest pending one is done first; it is read when its events are
 * needed again, or when the statistics are asked for.  The host therefore never waits unless it is CAPACITY operations
 * ahead.
 */
#include <cstdlib>
#include <cstring>

#include <nvtx3/nvToolsExt.h>

#include "batched/context.h"
#include "batched/cuda/launch.cuh"
#include "batched/recording.h"

using batched_cuda::stream_of;

enum { CAPACITY = 1024, DEPTH = 16, MOST_SMALL = 8, SAMPLES = 64, UNTIMED = -1, CAPTURED = -2, LEFT_OUT = -3 };

struct span {
  cudaEvent_t start, stop; /* owned; null: not made yet */
  cudaEvent_t begin;       /* start, or the stop of the span before */
  int row, other;          /* of the statistics; -1: none */
  bool recorded;           /* is it part of a recording? */
};

/* An operation of which a recording times SAMPLES calls, and no more. */
struct small_operation {
  const char *name; /* borrowed */
  int timed;
};

/* Of a row of the statistics, in recordings. */
struct samples {
  int64_t timed, left_out; /* calls; left_out: they have no seconds yet */
  double seconds;          /* of the former */
};

struct batched_trace {
  span spans[CAPACITY];
  int nfree, idle[CAPACITY];              /* places in spans: free for use */
  int first, npending, pending[CAPACITY]; /* a ring of places in spans: closed, not read yet */
  int nopen, open[DEPTH];                 /* what begin returned, and was not ended yet; deeper ones are not kept */
  bool recorded;                          /* what is captured is a recording, which runs once */
  cudaGraphNode_t last;                   /* of a recording: the stop of the span that was closed last; null: none */
  cudaEvent_t last_stop;
  int nsmall;
  small_operation small[MOST_SMALL];
  samples of_row[BATCHED_MAX_STATS];
};

static void read_oldest(batched_ctx *ctx, bool keep)
{
  batched_trace *t = ctx->trace;
  const int i = t->pending[t->first];
  const span &s = t->spans[i];
  float ms = 0;
  t->first = (t->first + 1) % CAPACITY;
  t->npending--;
  t->idle[t->nfree++] = i;
  if (!keep) return;
  cudaError_t error = cudaEventElapsedTime(&ms, s.begin, s.stop);
  if (error == cudaErrorNotReady) {
    cudaGetLastError(); // it is none
    error = cudaEventSynchronize(s.stop);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&ms, s.begin, s.stop);
  }
  if (error != cudaSuccess) {
    cudaGetLastError(); // as where the work of a recording failed before it was launched
    return;
  }
  for (const int row : {s.row, s.other})
    if (row >= 0) ctx->stats[row].seconds += 1e-3 * ms;
  if (s.recorded && s.row >= 0) t->of_row[s.row].timed++, t->of_row[s.row].seconds += 1e-3 * ms;
}

/* In a recording: whenever it runs. */
static bool record(const batched_trace *t, cudaEvent_t event, cudaStream_t stream)
{
  const unsigned flags = t->recorded ? cudaEventRecordExternal : cudaEventRecordDefault;
  return cudaEventRecordWithFlags(event, stream, flags) == cudaSuccess;
}

/* The node that the next one of a recording follows; null: there are none or several. */
static cudaGraphNode_t newest_node(cudaStream_t stream)
{
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *nodes = nullptr;
  size_t n = 0;
#if CUDART_VERSION >= 13000
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &n);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &nodes, &n);
#endif
  return error == cudaSuccess && n == 1 ? nodes[0] : nullptr;
}

/* In a recording a span begins where the one before stopped, if nothing lies between: an event takes longer than a
 * small kernel. */
static bool start(const batched_trace *t, span &s, cudaStream_t stream)
{
  if (!s.start && cudaEventCreate(&s.start) != cudaSuccess) return false;
  if (!s.stop && cudaEventCreate(&s.stop) != cudaSuccess) return false;
  if (t->recorded && t->last && newest_node(stream) == t->last) {
    s.begin = t->last_stop;
    return true;
  }
  s.begin = s.start;
  return record(t, s.start, stream);
}

/* True where the oldest span begins at the stop of one that was read, and may be used again. */
static bool begins_at_another(const batched_trace *t)
{
  const span &s = t->spans[t->pending[t->first]];
  return s.begin != s.start;
}

static bool is_left_out(batched_trace *t, const char *name)
{
  for (int i = 0; i < t->nsmall; i++)
    if (strcmp(t->small[i].name, name) == 0) return t->small[i].timed == SAMPLES || (t->small[i].timed++, false);
  return false;
}

static int begin(batched_ctx *ctx, batched_trace *t, const char *name)
{
  const cudaStream_t stream = stream_of(ctx);
  if (!t->recorded && batched_cuda_is_captured(ctx)) return CAPTURED;
  if (t->recorded && is_left_out(t, name)) return LEFT_OUT;
  while (t->npending > 0 && (t->nfree == 0 || begins_at_another(t))) read_oldest(ctx, true);
  if (t->nfree == 0) return UNTIMED;
  const int i = t->idle[t->nfree - 1];
  if (!start(t, t->spans[i], stream)) return UNTIMED;
  t->spans[i].other = -1;
  t->spans[i].recorded = t->recorded;
  t->nfree--;
  return i;
}

int batched_cuda_span_begin(batched_ctx *ctx, const char *name)
{
  nvtxRangePushA(name);
  batched_trace *t = ctx->trace;
  if (!t) return UNTIMED;
  const int i = begin(ctx, t, name);
  if (t->nopen < DEPTH) t->open[t->nopen] = i;
  t->nopen++;
  return i;
}

bool batched_cuda_span_share(batched_ctx *ctx, int row)
{
  batched_trace *t = ctx->trace;
  if (!t || t->nopen == 0 || t->nopen > DEPTH) return false;
  const int i = t->open[t->nopen - 1];
  if (i >= 0) t->spans[i].other = row;
  return i != UNTIMED;
}

bool batched_cuda_span_end(batched_ctx *ctx, int i, int row)
{
  nvtxRangePop();
  batched_trace *t = ctx->trace;
  if (t && t->nopen > 0) t->nopen--;
  if (i == LEFT_OUT && row >= 0) t->of_row[row].left_out++;
  if (i == CAPTURED || i == LEFT_OUT) return true;
  if (i == UNTIMED || !t) return false;
  if (!record(t, t->spans[i].stop, stream_of(ctx))) {
    t->idle[t->nfree++] = i;
    return false;
  }
  t->spans[i].row = row;
  if (t->recorded) t->last = newest_node(stream_of(ctx)), t->last_stop = t->spans[i].stop;
  t->pending[(t->first + t->npending++) % CAPACITY] = i;
  return true;
}

void batched_cuda_trace_record(batched_ctx *ctx, bool on)
{
  if (ctx->trace) ctx->trace->recorded = on, ctx->trace->last = nullptr;
}

void batched_recording_sample(batched_ctx *ctx, const char *name)
{
  batched_trace *t = ctx->trace;
  if (t && t->nsmall < MOST_SMALL) t->small[t->nsmall++] = {name, 0};
}

int batched_cuda_trace_open(batched_ctx *ctx)
{
  batched_trace *t = ctx->trace = static_cast<batched_trace *>(calloc(1, sizeof *t));
  if (!t) return BATCHED_NO_MEMORY;
  t->nfree = CAPACITY;
  for (int i = 0; i < CAPACITY; i++) t->idle[i] = i;
  return BATCHED_SUCCESS;
}

/* Calls that were left out take as long as the samples. */
static void fill_in(batched_ctx *ctx, batched_trace *t)
{
  for (int row = 0; row < ctx->nstats; row++) {
    samples &s = t->of_row[row];
    if (s.timed == 0) continue;
    ctx->stats[row].seconds += (double)s.left_out * s.seconds / (double)s.timed;
    s.left_out = 0;
  }
}

void batched_cuda_trace_settle(batched_ctx *ctx, bool keep)
{
  batched_trace *t = ctx->trace;
  if (!t) return;
  while (t->npending > 0) read_oldest(ctx, keep);
  if (keep) {
    fill_in(ctx, t);
    return;
  }
  memset(t->of_row, 0, sizeof t->of_row);
  for (small_operation &s : t->small) s.timed = 0;
}

void batched_cuda_trace_close(batched_ctx *ctx)
{
  if (!ctx->trace) return;
  batched_cuda_trace_settle(ctx, true);
  for (const span &s : ctx->trace->spans) {
    if (s.start) cudaEventDestroy(s.start);
    if (s.stop) cudaEventDestroy(s.stop);
  }
  free(ctx->trace);
  ctx->trace = nullptr;
}
