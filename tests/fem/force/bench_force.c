/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times the corner force's rows alone, on a GPU or (with "host" first) on the host, and says how far the model work of
 * an operation is from the limits that the context measures:
 *
 *    fem_bench_force [host] [row] [dim k zones-a-direction]
 *
 * Without a shape, meshes of docs/performance.md.  The state is a box whose nodes and velocities are random.
 */
#include <stdio.h>

#include "fem/tables.h"
#include "tests/fem/samples.h"

enum { REPEAT = 10 };

static const batched_op *const operations[3] = {&fem_stress_op, &fem_force_op, &fem_power_op};

typedef struct state {
  double *x, *v, *e, *f, *power, *step;
} state;

static double *place(batched_ctx *ctx, const double *values, int64_t n)
{
  double *p = batched_allocate(ctx, sizeof(double) * (size_t)n);
  assert_non_null(p);
  assert_int_equal(batched_copy_from_host(ctx, p, values, sizeof(double) * (size_t)n), 0);
  return p;
}

static void call(batched_ctx *ctx, fem_force *force, const state *s, int operation)
{
  int status = 0;
  if (operation == 0) status = fem_force_update(ctx, force, s->x, s->v, s->e, s->step);
  if (operation == 1) status = fem_force_apply(ctx, force, s->f);
  if (operation == 2) status = fem_force_power(ctx, force, s->v, s->power);
  assert_int_equal(status, 0);
  batched_synchronize(ctx);
}

/* The work of one call by the model of the operation. */
static batched_cost work(batched_ctx *ctx, const batched_op *op)
{
  const batched_stats *rows;
  const int n = batched_get_stats(ctx, &rows);
  for (int i = 0; i < n; i++)
    if (rows[i].op == op)
      return (batched_cost){rows[i].cost.flops / (double)rows[i].calls, rows[i].cost.bytes / (double)rows[i].calls};
  return (batched_cost){0};
}

static void measure(batched_ctx *ctx, fem_force *force, const state *s, const batched_limits *limits)
{
  batched_reset_stats(ctx);
  for (int i = 0; i < 3; i++) {
    double best = INFINITY;
    for (int r = 0; r <= REPEAT; r++) {
      const double start = batched_seconds();
      call(ctx, force, s, i);
      if (r) best = fmin(best, batched_seconds() - start);
    }
    const batched_cost c = work(ctx, operations[i]);
    printf("  %-6s %9.3f ms %7.0f GB/s (%3.0f %%) %7.0f Gflop/s (%3.0f %%)\n", operations[i]->name, 1e3 * best,
           1e-9 * c.bytes / best, 100.0 * c.bytes / best / limits->triad, 1e-9 * c.flops / best,
           100.0 * c.flops / best / limits->vector);
  }
}

static void bench(batched_ctx *ctx, const char *row, const int *shape, const batched_limits *limits)
{
  const int dim = shape[0], k = shape[1], n = shape[2];
  mesh *m = sample_box_mesh(dim, (int[]){n, n, n});
  fem_space *s = sample_space(m, k, k - 1, 0);
  const int64_t kinematic = (int64_t)dim * s->ndofs, thermodynamic = (int64_t)s->nzones * s->nt;
  double *x = sample_positions(s, m), *v = sample_doubles((size_t)kinematic);
  double *e = sample_doubles((size_t)thermodynamic);
  fem_material *material = sample_material(s, x, sample_density, sample_gamma, NULL);
  material->constants.viscosity = true;
  sample_perturb(s, m, 0.04 / (n * k * k), 1, x);
  sample_perturb(s, m, 1.0, 2, v);
  sample_energies(s, m, 0.1, 2.0, 3, e);
  assert_int_equal(fem_space_place(ctx, s), 0);
  assert_int_equal(fem_material_place(ctx, s, material), 0);
  const state d = {place(ctx, x, kinematic), place(ctx, v, kinematic),     place(ctx, e, thermodynamic),
                   place(ctx, v, kinematic), place(ctx, e, thermodynamic), place(ctx, &(double){INFINITY}, 1)};
  for (int i = 0; i < 3; i++) assert_int_equal(batched_select(ctx, operations[i], row), 0);
  fem_force *force;
  if (fem_force_create(ctx, &force, s, material) == 0) {
    printf("%s: %dD Q%d, %d^%d zones, %.2f million points\n", row, dim, k, n, dim, 1e-6 * s->nzones * s->nq);
    measure(ctx, force, &d, limits);
    fem_force_destroy(ctx, &force);
  }
  double *const all[] = {d.x, d.v, d.e, d.f, d.power, d.step};
  for (int i = 0; i < 6; i++) batched_release(ctx, all[i]);
  free(x), free(v), free(e);
  fem_material_destroy(&material);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  static const int shapes[][3] = {{3, 1, 96}, {3, 2, 64}, {3, 3, 32}, {3, 4, 32}, {2, 2, 512}, {2, 3, 384}, {3, 2, 8}};
  comm_init(&argc, &argv);
  const bool host = argc > 1 && !strcmp(argv[1], "host");
  argc -= host, argv += host;
  const char *row = argc > 1 ? argv[1] : host ? "host.sumfact" : "cuda.fused";
  batched_ctx *ctx;
  batched_limits limits;
  if (batched_create(&ctx, host ? BATCHED_HOST : BATCHED_CUDA) || batched_measure_each_limit(ctx, &limits)) {
    puts("There is no GPU here, or CUDA was not built.");
    return 77;
  }
  printf("limits: %.0f GB/s, %.0f Gflop/s\n", 1e-9 * limits.triad, 1e-9 * limits.vector);
  if (argc > 4)
    bench(ctx, row, (int[]){atoi(argv[2]), atoi(argv[3]), atoi(argv[4])}, &limits);
  else
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) bench(ctx, row, shapes[i], &limits);
  batched_destroy(&ctx);
  comm_finalize();
  return 0;
}
