/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks: 1 2 3 4 7
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "mesh/comm/comm.h"
#include "mesh/comm/mail.h"

enum { MOST = 4096 };

/* Number of items that rank `from` has for rank `to` in a round: none for most pairs, many for some. */
static int items_between(int from, int to, int round)
{
  const unsigned hash = (unsigned)(from * 7919 + to * 104729 + round * 31) * 2654435761u;
  return hash >> 28 < 8 ? 0 : (int)(hash >> 16) % 97;
}

/* Items arrive once, from whom they were sent, in order; many rounds, so that one would run into the next. */
static void every_item_arrives(void **state)
{
  (void)state;
  const int rank = comm_rank(), size = comm_size();
  static int to[MOST];
  static int64_t items[MOST][3];
  for (int round = 0; round < 40; round++) {
    int n = 0;
    for (int i = 0; i < 97; i++) // interleaved: the mail has to sort them
      for (int r = size - 1; r >= 0; r--)
        if (i < items_between(rank, r, round)) {
          to[n] = r;
          items[n][0] = rank, items[n][1] = i, items[n++][2] = round;
        }
    mail out, in;
    assert_true(mail_create(&out, 3, n, to, items[0]));
    assert_int_equal(mail_exchange(&out, &in), 0);
    int at = 0;
    for (int r = 0; r < size; r++) {
      const int count = items_between(r, rank, round);
      if (count == 0) continue;
      assert_true(at < in.nranks);
      assert_int_equal(in.rank[at], r);
      assert_int_equal(in.first[at + 1] - in.first[at], count);
      for (int i = 0; i < count; i++) {
        const int64_t *item = in.items + 3 * (in.first[at] + i);
        assert_true(item[0] == r && item[1] == i && item[2] == round);
      }
      at++;
    }
    assert_int_equal(at, in.nranks);
    mail_free(&out);
    mail_free(&in);
  }
}

static void nothing_to_say(void **state)
{
  (void)state;
  mail out, in;
  assert_true(mail_create(&out, 2, 0, NULL, NULL));
  assert_int_equal(mail_exchange(&out, &in), 0);
  assert_int_equal(mail_total(&in), 0);
  mail_free(&out);
  mail_free(&in);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_arrives), cmocka_unit_test(nothing_to_say)};
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
