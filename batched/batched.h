/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched: dense linear algebra on many small matrices at once, on the host and on CUDA GPUs, in s, d, c, z.
 *
 * A batch is a plain view (batched_matrix).  One function per operation serves the four precisions, strided and
 * pointer-array batches, uniform and variable sizes.  Work goes through a context, which owns a stream, the scratch
 * memory and the choice of variants.  Nothing here prints or aborts: a call returns 0, -i for a bad i-th argument, or a
 * positive batched_status; what is wrong with one matrix goes into info[b].
 */
#ifndef BATCHED_H
#define BATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum batched_type { BATCHED_S, BATCHED_D, BATCHED_C, BATCHED_Z } batched_type;

/* The space of a context: its data lives there, and its work is done there. */
typedef enum batched_space { BATCHED_HOST, BATCHED_CUDA } batched_space;

typedef enum batched_status {
  BATCHED_SUCCESS = 0,
  BATCHED_NO_MEMORY,     /* out of memory; or a graph is captured, and the call has no workspace yet */
  BATCHED_NO_VARIANT,    /* no such variant, or it was not built */
  BATCHED_DOES_NOT_FIT,  /* the variant asked for can't do this shape */
  BATCHED_NO_DEVICE,     /* no driver or no device; or CUDA was not built */
  BATCHED_DEVICE_FAILED, /* a CUDA call failed; the context can't be used any more */
  BATCHED_NO_KERNELS,    /* CUDA was not built for this GPU's architecture */
} batched_status;

/* One sentence for what a call returned: a status, or -i. */
const char *batched_strerror(int status);

/* ------------------------------------------------------------------ context */

typedef struct batched_ctx batched_ctx;

/* Makes a context for work in `space`; *ctx is NULL where that fails.  Contexts are independent of each other; one
 * context serves one thread at a time.  BATCHED_NO_DEVICE, BATCHED_NO_KERNELS: `space` is BATCHED_CUDA, and there is
 * no GPU for it. */
int batched_create(batched_ctx **ctx, batched_space space);
/* The same on GPU `device` (0, 1, ...), which becomes the calling thread's current one and has to stay so while the
 * context is used; batched_create takes the one that is current.  BATCHED_NO_DEVICE: there is no such GPU. */
int batched_create_on_device(batched_ctx **ctx, int device);
/* The same on the caller's stream (a cudaStream_t of this GPU; NULL: the default one), which outlives the context. */
int batched_create_on_stream(batched_ctx **ctx, void *stream);
/* Frees what the context owns and sets *ctx to NULL; nothing happens where ctx or *ctx is NULL.  Memory from
 * batched_allocate has to be released before. */
void batched_destroy(batched_ctx **ctx);

/* Of NULL, too: BATCHED_HOST. */
batched_space batched_get_space(const batched_ctx *ctx);

/* On the host, `threads` >= 1 threads share out the batch of each call from now on, the caller's among them; a new
 * context has one.  A matrix gets the same bits from any number of them.  Where one thread is out of memory, others
 * may have done their part.  Threads do not survive fork: in a child the caller's does all, until it asks for others.
 * BATCHED_NO_MEMORY: the threads can't be had, and the caller's does all.  No effect on a GPU. */
int batched_set_threads(batched_ctx *ctx, int threads);

/* One sentence, in text[size], for what the last call through this context returned, with what is known beyond the
 * status: what is wrong with an argument ("the 3rd argument is wrong: ld 29 < m 30"; the last call of this thread), the
 * memory asked for and free, why there is no GPU, or what CUDA calls the failure.  ctx may be NULL.  Returns text. */
const char *batched_explain(const batched_ctx *ctx, int status, char *text, size_t size);

/* Waits for all work of the context.  BATCHED_DEVICE_FAILED: some of it failed. */
int batched_synchronize(batched_ctx *ctx);

/* ------------------------------------------------------------------ GPUs */

/* Number of GPUs that this process can use.  Where it is 0, *why (unless why is NULL) says why: "no CUDA driver is
 * installed". */
int batched_device_count(const char **why);

typedef struct batched_device {
  char name[256];
  char bus_id[32]; /* PCI bus id, "0000:41:00.0" */
  unsigned char uuid[16];
  int capability; /* 90: 9.0 */
  size_t memory;  /* bytes */
} batched_device;

/* BATCHED_NO_DEVICE: there is no such GPU. */
int batched_get_device(int device, batched_device *about);

/* ------------------------------------------------------------------ memory in the context's space */

/* Memory with any contents, 64-byte (host) or 256-byte (CUDA) aligned; NULL where there is none, for 0 bytes, or where
 * ctx is NULL. */
void *batched_allocate(batched_ctx *ctx, size_t bytes);
/* p is from batched_allocate on a context of the same space, or NULL. */
void batched_release(batched_ctx *ctx, void *p);

/* Copies between ranges that do not overlap, in the order of the context's stream; to_host and from_host return when
 * the host's memory may be used again. */
int batched_copy_to_host(batched_ctx *ctx, void *host, const void *p, size_t bytes);
int batched_copy_from_host(batched_ctx *ctx, void *p, const void *host, size_t bytes);
int batched_copy_within(batched_ctx *ctx, void *to, const void *from, size_t bytes);
int batched_fill_zero(batched_ctx *ctx, void *p, size_t bytes);

/* The most bytes that were ever allocated at the same time, through all contexts of this space. */
size_t batched_peak_bytes(batched_space space);

/* Bytes of workspace that the context owns by now, without the 32 MB of cuBLAS where a row of its ran.  Calls of kinds
 * and sizes that it has seen allocate no more, and can be captured into a CUDA graph (others: BATCHED_NO_MEMORY), which
 * is good until a larger call makes them grow.  Of NULL: 0. */
size_t batched_workspace(const batched_ctx *ctx);

/* Tests only: the n-th allocation from now on fails, through any context (0: the next one; -1: none). */
void batched_fail_allocation(int64_t n);
/* Tests only: the n-th operation from now on returns BATCHED_DEVICE_FAILED and does nothing, through any context. */
void batched_fail_operation(int64_t n);

/* ------------------------------------------------------------------ batches */

/* A batch of `count` matrices, column-major.  A view: owns nothing.
 *   strided:        data = first matrix, array = NULL, matrix b starts `stride` elements after matrix b-1;
 *                   stride 0 means one matrix shared by the whole batch (for operands that are only read); matrices
 *                   that are written have a positive stride and no element in common
 *   pointer array:  array[b] = matrix b (the array lives in the space of the data), data = NULL
 *   variable size:  matrix b is ms[b] x ns[b] with leading dimension lds[b] (each may be NULL: uniform; the arrays
 *                   live in the space of the data); m, n, ld are then upper bounds, and those of a call's operands
 *                   conform as the sizes do
 * ld >= max(1, m), and so for each matrix.  Where count, m or n is 0 there is nothing to touch, and the pointers may be
 * NULL; so may array[b] of a matrix that is empty.  Another NULL in an array is refused on the host; on a GPU, where
 * the array is out of reach, it is an error that batched_synchronize reports, as any bad address there.
 *
 * A batch of vectors is a batch of len x 1 matrices (elements side by side) or of 1 x len matrices, whose increment
 * is ld (1 and more): with the latter each operand of axpy, copy, dot, gemv, ... has its own.
 *
 * Data that is only read may be const: the functions below take pointers to const, and pointers to pointers to const,
 * without a cast. */
typedef struct batched_matrix {
  void *data;
  void *const *array;
  batched_type type;
  int m, n, ld;
  int64_t stride;
  int64_t count;
  const int *ms, *ns, *lds;
} batched_matrix;

/* A size of the matrices of a batch, or a bandwidth: one number for all of them; or one for each, in the space of the
 * data, and their bound. */
typedef struct batched_extent {
  int bound;
  const int *each; /* NULL: uniform */
} batched_extent;

static inline batched_extent batched_uniform(int n)
{
  batched_extent x = {n, NULL};
  return x;
}

static inline batched_extent batched_each(int bound, const int *each)
{
  batched_extent x = {bound, each};
  return x;
}

/* A number of any of the four types; for s and d the imaginary part is ignored. */
typedef struct batched_scalar {
  double re, im;
} batched_scalar;

static inline batched_scalar batched_real(double re)
{
  batched_scalar a = {re, 0.0};
  return a;
}

static inline batched_scalar batched_complex(double re, double im)
{
  batched_scalar a = {re, im};
  return a;
}

static inline batched_matrix batched_make_strided(batched_type type, const void *data, int m, int n, int ld,
                                                  int64_t stride, int64_t count)
{
  batched_matrix a = {(void *)(uintptr_t)data, NULL, type, m, n, ld, stride, count, NULL, NULL, NULL};
  return a;
}

static inline batched_matrix batched_make_array(batched_type type, const void *array, int m, int n, int ld,
                                                int64_t count)
{
  batched_matrix a = {NULL, (void *const *)array, type, m, n, ld, 0, count, NULL, NULL, NULL};
  return a;
}

/* The same batch with the shape of each matrix given; any of the three may be NULL. */
static inline batched_matrix batched_with_sizes(batched_matrix a, const int *ms, const int *ns, const int *lds)
{
  a.ms = ms;
  a.ns = ns;
  a.lds = lds;
  return a;
}

#ifndef __cplusplus
/* _Generic, as strict compilers of C99 take it without a warning. */
#ifdef __GNUC__
#define BATCHED_GENERIC __extension__ _Generic
#else
#define BATCHED_GENERIC _Generic
#endif

/* The batched_type of a float, double, float complex or double complex; another type does not compile. */
#define BATCHED_TYPE_OF(x) \
  BATCHED_GENERIC((x), float : BATCHED_S, double : BATCHED_D, float _Complex : BATCHED_C, double _Complex : BATCHED_Z)

/* p: pointer to the first element; array: pointer to the pointers. */
#define batched_strided(p, m, n, ld, stride, count) \
  batched_make_strided(BATCHED_TYPE_OF(*(p)), p, m, n, ld, stride, count)
#define batched_array(array, m, n, ld, count) batched_make_array(BATCHED_TYPE_OF(**(array)), array, m, n, ld, count)
#define batched_variable(array, m, n, ld, ms, ns, lds, count) \
  batched_with_sizes(batched_array(array, m, n, ld, count), ms, ns, lds)
#endif

/* ------------------------------------------------------------------ operations
 *
 * Rules of them all.  Arguments are checked first, and -i returned for the i-th (the context is the 1st) before
 * anything is touched; sizes of a variable batch that are on a GPU are taken on trust.  All matrices of a call have the
 * same count, and the same type, but for those that are said to be real.  An operand that is only read may be shared
 * (stride 0); one that is written must not be, and overlaps nothing else of the call.  op(A) is A, its transpose, or
 * its conjugate transpose (for real types the last two are the same).  What is outside of a matrix is never written.
 *
 * Where a call returns BATCHED_NO_MEMORY or BATCHED_DEVICE_FAILED, what it writes is undefined: a part may be done.
 *
 * A bad matrix (singular, not definite, with a NaN) does not disturb its neighbours, and the result for a matrix does
 * not depend on its place in the batch, on the count, or on its neighbours: the same variant of this library gives the
 * same bits, for a batch that is described in the same way; a vendor's as far as its library does.  `auto` may take
 * another variant for another count.
 *
 * info is an array of `count` ints in the context's space (NULL only if count is 0).  A call that returns 0 has written
 * all of it: info[b] = 0 where all is well with matrix b. */

typedef enum batched_trans { BATCHED_NO_TRANS, BATCHED_TRANS, BATCHED_CONJ_TRANS } batched_trans;
typedef enum batched_uplo { BATCHED_LOWER, BATCHED_UPPER } batched_uplo;
typedef enum batched_side { BATCHED_LEFT, BATCHED_RIGHT } batched_side;
typedef enum batched_diag { BATCHED_NON_UNIT, BATCHED_UNIT } batched_diag;
/* The unitary factor that is meant, of A = Q B P^H. */
typedef enum batched_which { BATCHED_Q, BATCHED_P } batched_which;
/* SIGNED_VECTORS: vectors, each multiplied by a number of modulus 1 so that its largest component, the first of
 * several, is real and positive (the other side's along with it), for comparisons; steqr and stedc refuse it.
 * MULTIPLY: steqr and stedc alone; FULL_VECTORS: gesvd alone. */
typedef enum batched_job {
  BATCHED_VALUES,
  BATCHED_VECTORS,
  BATCHED_SIGNED_VECTORS,
  BATCHED_MULTIPLY,
  BATCHED_FULL_VECTORS
} batched_job;
/* A range of values in their order: all; those with numbers il .. iu, counted from 1; or those in vl < w <= vu. */
typedef enum batched_range { BATCHED_ALL, BATCHED_INDEX, BATCHED_INTERVAL } batched_range;
typedef enum batched_norm_kind {
  BATCHED_MAX_NORM,
  BATCHED_ONE_NORM,
  BATCHED_INF_NORM,
  BATCHED_FROBENIUS_NORM
} batched_norm_kind;

/* -- elements and vectors.  x and y are batches of vectors or of whole matrices, of the same shape -- */

/* x = alpha x.  alpha = 0: x = 0, and is not read. */
int batched_scal(batched_ctx *ctx, batched_scalar alpha, batched_matrix x);

/* y = y + alpha x.  alpha = 0: nothing is read or written. */
int batched_axpy(batched_ctx *ctx, batched_scalar alpha, batched_matrix x, batched_matrix y);

/* y = x.  y may be x. */
int batched_copy(batched_ctx *ctx, batched_matrix x, batched_matrix y);
/* The same in one triangle of m x n matrices, with its diagonal (LAPACK's lacpy). */
int batched_copy_triangle(batched_ctx *ctx, batched_uplo uplo, batched_matrix x, batched_matrix y);

/* Exchanges x and y. */
int batched_swap(batched_ctx *ctx, batched_matrix x, batched_matrix y);

/* A = diag on its diagonal, off elsewhere; or only in one triangle, with its diagonal (LAPACK's laset). */
int batched_set(batched_ctx *ctx, batched_scalar off, batched_scalar diag, batched_matrix a);
int batched_set_triangle(batched_ctx *ctx, batched_uplo uplo, batched_scalar off, batched_scalar diag,
                         batched_matrix a);

/* A = A + alpha x y^T (TRANS) or alpha x y^H (CONJ_TRANS).  A is m x n, x a vector of length m, y of length n.
 * alpha = 0: nothing is read or written. */
int batched_ger(batched_ctx *ctx, batched_trans trans, batched_scalar alpha, batched_matrix x, batched_matrix y,
                batched_matrix a);

/* B = op(A): A is m x n, B m x n (NO_TRANS) or n x m. */
int batched_transpose(batched_ctx *ctx, batched_trans trans, batched_matrix a, batched_matrix b);

/* r = x^T y (TRANS) or x^H y (CONJ_TRANS) of two vectors of the same length; 0 for empty ones.  r: 1 x 1 matrices. */
int batched_dot(batched_ctx *ctx, batched_trans trans, batched_matrix x, batched_matrix y, batched_matrix r);

/* index[b] = number, counted from 1, of the first element of a vector with the largest |re| + |im|; 0 for an empty one.
 * A NaN is larger than any number (but not to a vendor's row).  index: `count` ints in the context's space. */
int batched_amax(batched_ctx *ctx, batched_matrix x, int *index);

/* r = sum of |re| + |im| over a vector; 0 for an empty one.  r: 1 x 1 real matrices. */
int batched_asum(batched_ctx *ctx, batched_matrix x, batched_matrix r);

/* r = |x|_2 of a vector, without over- or underflow on the way (Blue, ACM TOMS 4, 1978); NaN where x has one; 0 for
 * an empty one.  r: 1 x 1 real matrices. */
int batched_nrm2(batched_ctx *ctx, batched_matrix x, batched_matrix r);

/* r = max |a_ij|, the largest column sum of |a_ij|, the largest row sum, or the Frobenius norm, this one as nrm2; NaN
 * where A has one, but infinity for an element that has it beside a NaN; 0 for an empty matrix.  r: 1 x 1 real
 * matrices. */
int batched_norm(batched_ctx *ctx, batched_norm_kind kind, batched_matrix a, batched_matrix r);

/* -- products -- */

/* C = alpha op(A) op(B) + beta C.  op(A) is m x k, op(B) k x n, C m x n.
 * beta = 0: C is not read.  alpha = 0: A and B are not read. */
int batched_gemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, batched_scalar alpha, batched_matrix a,
                 batched_matrix b, batched_scalar beta, batched_matrix c);

/* y = alpha op(A) x + beta y, for vectors x and y.
 * beta = 0: y is not read.  alpha = 0: A and x are not read. */
int batched_gemv(batched_ctx *ctx, batched_trans trans, batched_scalar alpha, batched_matrix a, batched_matrix x,
                 batched_scalar beta, batched_matrix y);

/* y = alpha A x + beta y with A n x n symmetric, or Hermitian, given by its triangle; what is in the other one, and
 * in the imaginary parts of a Hermitian diagonal, does not matter.  alpha and beta equal to 0 as in gemv. */
int batched_symv(batched_ctx *ctx, batched_uplo uplo, batched_scalar alpha, batched_matrix a, batched_matrix x,
                 batched_scalar beta, batched_matrix y);
int batched_hemv(batched_ctx *ctx, batched_uplo uplo, batched_scalar alpha, batched_matrix a, batched_matrix x,
                 batched_scalar beta, batched_matrix y);

/* C = alpha A A^T + beta C (NO_TRANS; A is n x k) or alpha A^T A + beta C (TRANS, CONJ_TRANS too for real types; A
 * is k x n), only in C's triangle; C is n x n.  alpha and beta equal to 0 as in gemm. */
int batched_syrk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_scalar alpha, batched_matrix a,
                 batched_scalar beta, batched_matrix c);
/* C = alpha A A^H + beta C (NO_TRANS) or alpha A^H A + beta C (CONJ_TRANS, TRANS too for real types), alpha and beta
 * real; the diagonal of C becomes real.  Otherwise as syrk. */
int batched_herk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, double alpha, batched_matrix a, double beta,
                 batched_matrix c);

/* C = alpha A B + beta C (LEFT) or alpha B A + beta C (RIGHT) with A symmetric, or Hermitian, given by its triangle as
 * in symv; B and C are m x n, A m x m or n x n.  alpha and beta equal to 0 as in gemm. */
int batched_symm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_scalar alpha, batched_matrix a,
                 batched_matrix b, batched_scalar beta, batched_matrix c);
int batched_hemm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_scalar alpha, batched_matrix a,
                 batched_matrix b, batched_scalar beta, batched_matrix c);

/* C = alpha A B^T + alpha B A^T + beta C (NO_TRANS; A and B are n x k) or alpha A^T B + alpha B^T A + beta C (TRANS,
 * CONJ_TRANS too for real types; they are k x n), only in C's triangle; otherwise as syrk. */
int batched_syr2k(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_scalar alpha, batched_matrix a,
                  batched_matrix b, batched_scalar beta, batched_matrix c);
/* C = alpha A B^H + conj(alpha) B A^H + beta C (NO_TRANS) or alpha A^H B + conj(alpha) B^H A + beta C (CONJ_TRANS,
 * TRANS too for real types), beta real; the diagonal of C becomes real.  Otherwise as herk. */
int batched_her2k(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_scalar alpha, batched_matrix a,
                  batched_matrix b, double beta, batched_matrix c);

/* x = op(A) x for a vector x, A triangular as in trsm. */
int batched_trmv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, batched_matrix a,
                 batched_matrix x);

/* B = alpha op(A) B (LEFT) or alpha B op(A) (RIGHT), A triangular; otherwise as trsm. */
int batched_trmm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag,
                 batched_scalar alpha, batched_matrix a, batched_matrix b);

/* -- Cholesky -- */

/* A = L L^H (LOWER) or U^H U (UPPER), n x n.  The triangle is overwritten by its factor; what is in the other one
 * does not matter, and stays.  info[b] = k > 0: the leading minor of order k is not positive (or not a number); of
 * the factor, only the first k - 1 columns (LOWER) or rows (UPPER) are there, and of a vendor's not all of them. */
int batched_potrf(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, int *info);

/* B = A^-1 B with the factor that potrf left in A.  A is n x n, B n x nrhs.  There is no info: with a zero on the
 * factor's diagonal the solution has infinities or NaNs. */
int batched_potrs(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix b);

/* potrf, and potrs where info[b] = 0: elsewhere B is left as it was. */
int batched_posv(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix b, int *info);

/* A = A^-1 in its triangle, from the factor that potrf left there; its diagonal is real.  info[b] = k > 0: element
 * (k, k) of the factor is zero, the first one that is, and A was left as it was. */
int batched_potri(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, int *info);

/* -- triangular matrices -- */

/* B = alpha op(A)^-1 B (LEFT) or alpha B op(A)^-1 (RIGHT), A triangular.  B is m x n; A is m x m or n x n.  What is
 * outside of A's triangle, and on its diagonal if it is UNIT, does not matter.  alpha = 0: B = 0, and A is not read.
 * There is no info: as with potrs. */
int batched_trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag,
                 batched_scalar alpha, batched_matrix a, batched_matrix b);

/* x = op(A)^-1 x for a vector x, A triangular, n x n; otherwise as trsm. */
int batched_trsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, batched_matrix a,
                 batched_matrix x);

/* A = A^-1, A triangular, n x n; what is in the other triangle does not matter, and stays.  info[b] = k > 0: element
 * (k, k) is zero, the first one that is, and A was left as it was. */
int batched_trtri(batched_ctx *ctx, batched_uplo uplo, batched_diag diag, batched_matrix a, int *info);

/* -- LU with partial pivoting.  ipiv holds min(m, n) ints for each matrix (m, n: the bounds of a variable batch),
 * those of matrix b from ipiv + b * min(m, n) on, in the context's space; as in LAPACK, row i was exchanged with row
 * ipiv[i-1], both counted from 1 -- */

/* A = P L U, m x n, L unit lower triangular.  The pivot is the element of largest |re| + |im|, the first of several.
 * info[b] = k > 0: U(k, k) is zero, the first one that is; the factors are complete all the same.  A NaN goes where
 * arithmetic takes it, and is reported when it is a pivot. */
int batched_getrf(batched_ctx *ctx, batched_matrix a, int *ipiv, int *info);

/* B = op(A)^-1 B with the factors and pivots that getrf left.  A is n x n, B n x nrhs.  A shared A has one set of
 * pivots.  There is no info: as with potrs. */
int batched_getrs(batched_ctx *ctx, batched_trans trans, batched_matrix a, const int *ipiv, batched_matrix b);

/* getrf, and getrs (NO_TRANS) where info[b] = 0: elsewhere B is left as it was. */
int batched_gesv(batched_ctx *ctx, batched_matrix a, int *ipiv, batched_matrix b, int *info);

/* A = A^-1 from getrf's factors.  info[b] = k > 0: U(k, k) is zero, the first one that is, and A was left as it was. */
int batched_getri(batched_ctx *ctx, batched_matrix a, const int *ipiv, int *info);

/* -- band matrices. A is m x n, with kl diagonals below its main one and ku above, in LAPACK's storage: column j of A
 * stands in column j of ab, and A(i, j) in its row ku + i - j, all counted from 0; ab has kl + ku + 1 rows or more. For
 * LU, whose pivoting fills in kl more diagonals, it is row kl + ku + i - j of 2 kl + ku + 1 or more; what the first kl
 * rows hold on entry does not matter. Symmetric and triangular matrices have kd diagonals on one side: LOWER has kl =
 * kd and ku = 0, UPPER kl = 0 and ku = kd. n is the number of columns of ab. Bands may be wider than the matrix; places
 * of ab that stand for nothing in it are neither read nor written.
 *
 * Calls that end in _variable take m and the widths as batched_extent: an array, in the space of the data, of those
 * of each matrix, and a bound. A(i, j) is then in row ku + i - j (kl + ku + i - j) of the matrix's own kl and ku.
 * Arguments count as in the other call. -- */

/* A = P L U with partial pivoting, in place: U has kl + ku diagonals above the main one, and L's column j is below it,
 * L being a product of exchanges and such columns, as in LAPACK.  ipiv and info as in getrf. */
int batched_gbtrf(batched_ctx *ctx, int m, int kl, int ku, batched_matrix ab, int *ipiv, int *info);
int batched_gbtrf_variable(batched_ctx *ctx, batched_extent m, batched_extent kl, batched_extent ku, batched_matrix ab,
                           int *ipiv, int *info);

/* B = op(A)^-1 B with the factors and pivots that gbtrf left.  A is n x n, B n x nrhs.  A shared ab has one set of
 * pivots.  There is no info: as with potrs. */
int batched_gbtrs(batched_ctx *ctx, batched_trans trans, int kl, int ku, batched_matrix ab, const int *ipiv,
                  batched_matrix b);
int batched_gbtrs_variable(batched_ctx *ctx, batched_trans trans, batched_extent kl, batched_extent ku,
                           batched_matrix ab, const int *ipiv, batched_matrix b);

/* gbtrf, and gbtrs (NO_TRANS) where info[b] = 0: elsewhere B is left as it was. */
int batched_gbsv(batched_ctx *ctx, int kl, int ku, batched_matrix ab, int *ipiv, batched_matrix b, int *info);
int batched_gbsv_variable(batched_ctx *ctx, batched_extent kl, batched_extent ku, batched_matrix ab, int *ipiv,
                          batched_matrix b, int *info);

/* A = L L^H (LOWER) or U^H U (UPPER), in place; the imaginary parts of A's diagonal do not matter. info as in potrf. */
int batched_pbtrf(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix ab, int *info);
int batched_pbtrf_variable(batched_ctx *ctx, batched_uplo uplo, batched_extent kd, batched_matrix ab, int *info);

/* B = A^-1 B with the factor that pbtrf left.  B is n x nrhs.  There is no info: as with potrs. */
int batched_pbtrs(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix b);
int batched_pbtrs_variable(batched_ctx *ctx, batched_uplo uplo, batched_extent kd, batched_matrix ab, batched_matrix b);

/* pbtrf, and pbtrs where info[b] = 0: elsewhere B is left as it was. */
int batched_pbsv(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix b, int *info);
int batched_pbsv_variable(batched_ctx *ctx, batched_uplo uplo, batched_extent kd, batched_matrix ab, batched_matrix b,
                          int *info);

/* y = alpha op(A) x + beta y for vectors x and y, with A m x n.  alpha and beta equal to 0 as in gemv. */
int batched_gbmv(batched_ctx *ctx, batched_trans trans, int m, int kl, int ku, batched_scalar alpha, batched_matrix ab,
                 batched_matrix x, batched_scalar beta, batched_matrix y);
int batched_gbmv_variable(batched_ctx *ctx, batched_trans trans, batched_extent m, batched_extent kl, batched_extent ku,
                          batched_scalar alpha, batched_matrix ab, batched_matrix x, batched_scalar beta,
                          batched_matrix y);

/* x = op(A)^-1 x for a vector x, A triangular; otherwise as trsv. */
int batched_tbsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, int kd, batched_matrix ab,
                 batched_matrix x);
int batched_tbsv_variable(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag,
                          batched_extent kd, batched_matrix ab, batched_matrix x);

/* ab = the band of A, m x n; what A has outside of it is not read.  For gbtrf's storage take ku = kl + its ku. */
int batched_pack_band(batched_ctx *ctx, int kl, int ku, batched_matrix a, batched_matrix ab);
int batched_pack_band_variable(batched_ctx *ctx, batched_extent kl, batched_extent ku, batched_matrix a,
                               batched_matrix ab);

/* A, m x n = the band in ab, and zeros outside of it. */
int batched_unpack_band(batched_ctx *ctx, int kl, int ku, batched_matrix ab, batched_matrix a);
int batched_unpack_band_variable(batched_ctx *ctx, batched_extent kl, batched_extent ku, batched_matrix ab,
                                 batched_matrix a);

/* -- tridiagonal matrices. A is n x n, n the length of its diagonal d; dl and du, the diagonals below and above it,
 * are vectors of length n - 1, and du2 of n - 2: longer ones will do, of which the rest is left alone. ipiv holds n
 * ints for each matrix. B is n x nrhs -- */

/* A = P L U with partial pivoting: d, du and du2 become U's diagonals, dl the multipliers in L, as in LAPACK; ipiv[i-1]
 * is i or i + 1.  info as in getrf. */
int batched_gttrf(batched_ctx *ctx, batched_matrix dl, batched_matrix d, batched_matrix du, batched_matrix du2,
                  int *ipiv, int *info);

/* B = op(A)^-1 B with what gttrf left.  Diagonals are shared by the batch all or none, and the pivots with them.  There
 * is no info: as with potrs. */
int batched_gttrs(batched_ctx *ctx, batched_trans trans, batched_matrix dl, batched_matrix d, batched_matrix du,
                  batched_matrix du2, const int *ipiv, batched_matrix b);

/* B = A^-1 B, by LU with partial pivoting; dl, d and du are undefined afterwards.  info as in gttrf: where it is not 0,
 * B is undefined, too. */
int batched_gtsv(batched_ctx *ctx, batched_matrix dl, batched_matrix d, batched_matrix du, batched_matrix b, int *info);

/* A = L D L^H for a positive definite A: d, real, becomes D, and e, the diagonal below it, L's. info[b] = k > 0:
 * d(k) is not positive (or not a number), the first one that is not; later ones, and e(k) and later ones, stay. */
int batched_pttrf(batched_ctx *ctx, batched_matrix d, batched_matrix e, int *info);

/* B = A^-1 B with A = L D L^H (LOWER), e below the diagonal of L, or A = U^H D U (UPPER), e above that of U: for real
 * types the same. */
int batched_pttrs(batched_ctx *ctx, batched_uplo uplo, batched_matrix d, batched_matrix e, batched_matrix b);

/* pttrf, and B = A^-1 B: where info[b] is not 0, B is undefined. */
int batched_ptsv(batched_ctx *ctx, batched_matrix d, batched_matrix e, batched_matrix b, int *info);

/* -- QR.  Q = H(1) ... H(k), H = I - tau v v^H, v(i) = 1, as in LAPACK -- */

/* A = Q R, m x n: R in the upper triangle, the vectors below it; tau: vectors of length min(m, n). */
int batched_geqrf(batched_ctx *ctx, batched_matrix a, batched_matrix tau);

/* A P = Q R with column pivoting: before each step the column of which most is left comes next, so that |R(i, i)| do
 * not grow, and a matrix of rank r leaves nearly zeros behind row r.  As geqrf otherwise.  jpvt: n ints for each
 * matrix (n: the bound of a variable batch), those of matrix b from jpvt + b n on: column j of A P was column jpvt[j]
 * of A, counted from 1. */
int batched_geqp3(batched_ctx *ctx, batched_matrix a, int *jpvt, batched_matrix tau);

/* C = op(Q) C (LEFT) or C op(Q) (RIGHT), with the Q of the k reflectors in the columns of A and in tau (length k).
 * C is m x n; A is m x k with k <= m (LEFT) or n x k with k <= n.  trans: NO_TRANS or CONJ_TRANS (TRANS too for real
 * types). */
int batched_unmqr(batched_ctx *ctx, batched_side side, batched_trans trans, batched_matrix a, batched_matrix tau,
                  batched_matrix c);

/* A = the first n columns of Q, m x n with m >= n, of the k <= n reflectors in its columns and tau (length k). */
int batched_ungqr(batched_ctx *ctx, batched_matrix a, batched_matrix tau);

/* A = L Q, m x n: L in the lower triangle, and the conjugates of the vectors right of it; Q = H(k)^H ... H(1)^H; tau:
 * vectors of length k = min(m, n). */
int batched_gelqf(batched_ctx *ctx, batched_matrix a, batched_matrix tau);

/* As unmqr with the Q of gelqf: the k reflectors are in the rows of A, k x m (LEFT) or k x n. */
int batched_unmlq(batched_ctx *ctx, batched_side side, batched_trans trans, batched_matrix a, batched_matrix tau,
                  batched_matrix c);

/* A = the first m rows of gelqf's Q, m x n with m <= n, of the k <= m reflectors in its rows and tau (length k). */
int batched_unglq(batched_ctx *ctx, batched_matrix a, batched_matrix tau);

/* Least squares: min |op(A) X - B| where op(A) has at least as many rows as columns, else the X of least norm with
 * op(A) X = B.  A is m x n, of full rank, and is overwritten; B is max(m, n) x nrhs: B in its first rows, then X.
 * trans: NO_TRANS or CONJ_TRANS (TRANS too for real types).  info[b] = k > 0: element (k, k) of the triangular
 * factor is zero; there is no X, and B is undefined.  A matrix of zeros has X = 0, though, and info 0. */
int batched_gels(batched_ctx *ctx, batched_trans trans, batched_matrix a, batched_matrix b, int *info);

/* -- two-sided reductions to condensed form, by the reflectors H = I - tau v v^H of LAPACK and in its storage, so that
 * factors move between libraries.  There is no info: a NaN stays in its matrix.  trans of the products: NO_TRANS or
 * CONJ_TRANS (TRANS too for real types) -- */

/* A = Q B P^H, m x n with k = min(m, n): B real, bidiagonal, upper where m >= n, else lower, with d (length k) on its
 * diagonal and e (k - 1) beside it; both are real.  A holds B and, below and right of it, the vectors of
 * Q = H(1) H(2) ... and the conjugates of those of P = G(1) G(2) ...; tauq, taup: vectors of length k.
 * |A - Q B P^H| is at most a small multiple of max(m, n) eps |A|. */
int batched_gebrd(batched_ctx *ctx, batched_matrix a, batched_matrix d, batched_matrix e, batched_matrix tauq,
                  batched_matrix taup);

/* A = the first columns of gebrd's Q (m x n, m >= n >= min(m, k), for a matrix that was m x k and is in A now), or the
 * first rows of its P^H (m x n, n >= m >= min(n, k), of a matrix that was k x n).  tau: tauq or taup, of length
 * min(m, k) or min(n, k).  In a variable batch tau's lengths tell how many reflectors a matrix has; a square matrix
 * counts as one with m < k if that is so for the bounds. */
int batched_ungbr(batched_ctx *ctx, batched_which which, int k, batched_matrix a, batched_matrix tau);

/* C = op(Q) C, C op(Q), op(P) C or C op(P) with the Q or P that gebrd left in A and tau (tauq or taup).  A is the whole
 * matrix that was reduced, as high as Q or as wide as P; of tau min(m, n) elements are there. */
int batched_unmbr(batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, batched_matrix a,
                  batched_matrix tau, batched_matrix c);

/* A = Q T Q^H, A n x n Hermitian, or symmetric, and given by its triangle: T real, symmetric, tridiagonal, with d
 * (length n) on its diagonal and e (n - 1) beside it; both are real.  The triangle holds T and the vectors of
 * Q = H(1) ... H(n-1) (LOWER: vector i in column i, from row i + 1 on) or H(n-1) ... H(1) (UPPER: in column i + 1, up
 * to row i); tau: vectors of length n - 1.  What is in the other triangle, and in the imaginary parts of the diagonal,
 * does not matter; the other triangle stays.  (sytrd for real types.) */
int batched_hetrd(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix d, batched_matrix e,
                  batched_matrix tau);

/* A = Q, n x n, from what hetrd left in A and tau (length n - 1). */
int batched_ungtr(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix tau);

/* C = op(Q) C (LEFT) or C op(Q) (RIGHT) with the Q that hetrd left in A and tau (length order - 1). */
int batched_unmtr(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_matrix a,
                  batched_matrix tau, batched_matrix c);

/* The same in two stages, A = Q1 Q2 T Q2^H Q1^H, for large matrices: he2hb and hb2st; the products with Q1 and Q2.
 *
 * A = Q1 B Q1^H, B a Hermitian band matrix with kd >= 1 diagonals beside the main one, in LAPACK's band storage: LOWER
 * B(i, j) in ab(i - j, j), UPPER in ab(kd + i - j, j), counted from 0; ab has kd + 1 rows or more, and as many columns
 * as A.  The triangle holds B, and outside of the band the vectors of Q1 = H(1) ... H(n-kd): LOWER vector i in column
 * i, from row i + kd + 1 on, behind a 1 in row i + kd; UPPER its conjugate in row i; tau: vectors of length n - kd, or
 * 0.  Of A the triangle is read and written, as by hetrd. */
int batched_he2hb(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix a, batched_matrix ab, batched_matrix tau);

/* C = op(Q1) C (LEFT) or C op(Q1) (RIGHT) with the Q1 that he2hb left in A and tau. */
int batched_unmtr_he2hb(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, int kd,
                        batched_matrix a, batched_matrix tau, batched_matrix c);

/* B = Q2 T Q2^H, B n x n with kd diagonals beside the main one, as he2hb leaves it; T, d and e as in hetrd.  ab is only
 * read; imaginary parts of B's diagonal do not matter.  VECTORS: v, n x n, gets Q2; VALUES: it is not looked at.  Q2
 * is the product of the sweeps s = 1 ... n - 1, each of the reflectors H(s, 1) H(s, 2) ... of at most kd rows, the
 * first of which is row s + 1 + (k - 1) kd, k counted from 1.  The vectors of sweep s tile column s of v, from row
 * s + 1 on; the place of the 1 in front of each holds its tau.  The rest of v stays. */
int batched_hb2st(batched_ctx *ctx, batched_job job, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix d,
                  batched_matrix e, batched_matrix v);

/* C = op(Q2) C (LEFT) or C op(Q2) (RIGHT) with the Q2 that hb2st, with the same kd, left in V. */
int batched_unmtr_hb2st(batched_ctx *ctx, batched_side side, batched_trans trans, int kd, batched_matrix v,
                        batched_matrix c);

/* A = Q H Q^H, A n x n and upper triangular already outside of rows and columns ilo .. ihi (counted from 1; both 0:
 * 1 .. n): H upper Hessenberg, in A, with the vectors of Q = H(ilo) ... H(ihi-1) below it; tau: vectors of length
 * n - 1, zero outside of ilo .. ihi - 1.  In a variable batch an ihi beyond a matrix's order counts as its order. */
int batched_gehrd(batched_ctx *ctx, int ilo, int ihi, batched_matrix a, batched_matrix tau);

/* A = Q, n x n, from what gehrd with the same ilo and ihi left in A and tau (length n - 1). */
int batched_unghr(batched_ctx *ctx, int ilo, int ihi, batched_matrix a, batched_matrix tau);

/* C = op(Q) C (LEFT) or C op(Q) (RIGHT) with the Q that gehrd with the same ilo and ihi left in A and tau (length
 * order - 1). */
int batched_unmhr(batched_ctx *ctx, batched_side side, batched_trans trans, int ilo, int ihi, batched_matrix a,
                  batched_matrix tau, batched_matrix c);

/* -- eigenvalues and singular values -- */

/* Eigenvalues of a real symmetric or complex Hermitian A, n x n: A = Z diag(w) Z^H.  w: real vectors of length n,
 * ascending.  VECTORS, SIGNED_VECTORS: A is overwritten by Z.  VALUES: A is only read.  What is outside of A's
 * triangle, and in the imaginary parts of a Hermitian diagonal, does not matter.  Error of w at most a small multiple
 * of eps |A|; Z is orthogonal to a small multiple of n eps.  info[b] > 0: no convergence, or A has a NaN or an
 * infinity; w and Z are then NaN. */
int batched_heev(batched_ctx *ctx, batched_job job, batched_uplo uplo, batched_matrix a, batched_matrix w, int *info);

/* Singular values of a general A, m x n: A = U diag(s) V^H, with k = min(m, n) values.  s: real vectors of length k,
 * descending.  VECTORS, SIGNED_VECTORS (u's): u is m x k, vt = V^H is k x n; FULL_VECTORS: m x m and n x n, unitary.
 * Each of the two may be {0}: then it is not there.  VALUES: u and vt are not looked at.  A is only read.  info[b] > 0:
 * no convergence, or A has a NaN or an infinity; s, u and vt are then NaN. */
int batched_gesvd(batched_ctx *ctx, batched_job job, batched_matrix a, batched_matrix s, batched_matrix u,
                  batched_matrix vt, int *info);

/* Some eigenvalues of A, ascending, by bisection, and for VECTORS their vectors, n x k, in Z, by inverse iteration; k
 * is the length of w: n, iu - il + 1, or anything for an interval.  found[b] = how many there are in the range, of
 * which as many are stored as there is room for.  A is only read.  info[b] > 0: A has a NaN or an infinity, and
 * found[b] is 0; or vectors did not converge, and all results are NaN.  Otherwise as heev and stebz. */
int batched_heevx(batched_ctx *ctx, batched_job job, batched_range range, batched_uplo uplo, batched_matrix a,
                  double vl, double vu, int il, int iu, int *found, batched_matrix w, batched_matrix z, int *info);

/* Some singular values of A, m x n: numbers il .. iu of the descending ones, or those in vl < s <= vu; u is m x k and
 * vt k x n, k the length of s, as for heevx.  A is only read.  info[b] > 0: as of gesvd, and found[b] is 0. */
int batched_gesvdx(batched_ctx *ctx, batched_job job, batched_range range, batched_matrix a, double vl, double vu,
                   int il, int iu, int *found, batched_matrix s, batched_matrix u, batched_matrix vt, int *info);

/* The standard problem that has the eigenvalues of A x = w B x (itype 1), A B x = w x (2) or B A x = w x (3), from the
 * factor of B that potrf left in b: A = L^-1 A L^-H, or L^H A L (2, 3); UPPER: with U^H for L.  The triangle of A is
 * overwritten, the other one does not matter, and stays. */
int batched_hegst(batched_ctx *ctx, int itype, batched_uplo uplo, batched_matrix a, batched_matrix b);

/* Eigenvalues of these problems, for a B that is positive definite: w ascending, VECTORS: A = X with X^H B X = I (1, 2)
 * or X^H B^-1 X = I (3).  B's triangle becomes its factor, as by potrf; what is in the other one stays.  info[b] =
 * n + k: the leading minor of order k of B is not positive; or as of heev.  Results are then NaN. */
int batched_hegv(batched_ctx *ctx, int itype, batched_job job, batched_uplo uplo, batched_matrix a, batched_matrix b,
                 batched_matrix w, int *info);

/* Least squares for an A of any rank: the X of least norm of those with the least |A X - B|.  A is m x n and only read;
 * B is max(m, n) x nrhs: B in its first m rows, then X in its first n.  s: A's singular values, descending.  rank[b]:
 * how many of them are larger than rcond times the first; the others count as zero (rcond < 0: eps / 2).  info as of
 * gesvd; X is then NaN. */
int batched_gelsd(batched_ctx *ctx, batched_matrix a, batched_matrix b, batched_matrix s, double rcond, int *rank,
                  int *info);

/* The same by QR with column pivoting, which is faster: rank[b] is how many elements of R's diagonal are larger than
 * rcond times the first, up to the first that is not (rcond < 0: eps / 2).  A is only read.  There is no info: where A
 * has a NaN or an infinity, rank[b] is 0 and X is NaN. */
int batched_gelsy(batched_ctx *ctx, batched_matrix a, batched_matrix b, double rcond, int *rank);

/* Eigenvalues w, complex vectors of length n, of a general matrix, real or complex, n x n: A vr(j) = w(j) vr(j) and
 * vl(j)^H A = w(j) vl(j)^H, with vectors in the columns of vl and vr, complex n x n matrices of A's precision, of norm
 * 1 and with a real largest component; each of the two may be {0}: then it is not there.  A is only read.  Values are
 * in no order.  Each is an eigenvalue of a matrix A + E with |E| a small multiple of n eps |A|.  info[b] > 0: no
 * convergence, or A has a NaN or an infinity; all results are then NaN. */
int batched_geev(batched_ctx *ctx, batched_matrix a, batched_matrix w, batched_matrix vl, batched_matrix vr, int *info);

/* -- symmetric tridiagonal matrices, d on the diagonal (length n) and e beside it (n - 1), and upper or lower
 * bidiagonal ones: all of them real.  Vectors are real or complex, of d's precision.  info[b] > 0 as in LAPACK: so many
 * elements of e did not become zero in 30 n sweeps (bdsqr: 6 n^2 steps), and d, e and the vectors stand where they then
 * stood; or n, where d or e has a NaN or an infinity, and all results are NaN.  e is overwritten where it says so -- */

/* d = eigenvalues of the tridiagonal matrix, ascending, by implicit QL and QR; e is overwritten.  VECTORS: Z = its
 * eigenvectors, n x n; MULTIPLY: Z = Z times these, for a Z with n columns, as that of ungtr; VALUES: z is not looked
 * at (LAPACK's sterf).  Error of values and vectors as of heev. */
int batched_steqr(batched_ctx *ctx, batched_job job, batched_matrix d, batched_matrix e, batched_matrix z, int *info);

/* The same by divide and conquer. */
int batched_stedc(batched_ctx *ctx, batched_job job, batched_matrix d, batched_matrix e, batched_matrix z, int *info);

/* d = singular values of the bidiagonal matrix B = Q diag(d) P^H, descending, by implicit QR with shifts of zero; e is
 * overwritten.  vt = P^H vt (n x any), u = u Q (any x n), c = Q^H c (n x any); each of the three, which have one type,
 * may be {0}: then it is not there.  Relative error of each singular value at most a small multiple of n eps, as far
 * as it is above n^2 times the smallest normal number. */
int batched_bdsqr(batched_ctx *ctx, batched_uplo uplo, batched_matrix d, batched_matrix e, batched_matrix vt,
                  batched_matrix u, batched_matrix c, int *info);

/* The same by divide and conquer, with the vectors themselves: B = u diag(d) vt, u and vt n x n; either may be {0}:
 * then it is not there, and without both this is bdsqr.  Error of each singular value a small multiple of n eps |B|. */
int batched_bdsdc(batched_ctx *ctx, batched_uplo uplo, batched_matrix d, batched_matrix e, batched_matrix u,
                  batched_matrix vt, int *info);

/* w = eigenvalues in the range of the tridiagonal matrix, ascending, by bisection; found[b] = how many there are, of
 * which as many are stored as vector w is long (n; iu - il + 1; or anything for an interval).  In a variable batch an
 * iu beyond a matrix's order stands for this.  d and e are only read.  Error of each at most a small multiple of eps
 * times the largest.  info[b] = n > 0: d or e has a NaN or an infinity, w is NaN, and found[b] is 0. */
int batched_stebz(batched_ctx *ctx, batched_range range, double vl, double vu, int il, int iu, batched_matrix d,
                  batched_matrix e, int *found, batched_matrix w, int *info);

/* Z = eigenvectors, n x k, of the tridiagonal matrix for its eigenvalues w (length k), which ascend, by inverse
 * iteration; where eigenvalues are close (|T| / 1000, or / 5 n), vectors are made orthogonal to each other.  found: of
 * how many in each matrix; NULL: of all.  info[b] = i > 0: i vectors did not converge. */
int batched_stein(batched_ctx *ctx, batched_matrix d, batched_matrix e, const int *found, batched_matrix w,
                  batched_matrix z, int *info);

/* ------------------------------------------------------------------ the machine */

/* Writes which BLAS and LAPACK the rows vendor.blas and vendor.lapacke of the host call into text[size]:
 * "OpenBLAS 0.3.21 (Zen)"; "none" where the library was built without.  Returns text. */
const char *batched_describe_blas(char *text, size_t size);

/* Measures, in some 50 ms, what this context can reach on its machine: memory traffic in bytes per second (reads and
 * writes of a triad) and double precision arithmetic in flops per second (tensor cores where they are faster). */
int batched_measure_limits(batched_ctx *ctx, double *bytes_per_second, double *flops_per_second);

#ifdef __cplusplus
}
#endif

#endif
