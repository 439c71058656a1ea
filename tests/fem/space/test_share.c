/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over zones on several threads: every zone once, the worst status, the same bits on any number of threads.
 * ranks: 1 2
 */
#define _GNU_SOURCE // sched_getaffinity
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "fem/space/share.h"
#include "tests/fem/samples.h"

typedef struct seen {
  int *times; /* [nzones] */
  int bad;    /* chunk whose status is 5 */
} seen;

static int count(void *data, int chunk, int first, int end)
{
  const seen *x = data;
  for (int z = first; z < end; z++) x->times[z]++;
  return chunk == x->bad ? 5 : chunk % 2;
}

static void zones_once(void **state)
{
  (void)state;
  static const int sizes[] = {0, 1, FEM_CHUNK, FEM_CHUNK + 1, 9 * FEM_CHUNK - 7};
  for (int i = 0; i < 5; i++)
    for (int threads = 1; threads <= 5; threads += 2) {
      const fem_space s = {.nzones = sizes[i], .threads = threads};
      seen x = {calloc((size_t)sizes[i] + 1, sizeof(int)), sizes[i] > 3 * FEM_CHUNK ? 4 : -1};
      assert_non_null(x.times);
      assert_int_equal(fem_chunks(&s), (sizes[i] + FEM_CHUNK - 1) / FEM_CHUNK);
      const int expected = x.bad >= 0 ? 5 : sizes[i] > FEM_CHUNK;
      assert_int_equal(fem_for_chunks(&s, count, &x), expected);
      for (int z = 0; z < sizes[i]; z++) assert_int_equal(x.times[z], 1);
      free(x.times);
    }
}

static void same_bits(void **state)
{
  (void)state;
  mesh *m = sample_box_mesh(2, (int[]){120, 110});
  fem_space *s = sample_space(m, 2, 1, 0);
  assert_true(s->threads >= 1);
  const size_t points = (size_t)s->nzones * (size_t)s->nq, n = (size_t)s->nzones * (size_t)s->nt;
  double *x = sample_positions(s, m), *rho[2] = {sample_doubles(n), sample_doubles(n)};
  fem_material *material[2];
  for (int i = 0; i < 2; i++) {
    s->threads = i ? 4 : 1;
    material[i] = sample_material(s, x, sample_density, sample_gamma, NULL);
    assert_int_equal(fem_project_density(s, material[i], x, rho[i]), 0);
  }
  assert_memory_equal(rho[0], rho[1], n * sizeof(double));
  assert_memory_equal(material[0]->mass, material[1]->mass, points * sizeof(double));
  assert_memory_equal(material[0]->density, material[1]->density, points * sizeof(double));
  assert_memory_equal(material[0]->initial_inverse, material[1]->initial_inverse, 4 * points * sizeof(double));
  assert_memory_equal(&material[0]->volume, &material[1]->volume, sizeof(double));
  for (int i = 0; i < 2; i++) {
    fem_material_destroy(&material[i]);
    free(rho[i]);
  }
  free(x);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

static void set_variable(const char *name, const char *value)
{
  assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

/* A launcher that binds without being asked to does not take the other cores away from the helpers. */
static void cores_of_a_bound_rank(void **state)
{
  (void)state;
  static const char bound[] = "OMPI_MCA_orte_bound_at_launch", policy[] = "OMPI_MCA_hwloc_base_binding_policy";
  char *before[2] = {getenv(bound), getenv(policy)};
  for (int i = 0; i < 2; i++) before[i] = before[i] ? strdup(before[i]) : NULL;
  const int ranks = comm_local_size();
  cpu_set_t mine, parents, first;
  assert_true(!sched_getaffinity(0, sizeof mine, &mine) && !sched_getaffinity(getppid(), sizeof parents, &parents));
  CPU_ZERO(&first);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&first) == 0; i++)
    if (CPU_ISSET(i, &mine)) CPU_SET(i, &first);
  const int fair = CPU_COUNT(&parents) / ranks, most = fair < 1 ? 1 : fair < 64 ? fair : 64;
  assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
  set_variable(bound, "1"), set_variable(policy, NULL);
  assert_int_equal(fem_share_cores(), most);
  set_variable(policy, "core"); // the user's word
  assert_int_equal(fem_share_cores(), 1);
  set_variable(bound, NULL), set_variable(policy, NULL);
  assert_int_equal(fem_share_cores(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof mine, &mine), 0);
  set_variable(bound, before[0]), set_variable(policy, before[1]);
  for (int i = 0; i < 2; i++) free(before[i]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(zones_once), cmocka_unit_test(same_bits),
                                     cmocka_unit_test(cores_of_a_bound_rank)};
  comm_init(&argc, &argv);
  const int status = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return status;
}
