/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checkpoints with a right checksum that no run wrote: data that is not in the file, or not as it is said to be, clocks
 * and counters that no run comes to, parts of two runs.  All are refused, at once, in a sentence, and the one before is
 * taken.
 * ranks: 1 2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/checkpoint/checkpoint.h"
#include "app/files/checksum.h"
#include "tests/app/runs.h"

enum { MESSAGE = 2 * CHECKPOINT_PATH, LARGEST = 1 << 20 };

static char folder[64], path[CHECKPOINT_PATH], elsewhere[CHECKPOINT_PATH];
static unsigned char *whole; // the bytes of the checkpoint
static size_t length;
static deck the_deck;
static hydro *h;

/* ------------------------------------------------------------------ crafts */

static void replace(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape, hid_t plan)
{
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(rank, shape, NULL);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  H5Dclose(set);
  H5Sclose(space);
}

/* A zipped dataset of 1e12 rows: nothing in the file, everything in memory. */
static void zipped(hid_t file, const char *name, hid_t type, int columns)
{
  const hsize_t shape[2] = {1000000000000, (hsize_t)columns}, chunk[2] = {1 << 20, (hsize_t)columns};
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(plan, columns ? 2 : 1, chunk);
  H5Pset_deflate(plan, 9);
  replace(file, name, type, columns ? 2 : 1, shape, plan);
  H5Pclose(plan);
}

static void zipped_nodes(hid_t file)
{
  zipped(file, "/nodes/id", H5T_STD_I64LE, 0);
}

static void zipped_parts(hid_t file)
{
  zipped(file, "/run/parts", H5T_STD_I64LE, 4);
}

/* As many rows, never written: there is no place for them in the file. */
static void empty_zones(hid_t file)
{
  const hsize_t shape = 1000000000000;
  replace(file, "/zones/id", H5T_STD_I64LE, 1, &shape, H5P_DEFAULT);
}

static void external_link(hid_t file)
{
  H5Ldelete(file, "/run/clock", H5P_DEFAULT);
  H5Lcreate_external(elsewhere, "/run/clock", file, "/run/clock", H5P_DEFAULT, H5P_DEFAULT);
}

static void external_group(hid_t file)
{
  H5Ldelete(file, "/nodes", H5P_DEFAULT);
  H5Lcreate_external(elsewhere, "/nodes", file, "/nodes", H5P_DEFAULT, H5P_DEFAULT);
}

static void soft_link(hid_t file)
{
  H5Ldelete(file, "/zones/id", H5P_DEFAULT);
  H5Lcreate_soft("/nodes/id", file, "/zones/id", H5P_DEFAULT, H5P_DEFAULT);
}

static void link_to_itself(hid_t file)
{
  H5Ldelete(file, "/zones/id", H5P_DEFAULT);
  H5Lcreate_soft("/zones/id", file, "/zones/id", H5P_DEFAULT, H5P_DEFAULT);
}

static void virtual_counters(hid_t file)
{
  const hsize_t shape = 13;
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &shape, NULL);
  H5Pset_virtual(plan, space, elsewhere, "/run/counters", space);
  replace(file, "/run/counters", H5T_STD_I64LE, 1, &shape, plan);
  H5Pclose(plan);
  H5Sclose(space);
}

static void raw_file(hid_t file)
{
  const hsize_t shape = 5;
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(plan, elsewhere, 0, 40);
  replace(file, "/run/clock", H5T_IEEE_F64LE, 1, &shape, plan);
  H5Pclose(plan);
}

static void set_number(hid_t file, const char *name, hid_t type, hsize_t at, const void *value)
{
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), all = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
  const hsize_t count = (hsize_t)H5Sget_simple_extent_npoints(all);
  unsigned char *bytes = malloc(8 * (size_t)count);
  assert_non_null(bytes);
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  memcpy(bytes + 8 * at, value, 8);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  free(bytes);
  H5Sclose(one);
  H5Sclose(all);
  H5Dclose(set);
}

static void set_real(hid_t file, const char *name, hsize_t at, double value)
{
  set_number(file, name, H5T_NATIVE_DOUBLE, at, &value);
}

static void set_integer(hid_t file, const char *name, hsize_t at, int64_t value)
{
  set_number(file, name, H5T_NATIVE_INT64, at, &value);
}

static void time_is_nan(hid_t file)
{
  set_real(file, "/run/clock", 0, NAN);
}

static void time_is_negative(hid_t file)
{
  set_real(file, "/run/clock", 0, -1.0);
}

static void dt_is_infinite(hid_t file)
{
  set_real(file, "/run/clock", 1, INFINITY);
}

static void energy_is_nan(hid_t file)
{
  set_real(file, "/run/clock", 2, NAN);
}

static void work_is_infinite(hid_t file)
{
  set_real(file, "/run/clock", 3, INFINITY);
}

static void last_step_is_negative(hid_t file)
{
  set_real(file, "/run/clock", 4, -1.0);
}

static void counter_is_negative(hid_t file)
{
  set_integer(file, "/run/counters", 5, -1);
}

static void counter_is_huge(hid_t file)
{
  set_integer(file, "/run/counters", 2, INT64_MAX);
}

static void part_of_another_step(hid_t file)
{
  set_integer(file, "/run/parts", 4 * (hsize_t)comm_size() - 2, 77);
}

static void part_is_larger(hid_t file)
{
  set_integer(file, "/run/parts", 0, 1000);
}

static void part_is_smaller(hid_t file)
{
  set_integer(file, "/run/parts", 1, 1);
}

/* The other rank's part, on two ranks. */
static void part_of_another_run(hid_t file)
{
  set_integer(file, "/run/parts", 4 * (hsize_t)comm_size() - 1, 4711);
}

static void no_deck(hid_t file)
{
  H5Ldelete(file, "/run/deck", H5P_DEFAULT);
}

static void deck_of_any_length(hid_t file)
{
  const hsize_t one = 1;
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  replace(file, "/run/deck", type, 1, &one, H5P_DEFAULT);
  H5Tclose(type);
}

static void huge_deck(hid_t file)
{
  const hsize_t one = 1;
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, (size_t)1 << 31);
  replace(file, "/run/deck", type, 1, &one, H5P_DEFAULT);
  H5Tclose(type);
}

/* A dataset of `n` strings, each of 4 bytes. */
static void several_texts(hid_t file, const char *name, hsize_t n)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 4);
  replace(file, name, type, 1, &n, H5P_DEFAULT);
  H5Tclose(type);
}

static void many_commits(hid_t file)
{
  several_texts(file, "/run/git", 1000);
}

static void no_version(hid_t file)
{
  several_texts(file, "/run/version", 0);
}

/* ------------------------------------------------------------------ a file on disk */

static void put_whole(void)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(whole, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* The checkpoint with a change, and a right seal. */
static void craft(void (*change)(hid_t))
{
  put_whole();
  H5E_auto2_t report;
  void *data;
  H5Eget_auto2(H5E_DEFAULT, &report, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  assert_int_equal(truncate(path, (off_t)length - 24), 0); // the seal
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  change(file);
  assert_true(H5Fclose(file) >= 0);
  H5Eset_auto2(H5E_DEFAULT, report, data);
  assert_int_equal(checksum_seal(path), 0);
}

static void nothing(hid_t file)
{
  (void)file;
}

static bool is_good(char *message)
{
  checkpoint_origin origin;
  const bool good = checkpoint_verify(path, &origin, message, MESSAGE);
  checkpoint_origin_destroy(&origin);
  return good;
}

static void crafted_files_are_refused(void **unused)
{
  (void)unused;
  static const struct {
    void (*change)(hid_t);
    const char *words;
  } rows[] = {
    {zipped_nodes, "/nodes/id is not stored as a run stores it"},
    {zipped_parts, "/run/parts is not stored as a run stores it"},
    {empty_zones, "/zones/id is not stored as a run stores it"},
    {external_link, "/run/clock is a link to somewhere else"},
    {external_group, "/nodes/id is a link to somewhere else"},
    {soft_link, "/zones/id is a link to somewhere else"},
    {link_to_itself, "/zones/id is a link to somewhere else"},
    {virtual_counters, "/run/counters is not stored as a run stores it"},
    {raw_file, "/run/clock is not stored as a run stores it"},
    {time_is_nan, "/run/clock holds times that no run comes to"},
    {time_is_negative, "/run/clock holds times that no run comes to"},
    {dt_is_infinite, "/run/clock holds times that no run comes to"},
    {energy_is_nan, "/run/clock holds times that no run comes to"},
    {work_is_infinite, "/run/clock holds times that no run comes to"},
    {last_step_is_negative, "/run/clock holds times that no run comes to"},
    {counter_is_negative, "/run/counters holds numbers that no run comes to"},
    {counter_is_huge, "/run/counters holds numbers that no run comes to"},
    {part_of_another_step, "its parts are of different runs or steps"},
    {part_is_larger, "/run/parts holds numbers that no run comes to"},
    {part_is_smaller, "parts of some ranks are missing"},
    {no_deck, ""},
    {deck_of_any_length, "/run/deck is not a text"},
    {huge_deck, "/run/deck is not a text"},
    {many_commits, "/run/git is not a text"},
    {no_version, "/run/version is not a text"},
  };
  char message[MESSAGE] = "";
  if (comm_rank() > 0) return;
  craft(nothing);
  if (!is_good(message)) fail_msg("%s", message);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    craft(rows[i].change);
    alarm(20);
    if (is_good(message)) fail_msg("row %zu is taken", i);
    alarm(0);
    if (!strstr(message, rows[i].words) || !strstr(message, path)) fail_msg("row %zu: %s", i, message);
  }
  craft(part_of_another_run);
  assert_int_equal(is_good(message), comm_size() == 1);
  if (comm_size() > 1 && !strstr(message, "rank 1 wrote another one")) fail_msg("%s", message);
  put_whole();
}

/* ------------------------------------------------------------------ what only the mesh tells */

static void position_is_nan(hid_t file)
{
  set_real(file, "/nodes/position", 1, NAN);
}

static void energy_is_infinite(hid_t file)
{
  set_real(file, "/zones/energy", 0, INFINITY);
}

static void zipped_energy(hid_t file)
{
  zipped(file, "/zones/energy", H5T_IEEE_F64LE, 2);
}

static void no_velocity(hid_t file)
{
  H5Ldelete(file, "/nodes/velocity", H5P_DEFAULT);
}

static void another_node(hid_t file)
{
  set_integer(file, "/nodes/id", 0, 4711);
}

/* Collective: all ranks refuse, with one sentence, and keep their state. */
static void states_that_cannot_be_are_refused(void **unused)
{
  (void)unused;
  static void (*const changes[])(hid_t) = {position_is_nan, energy_is_infinite, zipped_energy, no_velocity,
                                           another_node};
  char message[MESSAGE] = "";
  const double time = h->time;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (comm_rank() == 0) {
      craft(changes[i]);
      if (!is_good(message)) fail_msg("change %zu: %s", i, message);
    }
    comm_barrier();
    assert_int_equal(checkpoint_read(h, path, message, sizeof message), STATUS_INPUT);
    assert_non_null(strstr(message, path));
    assert_true(h->time == time);
    comm_barrier();
  }
  if (comm_rank() == 0) put_whole();
  comm_barrier();
  assert_int_equal(checkpoint_read(h, path, message, sizeof message), STATUS_OK);
}

/* ------------------------------------------------------------------ set-up */

static void take_bytes(void)
{
  FILE *file = fopen(path, "rb");
  whole = malloc(LARGEST);
  assert_true(file && whole);
  length = fread(whole, 1, LARGEST, file);
  assert_true(length > 1000 && length < LARGEST);
  fclose(file);
}

static int set_up(void **unused)
{
  (void)unused;
  char message[MESSAGE];
  checkpoint_shelf shelf = {0};
  const output_run origin = {.deck = "problem: {name: sedov}\n", .version = "1", .git = "2", .number = 42};
  strcpy(folder, "/tmp/test_crafted.XXXXXX");
  if (comm_rank() == 0 && !mkdtemp(folder)) return -1;
  comm_broadcast(folder, sizeof folder, 0);
  h = run_create(&the_deck, "problem: {name: sedov}\nmesh: {dim: 1, zones: [4]}\nkernels: {backend: host}\n");
  snprintf(the_deck.output.directory, sizeof the_deck.output.directory, "%s", folder);
  run_start(h);
  run_step(h);
  const int status = checkpoint_write(h, &origin, &shelf, path, message, sizeof message);
  checkpoint_shelf_destroy(&shelf);
  if (status || comm_rank() > 0) return status;
  take_bytes();
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere.h5", folder);
  FILE *file = fopen(elsewhere, "wb");
  return !file || fwrite(whole, 1, length, file) != length || fclose(file);
}

static int tear_down(void **unused)
{
  (void)unused;
  hydro_destroy(&h);
  free(whole);
  if (comm_rank() > 0) return 0;
  unlink(path);
  unlink(elsewhere);
  return rmdir(folder);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(crafted_files_are_refused),
    cmocka_unit_test(states_that_cannot_be_are_refused),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, set_up, tear_down);
  comm_finalize();
  return failed;
}
