/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of random: numbers from bits that depend on seed, row and column.
 */

static int NAME(ref)(const batched_random_args *r)
{
  for (int64_t b = 0; b < r->a.count; b++) {
    const int m = batched_rows(&r->a, b), n = batched_cols(&r->a, b);
    for (int j = 0; j < n; j++) {
      T *a = (T *)batched_at(&r->a, b) + (int64_t)j * batched_ld(&r->a, b);
      for (int i = 0; i < m; i++) {
        const uint64_t bits = lowrank_random_bits(r->seed, i, r->column + j);
        a[i] = FROM(lowrank_random_number(bits, __builtin_popcountll(bits)) * 0x1p-20, 0);
      }
    }
  }
  return BATCHED_SUCCESS;
}
