/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of variants: what is built, what can run here, what auto takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/deck/operations.h"
#include "app/deck/variants.h"

static bool yes(const void *args)
{
  return args != NULL;
}

static const batched_variant host[] = {{.name = "host.fast", .likes = yes},
                                       {.name = "host.small", .fits = yes},
                                       {.name = "host.plain"},
                                       {.name = "host.ref"},
                                       {.name = NULL}};
static const batched_variant cuda[] = {{.name = "cuda.fused"}, {.name = NULL}};
static const batched_op force = {.name = "force", .key = "corner_force", .variants = {host, cuda}};
static const batched_op gemm = {.name = "gemm", .key = "gemm", .variants = {host, NULL}};

const batched_op *app_operation(int i)
{
  static const batched_op *const all[] = {&force, &gemm};
  return i < 2 ? all[i] : NULL;
}

static char *listed(batched_ctx *h, batched_ctx *c)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  variants_print(file, h, c);
  fclose(file);
  return text;
}

/* True where a line holds all of these words. */
static bool has_line(const char *text, const char *a, const char *b, const char *c)
{
  for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    char copy[256];
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
    if (strncmp(copy, a, strlen(a)) == 0 && strstr(copy, b) && strstr(copy, c)) return true;
  }
  return false;
}

static void all_rows(void **state)
{
  (void)state;
  batched_ctx *h = NULL;
  assert_int_equal(batched_create(&h, BATCHED_HOST), 0);
  char *text = listed(h, NULL);
  assert_true(has_line(text, "force", "host.fast", "yes    yes     where it pays"));
  assert_true(has_line(text, "force", "host.small", "yes    yes     where it fits"));
  assert_true(has_line(text, "force", "host.plain", "yes    yes     yes"));
  assert_true(has_line(text, "force", "host.ref", "yes    yes     only if asked for"));
  assert_true(has_line(text, "force", "cuda.fused", "yes    no"));
  assert_true(has_line(text, "gemm", "cuda.*", "no     no"));
  free(text);
  text = listed(h, h); /* any context tells that the backend can be used */
  assert_true(has_line(text, "force", "cuda.fused", "yes    yes     yes"));
  assert_true(has_line(text, "gemm", "cuda.*", "no     no"));
  free(text);
  batched_destroy(&h);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
