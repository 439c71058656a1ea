/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deck as a JSON object; JSON being YAML, it can be read as a deck again.
 */
#include <string.h>

#include "app/deck/deck_json.h"
#include "app/deck/deck_schema.h"

static void write_list(json *j, const char *name, const deck_key *k, const void *field, int n)
{
  json_array(j, name);
  for (int i = 0; i < n; i++) {
    if (k->type == DECK_INTS)
      json_integer(j, NULL, ((const int *)field)[i]);
    else if (k->type == DECK_SHARE)
      json_integer(j, NULL, ((const deck_share *)field)->along[i]);
    else
      json_number(j, NULL, ((const double *)field)[i]);
  }
  json_close(j);
}

static void write_value(json *j, const deck_key *k, const deck *d)
{
  const char *name = strrchr(k->name, '.') + 1;
  const void *field = (const char *)d + k->offset;
  switch (k->type) {
  case DECK_BOOL: json_bool(j, name, *(const bool *)field); break;
  case DECK_INT: json_integer(j, name, *(const int *)field); break;
  case DECK_INT64: json_integer(j, name, *(const int64_t *)field); break;
  case DECK_REAL: json_number(j, name, *(const double *)field); break;
  case DECK_SHARE:
    if (deck_list_length(k, d) == 0)
      json_integer(j, name, ((const deck_share *)field)->zones);
    else
      write_list(j, name, k, field, deck_list_length(k, d));
    break;
  case DECK_INTS:
  case DECK_REALS:
  case DECK_POINTS: write_list(j, name, k, field, deck_list_length(k, d)); break;
  case DECK_INTEGRATOR: json_string(j, name, deck_integrator_name(*(const deck_integrator *)field)); break;
  case DECK_NAME:
  case DECK_PROBLEM:
  case DECK_VARIANT:
  case DECK_TEXT: json_string(j, name, field); break;
  }
}

/* Bytes of the sections, with their dots, that both names are in. */
static size_t common_sections(const char *a, const char *b)
{
  size_t common = 0;
  for (size_t i = 0; a[i] && a[i] == b[i]; i++)
    if (a[i] == '.') common = i + 1;
  return common;
}

static void change_sections(json *j, const char *from, const char *to)
{
  size_t common = common_sections(from, to);
  for (const char *dot = strchr(from + common, '.'); dot; dot = strchr(dot + 1, '.')) json_close(j);
  const char *start = to + common;
  for (const char *dot; (dot = strchr(start, '.')); start = dot + 1) {
    char section[64];
    snprintf(section, sizeof section, "%.*s", (int)(dot - start), start);
    json_object(j, section);
  }
}

void deck_write_json(const deck *d, json *j, const char *key)
{
  deck_schema s;
  deck_schema_fill(&s);
  const char *before = "";
  json_object(j, key);
  for (int i = 0; i < s.n; i++) {
    change_sections(j, before, s.key[i].name);
    write_value(j, &s.key[i], d);
    before = s.key[i].name;
  }
  change_sections(j, before, "");
  json_close(j);
}
