/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Damaged checkpoints are found before anything in them is used, and the one before is taken: every bit that flips,
 * every length that is too short or too long, files that took each other's names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/checkpoint/checkpoint.h"
#include "tests/app/runs.h"

enum { FLIPS = 1000, CUTS = 300, STEPS = 3, MESSAGE = 2 * CHECKPOINT_PATH };

static char folder[64], paths[STEPS][CHECKPOINT_PATH];
static unsigned char *newest; // the bytes of the newest checkpoint
static size_t length;

static void put(const char *path, const unsigned char *bytes, size_t n)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

static void take_newest(void)
{
  FILE *file = fopen(paths[STEPS - 1], "rb");
  assert_non_null(file);
  newest = malloc(1 << 20);
  length = fread(newest, 1, 1 << 20, file);
  assert_true(length > 1000 && length < 1 << 20);
  fclose(file);
}

/* Three checkpoints of a run. */
static int set_up(void **unused)
{
  (void)unused;
  deck d;
  char message[MESSAGE];
  const output_run origin = {.deck = "problem: {name: sedov}\n", .version = "1", .git = "2"};
  strcpy(folder, "/tmp/test_checkpoint.XXXXXX");
  if (!mkdtemp(folder)) return -1;
  hydro *h = run_create(&d, "problem: {name: sedov}\nmesh: {dim: 1, zones: [4]}\nkernels: {backend: host}\n");
  snprintf(d.output.directory, sizeof d.output.directory, "%s", folder);
  d.output.keep = STEPS;
  checkpoint_shelf shelf = {0};
  run_start(h);
  for (int i = 0; i < STEPS; i++) {
    run_step(h);
    if (checkpoint_write(h, &origin, &shelf, paths[i], message, sizeof message)) return -1;
  }
  checkpoint_shelf_destroy(&shelf);
  hydro_destroy(&h);
  take_newest();
  return 0;
}

static int tear_down(void **unused)
{
  (void)unused;
  for (int i = 0; i < STEPS; i++) unlink(paths[i]);
  free(newest);
  return rmdir(folder);
}

/* The file is as good as new; if so, *deck is the one in it, to be freed. */
static bool is_good(const char *path, char **deck, char *message)
{
  checkpoint_origin origin;
  const bool good = checkpoint_verify(path, &origin, message, MESSAGE);
  if (deck) *deck = origin.deck, origin.deck = NULL;
  checkpoint_origin_destroy(&origin);
  return good;
}

/* The newest file that can be used, as a restart finds it; returns how many newer ones can't. */
static int find_latest(char path[CHECKPOINT_PATH])
{
  char message[MESSAGE];
  int64_t below = INT64_MAX;
  for (int skipped = 0;; skipped++, below = checkpoint_step_of(path)) {
    if (checkpoint_before(folder, below, path, message, sizeof message)) fail_msg("%s", message);
    if (is_good(path, NULL, message)) return skipped;
  }
}

/* The newest file is refused in a sentence that names it, and `latest` is the one before. */
static void check_refused(const char *what, long where)
{
  char message[MESSAGE] = "", path[CHECKPOINT_PATH];
  if (is_good(paths[STEPS - 1], NULL, message)) fail_msg("%s at %ld is not noticed", what, where);
  if (!strstr(message, paths[STEPS - 1])) fail_msg("%s at %ld: %s", what, where, message);
  assert_int_equal(find_latest(path), 1);
  assert_string_equal(path, paths[STEPS - 2]);
}

static void check_whole(void)
{
  char path[CHECKPOINT_PATH];
  assert_int_equal(find_latest(path), 0);
  assert_string_equal(path, paths[STEPS - 1]);
}

static void every_flipped_bit_is_found(void **unused)
{
  (void)unused;
  srand(1);
  for (int i = 0; i < FLIPS; i++) {
    const size_t at = (size_t)rand() % length;
    const unsigned char bit = (unsigned char)(1 << rand() % 8);
    newest[at] ^= bit;
    put(paths[STEPS - 1], newest, length);
    check_refused("a flipped bit", (long)at);
    newest[at] ^= bit;
  }
  put(paths[STEPS - 1], newest, length);
  check_whole();
}

static void every_other_length_is_found(void **unused)
{
  (void)unused;
  srand(2);
  for (int i = 0; i < CUTS; i++) {
    const size_t n = i < 30 ? length - 1 - (size_t)i : i < 60 ? (size_t)i - 30 : (size_t)rand() % length;
    put(paths[STEPS - 1], newest, n);
    check_refused("an end", (long)n);
  }
  memset(newest + length, 0, 64);
  for (size_t more = 1; more <= 64; more++) {
    put(paths[STEPS - 1], newest, length + more);
    check_refused("a longer end", (long)more);
  }
  put(paths[STEPS - 1], newest, length);
  check_whole();
}

static void files_that_changed_places_are_found(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", path[CHECKPOINT_PATH], other[CHECKPOINT_PATH];
  snprintf(other, sizeof other, "%s/other", folder);
  for (int back = 0; back < 2; back++) {
    assert_int_equal(rename(paths[2], other), 0);
    assert_int_equal(rename(paths[1], paths[2]), 0);
    assert_int_equal(rename(other, paths[1]), 0);
    if (back) break;
    assert_false(is_good(paths[2], NULL, message));
    assert_non_null(strstr(message, "step 2 under the name of another one"));
    assert_int_equal(find_latest(path), 2);
    assert_string_equal(path, paths[0]);
  }
  check_whole();
}

static void under_another_name_it_is_good(void **unused)
{
  (void)unused;
  char message[MESSAGE] = "", other[CHECKPOINT_PATH];
  snprintf(other, sizeof other, "%s/mine.h5", folder);
  put(other, newest, length);
  char *text;
  assert_true(is_good(other, &text, message));
  assert_string_equal(text, "problem: {name: sedov}\n");
  free(text);
  unlink(other);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_flipped_bit_is_found),
    cmocka_unit_test(every_other_length_is_found),
    cmocka_unit_test(files_that_changed_places_are_found),
    cmocka_unit_test(under_another_name_it_is_good),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, set_up, tear_down);
  comm_finalize();
  return failed;
}
