/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where, when and of what a run is made.
 *
 * ranks: 1 2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/machine/provenance.h"
#include "mesh/comm/comm.h"

static void words_are_quoted_for_a_shell(void **state)
{
  (void)state;
  const char *const words[][2] = {{"plain", "plain"},   {"a/b.yaml", "a/b.yaml"},     {"time.cfl=0.5", "time.cfl=0.5"},
                                  {"", "''"},           {"two words", "'two words'"}, {"zones=[2,2]", "'zones=[2,2]'"},
                                  {"$HOME", "'$HOME'"}, {"it's", "'it'\\''s'"},       {"'", "''\\'''"}};
  char all[1024] = "", expected[1024] = "";
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char one[64] = "";
    provenance_add_word(one, sizeof one, words[i][0]);
    assert_string_equal(one, words[i][1]);
    provenance_add_word(all, sizeof all, words[i][0]);
    const size_t n = strlen(expected);
    snprintf(expected + n, sizeof expected - n, "%s%s", i ? " " : "", words[i][1]);
  }
  assert_string_equal(all, expected);
  char little[8] = "";
  provenance_add_word(little, sizeof little, "longer than that");
  assert_string_equal(little, "'longer");
}

static void everything_is_said(void **state)
{
  (void)state;
  provenance p;
  int year, month, day, hour, minute, second;
  char z, host[256];
  provenance_find(&p);
  assert_int_equal(strlen(p.date), 20);
  assert_int_equal(sscanf(p.date, "%4d-%2d-%2dT%2d:%2d:%2d%c", &year, &month, &day, &hour, &minute, &second, &z), 7);
  assert_true(year >= 2024 && z == 'Z');
  assert_int_equal(gethostname(host, sizeof host), 0);
  assert_string_equal(p.host, host);
  assert_int_equal(p.nodes, 1);
  assert_true(p.cores >= 1);
  assert_non_null(strstr(p.command, "app_test_provenance"));
  const char *const texts[] = {p.system, p.processor, p.mpi, p.blas, p.hdf5, p.compiler, p.flags};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_true(strlen(texts[i]) > 3);
    assert_null(strchr(texts[i], '\n'));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_are_quoted_for_a_shell),
    cmocka_unit_test(everything_is_said),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
