/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notes: what was there when the copy had its turn, recorded or not, whatever is enqueued behind it; many in a row.
 * With --gpu on a GPU, else on the host.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "batched/note.h"
#include "batched/recording.h"
#include "tests/batched/one_context.h"

enum { N = 1000, TURNS = 50 };

static double *x, *y;

/* y += x, which is 1. */
static int count(void)
{
  return batched_axpy(ctx, batched_real(1.0), batched_strided(x, N, 1, N, N, 1), batched_strided(y, N, 1, N, N, 1));
}

static void begin(void)
{
  double ones[N];
  for (int i = 0; i < N; i++) ones[i] = 1.0;
  assert_int_equal(batched_copy_from_host(ctx, x, ones, sizeof ones), BATCHED_SUCCESS);
  assert_int_equal(batched_fill_zero(ctx, y, sizeof ones), BATCHED_SUCCESS);
}

/* Each turn: count, note the first and the last entry, and count on before the note is awaited. */
static void turns(bool recorded)
{
  batched_recording *recordings[2] = {NULL, NULL};
  batched_note *note = batched_note_create(ctx, 2 * sizeof(double));
  assert_non_null(note);
  begin();
  for (int turn = 0; turn < TURNS; turn++) {
    for (int half = 0; half < 2; half++) {
      const bool on = recorded && batched_recording_begin(ctx);
      int status = count();
      if (!status && half == 0) status = batched_note_take(note, 0, y, sizeof *y);
      if (!status && half == 0) status = batched_note_take(note, sizeof *y, y + N - 1, sizeof *y);
      if (on) status = batched_recording_run(ctx, &recordings[half], status);
      assert_int_equal(status, BATCHED_SUCCESS);
      if (half == 0) assert_int_equal(batched_note_end(note), BATCHED_SUCCESS);
    }
    assert_int_equal(batched_note_await(note), BATCHED_SUCCESS);
    const double *read = batched_note_read(note);
    assert_true(read[0] == 2 * turn + 1 && read[1] == 2 * turn + 1);
  }
  batched_recording_destroy(&recordings[0]);
  batched_recording_destroy(&recordings[1]);
  batched_note_destroy(&note);
  assert_null(note);
  batched_note_destroy(&note);
}

static void test_at_once(void **unused)
{
  (void)unused;
  turns(false);
}

static void test_recorded(void **unused)
{
  (void)unused;
  turns(true);
}

int main(int argc, char **argv)
{
  int status = one_context(one_space(argc, argv));
  if (status) return status;
  x = batched_allocate(ctx, sizeof *x * N), y = batched_allocate(ctx, sizeof *y * N);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_once), cmocka_unit_test(test_recorded)};
  status = x && y ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  batched_release(ctx, x);
  batched_release(ctx, y);
  batched_destroy(&ctx);
  return status;
}
