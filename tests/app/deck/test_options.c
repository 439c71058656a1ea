/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line: what is taken, and what is refused with which sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/deck/options.h"

enum { MOST = 10 };

typedef struct words {
  const char *word[MOST];
  const char *expected; /* in the message */
} words;

static int parse(options *o, const words *w, char *copies[MOST + 2], char message[256])
{
  int n = 1;
  copies[0] = strdup("shocklet");
  for (int i = 0; i < MOST && w->word[i]; i++) copies[n++] = strdup(w->word[i]);
  copies[n] = NULL;
  message[0] = '\0';
  return options_parse(o, n, copies, message, 256);
}

static void release(char *const *copies)
{
  for (int i = 0; copies[i]; i++) free(copies[i]);
}

static void bad_command_lines(void **state)
{
  (void)state;
  static const words bad[] = {
    {{NULL}, "no deck is given"},
    {{"--quiet"}, "no deck is given"},
    {{"mesh.refine=1"}, "no deck is given"},
    {{"--check"}, "no deck is given"},
    {{"a.yaml", "b.yaml"}, "two decks, a.yaml and b.yaml"},
    {{"a.yaml", "mesh.refine=1", "b.yaml"}, "two decks, a.yaml and b.yaml"},
    {{""}, "the name of the deck is empty"},
    {{"--chekc", "a.yaml"}, "--chekc is no option"},
    {{"a.yaml", "--foo=bar"}, "--foo=bar is no option"},
    {{"--check=yes", "a.yaml"}, "--check=yes takes no value"},
    {{"a.yaml", "--quiet=1"}, "--quiet=1 takes no value"},
    {{"-x", "a.yaml"}, "-x is no option"},
    {{"a.yaml", "-np", "2"}, "-n is no option"},
    {{"a.yaml", "--report"}, "--report needs a file"},
    {{"a.yaml", "--report="}, "--report needs a file"},
    {{"a.yaml", "--report=a", "--report=b"}, "--report is given twice"},
    {{"--restart"}, "--restart needs a file, or latest"},
    {{"--restart", "a", "--restart", "b"}, "--restart is given twice"},
    {{"--restart="}, "--restart needs a file, or latest"},
    {{"--re", "a.yaml"}, "--re is no option"}, /* report or restart? */
    {{"--", "--check"}, NULL},                 /* a deck of that name */
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    options o;
    char *copies[MOST + 2], message[256];
    int status = parse(&o, &bad[i], copies, message);
    if (!bad[i].expected) {
      assert_int_equal(status, 0);
      assert_string_equal(o.deck, "--check");
    } else {
      assert_int_equal(status, 2);
      if (!strstr(message, bad[i].expected)) fail_msg("row %zu: %s", i, message);
      assert_true(strncmp(message, "command line: ", 14) == 0);
      assert_non_null(strstr(message, "; see --help"));
      assert_null(strchr(message, '\n'));
    }
    release(copies);
  }
}

static void all_options(void **state)
{
  (void)state;
  const words w = {
    .word = {"--check", "mesh.refine=2", "deck.yaml", "--report", "out.json", "time.final=1", "--quiet"}};
  options o;
  char *copies[MOST + 2], message[256];
  assert_int_equal(parse(&o, &w, copies, message), 0);
  assert_true(o.check && o.quiet);
  assert_false(o.keys || o.variants || o.version || o.help);
  assert_string_equal(o.deck, "deck.yaml");
  assert_string_equal(o.report, "out.json");
  assert_int_equal(o.noverrides, 2);
  assert_string_equal(o.overrides[0], "mesh.refine=2");
  assert_string_equal(o.overrides[1], "time.final=1");
  release(copies);
}

static void no_deck_needed(void **state)
{
  (void)state;
  static const words fine[] = {
    {.word = {"--keys"}}, {.word = {"--variants"}}, {.word = {"--version"}}, {.word = {"--help"}}, {.word = {"-h"}}};
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
    options o;
    char *copies[MOST + 2], message[256];
    assert_int_equal(parse(&o, &fine[i], copies, message), 0);
    assert_null(o.deck);
    assert_int_equal(o.keys + o.variants + o.version + o.help, 1);
    release(copies);
  }
}

static void a_deck_with_an_equals_sign(void **state)
{
  (void)state;
  const words w = {.word = {"./a=b.yaml", "c=d"}};
  options o;
  char *copies[MOST + 2], message[256];
  assert_int_equal(parse(&o, &w, copies, message), 0);
  assert_string_equal(o.deck, "./a=b.yaml");
  assert_int_equal(o.noverrides, 1);
  assert_string_equal(o.overrides[0], "c=d");
  release(copies);
}

static void help_names_every_option(void **state)
{
  (void)state;
  char text[4096] = "";
  FILE *file = fmemopen(text, sizeof text, "w");
  options_print_help(file);
  fclose(file);
  static const char *const names[] = {"--check",       "--keys",  "--variants", "--restart FILE",
                                      "--report FILE", "--quiet", "--version",  "--help"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_non_null(strstr(text, names[i]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_command_lines),       cmocka_unit_test(all_options),
    cmocka_unit_test(no_deck_needed),          cmocka_unit_test(a_deck_with_an_equals_sign),
    cmocka_unit_test(help_names_every_option),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
