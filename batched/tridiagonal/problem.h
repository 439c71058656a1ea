/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the calls of this family ask of a tridiagonal or bidiagonal matrix.
 */
#ifndef BATCHED_TRIDIAGONAL_PROBLEM_H
#define BATCHED_TRIDIAGONAL_PROBLEM_H

#include "batched/check.h"
#include "batched/tridiagonal/tridiagonal.h"

/* d and e as results of the call, real; e one shorter than d.  0, or the number of the one that is wrong, of d's. */
int batched_check_diagonals(const batched_ctx *ctx, const batched_matrix *d, const batched_matrix *e, bool written,
                            int number);

/* The matrix x is of d's precision, real or complex, with as many for the batch. */
bool batched_belongs_to(const batched_matrix *d, const batched_matrix *x);

/* The checks of steqr and stedc; a status, or -i. */
int batched_check_steqr(const batched_ctx *ctx, const batched_steqr_args *s);

/* A rough count of their work: 6 n^3 for vectors, half of it where they are by divide and conquer. */
batched_cost batched_steqr_cost(const batched_steqr_args *s, double per_vectors);

#endif
