/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Field files: their layout, the same bytes from every way to write them, the list of them, and profiles.
 * With the arguments "write DIRECTORY RANKS_PER_FILE" it writes files for test_vtkhdf.py instead, which has VTK read
 * them.
 * ranks: 1 2 3 4
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "app/files/hdf.h"
#include "app/files/vtkhdf.h"
#include "tests/app/files/output_samples.h"

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
  const hsize_t points = zones * (hsize_t)nodes_of(dim, order);
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
    good = offsets[at] == 0 && offsets[at + (hsize_t)cells[part]] == cells[part] * nodes_of(dim, order);
  for (hsize_t z = 0; good && z < zones; ++z) good = ids[z] == (int64_t)z;
  return H5Fclose(file) >= 0 && good;
}

static void files_have_the_layout_that_readers_want(void **unused)
{
  (void)unused;
  char message[MESSAGE], path[PATH], below[PATH], name[40];
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

static bool same_bytes(const char *a, const char *b)
{
  char command[700];
  snprintf(command, sizeof command, "cmp -s %s %s", a, b);
  return system(command) == 0;
}

static void two_runs_write_the_same_bytes(void **unused)
{
  (void)unused;
  char message[MESSAGE], a[PATH], b[PATH];
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
  if (comm_rank() == 0) unlink(path); // of the sample before
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
  char turn[PATH], once[PATH];
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

/* -- Profiles */

static void profiles_hold_the_rows_of_all_ranks(void **unused)
{
  (void)unused;
  char message[MESSAGE], path[PATH];
  in_folder(path, "profile.csv");
  const double r[2] = {comm_rank() + 0.25, comm_rank() + 0.5}, density[2] = {1, 2}, exact[2] = {3, 1.0 / 3};
  assert_int_equal(output_profile(path, "r", 2, r, density, exact, message, sizeof message), 0);
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
  assert_int_equal(output_profile(path, "r", 2, r, density, NULL, message, sizeof message), 0);
  in_folder(path, "missing/profile.csv");
  assert_int_equal(output_profile(path, "r", 2, r, density, exact, message, sizeof message), 3);
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
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_have_the_layout_that_readers_want),
    cmocka_unit_test(two_runs_write_the_same_bytes),
    cmocka_unit_test(ranks_write_the_same_bytes_at_once_and_in_turn),
    cmocka_unit_test(series_lists_the_files_and_survives_a_restart),
    cmocka_unit_test(profiles_hold_the_rows_of_all_ranks),
  };
  comm_init(&argc, &argv);
  const int failed = argc == 4 && !strcmp(argv[1], "write") ? write_for_vtk(argv[2], atoi(argv[3]))
                                                            : cmocka_run_group_tests(tests, make_folder, remove_folder);
  comm_finalize();
  return failed;
}
