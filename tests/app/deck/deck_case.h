/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of decks share.  The operations are this file's own, so that the names of variants stay put.
 */
#ifndef TESTS_APP_DECK_CASE_H
#define TESTS_APP_DECK_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/deck/deck.h"
#include "app/deck/operations.h"

/* ------------------------------------------------------------------ operations */

static const batched_variant stress_host[] = {
  {.name = "host.half"}, {.name = "host.sumfact"}, {.name = "host.ref"}, {.name = NULL}};
static const batched_variant force_host[] = {{.name = "host.ref"}, {.name = "host.sumfact"}, {.name = NULL}};
static const batched_variant force_cuda[] = {{.name = "cuda.fused"}, {.name = "cuda.ref"}, {.name = NULL}};
static const batched_variant gemm_host[] = {
  {.name = "host.small"}, {.name = "vendor.cblas"}, {.name = "host.ref"}, {.name = NULL}};
static const batched_variant none[] = {{.name = NULL}};
static const batched_op stress = {.name = "stress", .key = "corner_force", .variants = {stress_host, force_cuda}};
static const batched_op force = {.name = "force", .key = "corner_force", .variants = {force_host, force_cuda}};
static const batched_op gemm = {.name = "gemm", .key = "gemm", .variants = {gemm_host, none}};

const batched_op *app_operation(int i)
{
  static const batched_op *const all[] = {&stress, &force, &gemm};
  return i < 3 ? all[i] : NULL;
}

/* ------------------------------------------------------------------ a folder with a mesh and an unreadable one */

static char folder[64];

static inline void write_file(const char *name, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static inline int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/test_deck.XXXXXX");
  if (!mkdtemp(folder)) return -1;
  write_file("a.mesh", "MFEM mesh v1.0\n");
  return 0;
}

static inline int tear_down(void **state)
{
  (void)state;
  char path[128];
  static const char *const names[] = {"a.mesh", "deck.yaml", "big.yaml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return rmdir(folder);
}

/* ------------------------------------------------------------------ decks as text */

#define SEDOV "problem: {name: sedov}\n"

enum { MOST = 4 };

static inline int parse(deck *d, const char *text, char *const *overrides, char message[2048])
{
  char name[128];
  int n = 0;
  while (n < MOST && overrides && overrides[n]) n++;
  snprintf(name, sizeof name, "%s/t.yaml", folder);
  message[0] = '\0';
  return deck_parse(d, name, text, strlen(text), n, overrides, message, 2048);
}

static inline deck good(const char *text, const char *override)
{
  deck d;
  char message[2048];
  char *overrides[2] = {(char *) override, NULL};
  int status = parse(&d, text, overrides, message);
  if (status) fail_msg("%s: refused: %s", text, message);
  return d;
}

#endif
