/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with triangles of bands, a matrix in each SIMD lane: some columns of ab at a time are turned into lanes, and
 * up to four right-hand sides share what is read of them.  Columns of the triangle are used one after the other, to
 * eliminate (op(A) = A) or for scalar products with what is solved (A^T, A^H).
 */
#include "batched/band/host/lanes/divisor_simd.h"
#include "batched/band/host/lanes/solutions_simd.h"

enum { NAME(COLUMNS) = 8 /* turned at a time */ };

typedef struct NAME(triangle) {
  NAME(matrices) a;
  int n, kd, ld, diagonal; /* order; width; of ab; its row with the main diagonal */
  bool upper, unit;
  int stride;    /* of columns; that of ab if they are turned in one run */
  bool one_run;  /* columns and what is between them */
  ELEM *columns; /* COLUMNS of them; each begins with the band's first row */
} NAME(triangle);

/* Numbers of `columns` for bands up to a width, in views with a leading dimension; more where all of a column is
 * turned. */
static size_t NAME(columns_size)(int kd, int ld)
{
  return NAME(COLUMNS) * (size_t)batched_max(ld < 2 * (kd + 1) + 4 ? ld : 0, kd + 1);
}

/* Leading dimensions up to `ld`, for which `columns` has room. */
ALWAYS_INLINE NAME(triangle)
  NAME(triangle_of)(const NAME(matrices) * a, int ld, bool upper, bool unit, int n, int kd, int diagonal, ELEM *columns)
{
  const int64_t parts = sizeof(T) / sizeof(R), together = (NAME(COLUMNS) * parts * ld + W - 1) / W,
                apart = NAME(COLUMNS) * (((kd + 1) * parts + W - 1) / W);
  const bool one_run = ld < 2 * (kd + 1) + 4 && together < apart && NAME(is_dense)(a, ld);
  return (NAME(triangle)){*a, n, kd, ld, diagonal, upper, unit, one_run ? ld : kd + 1, one_run, columns};
}

ALWAYS_INLINE int NAME(reach)(const NAME(triangle) * t, int k)
{
  return batched_min(t->kd, t->upper ? k : t->n - 1 - k);
}

/* The place of column k's diagonal element, where columns from `first` on have been loaded. */
ALWAYS_INLINE const ELEM *NAME(diagonal_of)(const NAME(triangle) * t, int k, int first)
{
  return t->columns + (int64_t)(k - first) * t->stride + (t->upper ? t->kd : 0);
}

/* Fetches columns soon to come of these matrices, in place of the next ones. */
ALWAYS_INLINE void NAME(fetch_ahead)(NAME(triangle) * t, bool backward)
{
  const int64_t bytes = (int64_t)sizeof(T) * 2 * NAME(COLUMNS) * t->ld;
  t->a.ahead = (uintptr_t)(backward ? -bytes : bytes);
}

static void NAME(load_triangle)(NAME(triangle) * t, int first, int cols)
{
  const int top = t->diagonal - (t->upper ? t->kd : 0);
  if (t->one_run) {
    const int last = first + cols - 1, from = t->upper ? t->kd - NAME(reach)(t, first) : 0;
    const int to = (cols - 1) * t->stride + (t->upper ? t->kd : NAME(reach)(t, last));
    NAME(pack_run)(&t->a, top + from, first, to - from + 1, t->columns + from);
    return;
  }
  for (int k = first; k < first + cols; k++) {
    const int reach = NAME(reach)(t, k), from = t->upper ? t->kd - reach : 0;
    NAME(pack_run)(&t->a, top + from, k, reach + 1, t->columns + (int64_t)(k - first) * t->stride + from);
  }
}

/* One column for `sides` right-hand sides ld apart: c[0 .. reach) beside the diagonal meet others[0 .. reach). */
ALWAYS_INLINE void NAME(substitute_column)(int sides, bool transposed, bool conj, bool unit, int reach, const ELEM *c,
                                           NAME(divisor) d, ELEM *x, ELEM *others, int64_t ld)
{
  ELEM here[4], odd[4];
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) here[j] = x[j * ld];
  if (transposed) {
    int i = 0;
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) odd[j] = NAME(make)((VEC){0});
    for (; i + 2 <= reach; i += 2) {
#pragma GCC unroll 4
      for (int j = 0; j < sides; j++) {
        here[j] = NAME(fms)(here[j], c[i], others[i + j * ld], conj, false);
        odd[j] = NAME(fms)(odd[j], c[i + 1], others[i + 1 + j * ld], conj, false);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      if (i < reach) here[j] = NAME(fms)(here[j], c[i], others[i + j * ld], conj, false);
      here[j] = NAME(plus)(here[j], odd[j]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) x[j * ld] = here[j] = unit ? here[j] : NAME(divided)(here[j], d);
  for (int i = 0; !transposed && i < reach; i++) {
    const ELEM a = c[i];
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) others[i + j * ld] = NAME(fms)(others[i + j * ld], a, here[j], false, false);
  }
}

/* op(A) x = y in place, of y[i + j * n]. */
ALWAYS_INLINE void NAME(substitute)(NAME(triangle) * t, bool transposed, bool conj, int nrhs, ELEM *y)
{
  const int n = t->n;
  const bool backward = t->upper != transposed;
  NAME(fetch_ahead)(t, backward);
  for (int done = 0; done < n; done += NAME(COLUMNS)) {
    const int cols = batched_min(NAME(COLUMNS), n - done), first = backward ? n - done - cols : done;
    NAME(load_triangle)(t, first, cols);
    for (int s = 0; s < cols; s++) {
      const int k = backward ? first + cols - 1 - s : first + s, reach = NAME(reach)(t, k);
      const ELEM *diagonal = NAME(diagonal_of)(t, k, first), *c = t->upper ? diagonal - reach : diagonal + 1;
      const NAME(divisor) d = NAME(divisor_of)(conj ? NAME(conjugate)(*diagonal) : *diagonal);
      ELEM *x = y + k, *others = t->upper ? x - reach : x + 1;
      int j = 0;
      for (; j + NAME(SIDES) <= nrhs; j += NAME(SIDES)) NAME(substitute_column)
      (NAME(SIDES), transposed, conj, t->unit, reach, c, d, x + (int64_t)j * n, others + (int64_t)j * n, n);
      for (; j < nrhs; j++) NAME(substitute_column)
      (1, transposed, conj, t->unit, reach, c, d, x + (int64_t)j * n, others + (int64_t)j * n, n);
    }
  }
}

ALWAYS_INLINE void NAME(substitute_lanes)(NAME(triangle) * t, batched_trans trans, int nrhs, ELEM *y)
{
  if (trans == BATCHED_NO_TRANS)
    NAME(substitute)(t, false, false, nrhs, y);
  else if (trans == BATCHED_TRANS || !IS_COMPLEX)
    NAME(substitute)(t, true, false, nrhs, y);
  else
    NAME(substitute)(t, true, true, nrhs, y);
}

/* Right-hand sides to solve for at a time, of matrices of order up to n: what half a megabyte holds, and not less than
 * four. */
ALWAYS_INLINE int NAME(sides_at_once)(int n, int nrhs)
{
  const size_t fit = ((size_t)512 << 10) / ((size_t)batched_max(n, 1) * sizeof(ELEM));
  return fit >= (size_t)nrhs ? nrhs : batched_min(nrhs, batched_max(4, (int)fit));
}
