/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report: every key of the interface is there, says what was put in, and the deck in it is a deck again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/deck/operations.h"
#include "app/results/report.h"
#include "app/results/report_path.h"
#include "tests/app/files/json_check.h"

/* ------------------------------------------------------------------ operations that run */

static int nothing(batched_ctx *ctx, const void *args)
{
  (void)ctx, (void)args;
  return 0;
}

static batched_cost hundred(const void *args)
{
  (void)args;
  return (batched_cost){.flops = 100, .bytes = 800};
}

static const batched_variant inner_rows[] = {{.name = "host.ref", .run = nothing}, {.name = NULL}};
static const batched_op inner = {.name = "gemm", .key = "gemm", .variants = {inner_rows, NULL}, .cost = hundred};

static int outer_run(batched_ctx *ctx, const void *args)
{
  return batched_run(ctx, &inner, args);
}

static const batched_variant outer_rows[] = {{.name = "host.batched", .run = outer_run}, {.name = NULL}};
static const batched_op outer = {.name = "force", .key = "corner_force", .variants = {outer_rows, NULL}};

const batched_op *app_operation(int i)
{
  static const batched_op *const all[] = {&outer, &inner};
  return i < 2 ? all[i] : NULL;
}

/* ------------------------------------------------------------------ a report */

static deck the_deck;
static batched_ctx *ctx;
static char folder[64], path[128];

static int set_up(void **state)
{
  (void)state;
  static const char text[] =
    "problem: {name: sedov}\nmesh: {dim: 2, zones: [3, 4]}\noutput: {directory: 'a \"b\" \\'}\n";
  char message[512];
  strcpy(folder, "/tmp/test_report.XXXXXX");
  if (!mkdtemp(folder) || batched_create(&ctx, BATCHED_HOST)) return -1;
  snprintf(path, sizeof path, "%s/report.json", folder);
  return deck_parse(&the_deck, "t.yaml", text, strlen(text), 0, NULL, message, sizeof message);
}

static int tear_down(void **state)
{
  (void)state;
  batched_destroy(&ctx);
  unlink(path);
  return rmdir(folder);
}

static const provenance made = {.date = "2026-11-24T22:57:06Z",
                                .command = "shocklet 'a b'",
                                .host = "here",
                                .nodes = 2,
                                .system = "Linux",
                                .processor = "a processor",
                                .cores = 96,
                                .mpi = "Some MPI 1.2, built by somebody",
                                .blas = "a BLAS",
                                .hdf5 = "1.2.3, serial",
                                .compiler = "GNU 12",
                                .flags = "-O3 -march=native",
                                .cuda = "13.0"};

static report example(void)
{
  batched_reset_stats(ctx);
  for (int i = 0; i < 3; i++) assert_int_equal(batched_run(ctx, &outer, NULL), 0);
  report r = {.status = "done",
              .made = &made,
              .boundary = {.walls = {5, 6, 7}, .free = 8},
              .deck = &the_deck,
              .ranks = 4,
              .threads = 1,
              .backend = "host",
              .device = "a processor",
              .zones = 12,
              .kinematic_dofs = 126,
              .thermodynamic_dofs = 48,
              .quadrature_points = 16,
              .steps = 10,
              .attempts = 11,
              .time = 0.1,
              .dt = 1.0 / 3,
              .norm_e = 1.5,
              .norm_v = 2.5,
              .norm_x = 3.5,
              .energy_initial = 1,
              .energy_final = 1.25,
              .energy_internal = 0.75,
              .energy_kinetic = 0.5,
              .energy_work = 0.125,
              .energy_imbalance = 0.0625,
              .nerrors = 4,
              .errors = {{"velocity.linf", 0.1}, {"velocity.l1", 0.2}, {"density.l1", 0.3}, {"shock", 0.4}},
              .iterations_velocity = 70,
              .iterations_energy = 30,
              .seconds = {1, 2, 3, 4, 5, 6, 7, -1, .starved = 0.5},
              .rate = {10, 20, 30, 40, 50, 60},
              .ctx = ctx,
              .bandwidth = 1e9,
              .peak_flops = 1e10,
              .joules_cpu = -1,
              .joules_gpu = 12.5};
  return r;
}

static char *read_all(const char *name)
{
  char *text = calloc(1, 65536);
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  assert_non_null(text);
  assert_true(fread(text, 1, 65535, file) > 0);
  fclose(file);
  return text;
}

static char *written(void)
{
  report r = example();
  char message[512] = "";
  assert_int_equal(report_write(&r, path, message, sizeof message), 0);
  return read_all(path);
}

static void every_key(void **state)
{
  (void)state;
  static const char *const expected[][2] = {
    {"schema", "2"},
    {"status", "\"done\""},
    {"made.date", "\"2026-11-24T22:57:06Z\""},
    {"made.command", "\"shocklet 'a b'\""},
    {"made.host", "\"here\""},
    {"made.nodes", "2"},
    {"made.system", "\"Linux\""},
    {"made.processor", "\"a processor\""},
    {"made.cores", "96"},
    {"made.compiler", "\"GNU 12\""},
    {"made.flags", "\"-O3 -march=native\""},
    {"made.cuda", "\"13.0\""},
    {"made.mpi", "\"Some MPI 1.2, built by somebody\""},
    {"made.blas", "\"a BLAS\""},
    {"made.hdf5", "\"1.2.3, serial\""},
    {"energy.work", "0.125"},
    {"energy.imbalance", "0.0625"},
    {"boundary.wall_x", "5"},
    {"boundary.wall_y", "6"},
    {"boundary.wall_z", "7"},
    {"boundary.free", "8"},
    {"deck.problem.name", "\"sedov\""},
    {"deck.mesh.zones[0]", "3"},
    {"deck.mesh.zones[1]", "4"},
    {"deck.mesh.zones[2]", ""},
    {"deck.solvers.velocity.tolerance", "1e-08"},
    {"deck.kernels.corner_force", "\"auto\""},
    {"deck.output.directory", "\"a \\\"b\\\" \\\\\""},
    {"ranks", "4"},
    {"threads", "1"},
    {"backend", "\"host\""},
    {"device", "\"a processor\""},
    {"variants.corner_force", "\"host.batched\""},
    {"variants.gemm", "\"host.ref\""},
    {"zones", "12"},
    {"dofs.kinematic", "126"},
    {"dofs.thermodynamic", "48"},
    {"quadrature_points_per_zone", "16"},
    {"steps", "10"},
    {"attempts", "11"},
    {"time", "0.10000000000000001"},
    {"dt", "0.33333333333333331"},
    {"norm.e", "1.5"},
    {"norm.v", "2.5"},
    {"norm.x", "3.5"},
    {"energy.initial", "1"},
    {"energy.final", "1.25"},
    {"energy.change", "0.25"},
    {"energy.internal", "0.75"},
    {"energy.kinetic", "0.5"},
    {"error.velocity.linf", "0.10000000000000001"},
    {"error.velocity.l1", "0.20000000000000001"},
    {"error.density.l1", "0.29999999999999999"},
    {"error.shock", "0.40000000000000002"},
    {"iterations.velocity", "70"},
    {"iterations.energy", "30"},
    {"seconds.velocity_solve", "1"},
    {"seconds.energy_solve", "2"},
    {"seconds.force", "3"},
    {"seconds.points", "4"},
    {"seconds.major", "5"},
    {"seconds.loop", "6"},
    {"seconds.setup", "7"},
    {"seconds.output", ""},
    {"seconds.starved", "0.5"},
    {"rate.velocity_solve", "10"},
    {"rate.energy_solve", "20"},
    {"rate.force", "30"},
    {"rate.points", "40"},
    {"rate.total", "50"},
    {"rate.fom0", "60"},
    {"operations[1].operation", "\"force\""},
    {"operations[1].key", "\"corner_force\""},
    {"operations[1].variant", "\"host.batched\""},
    {"operations[1].calls", "3"},
    {"operations[1].nested", "false"},
    {"operations[1].fraction", ""},
    {"operations[0].flops", "300"},
    {"operations[0].bytes", "2400"},
    {"operations[0].nested", "true"},
    {"limits.bandwidth", "1000000000"},
    {"joules.cpu", ""},
    {"joules.gpu", "12.5"},
    {"memory.device_peak", "0"},
  };
  char *text = written(), value[512];
  assert_true(json_is_valid(text));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    json_at(text, expected[i][0], value, sizeof value);
    if (strcmp(value, expected[i][1]) != 0) fail_msg("%s: %s, not %s", expected[i][0], value, expected[i][1]);
  }
  assert_true(strtod(json_at(text, "memory.host_peak", value, sizeof value), NULL) > 1e5);
  assert_int_equal(json_at(text, "version", value, sizeof value)[0], '"');
  assert_int_equal(json_at(text, "git", value, sizeof value)[0], '"');
  assert_true(strtod(json_at(text, "operations[0].fraction", value, sizeof value), NULL) > 0);
  free(text);
}

/* The report's deck, cut out as it stands, is the same deck: a report is a reproducible input. */
static void the_deck_can_be_run_again(void **state)
{
  (void)state;
  char *text = written(), value[8192], message[512] = "";
  deck again;
  json_at(text, "deck", value, sizeof value);
  int status = deck_parse(&again, "report", value, strlen(value), 0, NULL, message, sizeof message);
  if (status) fail_msg("%s", message);
  assert_memory_equal(&again, &the_deck, sizeof again);
  free(text);
}

static void the_fraction_of_the_limit(void **state)
{
  (void)state;
  report r = {.bandwidth = 100, .peak_flops = 1000};
  batched_stats s = {.op = &inner, .variant = inner_rows, .seconds = 10, .cost = {.flops = 5000, .bytes = 200}};
  assert_true(report_fraction_of_limit(&r, &s) == 0.5); /* 5 s of flops, 2 s of bytes, in 10 s */
  s.cost.bytes = 800;
  assert_true(report_fraction_of_limit(&r, &s) == 0.8);
  s.cost = (batched_cost){0, 0};
  assert_true(report_fraction_of_limit(&r, &s) == -1);
  s.cost.flops = 1;
  s.seconds = 0;
  assert_true(report_fraction_of_limit(&r, &s) == -1);
  s.seconds = 1;
  r.bandwidth = 0;
  assert_true(report_fraction_of_limit(&r, &s) == -1);
}

static void unwritable(void **state)
{
  (void)state;
  report r = example();
  char name[160], message[512] = "";
  snprintf(name, sizeof name, "%s/no/report.json", folder);
  assert_int_equal(report_check(name, folder, message, sizeof message), 3);
  assert_int_equal(report_write(&r, name, message, sizeof message), 3);
  assert_non_null(strstr(message, "can't write the report: No such file or directory"));
  assert_int_equal(report_write(&r, folder, message, sizeof message), 3);
  assert_non_null(strstr(message, "Is a directory"));
  assert_int_equal(report_write(&r, "/dev/full", message, sizeof message), 3);
  assert_non_null(strstr(message, "No space left on device"));
  unlink(path);
  assert_int_equal(report_check(path, "/nowhere", message, sizeof message), 0);
  assert_int_equal(access(path, F_OK), -1); /* asking leaves nothing behind */
}

/* The run makes this folder, however it is written; any other one has to be there. */
static void the_folder_of_the_run_is_made(void **state)
{
  (void)state;
  static const char *const names[] = {"out/r.json", "./out//r.json", "out/./r.json"};
  static const char *const directories[] = {"out", "out/", "./out", ".//out/."};
  static const char *const others[] = {"out/a/r.json", "/out/r.json", "outer/r.json", "ou/r.json"};
  char message[512] = "", before[256];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 3; j++) {
      assert_int_equal(report_check(names[j], directories[i], message, sizeof message), 0);
      assert_int_equal(rmdir("out"), 0);
      assert_int_equal(report_check("out/history.csv", directories[i], message, sizeof message), 2);
    }
    assert_int_equal(report_check(others[i], directories[0], message, sizeof message), 3);
    assert_int_equal(access("out", F_OK), -1);
  }
  assert_int_equal(chdir(before), 0);
}

static void put(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* An older report, and an empty file, give way; what is anything else stays. */
static void other_files_stay(void **state)
{
  (void)state;
  static const char *const others[] = {
    "{problem: {name: sedov}}\n", "{\"problem\": {\"name\": \"sedov\"}}", "step,time\n", "\x89HDF\r\n", " ", "{"};
  report r = example();
  char message[512] = "";
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    put(path, others[i]);
    assert_int_equal(report_check(path, "/nowhere", message, sizeof message), 2);
    assert_int_equal(report_write(&r, path, message, sizeof message), 2);
    assert_non_null(strstr(message, "another file is there, which is no report"));
    char *text = read_all(path);
    assert_string_equal(text, others[i]);
    free(text);
  }
  put(path, "");
  for (int time = 0; time < 2; time++) {
    assert_int_equal(report_check(path, "/nowhere", message, sizeof message), 0);
    assert_int_equal(report_write(&r, path, message, sizeof message), 0);
  }
}

static void names_of_the_run_are_taken(void **state)
{
  (void)state;
  static const char *const names[] = {
    "history.csv",     "probes.csv",           "profile.csv",     "a_000010.vtkhdf", "a_000010.0001.vtkhdf",
    "a.vtkhdf.series", "checkpoint_000010.h5", "fault_000010.h5", "run.lock",        "stop",
    "checkpoint"};
  char name[160], message[512] = "";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, names[i]);
    assert_int_equal(report_check(name, folder, message, sizeof message), 2);
    assert_int_equal(report_check(name, "/nowhere", message, sizeof message), 0);
    assert_int_equal(report_check(names[i], ".", message, sizeof message), 2);
  }
}

static void a_failed_run(void **state)
{
  (void)state;
  report r = {.status = "failed", .deck = &the_deck, .norm_e = 0.0 / 0.0, .joules_cpu = -1, .joules_gpu = -1};
  char message[512], value[64];
  assert_int_equal(report_write(&r, path, message, sizeof message), 0);
  char *text = read_all(path);
  assert_true(json_is_valid(text));
  assert_string_equal(json_at(text, "norm.e", value, sizeof value), "null");
  assert_string_equal(json_at(text, "operations", value, sizeof value), "[]");
  assert_string_equal(json_at(text, "backend", value, sizeof value), "null");
  free(text);
}

static void for_people(void **state)
{
  (void)state;
  report r = example();
  char *text = NULL, *rest;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  report_print(&r, file);
  fclose(file);
  static const char *const expected[] = {
    "sedov in 2 dimensions", "12 zones", "10 steps, 11 attempts", "host.batched", "figure of merit", "50.000", "GPU, J",
    "error density.l1"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) assert_non_null(strstr(text, expected[i]));
  assert_null(strstr(text, "processors, J"));
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    assert_true(strlen(line) <= 120);
  free(text);
}

/* Errors are against a solution between walls that the box may not have. */
static void errors_of_another_box(void **state)
{
  (void)state;
  for (int other = 0; other < 2; other++) {
    report r = example();
    deck d = the_deck;
    char *text = NULL;
    size_t size = 0;
    memcpy(d.mesh.lower, d.problem.row->box[2].lower, sizeof d.mesh.lower);
    memcpy(d.mesh.upper, d.problem.row->box[2].upper, sizeof d.mesh.upper);
    if (other) d.mesh.upper[1] = 0.5;
    r.deck = &d;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    report_print(&r, file);
    fclose(file);
    assert_true(!!strstr(text, "the exact solution is that of sedov in its own box, [0, 1] x [0, 1]; of other walls") ==
                other);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_key),
    cmocka_unit_test(the_deck_can_be_run_again),
    cmocka_unit_test(the_fraction_of_the_limit),
    cmocka_unit_test(unwritable),
    cmocka_unit_test(the_folder_of_the_run_is_made),
    cmocka_unit_test(other_files_stay),
    cmocka_unit_test(names_of_the_run_are_taken),
    cmocka_unit_test(a_failed_run),
    cmocka_unit_test(for_people),
    cmocka_unit_test(errors_of_another_box),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
