/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deck's text: the part of YAML that a deck may use (mappings, lists of numbers, scalars; no anchors, aliases, tags
 * and no second document), event by event, so that every value has its line.
 */
#include <string.h>
#include <yaml.h>

#include "app/deck/deck_schema.h"

typedef struct source {
  deck_reader *r;
  yaml_parser_t parser;
  const char *text;
  size_t length;
  yaml_event_t event;     /* the last one read */
  char sections[16][128]; /* seen so far */
  int nsections;
} source;

static deck_origin here(const source *s)
{
  return (deck_origin){.level = DECK_FILE, .line = (int)s->event.start_mark.line + 1};
}

static int syntax_error(source *s)
{
  const yaml_parser_t *p = &s->parser;
  deck_origin o = {.level = DECK_FILE, .line = (int)p->problem_mark.line + 1};
  if (p->error == YAML_MEMORY_ERROR) {
    snprintf(s->r->message, s->r->size, "%s: out of memory", s->r->name);
    return STATUS_MACHINE;
  }
  if (p->error == YAML_READER_ERROR) { /* knows only an offset */
    o.line = 1;
    for (size_t i = 0; i < p->problem_offset && i < s->length; i++) o.line += s->text[i] == '\n';
  }
  return deck_fail(s->r, &o, NULL, "not YAML: %s%s%s", p->context ? p->context : "", p->context ? ", " : "",
                   p->problem ? p->problem : "syntax error");
}

static int refuse_extras(source *s)
{
  const yaml_event_t *e = &s->event;
  const void *anchor = NULL, *tag = NULL;
  deck_origin o = here(s);
  switch (e->type) {
  case YAML_ALIAS_EVENT: return deck_fail(s->r, &o, NULL, "aliases (*name) are not allowed in a deck");
  case YAML_SCALAR_EVENT: anchor = e->data.scalar.anchor, tag = e->data.scalar.tag; break;
  case YAML_SEQUENCE_START_EVENT: anchor = e->data.sequence_start.anchor, tag = e->data.sequence_start.tag; break;
  case YAML_MAPPING_START_EVENT: anchor = e->data.mapping_start.anchor, tag = e->data.mapping_start.tag; break;
  default: break;
  }
  if (anchor) return deck_fail(s->r, &o, NULL, "anchors (&name) are not allowed in a deck");
  if (tag) return deck_fail(s->r, &o, NULL, "tags (!name) are not allowed in a deck");
  if (e->type == YAML_SCALAR_EVENT && strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
    return deck_fail(s->r, &o, NULL, "a NUL character is not allowed in a deck");
  return 0;
}

/* Reads the next event into s->event; the one before is gone. */
static int next(source *s)
{
  yaml_event_delete(&s->event);
  if (!yaml_parser_parse(&s->parser, &s->event)) return syntax_error(s);
  return refuse_extras(s);
}

static const char *scalar(const source *s)
{
  return (const char *)s->event.data.scalar.value;
}

static bool is_quoted(const source *s)
{
  return s->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

static int read_list(source *s, int key)
{
  enum { LONGEST = 64 };
  char item[DECK_MAX_ITEMS][LONGEST];
  deck_value v = {.list = true};
  deck_origin o = here(s);
  const char *name = s->r->schema.key[key].name;
  for (;;) {
    int wrong = next(s);
    if (wrong) return wrong;
    if (s->event.type == YAML_SEQUENCE_END_EVENT) return deck_set(s->r, key, &v, &o);
    deck_origin at = here(s);
    if (s->event.type != YAML_SCALAR_EVENT) return deck_fail(s->r, &at, name, "the entries of a list must be numbers");
    if (is_quoted(s))
      return deck_fail(s->r, &at, name, "\"%s\" is a string; a number is expected", deck_clip(scalar(s)).text);
    if (v.count < DECK_MAX_ITEMS) {
      if (s->event.data.scalar.length >= LONGEST)
        return deck_fail(s->r, &at, name, "%s is too long", deck_clip(scalar(s)).text);
      v.item[v.count] = strcpy(item[v.count], scalar(s));
    }
    v.count++;
  }
}

static int read_value(source *s, int key)
{
  deck_origin o = here(s);
  if (s->event.type == YAML_SEQUENCE_START_EVENT) return read_list(s, key);
  const char *name = s->r->schema.key[key].name;
  if (s->event.type != YAML_SCALAR_EVENT)
    return deck_fail(s->r, &o, name, "is a section here; %s expected", deck_type_name(s->r->schema.key[key].type));
  deck_value v = {.count = 1, .quoted = is_quoted(s), .item = {scalar(s)}};
  return deck_set(s->r, key, &v, &o);
}

static int enter_section(source *s, const char *name, const deck_origin *o)
{
  for (int i = 0; i < s->nsections; i++)
    if (strcmp(s->sections[i], name) == 0) return deck_fail(s->r, o, name, "the section is given twice");
  if (s->nsections == sizeof s->sections / sizeof *s->sections) return deck_fail(s->r, o, name, "too many sections");
  snprintf(s->sections[s->nsections++], sizeof s->sections[0], "%s", name);
  return 0;
}

static int read_mapping(source *s, const char *prefix);

static int read_section(source *s, const char *name)
{
  deck_origin o = here(s);
  int wrong = enter_section(s, name, &o);
  if (wrong) return wrong;
  if (s->event.type == YAML_MAPPING_START_EVENT) return read_mapping(s, name);
  bool empty = s->event.type == YAML_SCALAR_EVENT && !is_quoted(s) && !*scalar(s);
  return empty ? 0 : deck_fail(s->r, &o, name, "is a section: its keys go below it, as \"key: value\"");
}

/* The event is the start of the mapping; ends at its end.  Sections are known by name, so this goes no deeper than
 * they. */
static int read_mapping(source *s, const char *prefix)
{
  for (;;) {
    int wrong = next(s);
    if (wrong) return wrong;
    if (s->event.type == YAML_MAPPING_END_EVENT) return 0;
    deck_origin o = here(s);
    if (s->event.type != YAML_SCALAR_EVENT) return deck_fail(s->r, &o, NULL, "a key must be a word");
    char name[128];
    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", scalar(s));
    int key = strchr(scalar(s), '.') ? -1 : deck_schema_find(&s->r->schema, name);
    bool section = key < 0 && !strchr(scalar(s), '.') && deck_schema_is_section(&s->r->schema, name);
    if (key < 0 && !section) return deck_unknown(s->r, &o, name);
    wrong = next(s);
    if (!wrong) wrong = section ? read_section(s, name) : read_value(s, key);
    if (wrong) return wrong;
  }
}

static int read_stream(source *s)
{
  const deck_origin whole = {.level = DECK_FILE};
  int wrong = next(s); /* stream start */
  if (!wrong) wrong = next(s);
  if (wrong) return wrong;
  if (s->event.type == YAML_STREAM_END_EVENT)
    return deck_fail(s->r, &whole, NULL, "the deck is empty; it needs at least \"problem: {name: ...}\"");
  if ((wrong = next(s))) return wrong;
  deck_origin o = here(s);
  if (s->event.type != YAML_MAPPING_START_EVENT)
    return deck_fail(s->r, &o, NULL, "a deck consists of sections like \"problem: {name: sedov}\"");
  if ((wrong = read_mapping(s, ""))) return wrong;
  if ((wrong = next(s)) || (wrong = next(s))) return wrong; /* document end, stream end */
  o = here(s);
  return s->event.type == YAML_STREAM_END_EVENT ? 0 : deck_fail(s->r, &o, NULL, "a second document is not allowed");
}

int deck_read_yaml(deck_reader *r, const char *text, size_t length)
{
  source s = {.r = r, .text = text, .length = length};
  if (!yaml_parser_initialize(&s.parser)) {
    snprintf(r->message, r->size, "%s: out of memory", r->name);
    return STATUS_MACHINE;
  }
  yaml_parser_set_input_string(&s.parser, (const unsigned char *)text, length);
  int wrong = read_stream(&s);
  yaml_event_delete(&s.event);
  yaml_parser_delete(&s.parser);
  return wrong;
}
