/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the corner force against what F must do (transpose, free stream, rigid motion) and against host.ref.
 * With --gpu the rows for CUDA, where there is a GPU.
 * ranks: 1 2 3
 */
#include "tests/fem/force/force_case.h"

/* The same bits as before, on this rank. */
static void assert_repeats(const problem *p, const run *r, const double *f, const double *power)
{
  assert_memory_equal(r->f, f, sizeof(double) * (size_t)kinematic(p));
  assert_memory_equal(r->power, power, sizeof(double) * (size_t)thermodynamic(p));
}

static void check_against_reference(problem *p, bool twice)
{
  run reference;
  double *f = sample_doubles((size_t)kinematic(p)), *power = sample_doubles((size_t)thermodynamic(p));
  assert_true(run_create_in(&reference, p, BATCHED_HOST, "host.ref"));
  run_all(&reference, p);
  assert_true(isfinite(sample_largest(kinematic(p), reference.f, NULL)));
  FOR_EACH_VARIANT(row)
  {
    run r;
    if (!run_create(&r, p, row->name)) continue;
    run_all(&r, p);
    if (twice) { // nothing is left from an earlier state
      memcpy(f, r.f, sizeof(double) * (size_t)kinematic(p));
      memcpy(power, r.power, sizeof(double) * (size_t)thermodynamic(p));
      run_all(&r, p);
      assert_repeats(p, &r, f, power);
    }
    assert_vectors_near(kinematic(p), r.f, reference.f, 1e-12);
    assert_vectors_near(thermodynamic(p), r.power, reference.power, 1e-12);
    assert_near(r.step, reference.step, 1e-11 * reference.step);
    run_destroy(&r);
  }
  run_destroy(&reference);
  free(f);
  free(power);
}

static void variants_agree(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    const int *shape = shapes[i], dim = shape[0];
    const bool heavy = dim == 3 && shape[1] > 3;
    mesh *m = sample_box_mesh(dim, dim == 1 ? (int[]){11} : heavy ? (int[]){2, 1, 1} : (int[]){3, 3, 1});
    problem p = make(m, shape[1], shape[2], shape[3], true);
    deform(&p, i);
    for (int mode = heavy ? 2 : 0; mode < 3; mode++) {
      set_mode(&p, mode);
      check_against_reference(&p, false);
    }
    destroy(&p);
  }
}

/* Any number of zones, on ranks that may have none: blocks that are full, or not. */
static void any_number_of_zones(void **state)
{
  (void)state;
  for (int zones = 1; zones <= 34; zones += zones < 10 ? 1 : 3)
    for (int dim = 1; dim <= 3; dim++) {
      if (dim > 1 && zones > 20) continue;
      problem p = make(sample_box_mesh(dim, (int[]){zones, 1, 1}), 2, 1, 0, true);
      deform(&p, zones);
      set_mode(&p, 1);
      check_against_reference(&p, true);
      destroy(&p);
    }
}

static void unstructured_meshes(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int refine = 1; refine <= (dim == 2 ? 3 : 1); refine++) {
      problem p = make(sample_mesh(sample_star(dim, 5, 3), refine), 2, 1, 0, true);
      sample_perturb(p.s, p.mesh, 0.01, 1, p.x);
      sample_perturb(p.s, p.mesh, 1.0, 2, p.v);
      sample_energies(p.s, p.mesh, 0.1, 2.0, 3, p.e);
      set_mode(&p, 2);
      check_against_reference(&p, false);
      destroy(&p);
    }
}

/* u . (F 1) = 1 . (F^T u) for any u, not only the state's velocity. */
static void power_is_the_transpose(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    const int *shape = shapes[i], dim = shape[0];
    if (dim == 3 && shape[1] > 4) continue;
    problem p =
      make(sample_box_mesh(dim, dim == 1 ? (int[]){7} : (int[]){3, 1, 1}), shape[1], shape[2], shape[3], true);
    deform(&p, i);
    set_mode(&p, 1);
    double *u = sample_doubles((size_t)kinematic(&p)), *ones = sample_doubles((size_t)thermodynamic(&p));
    sample_perturb(p.s, p.mesh, 1.0, 77, u);
    for (int64_t j = 0; j < thermodynamic(&p); j++) ones[j] = 1.0;
    FOR_EACH_VARIANT(row)
    {
      run r;
      if (!run_create(&r, &p, row->name)) continue;
      run_all(&r, &p);
      double *on_device = place(r.ctx, kinematic(&p), u);
      run_power(&r, &p, on_device);
      batched_release(r.ctx, on_device);
      const double left = sample_dot(p.s, dim, u, r.f), right = sample_dot_local(thermodynamic(&p), ones, r.power);
      const double size = fem_norm_kinematic(p.s, dim, u) * fem_norm_kinematic(p.s, dim, r.f);
      assert_near(left, right, 1e-13 * size);
      run_destroy(&r);
    }
    free(u);
    free(ones);
    destroy(&p);
  }
}

/* One pressure everywhere: no force inside; on the walls the pressure times their area, along the normal. */
static void free_stream(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= (dim == 3 ? 3 : FEM_MAX_ORDER); k++) {
      problem p = make(sample_box_mesh(dim, dim == 1 ? (int[]){7} : (int[]){3, 2, 2}), k, k - 1, 0, false);
      for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = 2.5;
      const double pressure = 0.4 * 2.5;
      FOR_EACH_VARIANT(row)
      {
        run r;
        double walls[6] = {0.0};
        if (!run_create(&r, &p, row->name)) continue;
        run_all(&r, &p);
        for (int c = 0; c < dim; c++)
          for (int i = 0; i < p.s->nowned; i++) {
            const double at = p.x[c * p.s->ndofs + i], f = r.f[c * p.s->ndofs + i];
            if (at == 0.0)
              walls[2 * c] += f;
            else if (at == sample_size[c])
              walls[2 * c + 1] += f;
            else
              assert_near(f, 0.0, 1e-13);
          }
        comm_sum(walls, 6);
        for (int c = 0; c < dim; c++) {
          double area = 1.0;
          for (int d = 0; d < dim; d++) area *= d == c ? 1.0 : sample_size[d];
          assert_near(walls[2 * c], pressure * area, 1e-13);
          assert_near(walls[2 * c + 1], -pressure * area, 1e-13);
        }
        for (int64_t i = 0; i < thermodynamic(&p); i++) assert_true(r.power[i] == 0.0); // at rest
        run_destroy(&r);
      }
      destroy(&p);
    }
}

/* A zone's forces below the square of the machine's precision count as zero, and only those. */
static void tiny_forces_vanish(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 2; k <= 6; k += 4) { // in shapes.def and not
      if (dim == 3 && k > 2) continue;
      problem p = make(sample_box_mesh(dim, (int[]){5, 2, 2}), k, k - 1, 0, false);
      for (int tiny = 0; tiny < 2; tiny++) {
        for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = tiny ? 1e-33 : 1e-28;
        FOR_EACH_VARIANT(row)
        {
          run r;
          if (!run_create(&r, &p, row->name)) continue;
          run_all(&r, &p);
          assert_true((fem_norm_kinematic(p.s, dim, r.f) == 0.0) == tiny);
          run_destroy(&r);
        }
      }
      destroy(&p);
    }
}

/* Forces are internal: their sum is zero.  A rigid motion does no work; without viscosity nor does it change the
 * force. */
static void rigid_motion(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    problem p = make(sample_box_mesh(dim, (int[]){4, 2, 2}), 2, 1, 0, true);
    deform(&p, 5);
    set_mode(&p, 1);
    const double spin = dim > 1 ? 0.7 : 0.0;
    for (int i = 0; i < p.s->ndofs; i++) {
      const double x = p.x[i], y = dim > 1 ? p.x[p.s->ndofs + i] : 0.0;
      p.v[i] = 1.5 - spin * y;
      if (dim > 1) p.v[p.s->ndofs + i] = -0.3 + spin * x;
      if (dim > 2) p.v[2 * p.s->ndofs + i] = 0.9;
    }
    FOR_EACH_VARIANT(row)
    {
      run r;
      if (!run_create(&r, &p, row->name)) continue;
      run_all(&r, &p);
      for (int c = 0; c < dim; c++) {
        double sum = 0.0;
        for (int i = 0; i < p.s->nowned; i++) sum += r.f[c * p.s->ndofs + i];
        comm_sum(&sum, 1);
        assert_near(sum, 0.0, 1e-13);
      }
      assert_near(sample_largest(thermodynamic(&p), r.power, NULL), 0.0, 1e-13);
      run_destroy(&r);
    }
    destroy(&p);
  }
}

/* One bad zone is enough, wherever it is in its block. */
static void bad_zones_stop_the_step(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int which = 0; which < 9; which++)
      for (int kind = 0; kind < 3; kind++) {
        problem p = make(sample_box_mesh(dim, (int[]){9, 1, 1}), 2, 1, 0, false);
        set_mode(&p, kind == 2);
        for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = 1.0;
        for (int z = 0; z < p.s->nzones; z++) {
          double *middle =
            &p.x[p.s->dofs[z * p.s->nd + p.s->nd / 2]]; // the node in the centre belongs to this zone alone
          if (p.mesh->zone_ids[z] == which) *middle = kind == 0 ? *middle + 1.0 : kind == 1 ? NAN : *middle - 1.0;
        }
        FOR_EACH_VARIANT(row)
        {
          run r;
          if (!run_create(&r, &p, row->name)) continue;
          run_all(&r, &p);
          assert_true(r.step == 0.0);
          run_destroy(&r);
        }
        destroy(&p);
      }
}

/* The n-th allocation fails, for every n: a status, nothing lost, and the next attempt works. */
static void no_memory(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 3}), 2, 1, 0, true);
  deform(&p, 4);
  set_mode(&p, 1);
  FOR_EACH_VARIANT(row)
  {
    int status = BATCHED_NO_MEMORY, n = 0;
    run r;
    if (!run_create(&r, &p, row->name)) continue;
    run_destroy(&r);
    for (; status && n < 100; n++) {
      run_open(&r, &p, backend, row->name);
      batched_fail_allocation(n);
      status = fem_force_create(r.ctx, &r.force, p.s, p.material);
      assert_true(status ? !r.force : !!r.force);
      if (!status) status = fem_force_update(r.ctx, r.force, r.x, r.v, r.e, r.out_step);
      if (!status) status = fem_force_power(r.ctx, r.force, r.v, r.out_power);
      if (r.force && fem_force_apply(r.ctx, r.force, r.out_f))
        status = BATCHED_NO_MEMORY; // collective: all ranks come here
      batched_fail_allocation(-1);
      assert_true(status == 0 || status == BATCHED_NO_MEMORY);
      run_destroy(&r);
    }
    assert_true(n < 100);
  }
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(variants_agree),      cmocka_unit_test(any_number_of_zones),
    cmocka_unit_test(unstructured_meshes), cmocka_unit_test(power_is_the_transpose),
    cmocka_unit_test(free_stream),         cmocka_unit_test(tiny_forces_vanish),
    cmocka_unit_test(rigid_motion),        cmocka_unit_test(bad_zones_stop_the_step),
    cmocka_unit_test(no_memory),
  };
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
