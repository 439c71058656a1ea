/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which row of an operation `auto` takes for which size, type, triangle and number of right-hand sides is data: lines
 *
 *   operation,types,row,where
 *   potrf,d,cuda.warp_tc,n=21..48 lower uniform
 *
 * of the user's table (the file that BATCHED_TUNING names) and of the shipped one (batched/tuning/rows/, measured by
 * batched-tune).  The first line, from the top, that holds for a call and whose row fits is taken; where there is none,
 * the table of rows decides (batched_pick).  Calls of kernels by other operations go the same way.
 *
 * types: letters of sdcz.  where: words and ranges that must all hold, none: always.  Ranges are x=5, x=5..9, x=5.. or
 * x=..9, of
 *   m n        rows and columns of the operation's first matrix; of products: of the result
 *   k          the inner extent of products; the lower bandwidth of band matrices, and
 *   ku         the upper one
 *   rhs        columns of the second matrix
 *   mn mnk     products of these; m%16: the remainder of m
 *   count      matrices of the batch
 * Words: uniform or variable; long (one side, m or n, is at least 1.5 times the other) or short; of potrf and the
 * products with a triangle lower or upper; of gemm, gemv and syrk plain or transposed (the first factor); of gemm odd
 * or even (odd: the leading dimensions of both factors); of heev and gesvd vectors or values (values alone).
 */
#ifndef BATCHED_CHOICE_H
#define BATCHED_CHOICE_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Quantities that a choice can depend on. */
typedef struct batched_shape {
  batched_type type;
  int64_t count;
  int m, n, k, ku, rhs;
  bool lower, transposed, variable, odd, vectors;
} batched_shape;

/* Takes it from the operands of an operation of this library, and for a few operations from other arguments, too. */
batched_shape batched_shape_of(const batched_op *op, const void *args);

/* The row that the tables name for these arguments and that fits, or NULL. */
const batched_variant *batched_choose_by_table(batched_ctx *ctx, const batched_op *op, const void *args);

/* For kernels that other operations call, with arguments of their own.  names: a static array of rows' names, ended by
 * NULL.  The place there of the next row that a line for `operation` and this shape names, or -1; *cursor is 0 at
 * first. */
int batched_next_choice(batched_ctx *ctx, const char *operation, const char *const *names, const batched_shape *shape,
                        int *cursor);

/* `likes` of the rows that are taken where a line says so, or when nothing else fits. */
static inline bool batched_by_table(const void *args)
{
  (void)args;
  return false;
}

/* Puts the lines of a text before those that the context has; those that make no sense are passed over.  Returns how
 * many were taken. */
int batched_load_choices(batched_ctx *ctx, const char *text);
/* Puts the lines of a shipped table, one of batched_choice_tables, behind those that the context has loaded, in place
 * of another table's.  A process reads their text once.  Returns how many there are; 0 for any other text. */
int batched_ship_choices(batched_ctx *ctx, const char *table);
/* Forgets all of them. */
void batched_clear_choices(batched_ctx *ctx);

/* The shipped lines for a device ("host", or the name of a GPU): its own; else those of the nearest compute capability
 * with the same first number; else, for a GPU, those of the first GPU: wrong by some sizes, but not by much. */
const char *batched_find_choices(const char *device, int capability);

/* Returns the place where a context keeps them (tuning.c); NULL without memory. */
struct batched_choices **batched_choices_in(batched_ctx *ctx);
void batched_free_choices(struct batched_choices *choices);

/* The shipped tables of rows, ended by NULL: the files of batched/tuning/rows/, put into the library by the build. */
extern const char *const batched_choice_tables[];

#ifdef __cplusplus
}
#endif

#endif
