/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A field file of more rows than an int counts: its last part stands where it should.  Only that part is written, so
 * that the file has a size but takes no room.
 * label: unit
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/files/hdf.h"
#include "app/files/vtkhdf.h"
#include "tests/app/files/output_samples.h"

static const int64_t far_zones = (INT64_C(1) << 31) + 7; // of the parts before the last one

static void the_last_part_of_a_large_file(void **state)
{
  char path[PATH], reason[MESSAGE];
  (void)state;
  in_folder(path, "large.vtkhdf");
  sample s = make_sample(1, 1);
  attach(&s);
  s.zones.npoint_fields = 0;
  const int64_t mine = s.zones.nzones, all = far_zones + mine;
  const vtkhdf_place place = {.part = 1, .nparts = 2, .first_zone = far_zones, .nzones = all};
  if (!vtkhdf_create(path, &s.zones, &place, &run, 1, 0.5, reason, sizeof reason)) fail_msg("%s", reason);
  if (!vtkhdf_append(path, false, &s.zones, &place, reason, sizeof reason)) fail_msg("%s", reason);
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_true(about.st_size > all * 2 * (3 + 1) * 8 && (int64_t)about.st_blocks * 512 < 1 << 20);
  hdf_file f;
  int64_t ids[8], offsets[8], nodes[16];
  double points[16][3], mean[8];
  assert_true(hdf_open(&f, path, HDF_READ, reason, sizeof reason));
  assert_true(hdf_rows(&f, "/VTKHDF/Types") == all && hdf_rows(&f, "/VTKHDF/Points") == 2 * all);
  hdf_get_rows(&f, "/VTKHDF/CellData/zone", H5T_NATIVE_INT64, all, far_zones, mine, 0, ids);
  hdf_get_rows(&f, "/VTKHDF/CellData/mean", H5T_NATIVE_DOUBLE, all, far_zones, mine, 0, mean);
  hdf_get_rows(&f, "/VTKHDF/Offsets", H5T_NATIVE_INT64, all + 2, far_zones + 1, mine + 1, 0, offsets);
  hdf_get_rows(&f, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, 2 * all, 2 * far_zones, 2 * mine, 0, nodes);
  hdf_get_rows(&f, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, 2 * all, 2 * far_zones, 2 * mine, 3, points);
  if (!hdf_close(&f)) fail_msg("%s", reason);
  assert_memory_equal(ids, s.ids, (size_t)mine * sizeof *ids);
  assert_memory_equal(mean, s.mean, (size_t)mine * sizeof *mean);
  assert_memory_equal(points, s.points, (size_t)mine * 2 * sizeof *points);
  for (int z = 0; z < mine; z++)
    assert_true(offsets[z + 1] == 2 * (z + 1) && nodes[2 * z] == 2 * z && nodes[2 * z + 1] == 2 * z + 1);
  free_sample(&s);
}

static int64_t rows_of(hid_t file, const char *path)
{
  hsize_t shape[2] = {0, 0};
  const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
  H5Sget_simple_extent_dims(space, shape, NULL);
  H5Sclose(space), H5Dclose(set);
  return (int64_t)shape[0];
}

/* A file that is made of others, none of which has to be there. */
static void a_file_of_large_files(void **state)
{
  char path[PATH], reason[MESSAGE];
  (void)state;
  in_folder(path, "of.vtkhdf");
  sample s = make_sample(3, 2);
  attach(&s);
  const int64_t zones = INT64_C(3000000000);
  const vtkhdf_source sources[2] = {{.name = "a", .nparts = 3, .nzones = zones},
                                    {.name = "b", .nparts = 4, .nzones = zones}};
  if (!vtkhdf_create_of(path, &s.zones, 2, sources, &run, 1, 0.5, reason, sizeof reason)) fail_msg("%s", reason);
  free_sample(&s);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_true(rows_of(file, "/VTKHDF/NumberOfCells") == 7);
  assert_true(rows_of(file, "/VTKHDF/Types") == 2 * zones);
  assert_true(rows_of(file, "/VTKHDF/Offsets") == 2 * zones + 7);
  assert_true(rows_of(file, "/VTKHDF/Points") == 27 * 2 * zones);
  assert_true(rows_of(file, "/VTKHDF/PointData/vector") == 27 * 2 * zones);
  H5Fclose(file);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_part_of_a_large_file),
    cmocka_unit_test(a_file_of_large_files),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  comm_finalize();
  return failed;
}
