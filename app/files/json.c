/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A JSON writer.
 */
#include "app/files/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Bytes of the UTF-8 character at s, 0 if there is none. */
static int character_bytes(const unsigned char *s)
{
  int n = s[0] < 0x80                   ? 1
          : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
          : (s[0] & 0xf0) == 0xe0       ? 3
          : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                        : 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool beyond = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f); /* surrogates; above U+10FFFF */
  return overlong || beyond ? 0 : n;
}

static void write_string(FILE *to, const char *text)
{
  putc('"', to);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int n = character_bytes(s);
    if (n == 0)
      fputs("\\ufffd", to);
    else if (*s == '"' || *s == '\\')
      fprintf(to, "\\%c", *s);
    else if (*s < 0x20)
      fprintf(to, "\\u%04x", *s);
    else
      fwrite(s, 1, (size_t)n, to);
    s += n ? n : 1;
  }
  putc('"', to);
}

/* Writes the separator of a value: comma, new line, key. */
static void begin_value(json *j, const char *key)
{
  if (j->begun[j->depth]) putc(',', j->to);
  j->begun[j->depth] = true;
  if (j->depth > 0) fprintf(j->to, "\n%*s", 2 * j->depth, "");
  assert((key != NULL) == (j->depth > 0 && j->close[j->depth - 1] == '}'));
  if (!key) return;
  write_string(j->to, key);
  fputs(": ", j->to);
}

static void open_level(json *j, const char *key, char open, char close)
{
  assert(j->depth < JSON_MAX_DEPTH);
  begin_value(j, key);
  putc(open, j->to);
  j->close[j->depth++] = close;
  j->begun[j->depth] = false;
}

json json_begin(FILE *to)
{
  return (json){.to = to};
}

void json_end(json *j)
{
  assert(j->depth == 0);
  putc('\n', j->to);
}

void json_object(json *j, const char *key)
{
  open_level(j, key, '{', '}');
}

void json_array(json *j, const char *key)
{
  open_level(j, key, '[', ']');
}

void json_close(json *j)
{
  assert(j->depth > 0);
  bool empty = !j->begun[j->depth--];
  if (!empty) fprintf(j->to, "\n%*s", 2 * j->depth, "");
  putc(j->close[j->depth], j->to);
}

void json_number(json *j, const char *key, double x)
{
  begin_value(j, key);
  if (isfinite(x))
    fprintf(j->to, "%.17g", x);
  else
    fputs("null", j->to);
}

void json_integer(json *j, const char *key, int64_t i)
{
  begin_value(j, key);
  fprintf(j->to, "%lld", (long long)i);
}

void json_bool(json *j, const char *key, bool yes)
{
  begin_value(j, key);
  fputs(yes ? "true" : "false", j->to);
}

void json_string(json *j, const char *key, const char *text)
{
  begin_value(j, key);
  if (text)
    write_string(j->to, text);
  else
    fputs("null", j->to);
}
