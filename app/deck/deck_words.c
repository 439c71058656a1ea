/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The words of a deck's messages: what is allowed, what was probably meant.
 */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "app/deck/deck_schema.h"

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
  size_t n = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + n, size - n, format, args);
  va_end(args);
}

static void allowed_range(const deck_key *k, char *text, size_t size)
{
  append(text, size, k->above ? "above %.16g" : k->below ? "at least %.16g" : "%.16g", k->low);
  append(text, size, k->below ? ", below %.16g" : k->above ? ", at most %.16g" : " to %.16g", k->high);
}

void deck_allowed(const deck_key *k, char *text, size_t size)
{
  text[0] = '\0';
  switch (k->type) {
  case DECK_BOOL: append(text, size, "true, false"); break;
  case DECK_INT:
  case DECK_INT64:
  case DECK_REAL:
  case DECK_INTS:
  case DECK_REALS:
  case DECK_POINTS:
  case DECK_SHARE: allowed_range(k, text, size); break;
  case DECK_NAME:
  case DECK_INTEGRATOR:
    for (int i = 0; k->choices[i]; i++) append(text, size, "%s%s", i ? ", " : "", k->choices[i]);
    break;
  case DECK_PROBLEM:
    for (int i = 0; problems[i]; i++) append(text, size, "%s%s", i ? ", " : "", problems[i]->name);
    break;
  case DECK_VARIANT: deck_variant_names(strchr(k->name, '.') + 1, NULL, text, size); break;
  case DECK_TEXT: append(text, size, "at most %zu bytes", k->size - 1); break;
  }
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b; both shorter than 64. */
static int distance(const char *a, const char *b)
{
  int n = (int)strlen(a), m = (int)strlen(b);
  int d[64][64];
  for (int i = 0; i <= n; i++) {
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      int same = a[i - 1] == b[j - 1] ? 0 : 1;
      int best = d[i - 1][j - 1] + same;
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[n][m];
}

static const char *last_part(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

static bool same_section(const char *a, const char *b)
{
  size_t n = (size_t)(last_part(a) - a);
  return n == (size_t)(last_part(b) - b) && strncmp(a, b, n) == 0;
}

/* Tests whether a part of key, as force in corner_force, begins with the word; whole: whether it is the word. */
static bool has_part(const char *key, const char *word, bool whole)
{
  const size_t n = strlen(word);
  for (const char *part = key; part && n > 2; part = strchr(part, '_')) {
    part += *part == '_';
    if (strncmp(part, word, n) == 0 && (!whole || part[n] == '_' || !part[n])) return true;
  }
  return false;
}

enum { FAR = 100 };

/* Edit distance of a word from the last part of a key; abbreviations of it count as near. */
static int how_far(const char *written, const char *key)
{
  const int limit = (int)strlen(written) / 3 + 1, far = distance(written, key);
  if (far <= 1) return far;
  if (has_part(key, written, true)) return 2;
  if (far <= limit) return far + 1;
  return has_part(key, written, false) ? limit + 2 : FAR;
}

static const char *nearest_key(const deck_schema *s, const char *name, bool everywhere)
{
  const char *best = NULL;
  for (int i = 0, least = FAR; i < s->n; i++) {
    if (!everywhere && !same_section(name, s->key[i].name)) continue;
    const int far = how_far(last_part(name), last_part(s->key[i].name));
    if (far < least) least = far, best = s->key[i].name;
  }
  return best;
}

/* First the key of the same section that is written alike, then a key that would be right in another section, then a
 * section, then a key whose section is misspelt, then a key of any section that is written alike. */
static const char *nearest_of(const deck_schema *s, const char *name)
{
  static const char *const sections[] = {"problem", "mesh",    "discretization", "time",
                                         "solvers", "kernels", "output",         "run"};
  const char *best = nearest_key(s, name, false);
  for (int i = 0; i < s->n && !best; i++)
    if (strcmp(last_part(name), last_part(s->key[i].name)) == 0) best = s->key[i].name;
  for (size_t i = 0; i < sizeof sections / sizeof *sections && !best; i++)
    if (!strchr(name, '.') && distance(name, sections[i]) <= (int)strlen(name) / 3 + 1) best = sections[i];
  for (int i = 0; i < s->n && !best; i++)
    if (distance(name, s->key[i].name) <= 2) best = s->key[i].name;
  return best ? best : nearest_key(s, name, true);
}

/* The key or section that a name was probably meant to be, or NULL. */
static const char *nearest_to(const deck_schema *s, const char *name)
{
  char small[61];
  size_t n = strlen(name);
  if (n >= sizeof small) return NULL;
  for (size_t i = 0; i <= n; i++) small[i] = (char)(name[i] == '-' ? '_' : tolower((unsigned char)name[i]));
  return nearest_of(s, small);
}

deck_clipped deck_clip(const char *text)
{
  deck_clipped c;
  size_t n = strnlen(text, DECK_CLIP + 1);
  bool cut = n > DECK_CLIP;
  if (cut) n = DECK_CLIP;
  while (cut && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; /* not inside a character */
  for (size_t i = 0; i < n; i++) c.text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? ' ' : text[i];
  strcpy(c.text + n, cut ? "..." : "");
  return c;
}

static void where(const deck_reader *r, const deck_origin *o, char *text, size_t size)
{
  if (o->level == DECK_COMMAND_LINE)
    snprintf(text, size, "command line: %s", deck_clip(o->argument).text);
  else if (o->line > 0)
    snprintf(text, size, "%s:%d", r->name, o->line);
  else
    snprintf(text, size, "%s", r->name);
}

int deck_fail(deck_reader *r, const deck_origin *origin, const char *key, const char *format, ...)
{
  char place[DECK_PATH + 32], sentence[DECK_PATH + 1536];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  where(r, origin, place, sizeof place);
  bool named = key && origin->level != DECK_COMMAND_LINE;
  snprintf(r->message, r->size, "%s: %s%s%s", place, named ? key : "", named ? ": " : "", sentence);
  return STATUS_INPUT;
}

int deck_unknown(deck_reader *r, const deck_origin *origin, const char *name)
{
  const char *nearest = nearest_to(&r->schema, name);
  if (nearest) return deck_fail(r, origin, deck_clip(name).text, "no such key; did you mean %s?", nearest);
  return deck_fail(r, origin, deck_clip(name).text, "no such key; --keys lists all of them");
}
