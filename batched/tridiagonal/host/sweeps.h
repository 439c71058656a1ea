/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rotations of neighbouring columns of a matrix of vectors that wait until there are many of them: those of four sweeps
 * at a time then pass through strips of rows, which stay in the second cache, each sweep a column behind the one before
 * (Van Zee, van de Geijn, Quintana-Orti, "Restructuring the tridiagonal and bidiagonal QR algorithms for performance",
 * ACM Trans. Math. Softw. 40, 2014).  The vectors are kept as real numbers, a SIMD vector for some rows of a column, so
 * that rows of the transpose and complex numbers are rows like others, and no bit depends on where the user has them.
 */
#ifndef BATCHED_TRIDIAGONAL_HOST_SWEEPS_H
#define BATCHED_TRIDIAGONAL_HOST_SWEEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCHED_SWEEPS = 4, BATCHED_SWEEP_GROUPS = 32 };

/* Sweeps in one direction.  Columns are numbered in this direction: sweep k turns i, i + 1 for from[k] <= i < to[k];
 * all of them are between lo and hi. */
typedef struct batched_sweep_group {
  bool backwards;
  int count, lo, hi, from[BATCHED_SWEEPS], to[BATCHED_SWEEPS];
} batched_sweep_group;

typedef struct batched_sweeps {
  bool single;    /* float, else double */
  int n, rows;    /* columns, and rows of real numbers */
  int used, most; /* groups */
  void *vectors;  /* strip after strip */
  void *angles;   /* cosine and sine of the rotation that sweep k does in step i + k: [most][n + SWEEPS][SWEEPS] */
  void *next;     /* where the next rotation goes */
  batched_sweep_group groups[BATCHED_SWEEP_GROUPS];
} batched_sweeps;

/* Memory for matrices up to these sizes, aligned to 64 bytes. */
size_t batched_sweeps_bytes(bool single, int n, int rows);
void batched_lay_out_sweeps(batched_sweeps *q, bool single, int n, int rows, void *memory);

/* Rows first .. first + rows - 1 are those of x: a row is `parts` numbers (2: complex) of an element, then those of the
 * next one, `row` numbers away, and columns are `col` numbers apart. */
typedef struct batched_sweep_rows {
  void *x;
  int first, rows, parts;
  int64_t row, col;
} batched_sweep_rows;

void batched_load_vectors(const batched_sweeps *q, const batched_sweep_rows *r);
void batched_store_vectors(const batched_sweeps *q, const batched_sweep_rows *r);

/* `steps` rotations follow, by batched_add_rotation: of columns first and first + 1 (backwards: first - 1), then of the
 * next ones. */
void batched_begin_sweep(batched_sweeps *q, int first, int steps, bool backwards);

/* All rotations that wait. */
void batched_turn_vectors(batched_sweeps *q);

/* Once none waits. */
void batched_exchange_vectors(const batched_sweeps *q, int i, int j);
void batched_negate_vector(const batched_sweeps *q, int j);

/* (x, y) = (c x + s y, c y - s x) for the columns whose turn it is. */
static inline void batched_add_rotation(batched_sweeps *q, double c, double s)
{
  if (q->single) {
    float *const p = q->next;
    p[0] = (float)c, p[1] = (float)s;
    q->next = p + 2 * BATCHED_SWEEPS;
  } else {
    double *const p = q->next;
    p[0] = c, p[1] = s;
    q->next = p + 2 * BATCHED_SWEEPS;
  }
}

#endif
