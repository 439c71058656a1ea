/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The energy source, by every row: its integral, that it is added, and host.ref; with --gpu the rows for a GPU.
 * ranks: 1 2
 */
#include "fem/point.h"
#include "mass_case.h"

/* out += the source at x, by a row, of vectors on the host. */
static void add(const problem *p, batched_space space, const char *row, const double *x, double *out)
{
  batched_ctx *ctx;
  const size_t x_bytes = sizeof(double) * (size_t)kinematic(p), bytes = sizeof(double) * (size_t)thermodynamic(p);
  assert_int_equal(batched_create(&ctx, space), 0);
  assert_int_equal(batched_select(ctx, &fem_source_op, row), 0);
  assert_int_equal(fem_space_place(ctx, p->s), 0);
  double *there_x = batched_allocate(ctx, x_bytes + 8), *there = batched_allocate(ctx, bytes + 8);
  assert_true(there_x && there);
  assert_int_equal(batched_copy_from_host(ctx, there_x, x, x_bytes), 0);
  assert_int_equal(batched_copy_from_host(ctx, there, out, bytes), 0);
  assert_int_equal(fem_source_add(ctx, p->s, p->material, there_x, there), 0);
  assert_int_equal(batched_copy_to_host(ctx, out, there, bytes), 0);
  batched_release(ctx, there_x);
  batched_release(ctx, there);
  fem_space_unplace(p->s);
  batched_destroy(&ctx);
}

static void rows_agree(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    if (p.s->dim == 1) { // the source is one of at least two coordinates
      destroy(&p);
      continue;
    }
    const int64_t n = thermodynamic(&p);
    double *exact = sample_doubles((size_t)n), *out = sample_doubles((size_t)n), *before = sample_doubles((size_t)n);
    p.material->source = POINT_TAYLOR_GREEN;
    sample_perturb(p.s, p.mesh, 0.01, 3, p.x);
    sample_energies(p.s, p.mesh, -1.0, 1.0, 4, before);
    memcpy(exact, before, sizeof(double) * (size_t)n);
    add(&p, BATCHED_HOST, "host.ref", p.x, exact);
    for (const batched_variant *row = fem_source_op.variants[where]; row->name; row++) {
      memcpy(out, before, sizeof(double) * (size_t)n);
      add(&p, where, row->name, p.x, out);
      assert_vectors_near(n, out, exact, 1e-13);
    }
    free(exact), free(out), free(before);
    destroy(&p);
  }
}

/* The functions sum to 1, so that what is added sums to the integral of the source, here on [0, 1.25] x [0, 1]. */
static void integral(void **state)
{
  (void)state;
  const double pi = acos(-1.0), a = sample_size[0], b = sample_size[1];
  const double exact =
    3.0 / 8.0 * pi * (sin(3 * pi * a) * sin(pi * b) / (3 * pi * pi) - sin(pi * a) * sin(3 * pi * b) / (3 * pi * pi));
  problem p = make(sample_box_mesh(2, (int[]){8, 8}), 4, 3, 0);
  const int64_t n = thermodynamic(&p);
  for (const batched_variant *row = fem_source_op.variants[where]; row->name; row++) {
    double *out = sample_doubles((size_t)n), sum = 0.0;
    p.material->source = POINT_NO_SOURCE;
    add(&p, where, row->name, p.x, out);
    for (int64_t i = 0; i < n; i++) assert_true(out[i] == 0.0);
    p.material->source = POINT_TAYLOR_GREEN;
    add(&p, where, row->name, p.x, out);
    for (int64_t i = 0; i < n; i++) sum += out[i];
    comm_sum(&sum, 1);
    assert_near(sum, exact, 1e-12);
    free(out);
  }
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_agree), cmocka_unit_test(integral)};
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
