/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a deck: defaults, then the file, then the command line; at last what depends on other keys.
 */
#include "app/deck/deck.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/deck/deck_schema.h"

/* A deck is a page of text; what is longer is something else. */
enum { LONGEST_DECK = 1 << 20 };

static int set_defaults(deck_reader *r)
{
  const deck_origin origin = {.level = DECK_DEFAULT};
  int wrong = 0;
  for (int i = 0; i < r->schema.n && !wrong; i++) {
    const deck_key *k = &r->schema.key[i];
    const deck_value v = {.count = 1, .item = {k->fallback}};
    if (!k->derived) wrong = deck_set(r, i, &v, &origin);
  }
  return wrong;
}

static char *trim(char *text)
{
  text += strspn(text, " \t");
  size_t n = strlen(text);
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) text[--n] = '\0';
  return text;
}

/* "[2, 2, 2]" or "2,2,2"; cuts text into pieces. */
static int set_list(deck_reader *r, int key, char *text, const deck_origin *origin)
{
  deck_value v = {.list = true};
  size_t n = strlen(text);
  const bool opened = n > 0 && text[0] == '[', closed = n > 0 && text[n - 1] == ']';
  if (opened != closed)
    return deck_fail(r, origin, r->schema.key[key].name, "the list has no %s",
                     opened ? "] at its end" : "[ at its beginning");
  if (n >= 2 && opened) {
    text[n - 1] = '\0';
    text = trim(text + 1);
  }
  if (!*text) return deck_set(r, key, &v, origin);
  for (char *comma = text; comma; v.count++) {
    char *item = text;
    comma = strchr(item, ',');
    if (comma) {
      *comma = '\0';
      text = comma + 1;
    }
    if (v.count < DECK_MAX_ITEMS) v.item[v.count] = trim(item);
  }
  return deck_set(r, key, &v, origin);
}

char *deck_plain_text(char *text)
{
  text = trim(text);
  size_t n = strlen(text);
  bool quotes = n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0];
  if (quotes) {
    text[n - 1] = '\0';
    text++;
  }
  return text;
}

static int set_text(deck_reader *r, int key, char *text, const deck_origin *origin)
{
  const deck_value v = {.count = 1, .item = {deck_plain_text(text)}};
  return deck_set(r, key, &v, origin);
}

/* "section.key=value" */
static int read_override(deck_reader *r, const char *argument)
{
  const deck_origin origin = {.level = DECK_COMMAND_LINE, .argument = argument};
  const char *equals = strchr(argument, '=');
  if (!equals) return deck_fail(r, &origin, NULL, "section.key=value is expected");
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)(equals - argument < 127 ? equals - argument : 127), argument);
  int key = deck_schema_find(&r->schema, name);
  if (key < 0 && deck_schema_is_section(&r->schema, name))
    return deck_fail(r, &origin, NULL, "%s is a section; %s.<key>=value is expected", name, name);
  if (key < 0) return deck_unknown(r, &origin, name);
  char *copy = strdup(equals + 1);
  if (!copy) {
    snprintf(r->message, r->size, "command line: out of memory");
    return STATUS_MACHINE;
  }
  const deck_type type = r->schema.key[key].type;
  const bool list = deck_is_list(type) || (type == DECK_SHARE && strpbrk(copy, "[,"));
  int wrong = list ? set_list(r, key, trim(copy), &origin) : set_text(r, key, copy, &origin);
  free(copy);
  return wrong;
}

int deck_parse(deck *d, const char *name, const char *text, size_t length, int noverrides, char *const *overrides,
               char *message, size_t size)
{
  memset(d, 0, sizeof *d); /* padding, too: decks are broadcast and compared as bytes */
  deck_reader r = {.d = d, .name = name, .message = message, .size = size};
  message[0] = '\0';
  deck_schema_fill(&r.schema);
  int wrong = set_defaults(&r);
  if (!wrong) wrong = deck_read_yaml(&r, text, length);
  for (int i = 0; i < noverrides && !wrong; i++) wrong = read_override(&r, overrides[i]);
  return wrong ? wrong : deck_resolve(&r);
}

/* The bytes of a file that is no longer than a deck; NULL with errno set. */
static char *read_bytes(FILE *file, size_t *length)
{
  char *text = malloc(LONGEST_DECK + 1);
  if (!text) return NULL;
  *length = fread(text, 1, LONGEST_DECK + 1, file);
  int reason = ferror(file) ? errno : *length > LONGEST_DECK ? EFBIG : 0;
  if (!reason) return text;
  free(text);
  errno = reason;
  return NULL;
}

static char *read_file(const char *path, size_t *length)
{
  struct stat status;
  if (stat(path, &status)) return NULL;
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return NULL;
  }
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = read_bytes(file, length);
  int reason = errno;
  fclose(file);
  errno = reason;
  return text;
}

/* Writes the message for a deck that can't be read. */
static int explain(const char *path, int reason, char *message, size_t size)
{
  const char *why = reason == EFBIG ? "is larger than 1 MiB; that is no deck" : strerror(reason);
  int n = snprintf(message, size, "%s: can't read the deck: %s", path, why);
  if (reason == ENOENT && !strpbrk(path, "/.") && (size_t)n < size) {
    n += snprintf(message + n, size - (size_t)n, "; nor is it a problem: ");
    for (int i = 0; problems[i] && (size_t)n < size; i++)
      n += snprintf(message + n, size - (size_t)n, "%s%s", i ? ", " : "", problems[i]->name);
  }
  return reason == ENOMEM ? STATUS_MACHINE : STATUS_INPUT;
}

int deck_read(deck *d, const char *path, int noverrides, char *const *overrides, char *message, size_t size)
{
  size_t length;
  char *text = read_file(path, &length);
  if (!text) {
    const int reason = errno;
    char whole[64];
    if ((reason != ENOENT && reason != EISDIR) || !problem_find(path)) return explain(path, reason, message, size);
    length = (size_t)snprintf(whole, sizeof whole, "problem: {name: %s}\n", path);
    return deck_parse(d, path, whole, length, noverrides, overrides, message, size);
  }
  int wrong = deck_parse(d, path, text, length, noverrides, overrides, message, size);
  free(text);
  return wrong;
}
