/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks: 1 2 3 4 7
 */
#include "tests/fem/samples.h"

static const int boxes[][3] = {{4, 3, 2}, {1, 1, 1}, {2, 1, 3}, {7, 2, 2}};
enum { NBOXES = sizeof boxes / sizeof *boxes };

static int power(int base, int exponent)
{
  int p = 1;
  for (int i = 0; i < exponent; i++) p *= base;
  return p;
}

/* Owned dofs of all ranks are the nodes of the mesh, each once. */
static void check_ownership(const fem_space *s, const mesh *m)
{
  assert_int_equal(s->ndofs_global, mesh_nodes_global(m, s->k));
  assert_in_range(s->nowned, 0, s->ndofs);
  assert_in_range(s->nfirst, 0, s->nowned);
  double *owners = sample_doubles((size_t)s->ndofs_global);
  int64_t *ids = sample_ids(s, m);
  for (int i = 0; i < s->nowned; i++) owners[ids[i]] += 1.0;
  comm_sum(owners, (int)s->ndofs_global);
  for (int64_t i = 0; i < s->ndofs_global; i++) assert_true(owners[i] == 1.0);
  free(owners);
  free(ids);
}

/* Every dof has a zone; equal ids have equal dofs; the owned dofs of the first zones are below nfirst; zones behind
 * them have no dof of another rank. */
static void check_numbers(const fem_space *s, const mesh *m)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *node_ids = malloc(((size_t)n + 1) * sizeof *node_ids), *ids = sample_ids(s, m);
  char *seen = calloc((size_t)s->ndofs + 1, 1);
  const int *shared;
  const int nshared = halo_shared(s->halo, &shared);
  mesh_node_ids(m, s->k, node_ids);
  for (int64_t i = 0; i < n; i++) {
    assert_in_range(s->dofs[i], 0, s->ndofs - 1);
    assert_int_equal(ids[s->dofs[i]], node_ids[i]);
    seen[s->dofs[i]] = 1;
    if (i < (int64_t)fem_first_zones(s) * s->nd && s->dofs[i] < s->nowned) assert_true(s->dofs[i] < s->nfirst);
  }
  for (int i = 0; i < s->ndofs; i++) assert_int_equal(seen[i], 1);
  for (int i = 0; i < nshared; i++) seen[shared[i]] = 2;
  for (int i = s->nowned; i < s->ndofs; i++) assert_int_equal(seen[i], 2);
  for (int64_t i = (int64_t)s->nshared * s->nd; i < n; i++) assert_int_equal(seen[s->dofs[i]], 1);
  free(node_ids);
  free(ids);
  free(seen);
}

static void counts_in(fem_numbering numbering)
{
  sample_numbering = numbering;
  for (int box = 0; box < NBOXES; box++)
    for (int dim = 1; dim <= 3; dim++)
      for (int k = 1; k <= (dim == 3 ? 3 : FEM_MAX_ORDER); k++) {
        mesh *m = sample_box_mesh(dim, boxes[box]);
        const int t = (k + box) % 3;
        fem_space *s = sample_space(m, k, t, 0);
        int64_t exact = 1;
        for (int d = 0; d < dim; d++) exact *= k * boxes[box][d] + 1;
        assert_int_equal(s->ndofs_global, exact);
        assert_int_equal(s->q1, (3 * k + t - 1) / 2 + 1);
        assert_int_equal(s->nd, power(k + 1, dim));
        assert_int_equal(s->nt, power(t + 1, dim));
        assert_int_equal(s->nq, power(s->q1, dim));
        assert_int_equal(s->nzones, m->nzones);
        check_ownership(s, m);
        check_numbers(s, m);
        fem_space_destroy(&s);
        assert_null(s);
        mesh_destroy(&m);
      }
}

static void counts(void **state)
{
  (void)state;
  counts_in(FEM_ZONE_BY_ZONE);
  counts_in(FEM_NODE_BY_NODE);
}

/* On one rank the dofs of either numbering are 0, 1, 2, ... in the order of first touch: zone by zone, or node by node
 * of chunks of 512 zones. */
static void numberings(void **state)
{
  (void)state;
  for (fem_numbering numbering = FEM_ZONE_BY_ZONE; numbering <= FEM_NODE_BY_NODE && comm_size() == 1; numbering++)
    for (int dim = 1; dim <= 3; dim++) {
      mesh *m = sample_box_mesh(dim, dim == 3 ? (int[]){10, 9, 6} : (int[]){30, 20});
      sample_numbering = numbering;
      fem_space *s = sample_space(m, 2, 1, 0);
      const int each = numbering == FEM_ZONE_BY_ZONE ? 1 : 512;
      int count = 0;
      for (int first = 0; first < s->nzones; first += each)
        for (int i = 0; i < s->nd; i++)
          for (int z = first; z < s->nzones && z < first + each; z++) {
            assert_in_range(s->dofs[z * s->nd + i], 0, count);
            count += s->dofs[z * s->nd + i] == count;
          }
      assert_int_equal(count, s->ndofs);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
  sample_numbering = FEM_NODE_BY_NODE;
}

static void unstructured_counts(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 1; k <= 4; k++)
      for (int reflect = 0; reflect < 2; reflect++) {
        mesh *m =
          sample_mesh(reflect ? sample_grid(dim, (int[]){3, 2, 2}, 0.2, 5, false) : sample_star(dim, 5, 3), 1 + k % 2);
        fem_space *s = sample_space(m, k, 1, 0);
        check_ownership(s, m);
        check_numbers(s, m);
        fem_space_destroy(&s);
        mesh_destroy(&m);
      }
}

static void quadrature_orders(void **state)
{
  (void)state;
  mesh *m = sample_box_mesh(2, boxes[0]);
  for (int order = 1; order <= 40; order++) {
    fem_space *s = sample_space(m, 2, 1, order);
    double sum = 0.0;
    assert_int_equal(s->q1, order / 2 + 1);
    for (int q = 0; q < s->nq; q++) sum += s->weight[q];
    assert_near(sum, 1.0, 100 * DBL_EPSILON);
    fem_space_destroy(&s);
  }
  mesh_destroy(&m);
}

/* On the wall across axis c, and only there, component c does not move. */
static void walls_of_a_box(void **state)
{
  (void)state;
  for (int box = 0; box < NBOXES; box++)
    for (int dim = 1; dim <= 3; dim++)
      for (int k = 1; k <= 3; k++) {
        mesh *m = sample_box_mesh(dim, boxes[box]);
        fem_space *s = sample_space(m, k, 0, 0);
        double *x = sample_positions(s, m), *u = sample_doubles((size_t)(dim * s->ndofs));
        for (int i = 0; i < dim * s->ndofs; i++) u[i] = 1.0;
        fem_constrain_host(s, u);
        int listed = 0;
        for (int c = 0; c < dim; c++)
          for (int i = 0; i < s->ndofs; i++) {
            const double at = x[c * s->ndofs + i];
            const bool wall = at == 0.0 || at == sample_size[c];
            assert_int_equal(s->essential[i] >> c & 1, wall);
            assert_true(u[c * s->ndofs + i] == (wall ? 0.0 : 1.0));
            listed += wall;
          }
        for (int i = 0; i < s->ndofs; i++) assert_int_equal(s->essential[i] >> dim, 0);
        assert_int_equal(s->constrained_start[0], 0);
        assert_int_equal(s->constrained_start[dim], listed);
        free(x);
        free(u);
        fem_space_destroy(&s);
        mesh_destroy(&m);
      }
}

/* The star's rim has attribute 1: component 0 alone, whichever ranks the zones at the rim belong to. */
static void walls_of_a_star(void **state)
{
  (void)state;
  for (int k = 1; k <= 4; k++) {
    mesh *m = sample_mesh(sample_star(2, 5, 4), 2);
    fem_space *s = sample_space(m, k, 0, 0);
    int64_t *ids = sample_ids(s, m);
    double *marks = sample_doubles((size_t)s->ndofs_global), rim = 0.0;
    for (int i = 0; i < s->ndofs; i++) {
      assert_true(s->essential[i] <= 1);
      if (i < s->nowned) marks[ids[i]] = s->essential[i];
    }
    comm_sum(marks, (int)s->ndofs_global);
    for (int i = 0; i < s->ndofs; i++) assert_true(marks[ids[i]] == s->essential[i]);
    for (int64_t i = 0; i < s->ndofs_global; i++) rim += marks[i];
    assert_true(rim == 2 * 5 * 2 * k); // 2 sides an arm, in 2 k lattice steps each
    free(ids);
    free(marks);
    fem_space_destroy(&s);
    mesh_destroy(&m);
  }
}

/* Nodes of a box stand at the Gauss-Lobatto points of its zones; those in a plane of zones are in it to the last
 * bit. */
static void positions_of_a_box(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= (dim == 3 ? 4 : FEM_MAX_ORDER); k++) {
      const int n[3] = {5, 3, 2};
      mesh *m = sample_box_mesh(dim, n);
      fem_space *s = sample_space(m, k, 0, 0);
      double *x = sample_positions(s, m), planes[3][6] = {{NAN}};
      memset(planes, 0xff, sizeof planes); // not a number: not seen
      for (int z = 0; z < s->nzones; z++)
        for (int i = 0; i < s->nd; i++) {
          int64_t cell = m->zone_ids[z];
          for (int d = 0, rest = i; d < dim; d++, rest /= s->d1, cell /= n[d - 1]) {
            const int in_zone = rest % s->d1, index = (int)(cell % n[d]);
            const double at = x[d * s->ndofs + s->dofs[z * s->nd + i]];
            assert_near(at, sample_size[d] * (index + s->nodes[in_zone]) / n[d], 4 * DBL_EPSILON);
            if (in_zone % k) continue;
            double *plane = &planes[d][index + in_zone / k];
            assert_true(isnan(*plane) || *plane == at);
            *plane = at;
          }
        }
      for (int d = 0; d < dim; d++) {
        assert_true(isnan(planes[d][0]) || planes[d][0] == 0.0);
        assert_true(isnan(planes[d][n[d]]) || planes[d][n[d]] == sample_size[d]);
      }
      free(x);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* Against sums that every rank does alone, over all global ids. */
static void norms(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 3; k++) {
      mesh *m = sample_box_mesh(dim, boxes[0]);
      fem_space *s = sample_space(m, k, k % 2, 0);
      double *u = sample_doubles((size_t)(dim * s->ndofs)), *e = sample_doubles((size_t)s->nzones * (size_t)s->nt);
      sample_perturb(s, m, 1.0, 3, u);
      sample_energies(s, m, -1.0, 1.0, 4, e);
      long double square = 0.0L;
      for (int ncomp = 1; ncomp <= dim; ncomp++) {
        for (int64_t i = 0; i < s->ndofs_global; i++) square += powl(sample_hash(i, ncomp - 1, 3), 2);
        assert_near(fem_norm_kinematic(s, ncomp, u), (double)sqrtl(square), 1e-13 * (double)sqrtl(square));
      }
      square = 0.0L;
      for (int64_t z = 0; z < s->nzones_global; z++)
        for (int j = 0; j < s->nt; j++) square += powl(sample_hash(z, j, 4), 2);
      assert_near(fem_norm_local((int64_t)s->nzones * s->nt, e), (double)sqrtl(square), 1e-13 * (double)sqrtl(square));
      for (int power = -900; power <= 900; power += 1800) { // whose squares over- and underflow
        const double norm = ldexp((double)sqrtl(square), power);
        for (int64_t i = 0; i < (int64_t)s->nzones * s->nt; i++) e[i] = ldexp(e[i], power);
        assert_near(fem_norm_local((int64_t)s->nzones * s->nt, e), norm, 1e-13 * norm);
        for (int64_t i = 0; i < (int64_t)s->nzones * s->nt; i++) e[i] = ldexp(e[i], -power);
      }
      free(u);
      free(e);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts),         cmocka_unit_test(unstructured_counts), cmocka_unit_test(quadrature_orders),
    cmocka_unit_test(walls_of_a_box), cmocka_unit_test(walls_of_a_star),     cmocka_unit_test(positions_of_a_box),
    cmocka_unit_test(norms),          cmocka_unit_test(numberings),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
