/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the public calls ask of their arguments.  A question that is answered with no leaves a note of why, and one that
 * is answered with yes takes it away: so the note of a refused call is of the argument that was refused.
 */
#ifndef BATCHED_CHECK_H
#define BATCHED_CHECK_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The note, one for each thread, as errno is; "": there is none.  accept returns ok, and makes the note where that is
 * false. */
const char *batched_refusal(void);
bool batched_accept(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

batched_extent batched_row_extent(const batched_matrix *a);
batched_extent batched_col_extent(const batched_matrix *a);
/* The length of vectors, which are len x 1 or 1 x len; a bound of -1 if the matrices are neither. */
batched_extent batched_length(const batched_matrix *x);

bool batched_is_vector(const batched_matrix *x);
bool batched_is_real(const batched_matrix *x);

/* True for a batch.  `touched`: its elements will be accessed, so its pointers must not be NULL. */
bool batched_is_valid(const batched_ctx *ctx, const batched_matrix *a, bool touched);
/* The same for a result: its matrices may not overlap. */
bool batched_is_valid_result(const batched_ctx *ctx, const batched_matrix *a);
bool batched_same_kind(const batched_matrix *a, const batched_matrix *b);
/* Of bounds and the sizes of each matrix; those of a variable batch on a GPU are taken on trust. */
/* True for two that agree, as bounds and for each of `count` matrices. */
bool batched_same_extent(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count);
bool batched_is_square(const batched_ctx *ctx, const batched_matrix *a);
/* True for matrices at least as high as wide. */
bool batched_is_tall(const batched_ctx *ctx, const batched_matrix *a);
/* True for matrices at least as wide as high. */
bool batched_is_wide(const batched_ctx *ctx, const batched_matrix *a);
/* True for the smaller extent, min(m, n), of each matrix, or so many less, but at least 0. */
bool batched_is_min_extent(const batched_ctx *ctx, batched_extent x, const batched_matrix *a);
bool batched_is_min_extent_less(const batched_ctx *ctx, batched_extent x, const batched_matrix *a, int less);
/* True for a result with a vector of so many elements of `type` for each matrix of a. */
bool batched_is_vector_of(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, batched_type type,
                          int less);
/* True where b has max(m, n) rows for each matrix of a: room for right-hand sides and for solutions. */
bool batched_holds_solution(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *b);
/* True for x one less than y, or 0 where y is. */
bool batched_is_one_less(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count);
/* The arguments of a range, of which the first is argument `number`; 0 or -i.  And how many values it can have. */
int batched_check_range(batched_range range, double vl, double vu, int il, int iu, int n, int number);
/* True for results with room for so many values of `type`, or, of an interval, for any number. */
bool batched_is_range_of(const batched_ctx *ctx, const batched_matrix *x, batched_type type, int64_t count,
                         batched_range range, int values);
int batched_range_length(batched_range range, int il, int iu, int n);
/* The same type, count and shapes. */
bool batched_same_shape(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *b);
/* True for a result of one number of `type` for each of `count` matrices. */
bool batched_is_number(const batched_ctx *ctx, const batched_matrix *r, batched_type type, int64_t count);

/* A pointer that must not be NULL where it is needed; name: that of the argument. */
static inline bool batched_is_given(const void *p, const char *name, bool needed)
{
  return batched_accept(p || !needed, "%s is NULL", name);
}

static inline bool batched_is_trans(batched_trans t)
{
  return batched_accept((unsigned)t <= BATCHED_CONJ_TRANS,
                        "trans %d is none of BATCHED_NO_TRANS (0), BATCHED_TRANS (1) and BATCHED_CONJ_TRANS (2)",
                        (int)t);
}

static inline bool batched_is_transposing(batched_trans t)
{
  return batched_accept(t == BATCHED_TRANS || t == BATCHED_CONJ_TRANS,
                        "trans %d is neither BATCHED_TRANS (1) nor BATCHED_CONJ_TRANS (2)", (int)t);
}

static inline bool batched_is_uplo(batched_uplo u)
{
  return batched_accept((unsigned)u <= BATCHED_UPPER, "uplo %d is neither BATCHED_LOWER (0) nor BATCHED_UPPER (1)",
                        (int)u);
}

static inline bool batched_is_side(batched_side s)
{
  return batched_accept((unsigned)s <= BATCHED_RIGHT, "side %d is neither BATCHED_LEFT (0) nor BATCHED_RIGHT (1)",
                        (int)s);
}

static inline bool batched_is_diag(batched_diag d)
{
  return batched_accept((unsigned)d <= BATCHED_UNIT, "diag %d is neither BATCHED_NON_UNIT (0) nor BATCHED_UNIT (1)",
                        (int)d);
}

static inline bool batched_is_which(batched_which w)
{
  return batched_accept((unsigned)w <= BATCHED_P, "which %d is neither BATCHED_Q (0) nor BATCHED_P (1)", (int)w);
}

/* Op of a product with a Q: TRANS stands for CONJ_TRANS, for real types alone. */
static inline bool batched_is_q_trans(batched_trans t, batched_type type)
{
  return batched_is_trans(t) &&
         batched_accept(t != BATCHED_TRANS || (unsigned)type > BATCHED_Z || !batched_is_complex(type),
                        "trans is BATCHED_TRANS, and complex matrices take BATCHED_CONJ_TRANS alone");
}

/* True for the t of an update of C's triangle.  other: TRANS, CONJ_TRANS of a Hermitian one; real types take both. */
static inline bool batched_is_update_trans(batched_trans t, batched_trans other, batched_type type)
{
  return batched_is_trans(t) &&
         batched_accept(t == BATCHED_NO_TRANS || t == other || (unsigned)type > BATCHED_Z || !batched_is_complex(type),
                        "trans %d: complex matrices take BATCHED_NO_TRANS (0) and BATCHED_%sTRANS (%d) here", (int)t,
                        other == BATCHED_TRANS ? "" : "CONJ_", (int)other);
}

static inline bool batched_is_job(batched_job j)
{
  return batched_accept((unsigned)j <= BATCHED_VECTORS,
                        "job %d is none of those this operation has: BATCHED_VALUES (0), BATCHED_VECTORS (1) and "
                        "others that its comment in batched.h names",
                        (int)j);
}

/* For the cost models: a batch of uniform size is counted, one of variable size is not (its sizes may be on a GPU). */
static inline double batched_model_count(const batched_matrix *a)
{
  return batched_is_variable(a) ? 0.0 : (double)a->count;
}

static inline double batched_flop_weight(batched_type type)
{
  return batched_is_complex(type) ? 4.0 : 1.0;
}

/* Elements of an operand that a call has to move at least once: those of a shared one only once. */
static inline double batched_model_elements(const batched_matrix *a)
{
  double one = (double)a->m * a->n;
  return batched_is_shared(a) ? one : one * (double)a->count;
}

#ifdef __cplusplus
}
#endif

#endif
