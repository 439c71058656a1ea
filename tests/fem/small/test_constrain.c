/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entries that do not move become zero, and no others, by every row; with --gpu the rows for a GPU.
 * ranks: 1 2
 */
#include "tests/fem/mass/mass_case.h"

static void zeros(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = kinematic(&p);
    const size_t bytes = sizeof(double) * (size_t)n;
    double *u = sample_doubles((size_t)n), *found = sample_doubles((size_t)n);
    sample_perturb(p.s, p.mesh, 1.0, 5, u);
    for (const batched_variant *row = fem_constrain_op.variants[where]; row->name; row++) {
      batched_ctx *ctx;
      assert_int_equal(batched_create(&ctx, where), 0);
      assert_int_equal(batched_select(ctx, &fem_constrain_op, row->name), 0);
      assert_int_equal(fem_space_place(ctx, p.s), 0);
      double *there = batched_allocate(ctx, bytes + 8);
      assert_non_null(there);
      assert_int_equal(batched_copy_from_host(ctx, there, u, bytes), 0);
      assert_int_equal(fem_constrain(ctx, p.s, there), 0);
      assert_int_equal(batched_copy_to_host(ctx, found, there, bytes), 0);
      for (int c = 0; c < p.s->dim; c++)
        for (int j = 0; j < p.s->ndofs; j++) {
          const int64_t at = (int64_t)c * p.s->ndofs + j;
          assert_true(found[at] == (p.s->essential[j] >> c & 1 ? 0.0 : u[at]));
        }
      batched_release(ctx, there);
      fem_space_unplace(p.s);
      batched_destroy(&ctx);
    }
    free(u), free(found);
    destroy(&p);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(zeros)};
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
