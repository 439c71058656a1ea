/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One harness for all operations: it runs every row of an operation's table over types, shapes, options, layouts and
 * kinds of matrices, with the checks that hold for all of them, and asks the family for the rest.  A new row is tested
 * without touching a test.  With a word in front, the same program does the rows for the GPU, or measures:
 *   test_gemm [--far] [rows=host.simd]
 *     --far: the host's rows with all edge_shapes
 *   test_gemm --gpu [--quick [--misread]] [--uninitialised] [--far] [rows=cuda.tile,auto]
 *     --quick: a small part, for tools that are slow; --misread: with the kernels in it that racecheck of CUDA 13.0
 *     (2025.3) finds races in where there are none; --uninitialised: the small part for a tool that looks for reads of
 *     memory that nobody wrote: results are left as they were allocated; --far: matrices and columns that are more than
 *     2^31 elements apart, alone, in some 35 GB
 *   test_gemm --bench [space=cuda] [rows=auto,host.simd] [types=sdcz] [n=8,16,32] [nrhs=1] [k=8] [shape=81x8x64]
 *     [flags=0] [layout=dense|array|variable|shared] [count=1000] [threads=1]
 *     prints a line of CSV for each row and size, those of the vendor always among them
 */
#ifndef TESTS_BATCHED_SWEEP_H
#define TESTS_BATCHED_SWEEP_H

#include <complex.h>

#include "batched/operations.h"

typedef enum sweep_layout {
  SWEEP_STRIDED,
  SWEEP_DENSE,
  SWEEP_ARRAY,
  SWEEP_VARIABLE,
  SWEEP_SHARED,
  SWEEP_SHARED_DENSE,
  SWEEP_LAYOUTS
} sweep_layout;

/* Kinds of matrices; a family says which of them it knows. */
typedef enum sweep_kind {
  SWEEP_RANDOM,
  SWEEP_LARGE, /* scaled by 2^900, or 2^100 in single precision */
  SWEEP_SMALL, /* scaled by 2^-900, or 2^-100 */
  SWEEP_ZERO,
  SWEEP_IDENTITY,
  SWEEP_DIAGONAL,
  SWEEP_RANK_ONE,
  SWEEP_SINGULAR, /* rank about n/2 */
  SWEEP_ILL,      /* condition number 0.1 / eps */
  SWEEP_GRADED,   /* rows and columns fall from 1 to eps */
  SWEEP_HILBERT,
  SWEEP_BAD,             /* what the operation reports in info */
  SWEEP_DENORMAL,        /* scaled by 2^-1060, or 2^-140 */
  SWEEP_NEARLY_SINGULAR, /* one singular value is eps, the others are 1 */
  SWEEP_CONDITION_2,     /* condition number 1e2, but at most 0.1 / eps */
  SWEEP_CONDITION_6,
  SWEEP_CONDITION_10,
  SWEEP_CONDITION_14,
  SWEEP_HIDDEN, /* Q R, with a condition that R's diagonal, all ones, does not show */
  SWEEP_UNEVEN, /* columns scaled by 2^150 and 2^900 in turn, or 2^18 and 2^100 */
  SWEEP_KINDS
} sweep_kind;

enum { SWEEP_MAX_OPERANDS = 6, SWEEP_MAX_EXTENTS = BATCHED_MAX_EXTENTS };

typedef struct sweep_case {
  batched_type type;
  int m, n, k; /* bounds; of one matrix in the functions that look at one */
  int flags;   /* 0 .. family's nflags - 1 */
  sweep_kind kind;
  sweep_layout layout;
  int64_t count;
  bool edge; /* one of the family's edge_shapes: matrices of a variable batch are little smaller than the bounds */
  int
    *pivots; /* in `call` those of the batch, in the context's space; in `ratio` those of the matrix, after the call */
  const int *extents[SWEEP_MAX_EXTENTS]; /* in `call`, of a variable batch: in the context's space */
} sweep_case;

typedef enum sweep_role { SWEEP_IN, SWEEP_OUT, SWEEP_INOUT } sweep_role;

typedef enum sweep_form { SWEEP_MATRIX, SWEEP_COLUMN, SWEEP_ROW } sweep_form;

typedef struct sweep_operand {
  sweep_role role;
  sweep_form form;
  bool real;       /* of the real type that belongs to the case's */
  bool is_complex; /* of the complex type that belongs to it */
  bool shareable;  /* SWEEP_SHARED gives it a stride of 0 */
  int m, n;
} sweep_operand;

/* The bits of all condition numbers. */
#define SWEEP_CONDITIONS \
  (1u << SWEEP_CONDITION_2 | 1u << SWEEP_CONDITION_6 | 1u << SWEEP_CONDITION_10 | 1u << SWEEP_CONDITION_14)

/* A matrix as the oracles see it: column-major, in more digits than any type. */
typedef long double _Complex wide;
typedef struct sweep_dense {
  int m, n;
  wide *x; /* element (i, j) at x[i + j * m] */
} sweep_dense;

#define SWEEP_AT(d, i, j) ((d).x[(i) + (int64_t)(j) * (d).m])

typedef struct sweep_family {
  const batched_op *op;
  int nflags, noperands;
  const int (*shapes)[3];       /* m, n, k; ended by a negative m */
  const int (*large_shapes)[3]; /* larger ones, in double and one other type each; the host's rows take some */
  const int (*edge_shapes)[3];  /* beyond those: where kernels change their shape, for all rows in all types by name */
  long double edge_limit;       /* of the ratio for them; 0: a tenth of `limit`, if that is more than 10 */
  int edge_step;                /* flags of edge_shapes are multiples of it; 0: 1 */
  int quick;                    /* the largest order in the quick part, with large_shapes; 0: 100, without them */
  const int (*quick_shapes)[5]; /* m, n, k, flags, count: instead of these, for each kernel to run once in each type */
  const char *const *quick_of;  /* types and rows that each of quick_shapes is for: "sdc cuda.lanes,cuda.shared" */
  const char *compared;         /* rows, with commas between, that no call takes: fewer types, not the largest shapes */
  const char *misread;          /* rows for --misread, with commas between, of which a call takes one by itself ... */
  int misread_beyond;           /* ... beyond this order */
  const char *slow;             /* rows on which tools take too long, for --quick up to this order alone */
  int slow_beyond;
  const char *inverting;        /* a row that multiplies by inverses, and loses their condition */
  const char *unseen;           /* rows that read what bulk copies wrote, not for --uninitialised */
  unsigned kinds;               /* bits 1 << sweep_kind */
  unsigned host_kinds;          /* more of them, for our own rows on the host */
  const char *const *own_kinds; /* names of kinds that `fill` makes, SWEEP_KINDS and those that follow it; NULL-ended */
  long double limit;            /* of the ratio */
  long double far_apart;        /* how far results of two rows for random matrices may be; 0: 300, see sweep_gpu.c */
  bool square;                  /* m == n in all of them */
  bool longer;                  /* operands may be longer than they have to be */
  bool poisons_scratch;         /* the context's scratch memory is NaN before each case */
  void (*operands)(const sweep_case *c, sweep_operand *out);
  /* Values of operand `i` of one matrix; what must not be read is left as it is (poison). */
  void (*fill)(const sweep_case *c, int i, sweep_dense x);
  /* Ints that go with a matrix, those of matrix b from b * pivots(bounds) on; the harness looks at pivots(matrix b) of
   * them.  NULL: none.  fill_pivots finds the random numbers that `fill` found for operand 0; NULL: they are an output.
   * Where operand 0 is shared, so are the pivots that are read. */
  int (*pivots)(const sweep_case *c);
  void (*fill_pivots)(const sweep_case *c, int *pivots);
  /* Sizes beside those of the operands: ints of one matrix, which a variable batch has an array each of. */
  int nextents;
  void (*extents)(const sweep_case *c, int *out);
  /* True where element (row, col) of operand `i` may be written, though it is poison on entry; NULL: none may. */
  bool (*fills)(const sweep_case *c, int i, int row, int col);
  int (*call)(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info);
  /* Residual in units of the rounding error, NaN where the result is wrong.  `info`: what was reported. */
  long double (*ratio)(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info);
  /* The same for edge_shapes, with a random vector in place of a matrix; NULL: `ratio` is fast enough. */
  long double (*probe)(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info);
  /* Of how many rows of operand `i` is the result the same, up to rounding, by any algorithm?  NULL: of all. */
  int (*unique_rows)(const sweep_case *c, int i);
} sweep_family;

/* Runs the family's tests and `extra` ones, or the benchmark if that is asked for. */
struct CMUnitTest;
int sweep_main(int argc, char **argv, const sweep_family *family, const struct CMUnitTest *extra, size_t nextra);
/* After it, with the status that it returned: tests for a GPU, where all tests on one were asked for, and there is one;
 * `extra` ones are not run there. */
int sweep_then_on_gpu(int status, const char *name, const struct CMUnitTest *tests, size_t ntests);

/* True where the row is one of the family's to compare with. */
bool sweep_is_compared(const char *variant);
/* True where the quick part has to do without the row. */
bool sweep_leaves_out(const char *variant, int order);

/* Calls the row with the case, and looks at each matrix, and outside of it. */
void sweep_check_case(batched_ctx *ctx, const char *variant, const sweep_case *c);

/* For families: reproducible numbers, norms, and the like. */
long double sweep_uniform(void); /* in (-1, 1) */
wide sweep_number(batched_type type);
void sweep_seed(uint64_t seed);
/* In `fill`: operand 0 of the matrix that is being filled. */
sweep_dense sweep_first_operand(const sweep_case *c);
/* True where the matrix is so ill conditioned that errors take a right-hand side with a small solution to be seen. */
bool sweep_is_hard(sweep_kind kind);
/* Triangles that fall apart into those of 4 columns, ill conditioned all of them. */
void sweep_hidden_triangles(const sweep_case *c, sweep_dense x);
/* The factors of A = P L U in A's place, with partial pivoting; P is not kept. */
void sweep_factor(sweep_dense x);
/* A triangle of the kind: what is not to be read, the diagonal too if it is one of ones, is poison. */
void sweep_triangle(const sweep_case *c, batched_uplo uplo, bool unit, sweep_dense x);
/* The same with the zeros and ones that it stands for. */
sweep_dense sweep_triangle_of(sweep_dense x, batched_uplo uplo, bool unit);
/* b = op(a) times a random matrix */
void sweep_right_hand_side(batched_type type, batched_trans trans, sweep_dense a, sweep_dense b);
long double sweep_eps(batched_type type); /* 2^-24 or 2^-53 */
/* The rounding error of numbers as large as the norm: more than eps |A| where they are denormal. */
long double sweep_unit(const sweep_case *c, long double norm);
long double sweep_abs(wide x);
long double sweep_larger(long double x, long double y); /* NaN where either is */
long double sweep_norm(sweep_dense x);                  /* Frobenius */
sweep_dense sweep_sizes(sweep_dense x);                 /* |x|, element by element */
bool sweep_is_finite(sweep_dense x);
sweep_dense sweep_new(int m, int n); /* zeros; freed at the end of the ratio by the harness */
bool sweep_is_real(sweep_dense x);   /* no imaginary part anywhere? */
wide sweep_wide(batched_scalar a, batched_type type);
/* part(first, last, data) of 0 .. n - 1 on as many threads as there are processors, if there are enough operations. */
void sweep_share(int n, double operations, void (*part)(int first, int last, void *data), void *data);
/* c += alpha op(a) op(b) */
void sweep_multiply(wide alpha, batched_trans ta, sweep_dense a, batched_trans tb, sweep_dense b, sweep_dense c);
long double sweep_orthogonality(sweep_dense q); /* |Q^H Q - I| over the columns */
/* For probes: a random vector; op(a) x; |x - y| sqrt(n), which is about |X - Y| of the matrices, in units of n eps |A|
 * |v|, where they were multiplied by a random v of n numbers. */
sweep_dense sweep_vector(batched_type type, int n);
sweep_dense sweep_times(batched_trans trans, sweep_dense a, sweep_dense x);
long double sweep_probe(const sweep_case *c, sweep_dense a, sweep_dense x, sweep_dense y, sweep_dense v);
/* A matrix with singular values (or eigenvalues) between 1 and `smallest`, for the kinds above. */
void sweep_general(const sweep_case *c, sweep_dense x);
void sweep_hermitian(const sweep_case *c, sweep_dense x, bool positive);
long double sweep_scale(const sweep_case *c); /* 1, or the factor of LARGE, SMALL and DENORMAL */
/* Triangles: keep one triangle of x, poison the other. */
void sweep_poison_triangle(sweep_dense x, batched_uplo other);
/* A diagonal of ones is not to be read. */
void sweep_poison_diagonal(sweep_dense x);
bool sweep_is_poison(wide x);

/* A copy of the batch x with one field changed, for calls that have to be refused. */
#define SWEEP_CHANGED(x, field, value) \
  ({ \
    batched_matrix changed_ = x; \
    changed_.field = value; \
    changed_; \
  })

#endif
