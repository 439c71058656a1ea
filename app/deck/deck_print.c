/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deck written out, and the list of its keys.
 */
#include <stdlib.h>
#include <string.h>

#include "app/deck/deck_schema.h"

/* ------------------------------------------------------------------ values */

/* The shortest of the texts that strtod turns into x again. */
static void print_real(double x, FILE *to)
{
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  fputs(text, to);
}

static void print_text(const char *text, FILE *to)
{
  putc('"', to);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putc('\\', to);
    putc(*text, to);
  }
  putc('"', to);
}

static void print_list(const deck_key *k, const void *field, int n, FILE *to)
{
  putc('[', to);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", to);
    if (k->type == DECK_INTS)
      fprintf(to, "%d", ((const int *)field)[i]);
    else if (k->type == DECK_SHARE)
      fprintf(to, "%d", ((const deck_share *)field)->along[i]);
    else
      print_real(((const double *)field)[i], to);
  }
  putc(']', to);
}

static void print_value(const deck_key *k, const deck *d, FILE *to)
{
  const void *field = (const char *)d + k->offset;
  switch (k->type) {
  case DECK_BOOL: fputs(*(const bool *)field ? "true" : "false", to); break;
  case DECK_INT: fprintf(to, "%d", *(const int *)field); break;
  case DECK_INT64: fprintf(to, "%lld", (long long)*(const int64_t *)field); break;
  case DECK_REAL: print_real(*(const double *)field, to); break;
  case DECK_SHARE:
    if (deck_list_length(k, d) == 0)
      fprintf(to, "%lld", (long long)((const deck_share *)field)->zones);
    else
      print_list(k, field, deck_list_length(k, d), to);
    break;
  case DECK_INTS:
  case DECK_REALS:
  case DECK_POINTS: print_list(k, field, deck_list_length(k, d), to); break;
  case DECK_INTEGRATOR: fputs(deck_integrator_name(*(const deck_integrator *)field), to); break;
  case DECK_NAME:
  case DECK_PROBLEM:
  case DECK_VARIANT: fputs(field, to); break;
  case DECK_TEXT: print_text(field, to); break;
  }
}

/* ------------------------------------------------------------------ sections */

/* Opens the sections of `name` that `before`, the key printed last, is not in; returns the depth of the key. */
static int print_sections(const char *before, const char *name, FILE *to)
{
  int depth = 0;
  const char *start = name;
  for (const char *dot; (dot = strchr(start, '.')); start = dot + 1, depth++) {
    size_t n = (size_t)(dot + 1 - name);
    if (strncmp(before, name, n) != 0) fprintf(to, "%*s%.*s:\n", 2 * depth, "", (int)(dot - start), start);
  }
  return depth;
}

void deck_print(const deck *d, FILE *to)
{
  deck_schema s;
  deck_schema_fill(&s);
  const char *before = "";
  for (int i = 0; i < s.n; i++) {
    int depth = print_sections(before, s.key[i].name, to);
    fprintf(to, "%*s%s: ", 2 * depth, "", strrchr(s.key[i].name, '.') + 1);
    print_value(&s.key[i], d, to);
    putc('\n', to);
    before = s.key[i].name;
  }
}

char *deck_text(const deck *d)
{
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) return NULL;
  deck_print(d, memory);
  const bool whole = !ferror(memory);
  if (fclose(memory) == 0 && whole) return text;
  free(text);
  return NULL;
}

/* The value of a key, to be freed; NULL when memory is out. */
static char *value_text(const deck_key *k, const deck *d)
{
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) return NULL;
  print_value(k, d, memory);
  fclose(memory);
  return text;
}

void deck_compare(const deck *before, const deck *now, deck_difference *differs, void *user)
{
  deck_schema s;
  deck_schema_fill(&s);
  for (int i = 0; i < s.n; i++) {
    char *was = value_text(&s.key[i], before), *is = value_text(&s.key[i], now);
    if (was && is && strcmp(was, is) != 0) differs(user, s.key[i].name, was, is);
    free(was);
    free(is);
  }
}

/* ------------------------------------------------------------------ the keys */

enum { WIDTH = 120, HELP = 50 };

/* Words from column `column` on; a line that is full goes on at HELP. */
static void print_wrapped(const char *words, int column, FILE *to)
{
  while (*words) {
    int n = (int)strcspn(words, " ");
    if (column + 1 + n > WIDTH) {
      fprintf(to, "\n%*s", HELP, "");
      column = HELP;
    }
    column += fprintf(to, " %.*s", n, words);
    words += n;
    words += strspn(words, " ");
  }
  putc('\n', to);
}

static void print_key(const deck_key *k, int depth, FILE *to)
{
  char allowed[512], words[1024];
  const char *name = strrchr(k->name, '.') + 1;
  const char *fallback = *k->fallback ? k->fallback : "\"\"";
  int column =
    fprintf(to, "%*s%-*s %-10s %-15s", 2 * depth, "", 23 - 2 * depth, name, deck_type_name(k->type), fallback);
  if (column > HELP) column = fprintf(to, "\n%*s", HELP, "") - 1;
  bool limited = k->type != DECK_TEXT;
  deck_allowed(k, allowed, sizeof allowed);
  snprintf(words, sizeof words, "%s%s%s", k->help, limited ? "; allowed: " : "", limited ? allowed : "");
  print_wrapped(words, column, to);
}

void deck_print_keys(FILE *to)
{
  deck_schema s;
  deck_schema_fill(&s);
  const char *before = "";
  fprintf(to, "%-23s %-10s %-15s %s\n", "key", "type", "default", "what it is; allowed values");
  for (int i = 0; i < s.n; i++) {
    int depth = print_sections(before, s.key[i].name, to);
    print_key(&s.key[i], depth, to);
    before = s.key[i].name;
  }
}
