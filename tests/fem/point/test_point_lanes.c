/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The physics of one point at a time against many at once.
 */
#include "tests/fem/point/point_case.h"
#include "tests/fem/point/point_lanes.h"

static void assert_same(double a, double exact, double size)
{
  if (isnan(exact) || isinf(exact))
    assert_true(isnan(exact) ? isnan(a) : a == exact);
  else
    assert_near(a, exact, 1e-13 * size);
}

/* Lanes do not disturb each other, even if one holds nonsense; compilers may round differently. */
static void lanes_are_points(void **state)
{
  (void)state;
  uint64_t random = 7;
  const int lanes = point_lanes();
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 400; n++) {
      const point_constants k = {.h0 = 0.2, .cfl = 0.5, .order = 2, .viscosity = n % 4 > 0, .vorticity = n % 4 > 2};
      double inputs[POINT_LANES_MOST * POINT_INPUT], a[POINT_LANES_MOST * 9], steps[POINT_LANES_MOST];
      point_input in[POINT_LANES_MOST];
      for (int lane = 0; lane < lanes; lane++) {
        in[lane] = random_point(dim, &random);
        if (sample_random(&random) % 8 == 0) in[lane].jacobian[0] = NAN;
        if (sample_random(&random) % 8 == 0) in[lane].jacobian[0] -= 5.0;
        if (sample_random(&random) % 8 == 0) in[lane].energy = -1.0;
        if (sample_random(&random) % 8 == 0) memset(in[lane].gradient, 0, sizeof in[lane].gradient);
        memcpy(inputs + lane * POINT_INPUT, &in[lane], sizeof in[lane]);
      }
      point_lanes_stress(dim, &k, inputs, a, steps);
      for (int lane = 0; lane < lanes; lane++) {
        double alone[9], size = 0.0;
        const double step = point_stress(dim, &k, &in[lane], INFINITY, alone);
        for (int i = 0; i < dim * dim; i++) size = fmax(size, fabs(alone[i]));
        for (int i = 0; i < dim * dim; i++) assert_same(a[lane * 9 + i], alone[i], size);
        assert_same(steps[lane], step, step);
      }
    }
}

static void lanes_are_matrices(void **state)
{
  (void)state;
  uint64_t random = 8;
  const int lanes = point_lanes();
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 400; n++) {
      double a[POINT_LANES_MOST * 9] = {0}, vectors[POINT_LANES_MOST * 3], values[POINT_LANES_MOST],
                                  singular[POINT_LANES_MOST];
      for (int lane = 0; lane < lanes; lane++) {
        random_symmetric(dim, a + 9 * lane, &random);
        const double scale = lane % 3 ? 1.0 : scales[n % NSCALES];
        for (int i = 0; i < 9; i++) a[9 * lane + i] *= n % 5 || lane ? scale : 0.0;
      }
      point_lanes_eigenpair(dim, a, vectors, values);
      point_lanes_singular(dim, a, singular);
      for (int lane = 0; lane < lanes; lane++) {
        double s[3], size = 0.0;
        const double *matrix = a + 9 * lane, value = point_smallest_eigenpair(dim, matrix, s);
        for (int i = 0; i < dim * dim; i++) size = fmax(size, fabs(matrix[i]));
        assert_same(values[lane], value, size);
        for (int i = 0; i < dim; i++) assert_same(vectors[lane * 3 + i], s[i], 1e3); // 1e-10: eigenvalues may be close
        assert_same(singular[lane], smallest_singular(dim, matrix), size);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lanes_are_points),
    cmocka_unit_test(lanes_are_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
