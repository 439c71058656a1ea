/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of evaluate: A(i, j) = K(row + i, column + j), element by element.
 */

static int NAME(ref)(const batched_evaluate_args *e)
{
  for (int64_t b = 0; b < e->a.count; b++) {
    const int m = batched_rows(&e->a, b), n = batched_cols(&e->a, b);
    const int64_t row = batched_extent_at(e->row, b), column = batched_extent_at(e->column, b);
    for (int j = 0; j < n; j++) {
      T *a = (T *)batched_at(&e->a, b) + (int64_t)j * batched_ld(&e->a, b);
      for (int i = 0; i < m; i++) a[i] = FROM(lowrank_element(&e->kernel, row + i, column + j), 0);
    }
  }
  return BATCHED_SUCCESS;
}
