/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For authors of operations and variants: the seam between a call and the code that does it.
 *
 * An operation is constant data: a name and a table of variants per backend, best first.  batched_run picks the row
 * that the context was told to use, or else the first that fits and likes the arguments; it is the only place that
 * counts, times and traces.  A backend that was not built is an empty table.  The layers above (fem, solvers, app)
 * declare their operations with the same structs.
 */
#ifndef BATCHED_VARIANT_H
#define BATCHED_VARIANT_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_variant {
  const char *name;                               /* what a deck writes: "<backend>.<idea>", e.g. "host.sumfact" */
  bool (*fits)(const void *args);                 /* can it do this shape at all?  NULL: always */
  bool (*likes)(const void *args);                /* is it the right choice here?  NULL: yes */
  int (*run)(batched_ctx *ctx, const void *args); /* args: this operation's own struct */
  /* For an operation that is an object with several calls (fem_force): its own struct of functions; no `run` then. */
  const void *functions;
} batched_variant;

/* The work a call has to do, whatever the variant: the model against which a run is measured. */
typedef struct batched_cost {
  double flops, bytes;
} batched_cost;

/* Offsets in an argument struct of what belongs to single matrices, so that threads can split a batch (split.c). */
enum { BATCHED_MAX_OPERANDS = 8, BATCHED_MAX_EXTENTS = 3, BATCHED_MAX_ARGS = 1024 /* bytes */ };
typedef struct batched_operands {
  size_t bytes;                          /* of the struct, at most BATCHED_MAX_ARGS; 0: a call stays on one thread */
  int nmatrices;                         /* operands that are a batched_matrix */
  size_t matrices[BATCHED_MAX_OPERANDS]; /* their offsets; those with data NULL and no array are not there */
  size_t info, pivots;                   /* offsets of an int *; 0: none.  `pivots` has so many for each matrix: */
  int64_t (*npivots)(const void *args);  /* NULL: min(m, n) of the first one */
  size_t counts, columns;                /* offsets of an int *, too: one for each matrix, and n of the first one */
  int nextents;                          /* a batched_extent each, beside those of the matrices */
  size_t extents[BATCHED_MAX_EXTENTS];   /* their offsets */
} batched_operands;

/* A name that a row had in an earlier release; still found, and no longer listed. */
typedef struct batched_alias {
  const char *old_name, *name;
} batched_alias;

typedef struct batched_op {
  const char *name;                       /* in reports: "gemm", "force" */
  const char *key;                        /* in decks, `kernels.<key>`: several operations may share one */
  const batched_variant *variants[2];     /* per batched_space; a table ends with a row of zeros */
  batched_cost (*cost)(const void *args); /* NULL: not modelled */
  batched_operands operands;
  const batched_alias *aliases; /* ended by a row of zeros; NULL: none */
  bool whatever_count; /* a matrix has the same bits in a batch of any count, by rows made of operations, too */
} batched_op;

/* An operation of this library (<family>/<op>.c), and its rows in each backend (host/<op>.c, cuda/<op>.cu). */
#define BATCHED_DECLARE(op) \
  extern const batched_op batched_##op##_op; \
  extern const batched_variant batched_##op##_host[], batched_##op##_cuda[];

/* The table of a backend that was not built (cuda/none.c). */
#define BATCHED_NO_ROWS(op) const batched_variant batched_##op##_cuda[] = {{0}};

/* All operations of this library, ended by NULL. */
extern const batched_op *const batched_operations[];

/* Run the operation; returns what the variant returns, BATCHED_NO_VARIANT or BATCHED_DOES_NOT_FIT. */
int batched_run(batched_ctx *ctx, const batched_op *op, const void *args);

/* An object with several calls chooses its row once, when it is made, and keeps it: *row, or BATCHED_NO_VARIANT or
 * BATCHED_DOES_NOT_FIT.  Each call then stands between begin and end, which count, time and trace it under the name of
 * an operation, as batched_run does:
 *
 *   batched_call call;
 *   int status = batched_begin(&call, ctx, op, row);
 *   return status ? status : batched_end(&call, args, functions->stress(ctx, ...));
 *
 * args: for the operation's cost.  begin fails only where a test asks for it; end returns the status that it is
 * given. */

/* Of a call's matrices a thread, or a part of the batch, has `here`; all are `whole`, or, where that is not known,
 * INT64_MAX. */
typedef struct batched_portion {
  int64_t here, whole;
} batched_portion;

typedef struct batched_call {
  batched_ctx *ctx;
  const batched_op *op;
  const batched_variant *row;
  double start;
  int span;
  struct batched_portion around; /* the portion of the call around this one */
} batched_call;

int batched_keep(batched_ctx *ctx, const batched_op *op, const void *args, const batched_variant **row);
int batched_begin(batched_call *call, batched_ctx *ctx, const batched_op *op, const batched_variant *row);
int batched_end(batched_call *call, const void *args, int status);

/* From now on `op` runs as `variant` ("auto": choose by the arguments).  BATCHED_NO_VARIANT if there is no such row
 * in this context's backend.  `variant` is a full name, or the idea alone ("ref"), or "vendor" for the first vendor
 * row. */
int batched_select(batched_ctx *ctx, const batched_op *op, const char *variant);

/* The row that batched_run would take for these arguments, or NULL. */
const batched_variant *batched_choose(batched_ctx *ctx, const batched_op *op, const void *args);

/* The same whatever was selected: for calls between operations that no user can see.  The row of the first line of the
 * context's tables of choices (batched/tuning/choice.h) that holds and fits, else batched_pick's. */
const batched_variant *batched_find_best(batched_ctx *ctx, const batched_op *op, const void *args);

/* The first row of a table that fits and likes these arguments, else the first that fits, or NULL. */
const batched_variant *batched_pick(const batched_variant *table, const void *args);

/* The row of that name (as in batched_select) in the table of a space, or NULL. */
const batched_variant *batched_find_variant(const batched_op *op, batched_space space, const char *name);

/* Counters of the calls so far, a row per operation and variant that ran, in order of first use. */
typedef struct batched_stats {
  const batched_op *op;
  const batched_variant *variant;
  int64_t calls;
  double seconds;    /* inclusive; on CUDA the time to enqueue, or the device's: see batched_time_device */
  batched_cost cost; /* sums over the calls */
  bool nested;       /* all calls came from inside another operation */
} batched_stats;

/* Waits for the device where it is the one that times. */
int batched_get_stats(batched_ctx *ctx, const batched_stats **rows);
void batched_reset_stats(batched_ctx *ctx);

/* From now on, seconds of operations are the device's, between two events on the stream around each: what enqueueing
 * costs counts where the device waits for it.  Operations that are captured into a graph count where the graph runs.
 * No effect on the host. */
int batched_time_device(batched_ctx *ctx, bool on);

/* Scratch memory of the context, in its space: last in, first out, kept for the life of the context.  After the
 * first calls of a run it allocates nothing.  NULL when memory is out. */
void *batched_scratch_push(batched_ctx *ctx, size_t bytes);
void batched_scratch_pop(batched_ctx *ctx);
/* Makes scratch memory of a block of batched_allocate, which is the context's from then on: a call that needs much
 * finds memory that was touched before, where the system would fill new pages with zeros. */
void batched_scratch_give(batched_ctx *ctx, void *block, size_t bytes);

/* The CUDA stream of the context (a cudaStream_t); NULL on the host. */
void *batched_stream(const batched_ctx *ctx);

/* Measured limits of the machine for one context: bytes (read and written) and double precision flops, per second. */
typedef struct batched_limits {
  double triad, copy;
  double vector; /* fused multiply-adds; single precision has twice the rate */
  double matrix; /* the faster of these and the matrix units (m16n8k16 on NVIDIA's tensor cores) */
} batched_limits;

int batched_measure_each_limit(batched_ctx *ctx, batched_limits *limits);

/* The matrices of a batch, as its operation's operands say. */
int64_t batched_count_of(const batched_op *op, const void *args);
/* Makes an operation's arguments those of matrices first .. first + count - 1 of the batch. */
void batched_take_part(const batched_op *op, void *args, int64_t first, int64_t count);

/* Seconds on a clock that never goes back. */
double batched_seconds(void);

/* ------------------------------------------------------------------ inside a batch */

static inline bool batched_is_complex(batched_type type)
{
  return type == BATCHED_C || type == BATCHED_Z;
}

static inline bool batched_is_zero(batched_type type, batched_scalar a)
{
  return a.re == 0 && (a.im == 0 || !batched_is_complex(type));
}

static inline size_t batched_element_bytes(batched_type type)
{
  static const size_t bytes[] = {4, 8, 8, 16};
  return bytes[type];
}

/* The type of norms, eigenvalues and singular values of a matrix of `type`. */
static inline batched_type batched_real_type(batched_type type)
{
  return type == BATCHED_S || type == BATCHED_C ? BATCHED_S : BATCHED_D;
}

static inline int batched_rows(const batched_matrix *a, int64_t b)
{
  return a->ms ? a->ms[b] : a->m;
}

static inline int batched_cols(const batched_matrix *a, int64_t b)
{
  return a->ns ? a->ns[b] : a->n;
}

static inline int batched_ld(const batched_matrix *a, int64_t b)
{
  return a->lds ? a->lds[b] : a->ld;
}

static inline bool batched_is_variable(const batched_matrix *a)
{
  return a->ms || a->ns || a->lds;
}

/* Value for matrix b. */
static inline int batched_extent_at(batched_extent x, int64_t b)
{
  return x.each ? x.each[b] : x.bound;
}

/* One matrix for the whole batch? */
static inline bool batched_is_shared(const batched_matrix *a)
{
  return !a->array && a->stride == 0;
}

/* Matrix b of the batch. */
static inline void *batched_at(const batched_matrix *a, int64_t b)
{
  if (a->array) return a->array[b];
  return a->data ? (char *)a->data + b * a->stride * (int64_t)batched_element_bytes(a->type) : NULL;
}

/* Elements of vector b, of a batch that is known to be one of vectors. */
static inline int batched_vector_length(const batched_matrix *x, int64_t b)
{
  return x->n == 1 && !x->ns ? batched_rows(x, b) : batched_cols(x, b);
}

/* The bound of these lengths. */
static inline int batched_vector_bound(const batched_matrix *x)
{
  return x->n == 1 && !x->ns ? x->m : x->n;
}

/* Its element i is at batched_at(x, b) + i * increment. */
static inline int batched_increment(const batched_matrix *x, int64_t b)
{
  return x->n == 1 && !x->ns ? 1 : batched_ld(x, b);
}

#ifdef __cplusplus
}
#endif

#endif
