/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the files of the harness.
 */
#ifndef TESTS_BATCHED_SWEEP_PRIVATE_H
#define TESTS_BATCHED_SWEEP_PRIVATE_H

#include "tests/batched/sweep/sweep.h"

/* A number that no matrix has and no type holds: it is stored as a NaN with bits of its own. */
#define SWEEP_POISON 0x1.23456789p+5000L

/* Memory for trials, sent and read together where there is an arena (sweep_memory.c). */
void sweep_open_arena(batched_ctx *ctx);
void sweep_close_arena(void);
/* A trial more (1) or less (-1); returns where the next memory will lie. */
size_t sweep_arena_mark(int trials);
/* New memory with these bytes (from NULL: with none); it is there after the next flush. */
void *sweep_send(batched_ctx *ctx, const void *from, size_t bytes);
void sweep_release(batched_ctx *ctx, void *p);
void sweep_flush(void);
/* Reads a part of the arena, from which sweep_fetch (into new host memory) is then served. */
void sweep_look(size_t begin, size_t end);
void *sweep_fetch(batched_ctx *ctx, const void *from, size_t bytes);

/* An operand: a host image of everything that belongs to it, and the batch in the context's space. */
typedef struct sweep_batch {
  sweep_operand operand;
  batched_matrix view; /* in the context's space */
  size_t bytes;
  void *image;        /* host copy of the data, with poison between the matrices */
  int64_t *offset;    /* of matrix b in the image, in elements */
  int *ms, *ns, *lds; /* of matrix b */
  size_t device_bytes;
  void *device[5]; /* data, pointers, ms, ns, lds */
} sweep_batch;

/* The shape of matrix b of the case. */
sweep_case sweep_matrix(const sweep_case *c, int64_t b);
/* It alone, in a batch of fixed size. */
sweep_case sweep_fixed_case(const sweep_case *c, int64_t b);

/* A batch of the case's operand, filled; matrix `bad` (if >= 0) gets `value`.  `first` is the number, in the case, of
 * its first matrix: a part of a batch has the same matrices as the whole. */
sweep_batch sweep_create(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int operand, int64_t first,
                         int64_t bad, long double value);
void sweep_destroy(batched_ctx *ctx, sweep_batch *x);
/* Repeats the matrices on the device until there are `count`; image, offset, ms, ns and lds stay those of the old
 * ones. */
void sweep_widen(batched_ctx *ctx, const sweep_case *c, sweep_batch *x, int64_t count);
/* Reads the batch back into a new image. */
void *sweep_read(batched_ctx *ctx, const sweep_batch *x);
sweep_dense sweep_dense_of(const sweep_batch *x, const void *image, int64_t b);
/* True where what is outside of the matrices of operand `i`, or poisoned in them, has its old bits. */
bool sweep_poison_kept(const sweep_family *f, const sweep_case *c, int i, const sweep_batch *x, const void *image);

/* The ints of a batch: `each` for a matrix.  Shared ones are those of matrix 0. */
typedef struct sweep_ints {
  int each;
  int64_t matrices; /* 1 if shared, else the count */
  int *image, *device;
} sweep_ints;

/* One int of each matrix, `which` of the family's extents; none unless the batch is variable. */
sweep_ints sweep_create_extent(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int which, int64_t first);
sweep_ints sweep_create_pivots(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int64_t first);
void sweep_destroy_ints(batched_ctx *ctx, sweep_ints *x);
/* As sweep_widen; the image stays that of the old ones.  Not for shared ones. */
void sweep_widen_ints(batched_ctx *ctx, sweep_ints *x, int64_t count);
int *sweep_read_ints(batched_ctx *ctx, const sweep_ints *x);

void sweep_free_temporaries(void);

/* Fills the context's scratch memory with NaN, where the family wants it. */
void sweep_poison_scratch(batched_ctx *ctx);

/* What the command line asked of the tests. */
typedef struct sweep_options {
  const sweep_family *family;
  const char *rows; /* NULL: all */
  bool quick, misread, uninitialised, far, whole_on_gpu;
} sweep_options;
extern sweep_options sweep;

/* A call on fresh data, and what came of it. */
typedef struct sweep_trial {
  sweep_batch x[SWEEP_MAX_OPERANDS];
  void *after[SWEEP_MAX_OPERANDS];
  int *info, *device_info;
  sweep_ints pivots, extents[SWEEP_MAX_EXTENTS];
  int *pivots_after;
  int status;
  size_t begin, end; /* in the arena */
} sweep_trial;

/* A batch whose first matrix has the number `first`; matrix `bad` (if >= 0) gets `value`, a NaN say. */
sweep_trial sweep_start(batched_ctx *ctx, const sweep_case *c, int64_t first, int64_t bad, long double value);
/* Only the call itself, as it is captured and measured. */
int sweep_call(batched_ctx *ctx, const sweep_case *c, sweep_trial *t);
void sweep_read_results(batched_ctx *ctx, sweep_trial *t);
void sweep_finish(batched_ctx *ctx, sweep_trial *t);
long double sweep_ratio(const sweep_case *c, const sweep_trial *t, int64_t b);
/* True where matrix b of the one has the bits of matrix d of the other; a NaN is as good as another. */
bool sweep_same_bits(const sweep_trial *t, int64_t b, const sweep_trial *o, int64_t d);
/* The largest difference between what became of matrix b of the one and of matrix d of the other, in units of n eps
 * times the largest element of that operand, n the largest of the matrix's sizes.  Infinite if pivots or info differ.
 */
long double sweep_difference(const sweep_case *matrix, const sweep_trial *t, int64_t b, const sweep_trial *o,
                             int64_t d);
bool sweep_pivots_kept(const sweep_case *c, const sweep_trial *t);
/* The same data as in `from`, whose case differs at most in the numbers of its matrices. */
void sweep_set_data(batched_ctx *ctx, sweep_trial *t, const sweep_trial *from);
const char *sweep_describe(const char *variant, const sweep_case *c);
int sweep_largest(const int *shape);

/* True where the call was done.  A row that is not made for a shape says so, and is left out; other statuses fail. */
bool sweep_done(const char *variant, const sweep_case *c, int status);

/* A vendor's row for the GPU: it has to be right, but hard kinds of matrices, the same bits whatever the batch, and
 * what is outside of the results, are asked of our own rows alone. */
bool sweep_is_foreign(const batched_ctx *ctx, const char *variant);
/* True where a row promises the same bits wherever a matrix lies: no vendor's row for the GPU; nor, where the BLAS has
 * kernels whose sums depend on the alignment (OpenBLAS's for processors without AVX), a row that may call it. */
bool sweep_keeps_bits(const batched_ctx *ctx, const char *variant);
/* Of the ratio: a vendor's row may be less accurate than ours. */
long double sweep_limit(const batched_ctx *ctx, const char *variant);
/* Neither a vendor's row nor the choice among all. */
bool sweep_is_own(const batched_ctx *ctx, const char *variant);

/* Fails if something outside of the results was written. */
void sweep_check_outside(const batched_ctx *ctx, const char *variant, const sweep_case *c, const sweep_trial *t);

/* Test of sweep_far.c. */
void sweep_far_row(batched_ctx *ctx, const char *variant);

/* Test of sweep_edges.c, of all rows of a space. */
void sweep_edges(batched_ctx *ctx);

/* Tests of sweep_gpu.c. */
void sweep_counts_row(batched_ctx *ctx, const char *variant);
void sweep_large_row(batched_ctx *ctx, const char *variant);
void sweep_host_row(batched_ctx *ctx, const char *variant);
void sweep_fixed_row(batched_ctx *ctx, const char *variant);
void sweep_graph_row(batched_ctx *ctx, const char *variant);
void sweep_configurations_row(batched_ctx *ctx, const char *variant);
/* True where the row is one of a list, with commas between. */
bool sweep_names(const char *list, const char *variant);
void sweep_quick_row(batched_ctx *ctx, const char *variant);

/* True where the row is one of those asked for. */
bool sweep_wanted(const char *variant);

/* What the harness needs of CUDA itself: sweep_cuda.cu, or sweep_none.c where it was not built. */
void sweep_cuda_evict(batched_ctx *ctx, const void *buffer,
                      size_t bytes);      /* reads the buffer, which is larger than L2 */
void sweep_cuda_start(batched_ctx *ctx);  /* of the time, on the context's stream */
double sweep_cuda_stop(batched_ctx *ctx); /* seconds since; waits */
/* Number of 4-byte words in which x differs from the pattern that is repeated every `period` words. */
int64_t sweep_cuda_differences(batched_ctx *ctx, const void *x, int64_t words, const void *pattern,
                               int64_t pattern_words, int64_t period);
bool sweep_cuda_begin_capture(batched_ctx *ctx);
void *sweep_cuda_end_capture(batched_ctx *ctx); /* an executable graph, NULL if the calls can't be captured */
bool sweep_cuda_replay(batched_ctx *ctx, void *graph);
void sweep_cuda_free_graph(void *graph);

int sweep_bench(int argc, char **argv);

/* The words behind --bench; sizes that n= may have. */
enum { SWEEP_MAX_SIZES = 64 };
#define SWEEP_WORDS \
  "space=host|cuda types=sdcz n=8,16,... shape=MxNxK nrhs=1 k=8 layout=dense|array|variable|shared flags=0 " \
  "count=1000 " \
  "threads=1 rows=NAME,...|auto"
/* True where each says something, of use to the operation; else tells of the first that does not. */
bool sweep_are_words(int argc, char **argv);
/* True where the rows that were asked for are among those of the space; else tells which there are.  Where CUDA was not
 * built there are none to compare with. */
bool sweep_has_rows(batched_space space);
/* What stands behind "name=". */
const char *sweep_word(int argc, char **argv, const char *name, const char *otherwise);
/* Says what words the program takes; 0 if it was asked to, 2 if `word` is none of them. */
int sweep_help(const char *program, const char *word);

#endif
