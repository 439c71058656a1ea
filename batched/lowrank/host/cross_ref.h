/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of cross: adaptive cross approximation, A = sum of x y^H, from rows and columns of what is left
 * (Bebendorf, Numerische Mathematik 86, 2000).
 */

typedef struct NAME(cross) {
  const T *a;
  T *x, *y;
  int m, n;
  int64_t lda, ldx, ldy;
} NAME(cross);

/* The place of the largest |z_i|; a NaN is larger than all. */
static int NAME(largest)(const T *z, int n)
{
  int at = 0;
  for (int i = 1; i < n; i++)
    if (!(ABS(z[i]) <= ABS(z[at]))) at = i;
  return at;
}

static double NAME(square)(const T *z, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (double)ABS(z[i]) * (double)ABS(z[i]);
  return sum;
}

/* Column k of Y = row i of A less X Y^H, conjugated. */
static void NAME(take_row)(const NAME(cross) * c, int i, int k)
{
  T *row = c->y + k * c->ldy;
  for (int j = 0; j < c->n; j++) {
    T sum = CONJ(c->a[i + j * c->lda]);
    for (int l = 0; l < k; l++) sum -= CONJ(c->x[i + l * c->ldx]) * c->y[j + l * c->ldy];
    row[j] = sum;
  }
}

/* Column k of X = column j of A less X Y^H. */
static void NAME(take_column)(const NAME(cross) * c, int j, int k)
{
  T *column = c->x + k * c->ldx;
  for (int i = 0; i < c->m; i++) {
    T sum = c->a[i + j * c->lda];
    for (int l = 0; l < k; l++) sum -= c->x[i + l * c->ldx] * CONJ(c->y[j + l * c->ldy]);
    column[i] = sum;
  }
}

static void NAME(clear)(T *z, int n)
{
  for (int i = 0; i < n; i++) z[i] = 0;
}

/* Row after row: the next one is where the last column is largest, or, after a row of zeros, the one below. */
static void NAME(approximate)(const NAME(cross) * c, int most, double enough, bool absolute)
{
  double all = 0;
  int i = 0, k = 0;
  for (int rows = 0; rows < c->m && k < most && k < c->n; rows++) {
    T *column = c->x + k * c->ldx, *row = c->y + k * c->ldy;
    NAME(take_row)(c, i, k);
    const int j = NAME(largest)(row, c->n);
    const T pivot = row[j];
    if (pivot == 0) {
      i = (i + 1) % c->m;
      continue;
    }
    NAME(take_column)(c, j, k);
    for (int l = 0; l < c->n; l++) row[l] /= pivot;
    const double size = NAME(square)(column, c->m) * NAME(square)(row, c->n);
    all += size;
    column[i] = CONJ(pivot); /* what it is but for rounding; then it is not the largest again */
    T last = column[i];
    column[i] = 0;
    const int next = NAME(largest)(column, c->m);
    column[i] = last;
    i = next;
    k++;
    if (size <= enough * enough * (absolute ? 1 : all) || size != size) break;
  }
  for (; k < most; k++) {
    NAME(clear)(c->x + k * c->ldx, c->m);
    NAME(clear)(c->y + k * c->ldy, c->n);
  }
}

static int NAME(ref)(const batched_cross_args *g)
{
  for (int64_t b = 0; b < g->a.count; b++) {
    const NAME(cross) c = {batched_at(&g->a, b),   batched_at(&g->x, b), batched_at(&g->y, b), batched_rows(&g->a, b),
                           batched_cols(&g->a, b), batched_ld(&g->a, b), batched_ld(&g->x, b), batched_ld(&g->y, b)};
    NAME(approximate)(&c, g->x.n, g->enough, g->absolute);
  }
  return BATCHED_SUCCESS;
}
