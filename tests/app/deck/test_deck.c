/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decks: what a correct one means, and that it says the same when it is written and read again.
 */
#include "tests/app/deck/deck_case.h"

static void the_shortest_deck(void **state)
{
  (void)state;
  for (const problem *const *row = problems; *row; row++) {
    const problem *p = *row;
    char text[128];
    snprintf(text, sizeof text, "problem: {name: %s}\n", p->name);
    deck d = good(text, NULL);
    const problem_box *box = &p->box[p->dim];
    assert_ptr_equal(d.problem.row, p);
    assert_int_equal(d.mesh.dim, p->dim);
    assert_int_equal(d.mesh.refine, box->refine);
    for (int c = 0; c < p->dim; c++) {
      assert_int_equal(d.mesh.zones[c], box->zones[c]);
      assert_true(d.mesh.lower[c] == box->lower[c] && d.mesh.upper[c] == box->upper[c]);
    }
    assert_true(d.time.final == p->final && d.time.cfl == p->cfl);
  }
  deck d = good(SEDOV, NULL);
  assert_true(d.problem.blast_energy == 1 && !d.problem.impose_viscosity);
  assert_int_equal(d.discretization.kinematic_order, 2);
  assert_int_equal(d.discretization.thermodynamic_order, 1);
  assert_int_equal(d.discretization.quadrature_order, -1);
  assert_int_equal(d.time.integrator, RK_RK4);
  assert_int_equal(d.time.max_steps, -1);
  assert_true(d.solvers.velocity.tolerance == 1e-8 && d.solvers.energy.tolerance == 1e-8);
  assert_int_equal(d.solvers.velocity.max_iterations, 300);
  assert_string_equal(d.kernels.backend, "auto");
  assert_string_equal(deck_variant(&d, "corner_force"), "auto");
  assert_string_equal(deck_variant(&d, "no such key"), "auto");
  assert_string_equal(d.output.directory, "results");
  assert_int_equal(d.output.keep, 2);
  assert_string_equal(d.output.progress, "auto");
  assert_string_equal(d.mesh.partition, "auto");
}

static void all_that_can_be_said(void **state)
{
  (void)state;
  deck d = good("problem:\n  name: sedov\n  blast_energy: 0.25\n  impose_viscosity: true\n"
                "mesh: {dim: 2, zones: [+3, 4], lower: [-1, -.5], upper: [1.5, 2e0], refine: 3, partition: rcb}\n"
                "discretization: {kinematic_order: 4, quadrature_order: 11}\n"
                "time: {integrator: rk2avg, final: 2, cfl: 0.125, max_steps: 7, wall_limit: 60}\n"
                "solvers: {velocity: {tolerance: 1.0e-14, max_iterations: 17}, energy: {max_iterations: 5}}\n"
                "kernels: {backend: host, corner_force: ref, gemm: vendor}\n"
                "output:\n  directory: \"a b: \\u00e9 \\\" \\\\\"\n  fields_every: 4\n  keep: 3\n  progress: lines\n",
                NULL);
  assert_true(d.problem.blast_energy == 0.25 && d.problem.impose_viscosity);
  assert_true(d.mesh.dim == 2 && d.mesh.zones[0] == 3 && d.mesh.zones[1] == 4 && d.mesh.refine == 3);
  assert_true(d.mesh.lower[0] == -1 && d.mesh.lower[1] == -0.5 && d.mesh.upper[0] == 1.5 && d.mesh.upper[1] == 2);
  assert_string_equal(d.mesh.partition, "rcb");
  assert_true(d.discretization.kinematic_order == 4 && d.discretization.thermodynamic_order == 3);
  assert_int_equal(d.discretization.quadrature_order, 11);
  assert_int_equal(d.time.integrator, RK_RK2AVG);
  assert_true(d.time.final == 2 && d.time.cfl == 0.125 && d.time.max_steps == 7 && d.time.wall_limit == 60);
  assert_true(d.solvers.velocity.tolerance == 1e-14 && d.solvers.velocity.max_iterations == 17);
  assert_true(d.solvers.energy.tolerance == 1e-8 && d.solvers.energy.max_iterations == 5);
  assert_string_equal(deck_variant(&d, "corner_force"), "ref");
  assert_string_equal(deck_variant(&d, "gemm"), "vendor");
  assert_string_equal(d.output.directory, "a b: \xc3\xa9 \" \\");
  assert_true(d.output.fields_every == 4 && d.output.keep == 3);
}

static void probes_are_points(void **state)
{
  (void)state;
  const char *text = SEDOV "mesh: {dim: 2}\noutput: {probes: [0.5, -1e-3, 1, 2]}\n";
  deck d = good(text, NULL);
  assert_true(d.output.probes.count == 4 && d.output.probes.number[1] == -1e-3 && d.output.probes.number[3] == 2);
  assert_true(d.output.history_every == 1);
  d = good(text, "output.probes=[3, 4]"); /* a shorter list leaves nothing of the longer one */
  assert_true(d.output.probes.count == 2 && d.output.probes.number[0] == 3 && d.output.probes.number[2] == 0);
  d = good(text, "output.probes=[]");
  assert_true(d.output.probes.count == 0 && d.output.history_every == 0);
}

static void the_command_line_wins(void **state)
{
  (void)state;
  deck d = good(SEDOV "mesh: {dim: 2, zones: [2, 2], refine: 2}\n", "mesh.zones=[5, 6]");
  assert_true(d.mesh.zones[0] == 5 && d.mesh.zones[1] == 6 && d.mesh.refine == 2);
  assert_true(good(SEDOV "mesh: {dim: 2}\n", "mesh.zones=5,6").mesh.zones[1] == 6);
  assert_true(good(SEDOV "mesh: {refine: 2}\n", "mesh.refine=1").mesh.refine == 1);
  assert_string_equal(good(SEDOV, "problem.name=noh").problem.row->name, "noh");
  assert_string_equal(good(SEDOV, "output.directory=a=b").output.directory, "a=b");
  assert_string_equal(good(SEDOV, "output.directory=\"x y\"").output.directory, "x y");
  assert_int_equal(good(SEDOV "discretization: {kinematic_order: 3}\n", "discretization.kinematic_order=5")
                     .discretization.thermodynamic_order,
                   4);
}

static void refinement_belongs_to_zones(void **state)
{
  (void)state;
  assert_int_equal(good(SEDOV "mesh: {dim: 2, zones: [7, 7]}\n", NULL).mesh.refine, 0);
  assert_int_equal(good(SEDOV "mesh: {zones_per_rank: 8}\n", NULL).mesh.refine, 0);
  assert_int_equal(good(SEDOV "mesh: {file: a.mesh}\n", NULL).mesh.refine, 0);
  deck d = good(SEDOV "mesh: {dim: 3, zones: [2, 2, 2], refine: 2}\n", "mesh.zones_per_rank=512");
  assert_true(d.mesh.zones_per_rank.zones == 512 && d.mesh.refine == 0);
}

static void zones_of_a_rank(void **state)
{
  (void)state;
  deck_share share = good(SEDOV "mesh: {dim: 3, zones_per_rank: [8, 4, 2]}\n", NULL).mesh.zones_per_rank;
  assert_true(share.zones == 64 && share.axes == 3 && share.along[0] == 8 && share.along[1] == 4 &&
              share.along[2] == 2);
  share = good(SEDOV "mesh: {dim: 3, zones_per_rank: [8, 4, 2]}\n", "mesh.zones_per_rank=512").mesh.zones_per_rank;
  assert_true(share.zones == 512 && share.axes == 0 && share.along[0] == 0 && share.along[2] == 0);
  share = good(SEDOV "mesh: {dim: 2, zones_per_rank: 8}\n", "mesh.zones_per_rank=3,5").mesh.zones_per_rank;
  assert_true(share.zones == 15 && share.axes == 2 && share.along[1] == 5);
  assert_true(good(SEDOV "mesh: {dim: 1}\n", "mesh.zones_per_rank=[7]").mesh.zones_per_rank.zones == 7);
  share = good(SEDOV "mesh: {dim: 3, zone: tet, zones_per_rank: [1, 2, 3]}\n", NULL).mesh.zones_per_rank;
  assert_true(share.zones == 36); // of each hex 6
  share = good(SEDOV "mesh: {dim: 3, zones_per_rank: [8, 4, 2]}\n", "mesh.file=a.mesh").mesh.zones_per_rank;
  assert_true(share.zones == 0 && share.axes == 0);
}

/* A resolved deck names both, so both in a deck are no error. */
static void zones_that_are_not_used(void **state)
{
  (void)state;
  static const struct {
    const char *mesh, *override, *warning;
  } cases[] = {
    {"mesh: {dim: 2, zones: [5, 7], zones_per_rank: 8}\n", NULL,
     "t.yaml:2: mesh.zones: is not used, as mesh.zones_per_rank takes its place"},
    {"mesh: {dim: 2, zones: [2, 2], zones_per_rank: 8}\n", NULL, ""}, // those of the problem
    {"mesh: {dim: 2, zones: [5, 7]}\n", NULL, ""},
    {"mesh: {dim: 2, zones: [5, 7]}\n", "mesh.zones_per_rank=8", ""}, // one is asked for, and done
    {"mesh: {dim: 2, zones_per_rank: 8}\n", NULL, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256], message[2048];
    char *const overrides[] = {(char *)cases[i].override, NULL};
    deck d;
    snprintf(text, sizeof text, "%s%s", SEDOV, cases[i].mesh);
    assert_int_equal(parse(&d, text, overrides, message), 0);
    assert_string_equal(message + (message[0] ? strlen(folder) + 1 : 0), cases[i].warning);
  }
}

static void mesh_files(void **state)
{
  (void)state;
  char path[128], real[4096], message[256], override[256];
  snprintf(path, sizeof path, "%s/a.mesh", folder);
  assert_non_null(realpath(path, real));
  deck d = good(SEDOV "mesh: {file: a.mesh}\n", NULL);
  assert_string_equal(d.mesh.file, real);
  assert_int_equal(d.mesh.dim, 0);
  assert_int_equal(deck_set_dim(&d, 2, message, sizeof message), 0);
  assert_int_equal(d.mesh.dim, 2);
  snprintf(override, sizeof override, "mesh.file=%s", path); /* the file takes the place of the deck's box */
  d = good("problem: {name: triple-point}\nmesh: {dim: 2, zones: [7, 3], zones_per_rank: 4, refine: 1}\n", override);
  assert_string_equal(d.mesh.file, path);
  assert_true(d.mesh.dim == 2 && d.mesh.refine == 1 && d.mesh.zones_per_rank.zones == 0);
  assert_int_equal(deck_set_dim(&d, 3, message, sizeof message), 2);
  assert_non_null(strstr(message, "has dimension 3, but mesh.dim is 2"));
  d.mesh.dim = 0;
  assert_int_equal(deck_set_dim(&d, 1, message, sizeof message), 2);
  assert_non_null(strstr(message, "triple-point does not exist; allowed: 2, 3"));
  assert_string_equal(good(SEDOV "mesh: {file: a.mesh}\n", "mesh.file=").mesh.file, "");
}

/* A path on the command line may start where the user is. */
static void a_mesh_file_from_the_working_folder(void **state)
{
  (void)state;
  char *here = getcwd(NULL, 0), message[2048], expected[256];
  char *overrides[] = {"mesh.file=a.mesh"};
  deck d;
  assert_non_null(here);
  assert_int_equal(chdir(folder), 0);
  int status = deck_parse(&d, "/usr/t.yaml", SEDOV, strlen(SEDOV), 1, overrides, message, sizeof message);
  char *folder_now = getcwd(NULL, 0);
  assert_int_equal(chdir(here), 0);
  assert_int_equal(status, 0);
  snprintf(expected, sizeof expected, "%s/a.mesh", folder_now);
  assert_string_equal(d.mesh.file, expected);
  free(here);
  free(folder_now);
}

static void the_backend_follows_the_variants(void **state)
{
  (void)state;
  assert_string_equal(good(SEDOV "kernels: {corner_force: cuda.fused}\n", NULL).kernels.backend, "cuda");
  assert_string_equal(good(SEDOV "kernels: {gemm: host.ref}\n", NULL).kernels.backend, "host");
  assert_string_equal(good(SEDOV "kernels: {corner_force: ref}\n", NULL).kernels.backend, "auto");
  assert_string_equal(good(SEDOV "kernels: {corner_force: ref, gemm: small}\n", NULL).kernels.backend, "host");
  assert_string_equal(good(SEDOV "kernels: {backend: cuda}\n", NULL).kernels.backend, "cuda");
}

/* ------------------------------------------------------------------ written and read again */

static char *printed(const deck *d)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  deck_print(d, file);
  fclose(file);
  return text;
}

static void round_trips(void **state)
{
  (void)state;
  static const char *const decks[] = {
    SEDOV,
    "problem: {name: sedov, blast_energy: 0.1, impose_viscosity: true}\n",
    SEDOV "mesh: {dim: 1, zones: [3]}\n",
    SEDOV "mesh: {dim: 2, zones: [3, 4], lower: [-0.1, 1e-17], upper: [0.30000000000000004, 1e10], refine: 2}\n",
    SEDOV "mesh: {zones_per_rank: 512}\n",
    SEDOV "mesh: {dim: 2, zones_per_rank: [16, 3]}\n",
    SEDOV "mesh: {file: a.mesh, refine: 1}\n",
    SEDOV "discretization: {kinematic_order: 8, thermodynamic_order: 0, quadrature_order: 64}\n",
    SEDOV "time: {integrator: euler, final: 1e-300, cfl: 0.1, max_steps: 1000000000000, wall_limit: 1.5}\n",
    SEDOV "solvers: {velocity: {tolerance: 1e-14}, energy: {max_iterations: 1000000000}}\n",
    SEDOV "kernels: {corner_force: host.ref, gemm: vendor}\n",
    SEDOV "kernels: {corner_force: cuda.fused}\n",
    SEDOV "mesh: {dim: 1}\noutput: {probes: [0.1, 1e-7, 3]}\n",
    SEDOV "output: {directory: \"a # b: [\\\"] \\\\ \\u00e9\", fields_every: 3, keep: 1, progress: none}\n",
  };
  for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) {
    deck d = good(decks[i], NULL);
    char *text = printed(&d);
    deck again = good(text, NULL);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): all bytes of a deck are set
    if (memcmp(&d, &again, sizeof d) != 0) fail_msg("%s is not the same again: %s", decks[i], text);
    free(text);
  }
  for (const problem *const *row = problems; *row; row++) {
    const problem *p = *row;
    for (int dim = 1; dim <= 3; dim++) {
      if (!(p->dims >> dim & 1)) continue;
      char deck_text[128];
      snprintf(deck_text, sizeof deck_text, "problem: {name: %s}\nmesh: {dim: %d}\n", p->name, dim);
      deck d = good(deck_text, NULL);
      char *text = printed(&d);
      deck again = good(text, NULL);
      assert_memory_equal(&d, &again, sizeof d);
      free(text);
    }
  }
}

/* A mesh file's deck with the dimension that was found. */
static void a_round_trip_with_a_known_dimension(void **state)
{
  (void)state;
  char message[256];
  deck d = good(SEDOV "mesh: {file: a.mesh}\n", NULL);
  assert_int_equal(deck_set_dim(&d, 3, message, sizeof message), 0);
  char *text = printed(&d);
  deck again = good(text, NULL);
  assert_memory_equal(&d, &again, sizeof d);
  free(text);
}

static void a_deck_in_a_file(void **state)
{
  (void)state;
  char path[128], message[2048];
  deck d;
  write_file("deck.yaml", "\xef\xbb\xbf# with a byte order mark\r\nproblem: {name: sedov}\r\nmesh: {refine: 1}\r\n");
  snprintf(path, sizeof path, "%s/deck.yaml", folder);
  assert_int_equal(deck_read(&d, path, 0, NULL, message, sizeof message), 0);
  assert_int_equal(d.mesh.refine, 1);
}

static void a_problems_name_is_a_deck(void **state)
{
  (void)state;
  char message[2048], path[160], here[1024];
  deck d, same = good("problem: {name: triple-point}\nmesh: {refine: 1}\n", NULL);
  char override[] = "mesh.refine=1", *overrides[] = {override};
  assert_int_equal(deck_read(&d, "triple-point", 1, overrides, message, sizeof message), 0);
  assert_string_equal(message, "");
  assert_memory_equal(&d, &same, sizeof d);
  // a file goes first, a folder does not
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(folder), 0);
  write_file("sedov", "problem: {name: noh}\n");
  assert_int_equal(deck_read(&d, "sedov", 0, NULL, message, sizeof message), 0);
  assert_string_equal(d.problem.name, "noh");
  snprintf(path, sizeof path, "%s/sedov", folder);
  assert_int_equal(remove(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(deck_read(&d, "sedov", 0, NULL, message, sizeof message), 0);
  assert_string_equal(d.problem.name, "sedov");
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(chdir(here), 0);
}

static void the_list_of_keys(void **state)
{
  (void)state;
  char *text = NULL, *rest;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  deck_print_keys(file);
  fclose(file);
  assert_non_null(strstr(text, "kinematic_order"));
  assert_non_null(strstr(text, "allowed: auto, host.sumfact, host.ref, cuda.fused"));
  assert_non_null(strstr(text, "euler, rk2, rk3, rk4, rk6, rk2avg"));
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strlen(line) > 120) fail_msg("%zu columns: %s", strlen(line), line);
  free(text);
}

static void kernel_keys_come_once(void **state)
{
  (void)state;
  const char *keys[DECK_MAX_KERNELS];
  assert_int_equal(deck_kernel_keys(keys), 2);
  assert_string_equal(keys[0], "corner_force");
  assert_string_equal(keys[1], "gemm");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_shortest_deck),
    cmocka_unit_test(all_that_can_be_said),
    cmocka_unit_test(probes_are_points),
    cmocka_unit_test(the_command_line_wins),
    cmocka_unit_test(refinement_belongs_to_zones),
    cmocka_unit_test(zones_of_a_rank),
    cmocka_unit_test(zones_that_are_not_used),
    cmocka_unit_test(mesh_files),
    cmocka_unit_test(a_mesh_file_from_the_working_folder),
    cmocka_unit_test(the_backend_follows_the_variants),
    cmocka_unit_test(round_trips),
    cmocka_unit_test(a_round_trip_with_a_known_dimension),
    cmocka_unit_test(a_deck_in_a_file),
    cmocka_unit_test(a_problems_name_is_a_deck),
    cmocka_unit_test(the_list_of_keys),
    cmocka_unit_test(kernel_keys_come_once),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
