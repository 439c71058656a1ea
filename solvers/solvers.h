/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vectors, sparse matrices, conjugate gradients and Runge-Kutta methods.  Knows nothing of finite elements.
 *
 * Vectors live in the memory of the context; operations return what batched_run does, and check no arguments.
 */
#ifndef SOLVERS_H
#define SOLVERS_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All operations of this layer, ended by NULL. */
extern const batched_op *const solver_operations[];

/* ------------------------------------------------------------------ linear combinations */

enum { SOLVER_MAX_TERMS = 10 };

/* y = sum of c[i] * x[i] over nterms <= SOLVER_MAX_TERMS vectors of length n; y may be any of the x.  Terms are
 * added in order. */
typedef struct solver_combine_args {
  int64_t n;
  int nterms;
  double c[SOLVER_MAX_TERMS];
  const double *x[SOLVER_MAX_TERMS];
  double *y;
} solver_combine_args;

extern const batched_op solver_combine_op; /* key "vector" */
int solver_combine(batched_ctx *ctx, const solver_combine_args *args);

/* x . y over the n entries, a number on the host; not summed over ranks. */
typedef struct solver_dot_args {
  int64_t n;
  const double *x, *y;
  double *dot; // out, on the host
} solver_dot_args;

extern const batched_op solver_dot_op; /* key "vector" */
int solver_dot(batched_ctx *ctx, int64_t n, const double *x, const double *y, double *dot);

/* Adds memory to *sum as 64-bit words modulo 2^64, bytes that are left at its end as a shorter word.  The sum is the
 * same in any order, and another one after a change of any one bit.  sum, too, is in the memory of the context, so that
 * on a GPU nobody waits. */
typedef struct solver_checksum_args {
  size_t bytes;
  const void *data;
  uint64_t *sum; // in and out
} solver_checksum_args;

extern const batched_op solver_checksum_op; /* key "checksum" */
int solver_checksum(batched_ctx *ctx, size_t bytes, const void *data, uint64_t *sum);

/* ------------------------------------------------------------------ sparse matrices */

/* A matrix in the memory of a GPU. */
typedef struct solver_device_csr {
  batched_ctx *ctx; /* borrowed: whose memory it is */
  int64_t *start;   /* owned, as all below; shapes as in solver_csr */
  int *column;
  double *value;
  void *vendor;                   /* what the vendor's library has made of the matrix; NULL: nothing yet */
  void (*destroy_vendor)(void *); /* how to destroy it */
} solver_device_csr;

/* Compressed sparse rows, zero-based, columns ascending in each row. */
typedef struct solver_csr {
  int nrows, ncols;
  int64_t *start;            /* owned, [nrows + 1] */
  int *column;               /* owned, [start[nrows]] */
  double *value;             /* owned, [start[nrows]] */
  solver_device_csr *device; /* owned; NULL: everything is done on the host */
} solver_csr;

/* The pattern of sum over elements of P_e^T A_e P_e: entry (i, j) exists if some element has both.  dofs has shape
 * [nelements][ndofs].  Values are zero.  NULL when memory is out. */
solver_csr *solver_csr_create(int nrows, int nelements, int ndofs, const int *dofs);
/* A block-diagonal matrix of nblocks dense blocks [size][size], values zero.  NULL when memory is out. */
solver_csr *solver_csr_create_blocks(int nblocks, int size);
void solver_csr_destroy(solver_csr **a);
/* Adds the dense element matrix m [n][n] at rows and columns dofs[n], all of which are in the pattern. */
void solver_csr_add(solver_csr *a, int n, const int *dofs, const double *m);

/* Visits arrays that do not change, in the memory of the context.  what: the subject of a sentence. */
typedef void solver_constant_visit(void *user, const char *what, const void *data, size_t bytes);
void solver_csr_constants(const solver_csr *a, solver_constant_visit *visit, void *user);

/* Makes a->device in the memory of a CUDA context, once the values are there; nothing to do for one on the host.
 * BATCHED_NO_MEMORY when memory is out.  solver_csr_destroy takes it away; the context must still be there then. */
int solver_csr_place(batched_ctx *ctx, solver_csr *a);

/* y = A x for rows [first, last) and ncomp vectors: x and y have shape [ncomp][stride]. */
typedef struct solver_spmv_args {
  const solver_csr *a;
  int first, last, ncomp;
  int64_t stride;
  const double *x;
  double *y;
} solver_spmv_args;

extern const batched_op solver_spmv_op; /* key "spmv" */
int solver_spmv(batched_ctx *ctx, const solver_spmv_args *args);

/* ------------------------------------------------------------------ conjugate gradients */

enum { SOLVER_MAX_COMPONENTS = 3 };

/* Outcome of a solve for which the host does not wait. */
typedef struct solver_outcome {
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
} solver_outcome;

enum { SOLVER_LATE = 16 }; /* outcomes that are kept, of the last solves */

/* Kept by a row between solves with one operator, e.g. the graph of the loop on a GPU. */
typedef struct solver_pcg_cache {
  void (*destroy)(struct solver_pcg_cache *);
} solver_pcg_cache;

/* The dot products of an iteration, with z = D^-1 r and w = A p: (p, w), (r, z), (w, z), (w, D^-1 w). */
enum { SOLVER_PW, SOLVER_RZ, SOLVER_WZ, SOLVER_WW, SOLVER_DOTS };

/* On a GPU: an operator that does the passes over the vectors in its own kernels; solvers/cuda/pcg_split.cuh says what
 * each does.  `vectors` are split_vectors from there, a grid has so many blocks, and only kernels are enqueued. */
typedef struct solver_split {
  int (*product)(batched_ctx *ctx, void *data, const void *vectors);
  int (*residual)(batched_ctx *ctx, void *data, const void *vectors);
  /* z = P r, and the step of the scalars, which the residual does not take then; NULL: by the diagonal. */
  int (*precondition)(batched_ctx *ctx, void *data, const void *vectors);
  int product_blocks, residual_blocks, precondition_blocks;
  const int *order; /* [n]: entry i of its vectors is entry order[i] of b and x; in the context's memory, as the next */
  const double *inverse_diagonal; /* [n], in that order */
  const struct halo_peers *peers; /* the other ranks: mesh/comm/cuda/peers.cuh; NULL: there are none */
} solver_split;

/* A symmetric positive definite matrix A for ncomp <= SOLVER_MAX_COMPONENTS vectors side by side, as conjugate
 * gradients multiply by it.  Who has the matrix fills this in once, by name, and leaves the rest zero. */
typedef struct solver_operator {
  int ncomp;
  int64_t n;      /* entries of a component on this rank: vectors have shape [ncomp][n] */
  int64_t nowned; /* the first nowned of them belong to this rank; dot products count those */
  void *data;     /* borrowed: first argument of the functions below */
  int (*apply)(batched_ctx *ctx, void *data, const double *p, double *ap); /* ap = A p */
  const double *inverse_diagonal; /* borrowed, [n], the same for all components; NULL: no preconditioner */
  /* z = P r, another preconditioner than the diagonal: symmetric positive definite where A is; r and z are complete at
   * shared entries.  NULL: the diagonal. */
  int (*precondition)(batched_ctx *ctx, void *data, const double *r, double *z);
  /* On the host: both of these in single precision, for rows that refine.  NULL: there is none. */
  int (*apply_single)(batched_ctx *ctx, void *data, const float *p, float *ap);
  int (*precondition_single)(batched_ctx *ctx, void *data, const float *r, float *z);
  /* On a GPU: apply only enqueues kernels, the same in every call.  Rows may then keep what they make of the operator
   * (`cache`), and on one rank, or with peers, record the whole loop once, as one submission. */
  bool recordable;
  /* On a GPU and on one rank: apply, and the dot products in `parts` partial sums each, dots
   * [ncomp][SOLVER_DOTS][parts].  NULL: they take a pass of their own. */
  int (*apply_dots)(batched_ctx *ctx, void *data, const double *r, const double *p, double *ap, double *dots);
  int parts;
  const solver_split *split; /* borrowed; NULL: there is none; needs recordable and the diagonal */
  /* The same on vectors in single precision, made at the first call; borrowed.  Only one rank alone asks for it.  NULL:
   * there is none. */
  int (*split_single)(batched_ctx *ctx, void *data, const solver_split **split);
  /* Borrowed; NULL, or the matrix itself, placed; A then sets entry i of component c to zero where bit c of fixed[i] is
   * set.  fixed: on the host, [n]; NULL: nowhere.  On several ranks, which need peers then, A is the sum of theirs;
   * peers: mesh/comm/cuda/peers.cuh, with room for cuda.resident; NULL: there are none. */
  const solver_csr *csr;
  const unsigned char *fixed;
  /* Borrowed; NULL, or `precondition` as a matrix on the host, zero where A is fixed, with the pattern of csr; on
   * several ranks with that of whole->matrix. */
  const solver_csr *inverse;
  const struct halo_peers *peers;
  const struct solver_whole_rows *whole; /* borrowed; NULL, or with peers: solvers/cuda/pcg_division.cuh */
  solver_pcg_cache *cache;               /* owned: see solver_operator_forget */
} solver_operator;

/* Destroys what rows keep of an operator; before its matrix, its diagonal, its work space or the context goes. */
void solver_operator_forget(solver_operator *matrix);

/* Preconditioned conjugate gradients for the ncomp systems A x = b, side by side; P is D^-1, or matrix->precondition.
 * Every component has its own scalars and stops by itself, as if it were solved alone: when (r, P r) <= tolerance^2
 * (r0, P r0), r0 = b, x0 = 0; or, not converged, after max_iterations or where (r, P r) is not a number: neither is an
 * error.  Coupled components are one system of ncomp blocks: they share the scalars and stop together. */
typedef struct solver_pcg_args {
  solver_operator *matrix; /* A */
  bool coupled;
  const double *b; /* [ncomp][n] */
  double *x;       /* out, [ncomp][n] */
  double *work;    /* [3][ncomp][n]; [4] where there is matrix->precondition */
  double tolerance;
  int max_iterations;
  int *iterations; /* out, [ncomp] */
  bool *converged; /* out, [ncomp] */
  /* NULL, or out: NULL, or where iterations and converged, which are not set then, will stand when the context's stream
   * is done, until SOLVER_LATE more solves have been enqueued. */
  const solver_outcome **late;
  int *rounds; /* NULL, or out: how often a row that refines began to iterate; others leave it as it is */
} solver_pcg_args;

extern const batched_op solver_pcg_op; /* key "pcg" */
int solver_pcg(batched_ctx *ctx, const solver_pcg_args *args);

/* ------------------------------------------------------------------ Runge-Kutta */

enum { SOLVER_MAX_STAGES = 8 };

/* An explicit Runge-Kutta method: y_i = y + dt sum_j a[i][j] f(y_j), y += dt sum_i b[i] f(y_i). */
typedef struct solver_rk {
  int nstages;
  double a[SOLVER_MAX_STAGES][SOLVER_MAX_STAGES];
  double b[SOLVER_MAX_STAGES];
} solver_rk;

extern const solver_rk solver_rk_euler;     /* forward, order 1 */
extern const solver_rk solver_rk_midpoint;  /* order 2 */
extern const solver_rk solver_rk_ssp3;      /* strong stability preserving, order 3: Shu, Osher 1988 */
extern const solver_rk solver_rk_classical; /* order 4 */
extern const solver_rk solver_rk_verner;    /* order 6, 8 stages */

/* One step of size dt from y0 to y (n entries each; y is not y0).  k has shape [nstages][n].  Returns the first
 * status of f or of the vectors' operations that is not 0. */
int solver_rk_step(batched_ctx *ctx, const solver_rk *rk, int64_t n, double dt, const double *y0, double *y, double *k,
                   int (*f)(void *user, const double *y, double *dydt), void *user);

#ifdef __cplusplus
}
#endif

#endif
