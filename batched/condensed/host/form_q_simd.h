/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Q from its reflectors, with a matrix in each lane.  Included behind reflectors_simd.h.
 */

/* Reflectors i < k, of which element t is x[i * next + t * step], or its conjugate, and the first one 1; they begin in
 * row i + first. */
typedef struct NAME(sequence) {
  int k, first;
  const ELEM *x, *tau;
  int64_t next, step;
  bool conjugated;
} NAME(sequence);

/* q = the first columns of H_0 H_1 .., element (i, j) at q[i * ld + j]; v: a column. */
static void NAME(form_q)(const NAME(sequence) * s, int rows, int cols, ELEM *q, int ld, ELEM *v)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) q[i * ld + j] = NAME(make)(SIMD(splat)(i == j));
  for (int i = s->k - 1; i >= 0; i--) {
    const int at = i + s->first;
    for (int t = 1; t < rows - at; t++) {
      const ELEM e = s->x[i * s->next + t * s->step];
      v[t] = s->conjugated ? NAME(conjugate)(e) : e;
    }
    NAME(reflect_columns)(cols - at, rows - at, ld, 1, v, NAME(conjugate)(s->tau[i]), q + at * ld + at);
  }
}
