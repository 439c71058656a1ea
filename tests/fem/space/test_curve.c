/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Curved zones: a quarter of a ring, straight zones of order p that were bent, has the area of the ring to the order
 * 2p (on tetrahedra above order 2 to p + 1), and a bend by polynomials of order p is met exactly, for quads, hexes,
 * triangles and tetrahedra.
 *
 * ranks: 1 2
 */
#include "tests/fem/samples.h"

#include "fem/simplex/simplex.h"
#include "mesh/simplex/simplex.h"

/* Where a point of the unit box goes. */
typedef void bend(int dim, int p, const double *from, double *to);

static void to_ring(int dim, int p, const double *from, double *to)
{
  (void)p;
  const double r = 0.5 + 0.5 * from[0], angle = M_PI / 2 * from[1];
  to[0] = r * cos(angle), to[1] = r * sin(angle);
  if (dim == 3) to[2] = from[2];
}

/* The volume stays 1: every coordinate moves by a function of those before. */
static void by_polynomials(int dim, int p, const double *from, double *to)
{
  to[0] = from[0];
  to[1] = from[1] + 0.3 * pow(from[0], p);
  if (dim == 3) to[2] = from[2] - 0.2 * pow(from[1], p) + 0.1 * pow(from[0], p);
}

/* Position of a point of the straight zone. */
static void place(const mesh_coarse *c, int zone, const double *at, double *x)
{
  const int *v = mesh_coarse_zone(c, zone);
  for (int axis = 0; axis < c->dim; axis++) {
    x[axis] = 0;
    for (int i = 0; i < mesh_coarse_corners(c); i++) {
      double share = 1;
      for (int d = 0; d < c->dim; d++) share *= i >> d & 1 ? at[d] : 1 - at[d];
      if (c->shape == MESH_SIMPLEX) share = i ? at[i - 1] : 1 - at[0] - at[1] - (c->dim == 3 ? at[2] : 0);
      x[axis] += share * c->vertices[(int64_t)v[i] * c->dim + axis];
    }
  }
}

/* The box of n zones a direction, of order p, bent. */
static mesh *bent_mesh(mesh_shape shape, int dim, int n, int p, bend *by)
{
  const int zones[3] = {n, n, 1}, none[6] = {0};
  double line[FEM_MAX_ORDER + 1], points[FEM_MAX_FUNCTIONS * 3];
  mesh_coarse *c = NULL;
  if (shape == MESH_SIMPLEX)
    assert_int_equal(mesh_simplex_box(&c, dim, zones, (double[]){0, 0, 0}, (double[]){1, 1, 1}, none), STATUS_OK);
  else
    c = sample_grid(dim, zones, 0, 0, false);
  for (int f = 0; f < c->nfaces; f++) c->attributes[f] = MESH_FREE;
  c->curve = mesh_curve_allocate(shape, dim, c->nzones, p, MESH_GAUSS_LOBATTO);
  assert_non_null(c->curve);
  const int each = mesh_nodes_in_zone(shape, dim, p);
  fem_gauss_lobatto(p, line);
  if (shape == MESH_SIMPLEX) simplex_lattice_points(dim, p, line, points);
  for (int z = 0; z < c->nzones; z++)
    for (int i = 0; i < each; i++) {
      double at[3] = {0}, x[3];
      for (int d = 0, rest = i; d < dim; d++, rest /= p + 1)
        at[d] = shape == MESH_SIMPLEX ? points[i * dim + d] : line[rest % (p + 1)];
      place(c, z, at, x);
      by(dim, p, x, c->curve->nodes + ((int64_t)z * each + i) * dim);
    }
  for (int v = 0; v < c->nvertices; v++) {
    double x[3];
    memcpy(x, c->vertices + v * dim, sizeof(double) * (size_t)dim);
    by(dim, p, x, c->vertices + v * dim);
  }
  return sample_mesh(c, 1);
}

static double volume_of(mesh_shape shape, int dim, int n, int p, int k, bend *by)
{
  mesh *m = bent_mesh(shape, dim, n, p, by);
  fem_space *s = sample_space(m, k, k - 1, 0);
  double *x = sample_positions(s, m), *jacobian = sample_doubles((size_t)(s->nq * dim * dim)), sum = 0;
  fem_rule r;
  assert_int_equal(fem_rule_create_own(&r, s), 0);
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&r, s, z, dim, x, jacobian);
    for (int q = 0; q < s->nq; q++) {
      const double determinant = fem_determinant(dim, jacobian + q * dim * dim);
      assert_true(determinant > 0);
      sum += s->weight[q] * determinant;
    }
  }
  comm_sum(&sum, 1);
  fem_rule_destroy(&r);
  free(x), free(jacobian);
  fem_space_destroy(&s);
  mesh_destroy(&m);
  return sum;
}

static void rings_have_their_area(void **state)
{
  (void)state;
  const double area = 3 * M_PI / 16;
  for (int dim = 2; dim <= 3; dim++)
    for (int shape = MESH_TENSOR; shape <= MESH_SIMPLEX; shape++)
      for (int p = 1; p <= 3; p++) {
        const double coarse = fabs(volume_of((mesh_shape)shape, dim, 2, p, p, to_ring) - area),
                     fine = fabs(volume_of((mesh_shape)shape, dim, 4, p, p, to_ring) - area);
        /* the nodes inside a tetrahedron's face integrate polynomials of order p, and no more */
        const int order = dim == 3 && shape == MESH_SIMPLEX && p > 2 ? p + 1 : 2 * p;
        if (!(log2(coarse / fine) > order - 0.3))
          fail_msg("dimension %d, shape %d, order %d: %g, %g", dim, shape, p, coarse, fine);
      }
}

/* The order of the space may be higher than that of the zones. */
static void polynomials_are_exact(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int shape = MESH_TENSOR; shape <= MESH_SIMPLEX; shape++)
      for (int p = 1; p <= 3; p++)
        for (int k = p; k <= p + 1; k++)
          assert_near(volume_of((mesh_shape)shape, dim, 2, p, k, by_polynomials), 1, 1e-13);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rings_have_their_area),
    cmocka_unit_test(polynomials_are_exact),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
