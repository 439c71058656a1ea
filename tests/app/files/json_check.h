/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: is a text JSON (RFC 8259), and what does it say under a path?
 */
#ifndef TESTS_JSON_CHECK_H
#define TESTS_JSON_CHECK_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct json_check {
  const char *at;
  char path[512];     /* where the reader is: "energy.change", "operations[2].calls" */
  const char *wanted; /* NULL: only check */
  const char *found;
  size_t found_bytes;
} json_check;

static bool json_check_value(json_check *c);

static void json_check_space(json_check *c)
{
  c->at += strspn(c->at, " \t\r\n");
}

static bool json_check_take(json_check *c, char expected)
{
  json_check_space(c);
  if (*c->at != expected) return false;
  c->at++;
  return true;
}

static bool json_check_string(json_check *c)
{
  if (!json_check_take(c, '"')) return false;
  for (; *c->at != '"'; c->at++) {
    if ((unsigned char)*c->at < 0x20) return false;
    if (*c->at != '\\') continue;
    c->at++;
    if (*c->at == 'u') {
      for (int i = 0; i < 4; i++)
        if (!isxdigit((unsigned char)*++c->at)) return false;
    } else if (!*c->at || !strchr("\"\\/bfnrt", *c->at)) {
      return false;
    }
  }
  c->at++;
  return true;
}

static size_t json_check_digits(json_check *c)
{
  size_t n = strspn(c->at, "0123456789");
  c->at += n;
  return n;
}

static bool json_check_number(json_check *c)
{
  if (*c->at == '-') c->at++;
  const char *first = c->at;
  size_t n = json_check_digits(c);
  if (n == 0 || (n > 1 && *first == '0')) return false;
  if (*c->at == '.' && (c->at++, json_check_digits(c) == 0)) return false;
  if (*c->at != 'e' && *c->at != 'E') return true;
  c->at++;
  if (*c->at == '+' || *c->at == '-') c->at++;
  return json_check_digits(c) > 0;
}

static bool json_check_member(json_check *c)
{
  json_check_space(c);
  const char *key = c->at + 1;
  if (!json_check_string(c)) return false;
  size_t used = strlen(c->path);
  snprintf(c->path + used, sizeof c->path - used, "%s%.*s", used ? "." : "", (int)(c->at - 1 - key), key);
  bool fine = json_check_take(c, ':') && json_check_value(c);
  c->path[used] = '\0';
  return fine;
}

static bool json_check_item(json_check *c, int i)
{
  size_t used = strlen(c->path);
  snprintf(c->path + used, sizeof c->path - used, "[%d]", i);
  bool fine = json_check_value(c);
  c->path[used] = '\0';
  return fine;
}

static bool json_check_list(json_check *c, bool object)
{
  char close = object ? '}' : ']';
  c->at++;
  if (json_check_take(c, close)) return true;
  for (int i = 0;; i++) {
    if (!(object ? json_check_member(c) : json_check_item(c, i))) return false;
    if (json_check_take(c, close)) return true;
    if (!json_check_take(c, ',')) return false;
  }
}

static bool json_check_value(json_check *c)
{
  json_check_space(c);
  const char *start = c->at;
  static const char *const words[] = {"true", "false", "null"};
  bool fine = false, wanted = c->wanted && strcmp(c->wanted, c->path) == 0;
  for (int i = 0; i < 3 && !fine; i++)
    if (strncmp(c->at, words[i], strlen(words[i])) == 0) {
      c->at += strlen(words[i]);
      fine = true;
    }
  if (!fine) {
    if (*c->at == '{' || *c->at == '[')
      fine = json_check_list(c, *c->at == '{');
    else
      fine = *c->at == '"' ? json_check_string(c) : json_check_number(c);
  }
  if (fine && wanted) {
    if (c->found) return false; /* a key twice */
    c->found = start;
    c->found_bytes = (size_t)(c->at - start);
  }
  return fine;
}

static bool json_is_valid(const char *text)
{
  json_check c = {.at = text};
  bool fine = json_check_value(&c);
  json_check_space(&c);
  return fine && !*c.at;
}

/* The text of the value under a path ("" if there is none) in a buffer; returns the buffer. */
static const char *json_at(const char *text, const char *path, char *value, size_t size)
{
  json_check c = {.at = text, .wanted = path};
  value[0] = '\0';
  if (json_check_value(&c) && c.found) snprintf(value, size, "%.*s", (int)c.found_bytes, c.found);
  return value;
}

#endif
