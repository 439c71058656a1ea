/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The energy source, by every row: its integrals, that it is added, and host.ref; with --gpu the rows for a GPU.
 * ranks: 1 2
 */
#include "fem/point/point.h"
#include "tests/fem/mass/mass_case.h"

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

/* Integrals over [0, a] of cos(k pi x), and of x cos(k pi x). */
static double cosine(double k, double a)
{
  return sin(k * M_PI * a) / (k * M_PI);
}

static double moment(double k, double a)
{
  return a * cosine(k, a) + (cos(k * M_PI * a) - 1.0) / (k * k * M_PI * M_PI);
}

static double first_coordinate(const void *user, const double *x)
{
  (void)user;
  return x[0];
}

/* The functions sum to 1, and with the right coefficients to x: what is added sums to the integrals of the source and
 * of the source times x, here on [0, a] x [0, b]. */
static void integrals(void **state)
{
  (void)state;
  const double squeeze = 0.7, a = sample_size[0], b = squeeze * sample_size[1];
  const double exact = 3.0 / 8.0 * M_PI * (cosine(3, a) * cosine(1, b) - cosine(1, a) * cosine(3, b));
  const double exact_x = 3.0 / 8.0 * M_PI * (moment(3, a) * cosine(1, b) - moment(1, a) * cosine(3, b));
  problem p = make(sample_box_mesh(2, (int[]){8, 8}), 4, 3, 0);
  const int64_t n = thermodynamic(&p);
  double *x = sample_doubles((size_t)n);
  for (int i = 0; i < p.s->ndofs; i++) p.x[p.s->ndofs + i] *= squeeze;
  assert_int_equal(fem_project_scalar(p.s, p.x, first_coordinate, NULL, x), 0);
  for (const batched_variant *row = fem_source_op.variants[where]; row->name; row++) {
    double *out = sample_doubles((size_t)n), sums[2] = {0.0, 0.0};
    p.material->source = POINT_NO_SOURCE;
    add(&p, where, row->name, p.x, out);
    for (int64_t i = 0; i < n; i++) assert_true(out[i] == 0.0);
    p.material->source = POINT_TAYLOR_GREEN;
    add(&p, where, row->name, p.x, out);
    for (int64_t i = 0; i < n; i++) sums[0] += out[i], sums[1] += x[i] * out[i];
    comm_sum(sums, 2);
    assert_near(sums[0], exact, 1e-12);
    assert_near(sums[1], exact_x, 1e-12);
    free(out);
  }
  free(x);
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_agree), cmocka_unit_test(integrals)};
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
