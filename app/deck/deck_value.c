/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From what is written in a deck to a value of the declared type and range.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/deck/deck_schema.h"

/* Each conversion returns NULL, or what is wrong with the text. */
typedef const char *complaint;

static complaint to_integer(const char *text, long long *value)
{
  const char *digits = text + (*text == '-' || *text == '+');
  if (!*digits || digits[strspn(digits, "0123456789")]) return "is not an integer";
  errno = 0;
  *value = strtoll(text, NULL, 10);
  return errno ? "is out of range" : NULL;
}

/* strtod takes hexadecimal numbers, nan and inf, too: a deck does not. */
static complaint to_real(const char *text, double *value)
{
  char *end;
  if (!*text || text[strspn(text, "0123456789+-.eE")]) return "is not a finite number";
  *value = strtod(text, &end);
  if (end == text || *end) return "is not a number";
  return isfinite(*value) ? NULL : "is not a finite number";
}

static bool in_range(const deck_key *k, double x)
{
  bool low = k->above ? x > k->low : x >= k->low;
  bool high = k->below ? x < k->high : x <= k->high;
  return low && high;
}

/* A number, or the zones along an axis. */
static void store_share(deck_share *share, int index, int64_t zones)
{
  if (share->axes)
    share->along[index] = (int)zones;
  else
    share->zones = zones;
}

static complaint store_number(const deck_key *k, char *field, int index, const char *text)
{
  long long i = 0;
  double x = 0;
  bool real = k->type == DECK_REAL || k->type == DECK_REALS || k->type == DECK_POINTS;
  complaint wrong = real ? to_real(text, &x) : to_integer(text, &i);
  if (wrong) return wrong;
  if (!in_range(k, real ? x : (double)i)) return "is out of range";
  if (real)
    ((double *)(void *)field)[index] = x;
  else if (k->type == DECK_INT64)
    *(int64_t *)(void *)field = i;
  else if (k->type == DECK_SHARE)
    store_share((deck_share *)(void *)field, index, i);
  else
    ((int *)(void *)field)[index] = (int)i;
  return NULL;
}

/* Valid UTF-8 without control characters and non-characters, so that YAML and JSON can hold it. */
bool deck_is_printable(const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  while (*s) {
    int more = *s < 0x80 ? 0 : (*s & 0xe0) == 0xc0 ? 1 : (*s & 0xf0) == 0xe0 ? 2 : (*s & 0xf8) == 0xf0 ? 3 : -1;
    if (more < 0) return false;
    static const unsigned least[] = {0x20, 0xa0, 0x800, 0x10000};
    unsigned c = more == 0 ? *s : *s & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
      if ((s[i] & 0xc0) != 0x80) return false;
      c = c << 6 | (s[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c <= 0xdfff, noncharacter = (c & 0xfffe) == 0xfffe || c == 0xfeff;
    noncharacter = noncharacter || c == 0x2028 || c == 0x2029; // line ends in YAML
    if (c < least[more] || c == 0x7f || surrogate || noncharacter || c > 0x10ffff) return false;
    s += 1 + more;
  }
  return true;
}

static complaint store_text(const deck_key *k, char *field, const char *text)
{
  if (strlen(text) >= k->size) return "is too long";
  if (!deck_is_printable(text)) return "is not plain UTF-8 text";
  memset(field, 0, k->size);
  strcpy(field, text);
  return NULL;
}

static complaint store_name(const deck_key *k, char *field, const char *text)
{
  bool known = false;
  if (k->type == DECK_PROBLEM)
    known = problem_find(text) != NULL;
  else
    for (int i = 0; k->choices[i]; i++) known = known || strcmp(k->choices[i], text) == 0;
  if (!known) return "is not known";
  if (k->type != DECK_INTEGRATOR) return store_text(k, field, text);
  *(deck_integrator *)(void *)field = deck_integrator_find(text);
  return NULL;
}

static complaint store_bool(char *field, const char *text)
{
  bool yes = strcmp(text, "true") == 0;
  if (!yes && strcmp(text, "false") != 0) return "is neither true nor false";
  *(bool *)field = yes;
  return NULL;
}

static complaint store(const deck_key *k, char *field, int index, const char *text)
{
  switch (k->type) {
  case DECK_BOOL: return store_bool(field, text);
  case DECK_NAME:
  case DECK_INTEGRATOR:
  case DECK_PROBLEM: return store_name(k, field, text);
  case DECK_VARIANT: /* legal names depend on the backend: deck_resolve_kernels */
  case DECK_TEXT: return store_text(k, field, text);
  default: return store_number(k, field, index, text);
  }
}

static bool is_text(const deck_key *k)
{
  return k->type >= DECK_NAME;
}

static int check_form(deck_reader *r, const deck_key *k, const deck_value *v, const deck_origin *o)
{
  const char *type = deck_type_name(k->type);
  if (v->list && !deck_is_list(k->type) && k->type != DECK_SHARE)
    return deck_fail(r, o, k->name, "is a list; one %s is expected", type);
  if (!v->list && deck_is_list(k->type))
    return deck_fail(r, o, k->name, "is not a list; a list of %s is expected", type);
  const bool points = k->type == DECK_POINTS;
  const int most = points ? DECK_MAX_NUMBERS : 3;
  if (v->list && v->count > most)
    return deck_fail(r, o, k->name, "has %d entries; allowed: %sat most %d", v->count,
                     points ? "" : "as many as mesh.dim, ", most);
  for (int i = 0; i < v->count; i++) {
    if (!v->quoted && !v->item[i][0] && o->level != DECK_DEFAULT && !(k->type == DECK_TEXT && o->argument))
      return deck_fail(r, o, k->name, "has no value");
    if (v->quoted && !is_text(k))
      return deck_fail(r, o, k->name, "\"%s\" is a string; %s expected", deck_clip(v->item[i]).text, type);
  }
  return 0;
}

/* A list takes the place of a longer one. */
static void set_length(const deck_key *k, char *field, const deck_value *v)
{
  if (k->type != DECK_POINTS && k->type != DECK_SHARE) return;
  memset(field, 0, k->size);
  if (k->type == DECK_POINTS)
    ((deck_points *)(void *)field)->count = v->count;
  else
    ((deck_share *)(void *)field)->axes = v->list ? v->count : 0;
}

int deck_set(deck_reader *r, int key, const deck_value *v, const deck_origin *origin)
{
  const deck_key *k = &r->schema.key[key];
  deck_origin *known = &r->origin[key];
  if (known->level == origin->level && origin->level == DECK_FILE)
    return deck_fail(r, origin, k->name, "is given twice; first on line %d", known->line);
  if (known->level == origin->level && origin->level == DECK_COMMAND_LINE)
    return deck_fail(r, origin, k->name, "%s is given twice", k->name);
  int wrong = check_form(r, k, v, origin);
  if (!wrong) set_length(k, (char *)r->d + k->offset, v);
  for (int i = 0; i < v->count && !wrong; i++) {
    complaint c = store(k, (char *)r->d + k->offset, i, v->item[i]);
    if (!c) continue;
    char allowed[512];
    deck_allowed(k, allowed, sizeof allowed);
    wrong = deck_fail(r, origin, k->name, "%s %s; allowed: %s", deck_clip(v->item[i]).text, c, allowed);
  }
  *known = *origin;
  known->count = v->count;
  return wrong;
}
