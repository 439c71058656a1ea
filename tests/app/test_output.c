/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Field files: layout, node order, the series, the same bytes twice, and what happens when the disk is full.
 * With the arguments "write DIRECTORY RANKS_PER_FILE" it writes files for test_vtkhdf.py instead, which has VTK read them.
 * ranks: 1 2 3 4
 */
#include "app/hdf.h"
#include "app/output.h"
#include "app/vtkhdf.h"
#include "mesh/comm.h"

#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { MESSAGE = 5000 };

static const output_run run = {.deck = "problem: {name: sedov}\n", .version = "1.2.3", .git = "abcdef"};

/* -- A curved box of zones, and fields that are polynomials in each; test_vtkhdf.py has the same formulas */

static const int lattice[4][3] = {{0}, {5, 1, 1}, {3, 2, 1}, {2, 2, 3}};

typedef struct sample {
  output_zones zones;
  double *points, *scalar, *vector, *mean;
  int64_t *ids;
  output_point_field point_fields[2];
  output_cell_field cell_fields[2];
} sample;

static int power_of(int base, int exponent)
{
  return exponent ? base * power_of(base, exponent - 1) : 1;
}

static void fill_node(sample *s, int64_t index, int64_t zone, const int cell[3], const double xi[3])
{
  const int dim = s->zones.dim, p = s->zones.order;
  double X[3] = {0};
  for (int c = 0; c < dim; ++c) X[c] = (cell[c] + xi[c]) / lattice[dim][c];
  double *x = &s->points[3 * index];
  x[0] = X[0] + 0.3 * X[0] * X[1];
  x[1] = dim > 1 ? X[1] + (p > 1 ? 0.2 * X[0] * X[0] : 0) : 0;
  x[2] = dim > 2 ? X[2] + 0.1 * X[0] * X[1] * X[2] : 0;
  s->scalar[index] = (double)zone + pow(xi[0], p) + 2 * xi[0] * pow(xi[1], p) + 3 * xi[1] * pow(xi[2], p);
  for (int c = 0; c < 3; ++c) s->vector[3 * index + c] = (c + 1) * pow(xi[c], p) - xi[(c + 1) % 3] * xi[c];
}

/* This rank's share: zones in order, rank by rank; ranks after the second get none. */
static sample make_sample(int dim, int order)
{
  const int *n = lattice[dim], nodes = power_of(order + 1, dim), workers = comm_size() > 2 ? 2 : comm_size();
  const int64_t all = n[0] * n[1] * n[2], rank = comm_rank();
  const int64_t first = rank < workers ? all * rank / workers : all,
                end = rank < workers ? all * (rank + 1) / workers : all;
  sample s = {.zones = {.dim = dim, .order = order, .nzones = end - first}};
  const size_t count = (size_t)(end - first) * (size_t)nodes + 1; // never nothing
  s.points = calloc(count, 3 * sizeof *s.points), s.vector = calloc(count, 3 * sizeof *s.vector);
  s.scalar = calloc(count, sizeof *s.scalar), s.mean = calloc(count, sizeof *s.mean);
  s.ids = calloc(count, sizeof *s.ids);
  assert_true(s.points && s.vector && s.scalar && s.mean && s.ids);
  for (int64_t z = first; z < end; ++z) {
    const int cell[3] = {(int)(z % n[0]), (int)(z / n[0] % n[1]), (int)(z / n[0] / n[1])};
    s.ids[z - first] = z;
    s.mean[z - first] = 0.5 + (double)z;
    for (int i = 0; i < nodes; ++i) {
      double xi[3] = {0};
      for (int c = 0, rest = i; c < dim; ++c, rest /= order + 1) xi[c] = (double)(rest % (order + 1)) / order;
      fill_node(&s, (z - first) * nodes + i, z, cell, xi);
    }
  }
  return s;
}

static void attach(sample *s)
{
  s->point_fields[0] = (output_point_field){"scalar", 1, s->scalar};
  s->point_fields[1] = (output_point_field){"vector", 3, s->vector};
  s->cell_fields[0] = (output_cell_field){.name = "zone", .integer = s->ids};
  s->cell_fields[1] = (output_cell_field){.name = "mean", .real = s->mean};
  s->zones.points = s->points;
  s->zones.npoint_fields = s->zones.ncell_fields = 2;
  s->zones.point_fields = s->point_fields;
  s->zones.cell_fields = s->cell_fields;
}

static void free_sample(sample *s)
{
  free(s->points), free(s->scalar), free(s->vector), free(s->mean), free(s->ids);
}

/* -- What the ranks share: a folder, and the outcome of what only one of them looked at */

static char folder[] = "/tmp/shocklet-output-XXXXXX";

static int make_folder(void **unused)
{
  (void)unused;
  strcpy(folder, "/tmp/shocklet-output-XXXXXX");
  bool good = comm_rank() != 0 || mkdtemp(folder);
  comm_broadcast(folder, sizeof folder, 0);
  return !good;
}

static int remove_folder(void **unused)
{
  (void)unused;
  char command[200];
  comm_barrier();
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", folder, folder);
  return comm_rank() == 0 && system(command) != 0;
}

static bool everywhere(bool good)
{
  double all = good;
  comm_min(&all, 1);
  return all != 0;
}

static void in_folder(char *path, const char *name)
{
  snprintf(path, 300, "%s/%s", folder, name);
}

static bool same_bytes(const char *a, const char *b)
{
  char command[700];
  snprintf(command, sizeof command, "cmp -s %s %s", a, b);
  return system(command) == 0;
}

static bool exists(const char *path)
{
  return access(path, F_OK) == 0;
}

static int write_sample(output_series *series, int dim, int order, int64_t step, char *message)
{
  sample s = make_sample(dim, order);
  attach(&s);
  const int status = output_write(series, step, 0.1 * (double)step, &s.zones, message, MESSAGE);
  free_sample(&s);
  return status;
}

static output_series *open_series(const char *directory, const char *name, int64_t resume)
{
  char message[MESSAGE] = "";
  output_series *series;
  if (output_create(&series, directory, name, &run, resume, message, sizeof message)) fail_msg("%s", message);
  return series;
}

/* -- Node order */

static void node_order_is_vtks(void **unused)
{
  (void)unused;
  // From the pictures of VTK's manual: corners around, edges, faces, inside.
  static const int quad2[9] = {0, 2, 8, 6, 1, 5, 7, 3, 4};
  static const int hex2[27] = {0,  2,  8, 6,  18, 20, 26, 24, 1,  5,  7, 3,  19, 23,
                               25, 21, 9, 11, 17, 15, 12, 14, 10, 16, 4, 22, 13};
  static const int quad3[16] = {0, 3, 15, 12, 1, 2, 7, 11, 13, 14, 4, 8, 5, 6, 9, 10};
  int node[729];
  vtkhdf_node_order(2, 2, node);
  assert_memory_equal(node, quad2, sizeof quad2);
  vtkhdf_node_order(2, 3, node);
  assert_memory_equal(node, quad3, sizeof quad3);
  vtkhdf_node_order(3, 2, node);
  assert_memory_equal(node, hex2, sizeof hex2);
}

static void node_order_names_every_node_once(void **unused)
{
  (void)unused;
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 8; ++order) {
      int node[729], times[729] = {0};
      const int nodes = power_of(order + 1, dim);
      vtkhdf_node_order(dim, order, node);
      for (int i = 0; i < nodes; ++i) {
        assert_true(node[i] >= 0 && node[i] < nodes);
        assert_int_equal(times[node[i]]++, 0);
      }
    }
}

/* -- Layout */

static bool has_shape(hid_t file, const char *path, H5T_class_t class, size_t size, int rank, hsize_t rows,
                      hsize_t columns)
{
  const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  if (set < 0) return false;
  const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  hsize_t shape[2] = {0, columns};
  bool good = H5Tget_class(type) == class && H5Tget_size(type) == size && H5Sget_simple_extent_ndims(space) == rank;
  if (good) H5Sget_simple_extent_dims(space, shape, NULL);
  good = good && shape[0] == rows && shape[1] == columns;
  H5Tclose(type), H5Sclose(space), H5Dclose(set);
  return good;
}

static bool type_is_readable(hid_t file)
{
  char text[17] = "";
  const hid_t at = H5Aopen_by_name(file, "/VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT), type = H5Aget_type(at);
  const bool good = H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && H5Tget_size(type) == 16 &&
                    H5Tget_cset(type) == H5T_CSET_ASCII && H5Aread(at, type, text) >= 0;
  H5Tclose(type), H5Aclose(at);
  return good && !strcmp(text, "UnstructuredGrid");
}

static bool read_integers(hid_t file, const char *path, int64_t *values)
{
  const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  const bool good = set >= 0 && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0) H5Dclose(set);
  return good;
}

static bool layout_is_right(const char *path, int dim, int order)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return false;
  const hsize_t parts = (hsize_t)comm_size(),
                zones = (hsize_t)lattice[dim][0] * (hsize_t)lattice[dim][1] * (hsize_t)lattice[dim][2];
  const hsize_t points = zones * (hsize_t)power_of(order + 1, dim);
  bool good = type_is_readable(file);
  good = good && has_shape(file, "/VTKHDF/NumberOfPoints", H5T_INTEGER, 8, 1, parts, 0);
  good = good && has_shape(file, "/VTKHDF/NumberOfCells", H5T_INTEGER, 8, 1, parts, 0);
  good = good && has_shape(file, "/VTKHDF/NumberOfConnectivityIds", H5T_INTEGER, 8, 1, parts, 0);
  good = good && has_shape(file, "/VTKHDF/Points", H5T_FLOAT, 8, 2, points, 3);
  good = good && has_shape(file, "/VTKHDF/Connectivity", H5T_INTEGER, 8, 1, points, 0);
  good = good && has_shape(file, "/VTKHDF/Offsets", H5T_INTEGER, 8, 1, zones + parts, 0);
  good = good && has_shape(file, "/VTKHDF/Types", H5T_INTEGER, 1, 1, zones, 0);
  good = good && has_shape(file, "/VTKHDF/PointData/scalar", H5T_FLOAT, 8, 1, points, 0);
  good = good && has_shape(file, "/VTKHDF/PointData/vector", H5T_FLOAT, 8, 2, points, 3);
  good = good && has_shape(file, "/VTKHDF/CellData/zone", H5T_INTEGER, 8, 1, zones, 0);
  good = good && has_shape(file, "/VTKHDF/CellData/mean", H5T_FLOAT, 8, 1, zones, 0);
  good = good && has_shape(file, "/VTKHDF/FieldData/TimeValue", H5T_FLOAT, 8, 1, 1, 0);
  good = good && has_shape(file, "/run/deck", H5T_STRING, strlen(run.deck), 0, 0, 0);
  int64_t offsets[64], cells[8], ids[64];
  good = good && read_integers(file, "/VTKHDF/Offsets", offsets);
  good =
    good && read_integers(file, "/VTKHDF/NumberOfCells", cells) && read_integers(file, "/VTKHDF/CellData/zone", ids);
  for (hsize_t part = 0, at = 0; good && part < parts; at += (hsize_t)cells[part] + 1, ++part)
    good = offsets[at] == 0 && offsets[at + (hsize_t)cells[part]] == cells[part] * power_of(order + 1, dim);
  for (hsize_t z = 0; good && z < zones; ++z) good = ids[z] == (int64_t)z;
  return H5Fclose(file) >= 0 && good;
}

static void files_have_the_layout_that_readers_want(void **unused)
{
  (void)unused;
  char message[MESSAGE], path[300], below[300], name[40];
  in_folder(below, "made/on/the/way");
  output_series *series = open_series(below, "field", 0);
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 3; ++order) {
      assert_int_equal(write_sample(series, dim, order, 10 * dim + order, message), 0);
      snprintf(name, sizeof name, "made/on/the/way/field_%06d.vtkhdf", 10 * dim + order);
      in_folder(path, name);
      assert_true(everywhere(comm_rank() != 0 || layout_is_right(path, dim, order)));
    }
  output_destroy(&series);
  assert_null(series);
}

static void two_runs_write_the_same_bytes(void **unused)
{
  (void)unused;
  char message[MESSAGE], a[300], b[300];
  for (int i = 0; i < 2; ++i) {
    output_series *series = open_series(folder, i ? "b" : "a", 0);
    if (i && comm_rank() == 0) sleep(1); // times of creation would differ now
    assert_int_equal(write_sample(series, 2, 2, 7, message), 0);
    output_destroy(&series);
  }
  in_folder(a, "a_000007.vtkhdf"), in_folder(b, "b_000007.vtkhdf");
  assert_true(everywhere(comm_rank() != 0 || same_bytes(a, b)));
}

/* As ranks in turn do where HDF5 can't share a file, and all at once where it can. */
static void write_parts_of(const sample *s, const char *path, bool at_once)
{
  char reason[MESSAGE] = "";
  const vtkhdf_place place = {.part = comm_rank(),
                              .nparts = comm_size(),
                              .first_zone = comm_exclusive_sum(s->zones.nzones),
                              .nzones = lattice[s->zones.dim][0] * lattice[s->zones.dim][1] * lattice[s->zones.dim][2]};
  bool good = comm_rank() > 0 || vtkhdf_create(path, &s->zones, &place, &run, 1, 0.5, reason, sizeof reason);
  comm_barrier();
  for (int turn = 0; turn < comm_size(); turn++) {
    if (at_once ? turn == 0 : turn == comm_rank())
      good = good && vtkhdf_append(path, at_once, &s->zones, &place, reason, sizeof reason);
    comm_barrier();
  }
  if (!good) print_message("%s: %s\n", path, reason);
  assert_true(everywhere(good));
}

static void ranks_write_the_same_bytes_at_once_and_in_turn(void **unused)
{
  (void)unused;
  if (!hdf_shares()) skip(); // HDF5 was built without MPI
  char turn[300], once[300];
  in_folder(turn, "turn.vtkhdf"), in_folder(once, "once.vtkhdf");
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 3; ++order) {
      sample s = make_sample(dim, order);
      attach(&s);
      write_parts_of(&s, turn, false);
      write_parts_of(&s, once, true);
      free_sample(&s);
      assert_true(everywhere(comm_rank() != 0 || same_bytes(turn, once)));
    }
}

/* -- The series */

static bool series_is(const char *name, const char *expected)
{
  char path[300], text[2000] = "";
  in_folder(path, name);
  FILE *from = fopen(path, "r");
  if (!from) return false;
  const size_t n = fread(text, 1, sizeof text - 1, from);
  fclose(from);
  text[n] = '\0';
  if (strcmp(text, expected) != 0) print_message("%s holds\n%s", name, text);
  return !strcmp(text, expected);
}

static void series_lists_the_files_and_survives_a_restart(void **unused)
{
  (void)unused;
  char message[MESSAGE];
  output_series *series = open_series(folder, "s", 0);
  for (int step = 0; step <= 20; step += 5) assert_int_equal(write_sample(series, 2, 1, step, message), 0);
  output_destroy(&series);
  series = open_series(folder, "s", 10); // goes on from step 10, and writes other steps from there
  assert_int_equal(write_sample(series, 2, 1, 10, message), 0);
  assert_int_equal(write_sample(series, 2, 1, 13, message), 0);
  assert_int_equal(write_sample(series, 2, 1, 13, message), 0);
  output_destroy(&series);
  const char *expected = "{\"file-series-version\":\"1.0\",\"files\":[\n"
                         "{\"name\":\"s_000000.vtkhdf\",\"time\":0},\n"
                         "{\"name\":\"s_000005.vtkhdf\",\"time\":0.5},\n"
                         "{\"name\":\"s_000010.vtkhdf\",\"time\":1},\n"
                         "{\"name\":\"s_000013.vtkhdf\",\"time\":1.3}\n]}\n";
  assert_true(everywhere(comm_rank() != 0 || series_is("s.vtkhdf.series", expected)));
  series = open_series(folder, "s", 0); // a new run
  assert_int_equal(write_sample(series, 2, 1, 0, message), 0);
  output_destroy(&series);
  expected = "{\"file-series-version\":\"1.0\",\"files\":[\n{\"name\":\"s_000000.vtkhdf\",\"time\":0}\n]}\n";
  assert_true(everywhere(comm_rank() != 0 || series_is("s.vtkhdf.series", expected)));
}

/* -- When it does not work */

static void a_directory_that_cannot_be_is_an_error(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[300];
  in_folder(path, "file");
  if (comm_rank() == 0) fclose(fopen(path, "w"));
  comm_barrier();
  in_folder(path, "file/below");
  output_series *series;
  assert_int_equal(output_create(&series, path, "x", &run, 0, message, sizeof message), 3);
  assert_null(series);
  assert_non_null(strstr(message, path));
  assert_non_null(strstr(message, "Not a directory"));
}

static void a_directory_that_vanishes_is_an_error(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[300];
  in_folder(path, "gone");
  output_series *series = open_series(path, "x", 0);
  comm_barrier();
  if (comm_rank() == 0) rmdir(path);
  comm_barrier();
  assert_int_equal(write_sample(series, 2, 2, 0, message), 3);
  assert_non_null(strstr(message, "gone/x_000000.vtkhdf"));
  assert_non_null(strstr(message, "No such file"));
  output_destroy(&series);
}

/* Files may grow to this size and no further. */
static void limit_files(rlim_t bytes)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* Runs last: HDF5 may keep a file open that it could not write. */
static void a_full_disk_is_an_error_and_leaves_the_rest_alone(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[300], temporary[320], first[300];
  output_series *series = open_series(folder, "full", 0);
  assert_int_equal(write_sample(series, 2, 1, 0, message), 0);
  signal(SIGXFSZ, SIG_IGN);
  for (int bytes = 100; bytes < 9000; bytes += 2100) {
    limit_files((rlim_t)bytes);
    const int status = write_sample(series, 3, 2, 1, message);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, 3);
    assert_non_null(strstr(message, "full_000001.vtkhdf"));
    assert_non_null(strstr(message, "too large"));
    in_folder(path, "full_000001.vtkhdf"), in_folder(first, "full_000000.vtkhdf");
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    comm_barrier();
    assert_true(!exists(path) && !exists(temporary) && exists(first));
  }
  const char *expected =
    "{\"file-series-version\":\"1.0\",\"files\":[\n{\"name\":\"full_000000.vtkhdf\",\"time\":0}\n]}\n";
  assert_true(everywhere(comm_rank() != 0 || series_is("full.vtkhdf.series", expected)));
  output_destroy(&series);
}

/* -- Profiles */

static void profiles_hold_the_rows_of_all_ranks(void **unused)
{
  (void)unused;
  char message[MESSAGE], path[300];
  in_folder(path, "profile.csv");
  const double r[2] = {comm_rank() + 0.25, comm_rank() + 0.5}, density[2] = {1, 2}, exact[2] = {3, 1.0 / 3};
  assert_int_equal(output_profile(path, 2, r, density, exact, message, sizeof message), 0);
  bool good = true;
  if (comm_rank() == 0) {
    FILE *from = fopen(path, "r");
    double x, y, z;
    int rows = 0;
    good = from && fscanf(from, "r,density,exact\n") == 0;
    for (; good && fscanf(from, "%lf,%lf,%lf\n", &x, &y, &z) == 3; ++rows)
      good = x == 0.5 * rows + (rows % 2 ? 0 : 0.25) && y == (rows % 2 ? 2 : 1) && z == (rows % 2 ? 1.0 / 3 : 3);
    good = good && rows == 2 * comm_size();
    if (from) fclose(from);
  }
  assert_true(everywhere(good));
  assert_int_equal(output_profile(path, 2, r, density, NULL, message, sizeof message), 0);
  in_folder(path, "missing/profile.csv");
  assert_int_equal(output_profile(path, 2, r, density, exact, message, sizeof message), 3);
  assert_non_null(strstr(message, "missing/profile.csv"));
}

/* -- */

static int write_for_vtk(const char *directory, int ranks_per_file)
{
  output_run origin = run;
  origin.ranks_per_file = ranks_per_file;
  char message[MESSAGE] = "", name[40];
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 4; ++order) {
      output_series *series;
      snprintf(name, sizeof name, "d%d_p%d", dim, order);
      if (output_create(&series, directory, name, &origin, 0, message, sizeof message)) return 1;
      const int status = write_sample(series, dim, order, 3, message);
      output_destroy(&series);
      if (status) return 1;
    }
  return 0;
}

int main(int argc, char **argv)
{
  comm_init(&argc, &argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(node_order_is_vtks),
    cmocka_unit_test(node_order_names_every_node_once),
    cmocka_unit_test(files_have_the_layout_that_readers_want),
    cmocka_unit_test(two_runs_write_the_same_bytes),
    cmocka_unit_test(ranks_write_the_same_bytes_at_once_and_in_turn),
    cmocka_unit_test(series_lists_the_files_and_survives_a_restart),
    cmocka_unit_test(a_directory_that_cannot_be_is_an_error),
    cmocka_unit_test(a_directory_that_vanishes_is_an_error),
    cmocka_unit_test(profiles_hold_the_rows_of_all_ranks),
    cmocka_unit_test(a_full_disk_is_an_error_and_leaves_the_rest_alone),
  };
  const int failed = argc == 4 && !strcmp(argv[1], "write") ? write_for_vtk(argv[2], atoi(argv[3]))
                                                            : cmocka_run_group_tests(tests, make_folder, remove_folder);
  comm_finalize();
  return failed;
}
