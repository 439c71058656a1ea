/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The JSON writer, against a reader of its own.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/files/json.h"
#include "tests/app/files/json_check.h"

typedef struct memory {
  char *text;
  size_t size;
  FILE *file;
} memory;

static json begin(memory *m)
{
  m->file = open_memstream(&m->text, &m->size);
  assert_non_null(m->file);
  return json_begin(m->file);
}

static void end(memory *m, json *j)
{
  json_end(j);
  fclose(m->file);
}

static void the_reader_refuses(void **state)
{
  (void)state;
  static const char *const bad[] = {"",          "{",  "[1,]", "{\"a\":}", "{\"a\" 1}",  "{a:1}",    "01",
                                    "1.",        ".5", "+1",   "nan",      "inf",        "\"\x01\"", "\"\\x\"",
                                    "\"\\u12\"", "\"", "1 2",  "[1 2]",    "{\"a\":1,}", "tru",      "-"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (json_is_valid(bad[i])) fail_msg("%s", bad[i]);
  assert_true(json_is_valid(" {\"a\": [1, -2.5e-3, true, null, \"\\u00e9\\n\"], \"b\": {}} \n"));
}

static void nesting(void **state)
{
  (void)state;
  memory m;
  char value[64];
  json j = begin(&m);
  json_object(&j, NULL);
  json_integer(&j, "a", INT64_MIN);
  json_array(&j, "list");
  for (int i = 0; i < 3; i++) {
    json_object(&j, NULL);
    json_integer(&j, "i", i);
    json_close(&j);
  }
  json_array(&j, NULL);
  json_close(&j);
  json_close(&j);
  json_object(&j, "empty");
  json_close(&j);
  json_bool(&j, "yes", true);
  json_close(&j);
  end(&m, &j);
  assert_true(json_is_valid(m.text));
  assert_string_equal(json_at(m.text, "a", value, sizeof value), "-9223372036854775808");
  assert_string_equal(json_at(m.text, "list[2].i", value, sizeof value), "2");
  assert_string_equal(json_at(m.text, "list[3]", value, sizeof value), "[]");
  assert_string_equal(json_at(m.text, "empty", value, sizeof value), "{}");
  assert_string_equal(json_at(m.text, "yes", value, sizeof value), "true");
  free(m.text);
}

/* 17 significant digits give the same double again. */
static void numbers(void **state)
{
  (void)state;
  static const double x[] = {
    0.0, -0.0, 1.0, 0.1, 1.0 / 3, -2.5e-300, 5e-324, 1.7976931348623157e308, 123456789012345678.0};
  memory m;
  char path[16], value[64];
  json j = begin(&m);
  json_array(&j, NULL);
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) json_number(&j, NULL, x[i]);
  json_number(&j, NULL, NAN);
  json_number(&j, NULL, -INFINITY);
  json_close(&j);
  end(&m, &j);
  assert_true(json_is_valid(m.text));
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    snprintf(path, sizeof path, "[%zu]", i);
    assert_true(strtod(json_at(m.text, path, value, sizeof value), NULL) == x[i]);
  }
  assert_string_equal(json_at(m.text, "[9]", value, sizeof value), "null");
  assert_string_equal(json_at(m.text, "[10]", value, sizeof value), "null");
  free(m.text);
}

static void strings(void **state)
{
  (void)state;
  memory m;
  char value[64];
  json j = begin(&m);
  json_object(&j, NULL);
  json_string(&j, "quotes", "a \"b\" \\ c");
  json_string(&j, "control", "\n\t\x01");
  json_string(&j, "utf8", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  json_string(&j, "broken", "a\xff\xc3|\xed\xa0\x80|\xc0\xaf|\xf5");
  json_string(&j, "nothing", NULL);
  json_string(&j, "a \"key\"", "");
  json_close(&j);
  end(&m, &j);
  assert_true(json_is_valid(m.text));
  assert_string_equal(json_at(m.text, "quotes", value, sizeof value), "\"a \\\"b\\\" \\\\ c\"");
  assert_string_equal(json_at(m.text, "control", value, sizeof value), "\"\\u000a\\u0009\\u0001\"");
  assert_string_equal(json_at(m.text, "utf8", value, sizeof value), "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  assert_string_equal(json_at(m.text, "nothing", value, sizeof value), "null");
  for (const char *s = m.text; *s; s++) /* nothing of the broken bytes is left */
    assert_true((unsigned char)*s != 0xff && (unsigned char)*s != 0xed && (unsigned char)*s != 0xc0);
  free(m.text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_reader_refuses),
    cmocka_unit_test(nesting),
    cmocka_unit_test(numbers),
    cmocka_unit_test(strings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
